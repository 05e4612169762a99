//! The credit manager: in every cycle the ports show what the golden model says, and credits that are counted without end
//! are neither lost nor invented.

use std::array;
use std::collections::VecDeque;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tb::{ClockAndReset, RESET_CYCLES, ValidDriver, ValidMonitor, configurations, model, rules};
use tollgate_cosim::{Beat, Bench, Coverage, Dut, Error, Failure, Input, Outcome, Probe, Stalls};
use tollgate_golden::iommu::credit_manager::{CreditManager, Inputs, Limit, Outputs, PerClass, PerPart};
use tollgate_spec::config::Config;
use tollgate_spec::flow_control::{Class, DATA_CREDIT_BYTES, Part, TLP_UNITS_BITS};

const MODULE: &str = "iommu_credit_manager";

/// The most units that the ports can tell of one TLP.
const MOST_UNITS: u64 = (1 << TLP_UNITS_BITS) - 1;

/// Drives a class.
struct ClassDriver {
    received: ValidDriver,
    freed: PerPart<Input>,
    hold: PerPart<Input>,
    limit: ValidDriver,
    pending: Input,
    sent: Input,
}

impl ClassDriver {
    fn new(dut: &Dut, class: Class, seed: u64) -> Outcome<Self> {
        let name = class.name();
        let part = |port: &str, part: Part| dut.input(&format!("{port}_{name}_{}", part.name()));
        let parts =
            |port: &str| Ok::<_, Error>(PerPart { header: part(port, Part::Header)?, data: part(port, Part::Data)? });
        Ok(Self {
            received: ValidDriver::new(dut, &format!("received_{name}"), seed)?,
            freed: parts("freed")?,
            hold: parts("hold")?,
            limit: ValidDriver::new(dut, &format!("limit_{name}"), seed + 1)?,
            pending: dut.input(&format!("pending_{name}_data"))?,
            sent: dut.input(&format!("pending_{name}_sent"))?,
        })
    }

    fn drive(&mut self, inputs: &Inputs) -> Outcome {
        let received = inputs.received.map(|units| self.received.layout().beat().with("data", units));
        self.received.drive(received.transpose()?.as_ref())?;
        let limit = inputs.limit.map(|Limit { initial, credits }| {
            let beat = self.limit.layout().beat().with("initial", u8::from(initial))?;
            beat.with("credits_header", credits.header)?.with("credits_data", credits.data)
        });
        self.limit.drive(limit.transpose()?.as_ref())?;
        for part in Part::ALL {
            self.freed.of(part).set(*inputs.freed.of(part));
            self.hold.of(part).set(u64::from(*inputs.hold.of(part)));
        }
        self.pending.set(inputs.pending);
        self.sent.set(inputs.sent.into());
        Ok(())
    }
}

/// Drives all classes.
struct Driver(PerClass<ClassDriver>);

impl Driver {
    fn new(dut: &Dut, seed: u64) -> Outcome<Self> {
        let [posted, non_posted, completion] = Class::ALL.map(|class| ClassDriver::new(dut, class, seed));
        Ok(Self([posted?, non_posted?, completion?]))
    }

    fn drive(&mut self, inputs: &PerClass<Inputs>) -> Outcome {
        self.0.iter_mut().zip(inputs).try_for_each(|(driver, inputs)| driver.drive(inputs))
    }
}

/// Sees the ports of a class, whoever drives them.
struct ClassMonitor {
    received: ValidMonitor,
    freed: PerPart<Probe>,
    hold: PerPart<Probe>,
    limit: ValidMonitor,
    pending: Probe,
    sent: Probe,
    accepted: Probe,
    allocated: PerPart<Probe>,
    overflow: PerPart<Probe>,
    may_send: Probe,
    protocol_error: PerPart<Probe>,
}

impl ClassMonitor {
    fn new(dut: &Dut, class: Class) -> Outcome<Self> {
        let name = class.name();
        let part = |port: &str, part: Part| dut.probe(&format!("{port}_{name}_{}", part.name()));
        let parts =
            |port: &str| Ok::<_, Error>(PerPart { header: part(port, Part::Header)?, data: part(port, Part::Data)? });
        Ok(Self {
            received: ValidMonitor::new(dut, &format!("received_{name}"))?,
            freed: parts("freed")?,
            hold: parts("hold")?,
            limit: ValidMonitor::new(dut, &format!("limit_{name}"))?,
            pending: dut.probe(&format!("pending_{name}_data"))?,
            sent: dut.probe(&format!("pending_{name}_sent"))?,
            accepted: dut.probe(&format!("accepted_{name}"))?,
            allocated: parts("allocated")?,
            overflow: parts("overflow")?,
            may_send: dut.probe(&format!("may_send_{name}"))?,
            protocol_error: parts("protocol_error")?,
        })
    }

    fn inputs(&mut self, cycle: u64) -> Outcome<Inputs> {
        let field = |beat: &Beat, name: &str| Ok::<_, Error>(beat.get(beat.layout().field(name)?));
        let limit = self.limit.sample(cycle)?.map(|beat| {
            let credits = PerPart { header: field(&beat, "credits_header")?, data: field(&beat, "credits_data")? };
            Ok::<_, Error>(Limit { initial: field(&beat, "initial")? == 1, credits })
        });
        Ok(Inputs {
            received: self.received.sample(cycle)?.map(|beat| field(&beat, "data")).transpose()?,
            freed: PerPart::from_fn(|part| self.freed.of(part).get()),
            hold: PerPart::from_fn(|part| self.hold.of(part).is_set()),
            limit: limit.transpose()?,
            pending: self.pending.get(),
            sent: self.sent.is_set(),
        })
    }

    fn outputs(&self) -> Outputs {
        Outputs {
            accepted: self.accepted.is_set(),
            allocated: PerPart::from_fn(|part| self.allocated.of(part).get()),
            overflow: PerPart::from_fn(|part| self.overflow.of(part).is_set()),
            may_send: self.may_send.is_set(),
            protocol_error: PerPart::from_fn(|part| self.protocol_error.of(part).is_set()),
        }
    }
}

/// Compares what the ports of a class show with what the golden model says.
fn judge(cycle: u64, class: Class, inputs: &Inputs, rtl: &Outputs, golden: &Outputs) -> Outcome {
    let fields = |outputs: &Outputs| {
        let Outputs { accepted, allocated, overflow, may_send, protocol_error } = *outputs;
        [
            ("accepted", "", accepted.into()),
            ("allocated", "_header", allocated.header),
            ("allocated", "_data", allocated.data),
            ("overflow", "_header", overflow.header.into()),
            ("overflow", "_data", overflow.data.into()),
            ("may_send", "", may_send.into()),
            ("protocol_error", "_header", protocol_error.header.into()),
            ("protocol_error", "_data", protocol_error.data.into()),
        ]
    };
    for ((port, part, rtl), (_, _, golden)) in fields(rtl).into_iter().zip(fields(golden)) {
        if rtl != golden {
            let field = format!("{port}_{}{part}", class.name());
            return Err(Failure::mismatch(cycle, shown(class, inputs), field, rtl, golden));
        }
    }
    Ok(())
}

