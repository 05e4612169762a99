//! A device under test: its ports, its clocks, its time.

use std::env;
use std::path::Path;
use std::rc::Rc;

use num_bigint::BigUint;

use crate::ffi::{BitCell, Instance, PortCell, Status};
use crate::model::{Direction, Model, PortInfo};
use crate::{Error, Failure, Outcome};

use crate::failure::Stopped;

/// Time from one rising edge to the next where no [`Schedule`] says otherwise, in picoseconds.
pub const DEFAULT_PERIOD_PS: u64 = 10_000;

/// One simulated instance of a [`Model`].
///
/// A cycle goes: set inputs, [`eval`](Self::eval) (outputs settle), look at outputs,
/// [`step`](Self::step) (the clock rises, then falls). An input set between `eval` and `step` counts
/// as set before the edge. A block that uses falling edges is beyond this bridge.
///
/// Once the model has stopped, every call that would run it gives the same failure again.
pub struct Dut {
    instance: Rc<Instance>,
    model: Model,
    seed: u64,
    clocks: Vec<ClockState>,
    /// Picoseconds.
    time: u64,
    /// Whether the low phase of the clocks has been evaluated.
    settled: bool,
    has_wave: bool,
    stopped: Option<Box<Stopped>>,
}

/// A clock input of a [`Dut`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock(usize);

/// What a [`Dut`] knows about one of its clocks.
struct ClockState {
    name: String,
    cell: BitCell,
    /// Rising edges so far.
    cycle: u64,
}

/// The input that selects a mutant, in Verilog that `cargo xtask mutate` has broken; no block has it otherwise.
pub const MUTANT_PORT: &str = "mutant";

/// The environment variable that awakes a mutant.
pub(crate) const MUTANT_VARIABLE: &str = "COSIM_MUTANT";

/// The mutant that [`MUTANT_VARIABLE`] awakes; 0 is none.
fn mutant() -> u64 {
    env::var(MUTANT_VARIABLE).ok().and_then(|number| number.parse().ok()).unwrap_or(0)
}

impl Dut {
    /// As [`Model::instance`].
    pub(crate) fn new(model: Model, seed: u64) -> Result<Self, Error> {
        let start = |message| Error::Start { top: model.top().into(), message };
        let instance = Instance::new(model.api(), simulator_seed(seed)).ok_or_else(|| start("out of memory".into()))?;
        for (index, port) in model.ports().iter().enumerate() {
            if port.direction == Direction::Input {
                let value = if port.name == MUTANT_PORT { mutant() } else { 0 };
                instance.port(index as u32, port.width).write(value);
            }
        }
        if instance.eval(0) == Status::Stopped {
            return Err(start(instance.message() + &instance.take_output()));
        }
        Ok(Self { instance, model, seed, clocks: Vec::new(), time: 0, settled: true, has_wave: false, stopped: None })
    }

    /// The model this is an instance of.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The seed of the initial state.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The input `name`.
    ///
    /// # Errors
    /// [`Error::NoPort`], listing the inputs.
    pub fn input(&self, name: &str) -> Result<Input, Error> {
        Ok(Input(self.port(name, Direction::Input)?))
    }

    /// The output `name`.
    ///
    /// # Errors
    /// [`Error::NoPort`], listing the outputs.
    pub fn output(&self, name: &str) -> Result<Output, Error> {
        Ok(Output(self.port(name, Direction::Output)?))
    }

    /// The port `name`, whoever drives it, to be looked at.
    ///
    /// # Errors
    /// [`Error::NoPort`], listing all ports.
    pub fn probe(&self, name: &str) -> Result<Probe, Error> {
        let found = self.model.ports().iter().find(|port| port.name == name);
        match found {
            Some(port) => Ok(Probe(self.port(name, port.direction)?)),
            None => Err(Error::NoPort {
                top: self.model.top().into(),
                kind: "port",
                name: name.into(),
                ports: list(self.model.ports().iter()),
            }),
        }
    }

    /// The clock input `name`, one bit wide.
    ///
    /// # Errors
    /// [`Error::NoPort`], [`Error::Width`].
    pub fn clock(&mut self, name: &str) -> Result<Clock, Error> {
        if let Some(known) = self.clocks.iter().position(|clock| clock.name == name) {
            return Ok(Clock(known));
        }
        let cell = self.input(name)?.bit()?;
        self.clocks.push(ClockState { name: name.into(), cell, cycle: 0 });
        Ok(Clock(self.clocks.len() - 1))
    }

    fn port(&self, name: &str, direction: Direction) -> Result<Port, Error> {
        let ports = self.model.ports();
        let found = ports.iter().position(|port| port.name == name && port.direction == direction);
        let index = found.ok_or_else(|| self.no_port(name, direction))?;
        Ok(Port { cell: self.instance.port(index as u32, ports[index].width), model: self.model.clone(), index })
    }