/// The inputs of a class in words, for the reader of a mismatch.
fn shown(class: Class, inputs: &Inputs) -> String {
    let Inputs { received, freed, hold, limit, pending, sent } = inputs;
    let received = received.map(|units| format!("a TLP of {units} units arrives"));
    let freed =
        (freed.header + freed.data > 0).then(|| format!("{} headers and {} units are freed", freed.header, freed.data));
    let held = [("headers", hold.header), ("payload", hold.data)];
    let held = held.iter().filter(|(_, holds)| *holds).map(|(part, _)| format!("hold of {part}"));
    let limit = limit.map(|Limit { initial, credits }| {
        let which = if initial { "first advertisement" } else { "update" };
        format!("{which} of {} headers and {} units", credits.header, credits.data)
    });
    let sent = format!("a TLP of {pending} units {}", if *sent { "is sent" } else { "waits" });
    let all: Vec<_> = received.into_iter().chain(freed).chain(held).chain(limit).chain([sent]).collect();
    format!("{}: {}", class.name(), all.join(", "))
}

/// What credits are for, judged from ports alone: sums that never go round, and what must hold between them.
struct Ledger(PerClass<PerPart<Account>>);

/// The sums of a type.
#[derive(Clone, Copy)]
struct Account {
    /// Buffers; `None` if there are always some.
    buffers: Option<u64>,
    /// What CREDITS_ALLOCATED last showed, and all that it has given.
    allocated: u64,
    given: u64,
    /// Taken by TLPs that were accepted.
    received: u64,
    freed: u64,
    /// Whether what was freed up to the cycle before must be given now.
    must_give: bool,
    limit: PeerLimit,
    consumed: u64,
}

/// What the other side has given of a type.
#[derive(Clone, Copy, PartialEq)]
enum PeerLimit {
    Nothing,
    Infinite,
    Sum(u64),
    /// It broke the rules, so that nothing is expected any more.
    Void,
}

fn modulus(part: Part) -> u64 {
    1 << part.counter_bits()
}

fn taken(part: Part, units: u64) -> u64 {
    match part {
        Part::Header => 1,
        Part::Data => units,
    }
}

impl Ledger {
    fn new(config: &Config) -> Self {
        Self(Class::ALL.map(|class| {
            PerPart::from_fn(|part| {
                let buffers = config.credits.of(class, part).map(u64::from);
                let first = buffers.unwrap_or(0);
                Account {
                    buffers,
                    allocated: first,
                    given: first,
                    received: 0,
                    freed: 0,
                    must_give: true,
                    limit: PeerLimit::Nothing,
                    consumed: 0,
                }
            })
        }))
    }

    fn account(&self, class: Class, part: Part) -> &Account {
        self.0[class as usize].of(part)
    }

    /// Judges the ports of a class before a clock edge, and writes down what happens at it.
    fn observe(&mut self, cycle: u64, class: Class, inputs: &Inputs, outputs: &Outputs) -> Outcome {
        self.show(class, outputs);
        let accounts = &mut self.0[class as usize];
        let wrong = |rule: String| Err(Failure::other(format!("cycle {cycle}: {}: {rule}", shown(class, inputs))));
        for part in Part::ALL {
            if let Some(rule) = accounts.of(part).broken_rule() {
                return wrong(format!("{}: {rule}", part.name()));
            }
        }
        let fits = |part| inputs.received.is_none_or(|tlp| accounts.of(part).has_room(taken(part, tlp)));
        let expected = inputs.received.is_some() && Part::ALL.into_iter().all(fits);
        if outputs.accepted != expected {
            return wrong(format!("accepted is {}, but the credits given say {expected}", outputs.accepted));
        }
        let limits = Part::ALL.map(|part| accounts.of(part).limit);
        if !limits.contains(&PeerLimit::Void) {
            let enough = |part| accounts.of(part).may_take(taken(part, inputs.pending));
            let expected = Part::ALL.into_iter().all(enough);
            if outputs.may_send != expected {
                return wrong(format!("may_send is {}, but the credits had say {expected}", outputs.may_send));
            }
        }
        for (part, account) in [(Part::Header, &mut accounts.header), (Part::Data, &mut accounts.data)] {
            account.received += inputs.received.filter(|_| outputs.accepted).map_or(0, |tlp| taken(part, tlp));
            account.freed += inputs.freed.of(part);
            account.must_give = !inputs.hold.of(part);
            if let Some(limit) = inputs.limit {
                account.advertise(part, limit.initial, *limit.credits.of(part));
            }
            account.consumed += if inputs.sent { taken(part, inputs.pending) } else { 0 };
        }
        Ok(())
    }

    /// Follows CREDITS_ALLOCATED of a class.
    fn show(&mut self, class: Class, outputs: &Outputs) {
        let accounts = &mut self.0[class as usize];
        for (part, account) in [(Part::Header, &mut accounts.header), (Part::Data, &mut accounts.data)] {
            let allocated = *outputs.allocated.of(part);
            account.given += (allocated + modulus(part) - account.allocated) % modulus(part);
            account.allocated = allocated;
        }
    }
}

impl Account {
    /// Credits given to the other side and not used.
    fn room(&self) -> u64 {
        self.buffers.map_or(u64::MAX, |_| self.given - self.received)
    }

    fn has_room(&self, units: u64) -> bool {
        units <= self.room()
    }

    /// Credits that TLPs in buffers have taken.
    fn occupied(&self) -> u64 {
        self.received - self.freed
    }

    /// Credits had from the other side and not used.
    fn unspent(&self) -> u64 {
        match self.limit {
            PeerLimit::Nothing | PeerLimit::Void => 0,
            PeerLimit::Infinite => u64::MAX,
            PeerLimit::Sum(limit) => limit - self.consumed,
        }
    }

    fn may_take(&self, units: u64) -> bool {
        self.limit != PeerLimit::Nothing && units <= self.unspent()
    }

    /// What must hold between what was given and what was freed.
    fn broken_rule(&self) -> Option<String> {
        let Self { given, freed, .. } = self;
        let Some(buffers) = self.buffers else {
            return (*given > 0).then(|| format!("{given} of infinite credits are given"));
        };
        if *given > buffers + freed {
            return Some(format!("{given} credits are given for {buffers} buffers, freed {freed} times"));
        }
        let lost = self.must_give && *given < buffers + freed;
        lost.then(|| format!("only {given} credits are given for {buffers} buffers, freed {freed} times, unheld"))
    }

    fn advertise(&mut self, part: Part, initial: bool, credits: u64) {
        self.limit = match (self.limit, initial) {
            (PeerLimit::Nothing, false) => PeerLimit::Nothing,
            (PeerLimit::Nothing, true) if credits == 0 => PeerLimit::Infinite,
            (PeerLimit::Nothing, true) => PeerLimit::Sum(credits),
            (PeerLimit::Infinite, false) if credits == 0 => PeerLimit::Infinite,
            (PeerLimit::Sum(sum), false) => {
                PeerLimit::Sum(sum + (credits + modulus(part) - sum % modulus(part)) % modulus(part))
            }
            _ => PeerLimit::Void,
        };
        if matches!(self.limit, PeerLimit::Sum(sum) if sum - self.consumed > part.most_unused().into()) {
            self.limit = PeerLimit::Void;
        }
    }
}

/// The credit manager between its driver and monitors, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    driver: Driver,
    monitors: PerClass<ClassMonitor>,
    golden: CreditManager,
    ledger: Ledger,
    config: &'a Config,
}

impl<'a> Testbench<'a> {
    /// The credit manager of a configuration after reset.
    fn new(dut: &'a mut Dut, config: &'a Config, seed: u64) -> Outcome<Self> {
        let [posted, non_posted, completion] = Class::ALL.map(|class| ClassMonitor::new(dut, class));
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            driver: Driver::new(dut, seed)?,
            monitors: [posted?, non_posted?, completion?],
            golden: CreditManager::new(config),
            ledger: Ledger::new(config),
            config,
            dut,
        };
        testbench.reset(&[PerClass::default(); RESET_CYCLES as usize])?;
        Ok(testbench)
    }

    /// Holds the reset, a cycle for each of some inputs, which do nothing.
    fn reset(&mut self, lost: &[PerClass<Inputs>]) -> Outcome {
        self.timing.rst.set(1);
        for inputs in lost {
            self.driver.drive(inputs)?;
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        self.ledger = Ledger::new(self.config);
        Ok(())
    }

    /// One cycle, in which TLPs that are to be sent are sent if they may be; gives what the ports show.
    fn cycle(&mut self, inputs: &PerClass<Inputs>) -> Outcome<PerClass<Outputs>> {
        self.driver.drive(&permitted(&self.golden, inputs))?;
        self.dut.eval()?;
        let cycle = self.timing.cycle(self.dut);
        let mut seen = PerClass::default();
        for (seen, monitor) in seen.iter_mut().zip(&mut self.monitors) {
            *seen = monitor.inputs(cycle)?;
        }
        let golden = self.golden.outputs(&seen);
        let rtl: PerClass<_> = array::from_fn(|class| self.monitors[class].outputs());
        for (i, class) in Class::ALL.into_iter().enumerate() {
            judge(cycle, class, &seen[i], &rtl[i], &golden[i])?;
            self.ledger.observe(cycle, class, &seen[i], &rtl[i])?;
        }
        self.golden.step(&seen);
        self.dut.step(self.timing.clk)?;
        for (class, monitor) in Class::ALL.into_iter().zip(&self.monitors) {
            self.ledger.show(class, &monitor.outputs());
        }
        Ok(rtl)
    }

    /// One cycle of one class, in which the others rest.
    fn one(&mut self, class: Class, inputs: Inputs) -> Outcome<Outputs> {
        Ok(self.cycle(&only(class, inputs))?[class as usize])
    }

    /// What a class shows at rest.
    fn at_rest(&mut self, class: Class) -> Outcome<Outputs> {
        self.one(class, Inputs::default())
    }

    fn account(&self, class: Class, part: Part) -> &Account {
        self.ledger.account(class, part)
    }

    /// What is shown after reset: the credits of the configuration, closed gates, no errors.
    fn assert_fresh(&self, outputs: &PerClass<Outputs>) {
        for class in Class::ALL {
            let first = PerPart::from_fn(|part| self.first(class, part).unwrap_or(0));
            let expected = Outputs { allocated: first, ..Outputs::default() };
            assert_eq!(outputs[class as usize], expected, "{class:?}");
        }
    }

    /// The first advertisement of a type; `None` if it is infinite.
    fn first(&self, class: Class, part: Part) -> Option<u64> {
        self.config.credits.of(class, part).map(u64::from)
    }

    /// The units of the largest payload.
    fn largest(&self) -> u64 {
        (self.config.access_log_table.largest_payload_bytes / DATA_CREDIT_BYTES).into()
    }
}

/// The inputs, but that only TLPs are sent that may be.
fn permitted(golden: &CreditManager, inputs: &PerClass<Inputs>) -> PerClass<Inputs> {
    let outputs = golden.outputs(inputs);
    array::from_fn(|class| Inputs { sent: inputs[class].sent && outputs[class].may_send, ..inputs[class] })
}

fn only(class: Class, inputs: Inputs) -> PerClass<Inputs> {
    let mut all = PerClass::default();
    all[class as usize] = inputs;
    all
}

fn receive(units: u64) -> Inputs {
    Inputs { received: Some(units), ..Inputs::default() }
}

fn free(header: u64, data: u64) -> Inputs {
    Inputs { freed: PerPart { header, data }, ..Inputs::default() }
}

fn advertise(initial: bool, header: u64, data: u64) -> Inputs {
    Inputs { limit: Some(Limit { initial, credits: PerPart { header, data } }), ..Inputs::default() }
}

fn send(units: u64) -> Inputs {
    Inputs { pending: units, sent: true, ..Inputs::default() }
}

/// An input of one part: the other has 0.
fn of_part(part: Part, value: u64) -> PerPart<u64> {
    PerPart::from_fn(|other| if other == part { value } else { 0 })
}

fn hold_of(part: Part) -> PerPart<bool> {
    PerPart::from_fn(|other| other == part)
}