    fn no_port(&self, name: &str, direction: Direction) -> Error {
        let kind = match direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        let top = self.model.top().into();
        let ports = self.model.ports().iter().filter(|port| port.direction == direction);
        Error::NoPort { top, kind, name: name.into(), ports: list(ports) }
    }

    /// Lets outputs follow inputs, with all clocks low. Takes no time, except in a device of which no
    /// [`clock`](Self::clock) was asked for, such as a combinational one: there it stands for a cycle,
    /// and takes [`DEFAULT_PERIOD_PS`].
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the model stops.
    pub fn eval(&mut self) -> Outcome {
        self.settled = true;
        if self.clocks.is_empty() {
            return self.run_unclocked();
        }
        self.run()
    }

    #[inline(never)]
    fn run_unclocked(&mut self) -> Outcome {
        self.time += DEFAULT_PERIOD_PS;
        let outcome = self.run();
        self.dump_wave(self.time);
        outcome
    }

    /// One cycle of `clock`: it rises, alone, and falls.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the model stops.
    pub fn step(&mut self, clock: Clock) -> Outcome {
        self.rise([clock], self.time + DEFAULT_PERIOD_PS)
    }

    /// Raises all of `clocks` at once, at `time` picoseconds, and lowers them after.
    fn rise(&mut self, clocks: impl AsRef<[Clock]>, time: u64) -> Outcome {
        let clocks = clocks.as_ref();
        if !self.settled {
            self.run()?;
        }
        self.dump_wave(self.time + (time - self.time) / 2);
        self.time = time;
        for clock in clocks {
            self.clocks[clock.0].cell.write(true);
        }
        let outcome = self.run();
        self.dump_wave(time);
        for clock in clocks {
            let clock = &mut self.clocks[clock.0];
            clock.cell.write(false);
            clock.cycle += 1;
        }
        self.settled = false;
        outcome
    }

    #[inline]
    fn dump_wave(&self, time: u64) {
        if self.has_wave {
            self.instance.dump_wave(time);
        }
    }

    #[inline]
    fn run(&mut self) -> Outcome {
        match self.instance.eval(self.time) {
            Status::Running => Ok(()),
            status => Err(self.stop(status)),
        }
    }

    #[cold]
    fn stop(&mut self, status: Status) -> Failure {
        let stopped = self.stopped.get_or_insert_with(|| {
            let message = match status {
                Status::Finished => "the model ended the simulation ($finish)".into(),
                _ => self.instance.message(),
            };
            let cycle = self.clocks.iter().map(|clock| clock.cycle).max().unwrap_or(0);
            Box::new(Stopped { cycle, message, output: self.instance.take_output() })
        });
        Failure::Stopped(stopped.clone())
    }

    /// Holds the input `reset` high for `cycles` cycles of `clock`, then low.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the model stops.
    pub fn reset(&mut self, reset: &Input, clock: Clock, cycles: u64) -> Outcome {
        reset.set(1);
        for _ in 0..cycles {
            self.step(clock)?;
        }
        reset.set(0);
        self.eval()
    }

    /// Rising edges of `clock` so far.
    #[must_use]
    pub fn cycle(&self, clock: Clock) -> u64 {
        self.clocks[clock.0].cycle
    }

    /// Simulated time, picoseconds.
    #[must_use]
    pub fn time_ps(&self) -> u64 {
        self.time
    }

    /// What the model printed (`$display`, `$write`) since the last call.
    pub fn take_output(&mut self) -> String {
        self.instance.take_output()
    }

    /// Writes all signals, from now on, to the FST file `path`.
    ///
    /// # Errors
    /// [`Error::NotBuiltWith`] without [`waves`](crate::ModelBuilder::waves); [`Error::Io`] if the
    /// file's folder cannot be made or the file not written.
    pub fn open_wave(&mut self, path: &Path) -> Result<(), Error> {
        if !self.model.source().waves {
            return Err(self.not_built_with("waves", "waves"));
        }
        prepare(path)?;
        if !self.instance.open_wave(path) {
            let cause = std::io::Error::other(self.instance.message());
            return Err(Error::io("write", path, cause));
        }
        self.has_wave = true;
        Ok(())
    }

    /// Ends the wave file; dropping the device does so too.
    pub fn close_wave(&mut self) {
        self.instance.close_wave();
        self.has_wave = false;
    }

    /// Writes what the run covered, for [`CodeCoverage`](crate::CodeCoverage), to `path`.
    ///
    /// # Errors
    /// [`Error::NotBuiltWith`] without [`coverage`](crate::ModelBuilder::coverage); [`Error::Io`].
    pub fn write_coverage(&mut self, path: &Path) -> Result<(), Error> {
        if !self.model.source().coverage {
            return Err(self.not_built_with("coverage", "coverage"));
        }
        prepare(path)?;
        if !self.instance.write_coverage(path) {
            let cause = std::io::Error::other(self.instance.message());
            return Err(Error::io("write", path, cause));
        }
        Ok(())
    }