/// Runs `test` over `seeds` in every configuration; `coverage` gives the bins that the seeds fill together.
fn check(
    condition: &str,
    seeds: u64,
    coverage: impl Fn(&Config) -> Coverage,
    test: impl Fn(&mut Testbench<'_>, &mut dyn Rng, &mut Coverage) -> Outcome,
) {
    for config in configurations() {
        let run = tb::run(module_path!(), condition, &config).seeds(seeds).coverage(coverage(&config));
        run.check(&model(&config, MODULE), |bench| {
            let Bench { dut, seed, rng, coverage } = bench;
            let mut testbench = Testbench::new(dut, &config, *seed)?;
            test(&mut testbench, rng, coverage)?;
            testbench.cycle(&PerClass::default()).map(drop)
        });
    }
}

/// Nothing to cover: the test enumerates its cases.
fn enumerated(_: &Config) -> Coverage {
    Coverage::new()
}

/// After reset the first advertisement is that of the configuration; updates before the first advertisement of the other
/// side do nothing, and nothing may be sent.
#[test]
fn after_reset() {
    check("after_reset", 4, enumerated, |testbench, rng, _| {
        for _ in 0..100 {
            let mut update = || {
                let any = |rng: &mut dyn Rng, part| rng.random_range(0..modulus(part));
                advertise(false, any(rng, Part::Header), any(rng, Part::Data))
            };
            let inputs = array::from_fn(|_| Inputs { pending: 0, ..update() });
            let outputs = testbench.cycle(&inputs)?;
            testbench.assert_fresh(&outputs);
        }
        Ok(())
    });
}

/// The standard's comparison, for every value of CREDIT_LIMIT, for TLPs from the smallest to the largest that the ports can
/// tell.
#[test]
fn every_distance_of_the_gate() {
    const CONSUMED: u64 = 100;
    check("every_distance_of_the_gate", 1, enumerated, |testbench, _, _| {
        for part in Part::ALL {
            let loads: &[u64] = if part == Part::Header { &[0] } else { &[1, 256, MOST_UNITS] };
            testbench.reset(&[PerClass::default()])?;
            let all = |initial, credits: PerPart<u64>| [advertise(initial, credits.header, credits.data); 3];
            testbench.cycle(&all(true, of_part(part, 127)))?;
            for _ in 0..CONSUMED {
                testbench.cycle(&[send(1); 3])?;
            }
            testbench.cycle(&all(false, of_part(part, 0)))?;
            for limit in 0..modulus(part) {
                for load in loads {
                    // The last of the TLPs meets the next limit.
                    let next = all(false, of_part(part, (limit + 1) % modulus(part)));
                    let inputs = if Some(load) == loads.last() { next } else { PerClass::default() };
                    let outputs = testbench.cycle(&inputs.map(|inputs| Inputs { pending: *load, ..inputs }))?;
                    let required = CONSUMED + taken(part, *load);
                    let distance = (limit + modulus(part) - required) % modulus(part);
                    let expected = distance <= modulus(part) / 2;
                    assert_eq!(
                        outputs.map(|class| class.may_send),
                        [expected; 3],
                        "{part:?}: limit {limit}, consumed {CONSUMED}, a TLP of {load} units"
                    );
                }
            }
        }
        Ok(())
    });
}

/// The four kinds of a first advertisement, far beyond the range of the counters: what is infinite never blocks, what is
/// not blocks after exactly what was given.
#[test]
fn infinite_credits() {
    check("infinite_credits", 1, enumerated, |testbench, _, _| {
        for (header, data) in [(0, 0), (0, 2047), (127, 0), (127, 2047)] {
            testbench.reset(&[PerClass::default()])?;
            testbench.cycle(&[advertise(true, header, data); 3])?;
            let expected = match (header, data) {
                (0, 0) => 500,
                (0, data) => data / 16,
                (header, _) => header,
            };
            for count in 0..500 {
                let outputs = testbench.cycle(&[send(16); 3])?;
                assert_eq!(outputs.map(|class| class.may_send), [count < expected; 3], "TLP {count} of {expected}");
            }
            let open = testbench.cycle(&PerClass::default())?.map(|class| class.may_send);
            assert_eq!(open, [header == 0; 3], "a TLP without payload, {header} headers first");
            // An update shows 0 for what is infinite, whatever has been sent.
            let update = |first: u64, used: u64| if first == 0 { 0 } else { used };
            testbench.cycle(&[advertise(false, update(header, 127 + 1), update(data, 127 * 16 + 16)); 3])?;
            let outputs = testbench.cycle(&[send(16); 3])?;
            for class in outputs {
                assert!(class.may_send && class.protocol_error == PerPart::default(), "{class:?}");
            }
        }
        Ok(())
    });
}

/// All six types at once, a TLP of each class sent, received and freed in every cycle: all counters go round at least three
/// times, and nobody ever waits.
#[test]
fn all_types_wrap_together() {
    check("all_types_wrap_together", 1, enumerated, |testbench, _, _| {
        let units = Class::ALL.map(|class| {
            let most = testbench.first(class, Part::Data).map_or(u64::MAX, |buffers| buffers / 2);
            most.min(testbench.largest())
        });
        testbench.cycle(&[advertise(true, 127, 2047); 3])?;
        let slowest = units.into_iter().min().expect("there are classes");
        let cycles = 4 * modulus(Part::Header).max(modulus(Part::Data) / slowest);
        let mut credits = [PerPart { header: 127, data: 2047 }; 3];
        for cycle in 0..cycles {
            let inputs = array::from_fn(|class| {
                let units = units[class];
                let freed = if cycle > 0 { PerPart { header: 1, data: units } } else { PerPart::default() };
                let limit = Limit { initial: false, credits: credits[class] };
                Inputs { received: Some(units), freed, limit: Some(limit), ..send(units) }
            });
            let outputs = testbench.cycle(&inputs)?;
            for (class, outputs) in outputs.into_iter().enumerate() {
                assert!(outputs.accepted && outputs.may_send, "cycle {cycle}: {:?}: {outputs:?}", Class::ALL[class]);
                credits[class].header = (credits[class].header + 1) % modulus(Part::Header);
                credits[class].data = (credits[class].data + units[class]) % modulus(Part::Data);
            }
        }
        for class in Class::ALL {
            for part in Part::ALL {
                let account = testbench.account(class, part);
                let rounds = account.consumed.min(account.received) / modulus(part);
                assert!(rounds >= 3, "{class:?} {part:?} went round {rounds} times");
                let given = account.buffers.map(|_| account.given / modulus(part));
                assert!(given.is_none_or(|rounds| rounds >= 3), "{class:?} {part:?} was given {given:?} times");
            }
        }
        let outputs = testbench.cycle(&PerClass::default())?;
        for class in outputs {
            assert_eq!((class.overflow, class.protocol_error), Default::default());
        }
        Ok(())
    });
}

/// Of one type everything is freed in pieces while it is held: none of it is given, the other types go on, and all of it is
/// given in the cycle after `hold` falls. Rounds of it move every counter.
#[test]
fn hold_withholds_one_type_and_loses_nothing() {
    check("hold_withholds_one_type_and_loses_nothing", 1, enumerated, |testbench, _, _| {
        for (class, part) in types() {
            let Some(first) = testbench.first(class, part) else {
                testbench.one(class, Inputs { freed: of_part(part, 1), ..Inputs::default() })?;
                assert_eq!(*testbench.at_rest(class)?.allocated.of(part), 0);
                continue;
            };
            let other = Part::ALL[1 - part as usize];
            for round in 0..5 {
                let before = *testbench.at_rest(class)?.allocated.of(part);
                let tlps = testbench.first(class, Part::Header).map_or(4, |headers| headers.min(4));
                let room = testbench.first(class, Part::Data).unwrap_or(4 * MOST_UNITS);
                let units = (room / tlps).min(testbench.largest());
                for _ in 0..tlps {
                    assert!(testbench.one(class, receive(units))?.accepted, "{class:?} {part:?}: round {round}");
                }
                for _ in 0..tlps {
                    let outputs = testbench.one(class, Inputs { hold: hold_of(part), ..free(1, units) })?;
                    assert_eq!(*outputs.allocated.of(part), before, "{class:?} {part:?}: given while held");
                }
                let held = testbench.one(class, Inputs { hold: hold_of(part), ..Inputs::default() })?;
                assert_eq!(*held.allocated.of(part), before, "{class:?} {part:?}: given while held");
                assert_eq!(testbench.account(class, other).occupied(), 0);
                assert_eq!(*testbench.at_rest(class)?.allocated.of(part), before, "{class:?} {part:?}: too early");
                let after = *testbench.at_rest(class)?.allocated.of(part);
                let freed = tlps * taken(part, units);
                assert_eq!(after, (before + freed) % modulus(part), "{class:?} {part:?}: lost");
                assert_eq!(testbench.account(class, part).room(), first);
            }
        }
        Ok(())
    });
}

/// All types: a class and a part each.
fn types() -> impl Iterator<Item = (Class, Part)> {
    Class::ALL.into_iter().flat_map(|class| Part::ALL.map(|part| (class, part)))
}

/// The last credit of each type is taken and the one after it is refused, told once and for ever, counted never; freed
/// buffers that are held are no room; what was accepted in spite of the error is freed as always.
#[test]
fn overflow() {
    check("overflow", 1, enumerated, |testbench, _, _| {
        for (class, part) in types() {
            let Some(first) = testbench.first(class, part) else {
                continue;
            };
            testbench.reset(&[PerClass::default()])?;
            let loads: Vec<u64> = match part {
                Part::Header => vec![0; first as usize],
                Part::Data if first > 1 => {
                    let (whole, rest) = ((first - 1) / MOST_UNITS, (first - 1) % MOST_UNITS);
                    let headers = testbench.first(class, Part::Header).unwrap_or(u64::MAX);
                    assert!(whole + 2 <= headers, "so many TLPs fill the payload alone");
                    [vec![MOST_UNITS; whole as usize], vec![rest, 1]].concat()
                }
                Part::Data => vec![first],
            };
            for units in &loads {
                assert!(testbench.one(class, receive(*units))?.accepted, "{class:?} {part:?}: a TLP of {units}");
            }
            let excess = receive(of_part(part, 1).data);
            let outputs = testbench.one(class, excess)?;
            assert_eq!((outputs.accepted, outputs.overflow), Default::default());
            let told = PerPart::from_fn(|other| other == part);
            assert_eq!(testbench.at_rest(class)?.overflow, told, "{class:?} {part:?}");

            let held = Inputs { hold: hold_of(part), ..free(1, loads[0]) };
            testbench.one(class, held)?;
            let still_held = Inputs { hold: hold_of(part), ..excess };
            assert!(!testbench.one(class, still_held)?.accepted, "{class:?} {part:?}: what is held is no room");
            testbench.at_rest(class)?;
            for units in &loads[1..] {
                testbench.one(class, free(1, *units))?;
            }
            testbench.at_rest(class)?;
            assert_eq!(testbench.account(class, part).room(), first, "{class:?} {part:?}");
            assert!(testbench.one(class, receive(loads[0]))?.accepted);
            let all = testbench.cycle(&PerClass::default())?;
            for other in Class::ALL {
                let expected = if other == class { told } else { PerPart::default() };
                assert_eq!(all[other as usize].overflow, expected, "{class:?} {part:?} seen in {other:?}");
            }
        }
        testbench.reset(&[PerClass::default()])?;
        let outputs = testbench.cycle(&PerClass::default())?;
        assert_eq!(outputs.map(|class| class.overflow), [PerPart::default(); 3], "reset takes the errors back");
        Ok(())
    });
}

/// The table of meetings on the page.
#[test]
fn what_meets_in_one_cycle() {
    check("what_meets_in_one_cycle", 1, enumerated, |testbench, _, _| {
        for class in Class::ALL {
            let shows = |testbench: &mut Testbench<'_>| Ok::<_, Failure>(testbench.at_rest(class)?.allocated);
            let sum = |testbench: &Testbench<'_>, before: PerPart<u64>, header, data| {
                PerPart::from_fn(|part| match testbench.first(class, part) {
                    Some(_) => {
                        (before.of(part) + of_part(Part::Header, header).of(part) + of_part(Part::Data, data).of(part))
                            % modulus(part)
                    }
                    None => 0,
                })
            };
            // A TLP arrives and is dropped: its credits are given again in the next cycle.
            let before = shows(testbench)?;
            let dropped = Inputs { freed: PerPart { header: 1, data: 2 }, ..receive(2) };
            assert!(testbench.one(class, dropped)?.accepted);
            assert_eq!(shows(testbench)?, sum(testbench, before, 1, 2));
            // `hold` rises in the cycle of a release: it is withheld. It falls in the cycle of another: both are given.
            assert!(testbench.one(class, receive(2))?.accepted);
            let before = shows(testbench)?;
            let both = PerPart { header: true, data: true };
            testbench.one(class, Inputs { hold: both, ..free(1, 1) })?;
            assert_eq!(testbench.one(class, free(0, 1))?.allocated, before);
            assert_eq!(shows(testbench)?, sum(testbench, before, 1, 2));
            // Buffers that are freed are no room for a TLP of the same cycle.
            if let Some(first) = testbench.first(class, Part::Data).filter(|first| *first <= MOST_UNITS) {
                assert!(testbench.one(class, receive(first))?.accepted);
                let meets = Inputs { freed: PerPart { header: 1, data: first }, ..receive(1) };
                assert!(!testbench.one(class, meets)?.accepted);
                assert!(testbench.one(class, receive(first))?.accepted);
                testbench.one(class, free(1, first))?;
            }
            // Credits that come are no help to a TLP of the same cycle; both are counted.
            testbench.one(class, advertise(true, 1, 8))?;
            let sent = Inputs { pending: 8, sent: true, ..advertise(false, 2, 16) };
            assert!(testbench.one(class, sent)?.may_send);
            let waits = Inputs { pending: 9, sent: true, ..advertise(false, 2, 17) };
            assert!(!testbench.one(class, waits)?.may_send);
            assert!(testbench.one(class, send(9))?.may_send);
            assert!(!testbench.at_rest(class)?.may_send);
        }
        Ok(())
    });
}

/// What the other side must not advertise, and beside it what it may, at once for all classes.
#[test]
fn protocol_errors() {
    check("protocol_errors", 1, enumerated, |testbench, _, _| {
        let none = (false, false);
        // Advertisements in a row, TLPs of one unit sent before the last one, and the errors.
        type Case<'c> = (&'c [(bool, u64, u64)], u64, (bool, bool));
        let cases: [Case<'_>; 14] = [
            (&[(true, 127, 2047)], 0, none),
            (&[(true, 128, 2047)], 0, (true, false)),
            (&[(true, 127, 2048)], 0, (false, true)),
            (&[(true, 255, 4095)], 0, (true, true)),
            (&[(true, 9, 9), (false, 127, 2047)], 0, none),
            (&[(true, 9, 9), (false, 128, 2048)], 0, (true, true)),
            (&[(true, 9, 9), (false, 136, 2056)], 9, none),
            (&[(true, 9, 9), (false, 137, 2056)], 9, (true, false)),
            (&[(true, 9, 9), (false, 136, 2057)], 9, (false, true)),
            (&[(true, 9, 9), (false, 8, 9)], 9, (true, false)),
            (&[(true, 0, 0), (false, 0, 0)], 9, none),
            (&[(true, 0, 9), (false, 1, 9)], 0, (true, false)),
            (&[(true, 9, 0), (false, 9, 4095)], 0, (false, true)),
            (&[(true, 0, 0), (true, 9, 9), (false, 10, 10)], 0, none),
        ];
        for (advertisements, sent, (header, data)) in cases {
            testbench.reset(&[PerClass::default()])?;
            let (last, before) = advertisements.split_last().expect("each case has one");
            for (initial, header, data) in before {
                testbench.cycle(&[advertise(*initial, *header, *data); 3])?;
            }
            for _ in 0..sent {
                assert_eq!(testbench.cycle(&[send(1); 3])?.map(|class| class.may_send), [true; 3]);
            }
            testbench.cycle(&[advertise(last.0, last.1, last.2); 3])?;
            testbench.cycle(&PerClass::default())?;
            for class in testbench.cycle(&PerClass::default())? {
                assert_eq!(class.protocol_error, PerPart { header, data }, "{advertisements:?} with {sent} sent");
            }
        }
        Ok(())
    });
}