    /// Ends the simulation: runs `final` blocks.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if one of them stops the model, or the model had stopped before.
    pub fn finish(&mut self) -> Outcome {
        match self.instance.finish() {
            Status::Stopped => Err(self.stop(Status::Stopped)),
            Status::Running | Status::Finished => Ok(()),
        }
    }

    fn not_built_with(&self, feature: &'static str, option: &'static str) -> Error {
        Error::NotBuiltWith { top: self.model.top().into(), feature, option }
    }
}

/// Verilator's seeds are positive 31-bit numbers, and 0 means "any": spreads all 64 bits over them.
fn simulator_seed(seed: u64) -> i32 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed >> 33) as i32).max(1)
}

/// Makes the folder of a file to be written, and sees that the file can be.
fn prepare(path: &Path) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|cause| Error::io("create", folder, cause))?;
    }
    std::fs::File::create(path).map(drop).map_err(|cause| Error::io("write", path, cause))
}

/// `a[8], b[1]`.
fn list<'a>(ports: impl Iterator<Item = &'a PortInfo>) -> String {
    let shown: Vec<_> = ports.map(|port| format!("{}[{}]", port.name, port.width)).collect();
    if shown.is_empty() { "none".into() } else { shown.join(", ") }
}

/// A port of a live instance.
#[derive(Clone)]
struct Port {
    cell: PortCell,
    model: Model,
    index: usize,
}

impl Port {
    fn name(&self) -> &str {
        &self.model.ports()[self.index].name
    }

    #[inline]
    fn width(&self) -> u32 {
        self.cell.bits()
    }

    #[inline]
    #[track_caller]
    fn get(&self) -> u64 {
        if self.width() > 64 {
            let name = self.name();
            panic!("port `{name}` is {} bits wide, `get` takes 64: use `get_big`", self.width());
        }
        self.cell.read()
    }

    #[inline]
    #[track_caller]
    fn set(&self, value: u64) {
        if self.width() < 64 && value >> self.width() != 0 {
            self.too_large(&BigUint::from(value));
        }
        self.cell.write(value);
    }

    #[inline]
    #[track_caller]
    fn set_words(&self, words: &[u32]) {
        let last_bits = (self.width() - 1) % 32 + 1;
        let fits = words.len() == self.cell.words() && u64::from(words[words.len() - 1]) >> last_bits == 0;
        if !fits {
            self.too_large(&BigUint::from_slice(words));
        }
        self.cell.write_words(words);
    }

    #[cold]
    #[track_caller]
    fn too_large(&self, value: &BigUint) -> ! {
        let (name, width) = (self.name(), self.width());
        panic!("port `{name}` is {width} bits wide, the value {value:#x} does not fit");
    }

    fn of_width(self, expected: u32) -> Result<Self, Error> {
        if self.width() == expected { Ok(self) } else { Err(self.wrong_width(expected)) }
    }

    fn bit(&self) -> Result<BitCell, Error> {
        self.cell.bit().ok_or_else(|| self.wrong_width(1))
    }

    fn wrong_width(&self, expected: u32) -> Error {
        let (top, name) = (self.model.top().into(), self.name().into());
        Error::Width { top, name, found: self.width(), expected }
    }
}

/// Methods that both kinds of ports have.
macro_rules! reading {
    ($kind:ident) => {
        impl $kind {
            /// The port, if it is `expected` bits wide.
            ///
            /// # Errors
            /// [`Error::Width`].
            pub fn of_width(self, expected: u32) -> Result<Self, Error> {
                self.0.of_width(expected).map(Self)
            }

            /// Its name in the Verilog.
            #[must_use]
            pub fn name(&self) -> &str {
                self.0.name()
            }

            /// Its width, bits.
            #[must_use]
            pub fn width(&self) -> u32 {
                self.0.width()
            }

            /// Its value.
            ///
            /// # Panics
            /// If the port is wider than 64 bits.
            #[inline]
            #[must_use]
            #[track_caller]
            pub fn get(&self) -> u64 {
                self.0.get()
            }

            /// Whether any of its bits is set; for ports of one bit, its value.
            ///
            /// # Panics
            /// If the port is wider than 64 bits.
            #[inline]
            #[must_use]
            #[track_caller]
            pub fn is_set(&self) -> bool {
                self.0.get() != 0
            }

            /// Its value, of any width.
            #[must_use]
            pub fn get_big(&self) -> BigUint {
                let mut words = vec![0; self.0.cell.words()];
                self.0.cell.read_words(&mut words);
                BigUint::new(words)
            }
        }
    };
}