/// The traffic of one class is the same, whatever the others do: its ports show the same in every cycle.
#[test]
fn classes_do_not_influence_each_other() {
    check("classes_do_not_influence_each_other", 1, enumerated, |testbench, rng, _| {
        for class in Class::ALL {
            let (own, other) = (rng.next_u64(), rng.next_u64());
            let mut traces = vec![];
            for others in [other, other ^ 1] {
                testbench.reset(&[PerClass::default()])?;
                let mut traffic = array::from_fn(|i| {
                    let seed = if i == class as usize { own } else { others.wrapping_add(i as u64) };
                    Traffic::seeded(true, seed)
                });
                let mut trace = vec![];
                for _ in 0..500 {
                    let inputs = inputs_of(&mut traffic, &testbench.ledger, testbench.largest());
                    trace.push(testbench.cycle(&inputs)?[class as usize]);
                }
                traces.push(trace);
            }
            assert!(traces[0] == traces[1], "{class:?} shows what the others do");
        }
        Ok(())
    });
}

/// Random traffic of a class.
struct Traffic {
    /// Whether the other side breaks its rules.
    wild: bool,
    /// What is seldom freed, so that its credits run out.
    scarce: Option<Part>,
    hold: PerPart<bool>,
}

/// Inputs of all classes, each from its own traffic and randomness.
fn inputs_of(traffic: &mut PerClass<(Traffic, ChaCha8Rng)>, ledger: &Ledger, largest: u64) -> PerClass<Inputs> {
    let mut inputs = PerClass::default();
    for (class, (inputs, (traffic, rng))) in Class::ALL.into_iter().zip(inputs.iter_mut().zip(traffic)) {
        *inputs = traffic.inputs(rng, ledger, class, largest);
    }
    inputs
}

impl Traffic {
    fn new(wild: bool, rng: &mut dyn Rng) -> Self {
        let scarce = [None, Some(Part::Header), Some(Part::Data)][rng.random_range(0..3)];
        Self { wild, scarce, hold: PerPart::default() }
    }

    /// Traffic and its own randomness.
    fn seeded(wild: bool, seed: u64) -> (Self, ChaCha8Rng) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (Self::new(wild, &mut rng), rng)
    }

    /// The inputs of a cycle: TLPs about the size of what is left, buffers freed as they were taken, credits that come in
    /// any portions.
    fn inputs(&mut self, rng: &mut dyn Rng, ledger: &Ledger, class: Class, largest: u64) -> Inputs {
        let account = |part| ledger.account(class, part);
        let received = self.arrival(rng, account(Part::Header).room(), account(Part::Data).room(), largest);
        let fits =
            received.is_some_and(|tlp| Part::ALL.into_iter().all(|part| account(part).has_room(taken(part, tlp))));
        let freed = PerPart::from_fn(|part| {
            let arriving = if fits { taken(part, received.unwrap_or(0)) } else { 0 };
            let occupied = account(part).occupied() + arriving;
            let most = if part == Part::Header { 1 } else { MOST_UNITS };
            let seldom = self.scarce == Some(part) && rng.random_ratio(15, 16);
            match rng.random_range(0..4) {
                _ if seldom => 0,
                0 => 0,
                1 => rng.random_range(0..=occupied).min(most),
                _ => occupied.min(most),
            }
        });
        for hold in [&mut self.hold.header, &mut self.hold.data] {
            *hold ^= rng.random_ratio(1, if *hold { 8 } else { 24 });
        }
        let pending = match rng.random_range(0..4) {
            0 => rng.random_range(0..=largest),
            1 => 0,
            2 => account(Part::Data).unspent().min(largest),
            _ => account(Part::Data).unspent().saturating_add(1).min(largest),
        };
        let limit = self.limit(rng, PerPart::from_fn(|part| *account(part)));
        Inputs { received, freed, hold: self.hold, limit, pending, sent: rng.random_ratio(3, 4) }
    }

    /// A TLP, or none; one that exceeds the credits in wild traffic alone.
    fn arrival(&self, rng: &mut dyn Rng, headers: u64, room: u64, largest: u64) -> Option<u64> {
        let units = match rng.random_range(0..5) {
            0 => return None,
            1 => rng.random_range(0..=largest),
            2 => 0,
            3 => room,
            _ if self.wild => room.saturating_add(1),
            _ => 1,
        };
        let units = units.min(MOST_UNITS);
        let exceeds = headers == 0 || units > room;
        (!exceeds || self.wild && rng.random_ratio(1, 4)).then_some(units)
    }

    /// An advertisement, or none.
    fn limit(&self, rng: &mut dyn Rng, accounts: PerPart<Account>) -> Option<Limit> {
        let initial = accounts.header.limit == PeerLimit::Nothing && rng.random_ratio(9, 10);
        if rng.random_ratio(1, 2) {
            return None;
        }
        let credits = PerPart::from_fn(|part| {
            let most: u64 = part.most_unused().into();
            if self.wild && rng.random_ratio(1, 64) {
                return rng.random_range(0..modulus(part));
            }
            match accounts.of(part).limit {
                PeerLimit::Nothing => [0, 1, most, rng.random_range(0..=most)][rng.random_range(0..4)],
                PeerLimit::Infinite => 0,
                PeerLimit::Void => rng.random_range(0..modulus(part)),
                PeerLimit::Sum(sum) => {
                    let more = most - accounts.of(part).unspent();
                    let portion = match rng.random_range(0..8) {
                        0 => more,
                        1 => 0,
                        2 => rng.random_range(0..=more),
                        _ => more.min(1),
                    };
                    (sum + portion) % modulus(part)
                }
            }
        });
        Some(Limit { initial: initial || self.wild && rng.random_ratio(1, 256), credits })
    }
}