/// A port that the testbench drives. It keeps its instance alive and stays on its thread.
#[derive(Clone)]
pub struct Input(Port);

/// A port that the model drives. It keeps its instance alive and stays on its thread.
#[derive(Clone)]
pub struct Output(Port);

/// A port that the testbench only looks at, whoever drives it. It keeps its instance alive and stays
/// on its thread.
#[derive(Clone)]
pub struct Probe(Port);

reading!(Input);
reading!(Output);
reading!(Probe);

impl Probe {
    /// Its memory, if it is one bit wide.
    pub(crate) fn bit(&self) -> Result<BitCell, Error> {
        self.0.bit()
    }

    /// Its memory.
    pub(crate) fn cell(&self) -> PortCell {
        self.0.cell.clone()
    }
}

impl Input {
    /// Its memory, if it is one bit wide.
    pub(crate) fn bit(&self) -> Result<BitCell, Error> {
        self.0.bit()
    }

    /// Drives it. Wide ports are filled with zeros above bit 63.
    ///
    /// # Panics
    /// If `value` does not fit the port.
    #[inline]
    #[track_caller]
    pub fn set(&self, value: u64) {
        self.0.set(value);
    }

    /// Drives it from words, least significant first.
    ///
    /// # Panics
    /// If `words` is not `width / 32`, rounded up, long, or a bit above the width is set.
    #[inline]
    #[track_caller]
    pub fn set_words(&self, words: &[u32]) {
        self.0.set_words(words);
    }

    /// Drives it with a value of any width.
    ///
    /// # Panics
    /// If `value` does not fit the port.
    #[track_caller]
    pub fn set_big(&self, value: &BigUint) {
        if value.bits() > u64::from(self.width()) {
            self.0.too_large(value);
        }
        let mut words = value.to_u32_digits();
        words.resize(self.0.cell.words(), 0);
        self.0.cell.write_words(&words);
    }
}

/// Several clocks with periods of their own; edges at the same picosecond are one event.
///
/// ```no_run
/// # fn main() -> tollgate_cosim::Outcome {
/// # let model = tollgate_cosim::Model::of("bridge").build()?;
/// let mut dut = model.instance(1)?;
/// let (host, wire) = (dut.clock("host_clk")?, dut.clock("wire_clk")?);
/// let mut schedule = tollgate_cosim::Schedule::new()
///     .clock(host, 4_000, 0)
///     .clock(wire, 3_100, 700);
/// while dut.cycle(host) < 1_000 {
///     dut.eval()?;
///     let rising = schedule.next_edges();
///     if rising.contains(wire) { /* look at the wire side's ports */ }
///     schedule.step(&mut dut)?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    clocks: Vec<Scheduled>,
    /// Picoseconds since the schedule began.
    now: u64,
}

/// A clock of a [`Schedule`]; times in picoseconds since the schedule began.
#[derive(Debug, Clone)]
struct Scheduled {
    clock: Clock,
    period: u64,
    next: u64,
}

/// The clocks that rise together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edges(Vec<Clock>);

impl Edges {
    /// Whether `clock` is among them.
    #[must_use]
    pub fn contains(&self, clock: Clock) -> bool {
        self.0.contains(&clock)
    }
}

impl Schedule {
    /// A schedule without clocks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clock that first rises `phase` picoseconds after its first period.
    ///
    /// # Panics
    /// If the period is zero or the clock is there already.
    #[must_use]
    pub fn clock(mut self, clock: Clock, period: u64, phase: u64) -> Self {
        assert!(period > 0, "a clock's period is at least 1 ps");
        assert!(self.clocks.iter().all(|other| other.clock != clock), "a clock is in a schedule once");
        self.clocks.push(Scheduled { clock, period, next: period + phase });
        self
    }

    /// The clocks that [`step`](Self::step) will raise.
    #[must_use]
    pub fn next_edges(&self) -> Edges {
        let time = self.next_time();
        let due = self.clocks.iter().filter(|scheduled| Some(scheduled.next) == time);
        Edges(due.map(|scheduled| scheduled.clock).collect())
    }

    /// Goes on to the next rising edge of any clock, and says which rose.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the model stops.
    ///
    /// # Panics
    /// If the schedule has no clocks.
    pub fn step(&mut self, dut: &mut Dut) -> Outcome<Edges> {
        let time = self.next_time().expect("a schedule has clocks");
        let edges = self.next_edges();
        for scheduled in self.clocks.iter_mut().filter(|scheduled| scheduled.next == time) {
            scheduled.next += scheduled.period;
        }
        let passed = time - self.now;
        self.now = time;
        dut.rise(&edges.0, dut.time + passed)?;
        Ok(edges)
    }

    fn next_time(&self) -> Option<u64> {
        self.clocks.iter().map(|scheduled| scheduled.next).min()
    }
}