/// Random traffic of all classes at once, lawful and wild: everything that can meet meets.
#[test]
fn random() {
    check("random", 12, random_covered, |testbench, rng, coverage| {
        for segment in 0..6 {
            testbench.reset(&[PerClass::default()])?;
            let mut traffic = array::from_fn(|_| Traffic::seeded(segment % 2 == 1, rng.next_u64()));
            for _ in 0..600 {
                let inputs = inputs_of(&mut traffic, &testbench.ledger, testbench.largest());
                for (class, part) in types() {
                    cover(coverage, testbench.account(class, part), class, part, &inputs[class as usize]);
                }
                testbench.cycle(&inputs)?;
            }
        }
        Ok(())
    });
}

/// What may happen to a type in a cycle.
fn random_covered(config: &Config) -> Coverage {
    let name = |(class, part): (Class, Part)| [class.abbreviation(), part.abbreviation()].concat();
    let mut coverage = Coverage::new()
        .point("type", types().map(name))
        .point("arrival", ["none", "leaves room", "takes the last", "exceeds"])
        .cross(["type", "arrival"])
        .point("freed", ["no", "yes"])
        .point("hold", ["no", "yes"])
        .cross(["type", "arrival", "freed", "hold"])
        .point("gate", ["nothing advertised", "infinite", "room left", "exactly enough", "one short", "far short"])
        .cross(["type", "gate"])
        .impossible(&[("type", "PH"), ("gate", "far short")], "a TLP has one header")
        .impossible(&[("type", "NPH"), ("gate", "far short")], "a TLP has one header")
        .impossible(&[("type", "CPLH"), ("gate", "far short")], "a TLP has one header")
        .point("update", ["none", "one"])
        .point("sent", ["no", "yes"])
        .cross(["type", "update", "sent"])
        .point("advertised", ["within the rules", "forbidden"])
        .cross(["type", "advertised"]);
    for (class, part) in types().filter(|(class, part)| config.credits.of(*class, *part).is_none()) {
        let of_type = name((class, part));
        for arrival in ["takes the last", "exceeds"] {
            coverage = coverage.impossible(&[("type", &of_type), ("arrival", arrival)], "infinite credits do not end");
        }
    }
    coverage
}

/// Counts what a cycle is a case of.
fn cover(coverage: &mut Coverage, account: &Account, class: Class, part: Part, inputs: &Inputs) {
    let of_type = [class.abbreviation(), part.abbreviation()].concat();
    let arrival = match inputs.received.map(|tlp| taken(part, tlp)) {
        None => "none",
        Some(units) if units < account.room() => "leaves room",
        Some(units) if units == account.room() => "takes the last",
        Some(_) => "exceeds",
    };
    let yes = |holds| if holds { "yes" } else { "no" };
    let freed = yes(*inputs.freed.of(part) > 0);
    let hold = yes(*inputs.hold.of(part));
    coverage.sample(&[("type", &of_type), ("arrival", arrival), ("freed", freed), ("hold", hold)]);

    let need = taken(part, inputs.pending);
    let gate = match account.limit {
        PeerLimit::Nothing => Some("nothing advertised"),
        PeerLimit::Infinite => Some("infinite"),
        PeerLimit::Void => None,
        PeerLimit::Sum(_) => Some(match account.unspent().cast_signed() - need.cast_signed() {
            1.. => "room left",
            0 => "exactly enough",
            -1 => "one short",
            _ => "far short",
        }),
    };
    if let Some(gate) = gate {
        coverage.sample(&[("type", &of_type), ("gate", gate)]);
    }
    let update = if inputs.limit.is_some() { "one" } else { "none" };
    coverage.sample(&[("type", &of_type), ("update", update), ("sent", yes(inputs.sent))]);
    if let Some(limit) = inputs.limit.filter(|_| account.limit != PeerLimit::Void) {
        let mut after = *account;
        after.advertise(part, limit.initial, *limit.credits.of(part));
        let advertised = if after.limit == PeerLimit::Void { "forbidden" } else { "within the rules" };
        coverage.sample(&[("type", &of_type), ("advertised", advertised)]);
    }
}

/// What is on its way from the transmitter to the receiver, and back.
struct Link {
    /// TLPs under way, with the cycle in which they arrive.
    tlps: PerClass<VecDeque<(u64, u64)>>,
    /// Advertisements under way, likewise.
    updates: PerClass<VecDeque<(u64, Limit)>>,
    /// TLPs in buffers.
    buffers: PerClass<VecDeque<u64>>,
    /// The TLP that each class sends next.
    pending: PerClass<u64>,
}

/// The transmitter sends to the receiver of the same block, over a link with latency that loses updates; whoever empties the
/// buffers stalls, and so does `hold`. Nothing overflows, no class waits for another, and in the end all credits are back.
#[test]
fn a_link() {
    for stalls in Stalls::all() {
        for holds in Stalls::all() {
            let condition = format!("{} × {}", stalls.name(), holds.name());
            println!("buffers {condition} hold");
            check("a_link", 1, enumerated, |testbench, rng, _| link(testbench, rng, stalls, holds, None));
        }
    }
}

/// One class is held for ever: it stops, and the others send as if it were not there.
#[test]
fn a_held_class_stops_no_other() {
    check("a_held_class_stops_no_other", 1, enumerated, |testbench, rng, _| {
        for class in Class::ALL {
            testbench.reset(&[PerClass::default()])?;
            link(testbench, rng, Stalls::Never, Stalls::Never, Some(class))?;
        }
        Ok(())
    });
}

/// Runs a link for 800 cycles, then empties it. `held` is a class that is never given credits again.
fn link(
    testbench: &mut Testbench<'_>,
    rng: &mut dyn Rng,
    stalls: Stalls,
    holds: Stalls,
    held: Option<Class>,
) -> Outcome {
    const CYCLES: u64 = 800;
    let delay = rng.random_range(1..20);
    let mut stalls: PerClass<_> = array::from_fn(|_| stalls.generator(rng.next_u64()));
    let mut holds: PerClass<_> = array::from_fn(|_| PerPart::from_fn(|_| holds.generator(rng.next_u64())));
    let largest = testbench.largest();
    let most = Class::ALL.map(|class| testbench.first(class, Part::Data).unwrap_or(largest).min(largest));
    let mut link = Link {
        tlps: PerClass::default(),
        updates: PerClass::default(),
        buffers: PerClass::default(),
        pending: PerClass::default(),
    };
    let mut outputs = testbench.cycle(&PerClass::default())?;
    for (updates, outputs) in link.updates.iter_mut().zip(&outputs) {
        updates.push_back((delay, Limit { initial: true, credits: outputs.allocated }));
    }
    for cycle in 0..2 * CYCLES + 4 * delay {
        let draining = cycle >= CYCLES;
        let inputs = array::from_fn(|class| {
            let received = link.tlps[class].pop_front_if(|(when, _)| *when <= cycle).map(|(_, units)| units);
            let limit = link.updates[class].pop_front_if(|(when, _)| *when <= cycle).map(|(_, limit)| limit);
            let stalled = !draining && stalls[class].stalls();
            let freed = if stalled { None } else { link.buffers[class].pop_front() };
            let is_held = held == Some(Class::ALL[class]);
            let [header, data] =
                [&mut holds[class].header, &mut holds[class].data].map(|hold| !draining && hold.stalls());
            link.buffers[class].extend(received);
            Inputs {
                received,
                freed: PerPart { header: freed.is_some().into(), data: freed.unwrap_or(0) },
                hold: PerPart { header: header || is_held, data: data || is_held },
                limit,
                pending: link.pending[class],
                sent: !draining,
            }
        });
        outputs = testbench.cycle(&inputs)?;
        for (class, outputs) in outputs.iter().enumerate() {
            assert_eq!((outputs.overflow, outputs.protocol_error), Default::default(), "{:?}", Class::ALL[class]);
            if outputs.may_send && !draining {
                link.tlps[class].push_back((cycle + delay, link.pending[class]));
                link.pending[class] = [0, most[class], rng.random_range(0..=most[class])][rng.random_range(0..3)];
            }
            // Every second update is lost, none at the end.
            if draining || rng.random_ratio(1, 2) {
                let update = Limit { initial: false, credits: outputs.allocated };
                link.updates[class].push_back((cycle + delay, update));
            }
        }
    }
    for class in Class::ALL {
        let finite = Part::ALL.into_iter().any(|part| testbench.first(class, part).is_some());
        let sent = testbench.account(class, Part::Header).consumed;
        if held == Some(class) && finite {
            let first = Part::ALL.map(|part| testbench.first(class, part).unwrap_or(u64::MAX));
            assert!(sent <= first[0] && testbench.account(class, Part::Data).consumed <= first[1]);
            continue;
        }
        // A round takes the way there and back and three cycles in the block; stalls and lost updates double it twice.
        let bound = CYCLES / (4 * (2 * delay + 3));
        assert!(sent >= bound, "{class:?} sent {sent} TLPs, and should have sent {bound}");
        for part in Part::ALL {
            let account = testbench.account(class, part);
            assert_eq!(account.occupied(), 0, "{class:?} {part:?}");
            assert_eq!(account.received, account.consumed, "{class:?} {part:?}");
            if let Some(first) = account.buffers {
                assert_eq!((account.room(), account.unspent()), (first, first), "{class:?} {part:?}: credits are lost");
            }
        }
    }
    Ok(())
}

/// A reset in the middle of everything: counters, errors and what was held are as at the start.
#[test]
fn reset_in_the_middle() {
    let coverage =
        |_: &Config| Coverage::new().point("forgotten", ["held credits", "overflow", "protocol error", "open gate"]);
    check("reset_in_the_middle", 4, coverage, |testbench, rng, coverage| {
        for _ in 0..20 {
            let mut traffic = array::from_fn(|_| Traffic::seeded(true, rng.next_u64()));
            let mut outputs = PerClass::default();
            for _ in 0..rng.random_range(20..300) {
                let inputs = inputs_of(&mut traffic, &testbench.ledger, testbench.largest());
                outputs = testbench.cycle(&inputs)?;
            }
            let any = |flags: fn(&Outputs) -> bool| outputs.iter().any(flags);
            let held = types().any(|(class, part)| {
                let account = testbench.account(class, part);
                account.buffers.is_some_and(|buffers| account.given < buffers + account.freed)
            });
            let forgotten = [
                ("held credits", held),
                ("overflow", any(|outputs| outputs.overflow.header || outputs.overflow.data)),
                ("protocol error", any(|outputs| outputs.protocol_error.header || outputs.protocol_error.data)),
                ("open gate", any(|outputs| outputs.may_send)),
            ];
            for (what, _) in forgotten.iter().filter(|(_, holds)| *holds) {
                coverage.sample(&[("forgotten", what)]);
            }
            let during: Vec<_> = (0..rng.random_range(1..4))
                .map(|_| inputs_of(&mut traffic, &testbench.ledger, testbench.largest()))
                .collect();
            testbench.reset(&during)?;
            let outputs = testbench.cycle(&PerClass::default())?;
            testbench.assert_fresh(&outputs);
        }
        Ok(())
    });
}

/// After reset, nothing that counts depends on what the registers held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        let run = tb::run(module_path!(), "reset_forgets", &config);
        rules::reset_forgets(run, &model(&config, MODULE), |dut, seed| {
            let mut driver = Driver::new(dut, 7)?;
            let (mut golden, mut ledger) = (CreditManager::new(&config), Ledger::new(&config));
            let mut traffic = array::from_fn(|class| Traffic::seeded(true, seed + class as u64));
            let largest = (config.access_log_table.largest_payload_bytes / DATA_CREDIT_BYTES).into();
            Ok(move |cycle| {
                let inputs = permitted(&golden, &inputs_of(&mut traffic, &ledger, largest));
                driver.drive(&inputs).expect("inputs fit the ports");
                let outputs = golden.step(&inputs);
                for (i, class) in Class::ALL.into_iter().enumerate() {
                    ledger.observe(cycle, class, &inputs[i], &outputs[i]).expect("the golden model keeps the books");
                }
                let after = golden.outputs(&PerClass::default());
                Class::ALL.into_iter().zip(&after).for_each(|(class, outputs)| ledger.show(class, outputs));
            })
        });
    }
}

/// Whoever breaks a promise is stopped, and told which: a TLP sent that may not be, and a buffer freed that was not taken.
#[test]
fn a_broken_promise_stops() {
    for config in configurations() {
        let model = model(&config, MODULE).build().unwrap_or_else(|error| panic!("{error}"));
        let stops = |class: Class, inputs: Inputs| {
            let mut dut = model.instance(1).unwrap();
            let outcome = ClockAndReset::of(&mut dut).and_then(|timing| {
                let mut driver = Driver::new(&dut, 1)?;
                driver.drive(&PerClass::default())?;
                timing.reset(&mut dut)?;
                dut.step(timing.clk)?;
                driver.drive(&only(class, inputs))?;
                dut.step(timing.clk)
            });
            outcome.expect_err("the model stops").to_string()
        };
        for class in Class::ALL {
            let stopped = stops(class, send(0));
            let rule = format!("{}: a TLP is sent only if it may be", class.name());
            assert!(stopped.contains(&rule), "{stopped}");
            for part in Part::ALL.into_iter().filter(|part| config.credits.of(class, *part).is_some()) {
                let one = of_part(part, 1);
                let stopped = stops(class, free(one.header, one.data));
                let rule = format!("{} {}: no more is freed than was received", class.name(), part.name());
                assert!(stopped.contains(&rule), "{stopped}");
            }
        }
    }
}
