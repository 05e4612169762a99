//! The CAM: what is written is found, within the cycle, until it is cleared.

use num_bigint::BigUint;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tb::{ClockAndReset, RESET_CYCLES, any_bits, configurations, model, rules};
use tollgate_cosim::{Bench, Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Output};
use tollgate_golden::cells::cam::{Cam, Commands};
use tollgate_spec::config::{self, Config};

fn cam(config: &Config) -> ModelBuilder {
    let config::Cam { entries, key_bits } = config.cells.cam;
    model(config, &format!("cells_cam_{entries}x{key_bits}"))
}

const NOTHING: Commands<BigUint> = Commands { write: None, clear: None };

fn write(index: usize, key: &BigUint) -> Commands<BigUint> {
    Commands { write: Some((index, key.clone())), ..NOTHING }
}

fn clear(index: usize) -> Commands<BigUint> {
    Commands { clear: Some(index), ..NOTHING }
}

/// The CAM with its ports, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    timing: ClockAndReset,
    write_valid: Input,
    write_index: Input,
    write_key: Input,
    clear_valid: Input,
    clear_index: Input,
    lookup: Input,
    found_valid: Output,
    found_index: Output,
    golden: Cam<BigUint>,
}

impl<'a> Testbench<'a> {
    /// The CAM after reset.
    fn new(dut: &'a mut Dut, config: &Config, rng: &mut impl Rng) -> Outcome<Self> {
        let (config::Cam { entries, key_bits }, index_bits) = (config.cells.cam.clone(), config.cells.cam.index_bits());
        let mut testbench = Self {
            timing: ClockAndReset::of(dut)?,
            write_valid: dut.input("write_valid")?.of_width(1)?,
            write_index: dut.input("write_data_index")?.of_width(index_bits)?,
            write_key: dut.input("write_data_key")?.of_width(key_bits)?,
            clear_valid: dut.input("clear_valid")?.of_width(1)?,
            clear_index: dut.input("clear_data")?.of_width(index_bits)?,
            lookup: dut.input("lookup")?.of_width(key_bits)?,
            found_valid: dut.output("found_valid")?.of_width(1)?,
            found_index: dut.output("found_data")?.of_width(index_bits)?,
            golden: Cam::new(entries as usize),
            dut,
        };
        testbench.reset(rng)?;
        Ok(testbench)
    }

    fn reset(&mut self, rng: &mut impl Rng) -> Outcome {
        self.timing.rst.set(1);
        for _ in 0..RESET_CYCLES {
            self.drive(&NOTHING, rng);
            self.dut.step(self.timing.clk)?;
        }
        self.timing.rst.set(0);
        self.golden.reset();
        Ok(())
    }

    /// Sets the command ports; what is not asked is random.
    fn drive(&self, commands: &Commands<BigUint>, rng: &mut impl Rng) {
        for input in [&self.write_index, &self.write_key, &self.clear_index] {
            input.set_big(&any_bits(rng, input.width()));
        }
        self.write_valid.set(commands.write.is_some().into());
        self.clear_valid.set(commands.clear.is_some().into());
        if let Some((index, key)) = &commands.write {
            self.write_index.set(*index as u64);
            self.write_key.set_big(key);
        }
        if let Some(index) = commands.clear {
            self.clear_index.set(index as u64);
        }
    }

    /// One cycle: gives the commands, and finds each of the keys before they act. Which entries hold them.
    fn cycle(
        &mut self,
        commands: &Commands<BigUint>,
        keys: &[BigUint],
        rng: &mut impl Rng,
    ) -> Outcome<Vec<Option<usize>>> {
        self.drive(commands, rng);
        let found = keys.iter().map(|key| self.find(key)).collect::<Outcome<_>>()?;
        self.golden.step(commands);
        self.dut.step(self.timing.clk)?;
        Ok(found)
    }

    /// Gives each entry, from the first on, one of the keys.
    fn fill(&mut self, keys: &[BigUint], rng: &mut impl Rng) -> Outcome {
        keys.iter().enumerate().try_for_each(|(index, key)| self.cycle(&write(index, key), &[], rng).map(drop))
    }

    /// Finds a key, within the cycle.
    fn find(&mut self, key: &BigUint) -> Outcome<Option<usize>> {
        self.lookup.set_big(key);
        self.dut.eval()?;
        let expected = self.golden.find(key);
        let found = self.found_valid.get();
        let mut fields = vec![("found_valid", found, u64::from(expected.is_some()))];
        if let Some(index) = expected {
            fields.push(("found_data", self.found_index.get(), index as u64));
        }
        for (field, rtl, golden) in fields {
            if rtl != golden {
                let cycle = self.timing.cycle(self.dut);
                return Err(Failure::mismatch(cycle, format!("lookup of {key:#x}"), field, rtl, golden));
            }
        }
        Ok(expected)
    }
}

fn entries(config: &Config) -> usize {
    config.cells.cam.entries as usize
}

/// The entries that indices tell apart; those from `entries` on do not exist.
fn indices(config: &Config) -> usize {
    1 << config.cells.cam.index_bits()
}

/// Distinct keys, as many as there are entries and some more: those without bits and with all bits among them, and
/// neighbours that differ in one bit.
fn keys(config: &Config, rng: &mut impl Rng) -> Vec<BigUint> {
    let width = config.cells.cam.key_bits;
    let all_ones = (BigUint::from(1_u8) << width) - 1_u8;
    let mut keys = vec![BigUint::ZERO, all_ones];
    keys.extend((0..width).map(|bit| BigUint::from(1_u8) << bit));
    while keys.len() < entries(config) + 10 {
        let key = any_bits(rng, width);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// What is asked, what is found, and what meets.
fn covered(config: &Config) -> Coverage {
    let fills = Coverage::new()
        .point("write", ["none", "empty entry", "full entry", "no entry"])
        .point("clear", ["none", "empty entry", "full entry", "no entry"])
        .cross(["write", "clear"])
        .point("write and clear", ["same entry", "different entries"])
        .point("moves", ["key of the entry cleared", "other key"])
        .point("lookup", ["hit", "miss"])
        .point("filling", ["empty", "some", "full"])
        .cross(["filling", "lookup"])
        .impossible(&[("filling", "empty"), ("lookup", "hit")], "there is nothing");
    if indices(config) > entries(config) {
        return fills;
    }
    let reason = "all indices name entries";
    fills.impossible(&[("write", "no entry")], reason).impossible(&[("clear", "no entry")], reason)
}

/// Counts what is asked of a CAM; gives how full it is.
fn count(coverage: &mut Coverage, cam: &Cam<BigUint>, entries: usize, commands: &Commands<BigUint>) -> &'static str {
    let target = |index: Option<usize>| match index {
        None => "none",
        Some(index) if index >= entries => "no entry",
        Some(index) if cam.entry(index).is_some() => "full entry",
        Some(_) => "empty entry",
    };
    let written = commands.write.as_ref().map(|(index, _)| *index);
    coverage.sample(&[("write", target(written)), ("clear", target(commands.clear))]);
    if let (Some((written, key)), Some(cleared)) = (&commands.write, commands.clear) {
        let meeting = if *written == cleared { "same entry" } else { "different entries" };
        coverage.sample(&[("write and clear", meeting)]);
        let moves = *written != cleared && cam.entry(cleared) == Some(key);
        coverage.sample(&[("moves", if moves { "key of the entry cleared" } else { "other key" })]);
    }
    match (0..entries).filter(|index| cam.entry(*index).is_some()).count() {
        0 => "empty",
        all if all == entries => "full",
        _ => "some",
    }
}

/// Any commands that keep the promise of distinct keys, in phases of filling and of emptying.
#[test]
fn random_traffic() {
    for config in configurations() {
        let run = tb::run(module_path!(), "random_traffic", &config).seeds(4).coverage(covered(&config));
        run.check(&cam(&config), |bench| {
            let Bench { dut, rng, coverage, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, rng)?;
            let keys = keys(&config, rng);
            for phase in 0..6 {
                let [writes, clears] = [[0.9, 0.02], [0.6, 0.6], [0.05, 0.9]][phase % 3];
                // Until the phase has surely changed the filling.
                for _ in 0..100 + 4 * entries(&config) {
                    let commands = any_commands(&testbench.golden, &config, &keys, [writes, clears], rng);
                    let filling = count(coverage, &testbench.golden, entries(&config), &commands);
                    let asked = [0; 2].map(|_| keys[rng.random_range(0..keys.len())].clone());
                    for found in testbench.cycle(&commands, &asked, rng)? {
                        let lookup = if found.is_some() { "hit" } else { "miss" };
                        coverage.sample(&[("filling", filling), ("lookup", lookup)]);
                    }
                }
            }
            Ok(())
        });
    }
}

/// Commands with these probabilities of a write and of a clear, under which no key is in two entries.
fn any_commands(
    cam: &Cam<BigUint>,
    config: &Config,
    keys: &[BigUint],
    [writes, clears]: [f64; 2],
    rng: &mut impl Rng,
) -> Commands<BigUint> {
    let indices = indices(config);
    // An empty entry is written, and a full one cleared, more often than others.
    let is_full = |index: &usize| cam.entry(*index).is_some();
    let mut index = |full: bool| {
        let wanted: Vec<_> = (0..entries(config)).filter(|index| is_full(index) == full).collect();
        match rng.random_ratio(2, 3) && !wanted.is_empty() {
            true => wanted[rng.random_range(0..wanted.len())],
            false => rng.random_range(0..indices),
        }
    };
    let (written, cleared) = (index(false), index(true));
    let cleared = if rng.random_ratio(1, 8) { written } else { cleared };
    let key = match cam.entry(cleared) {
        Some(key) if rng.random_ratio(1, 4) => key.clone(),
        // A key that is nowhere yet, if a few draws find one.
        _ => {
            let mut drawn = (0..20).map(|_| &keys[rng.random_range(0..keys.len())]);
            let first = drawn.next().expect("some are drawn");
            drawn.find(|key| cam.find(key).is_none()).unwrap_or(first).clone()
        }
    };
    let commands = Commands {
        write: rng.random_bool(writes).then_some((written, key)),
        clear: rng.random_bool(clears).then_some(cleared),
    };
    if cam.allows(&commands) { commands } else { Commands { write: None, ..commands } }
}

/// Each entry holds a key of its own; each is found in its place, and no other key is.
#[test]
fn every_entry() {
    for config in configurations() {
        tb::run(module_path!(), "every_entry", &config).seeds(2).check(&cam(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, rng)?;
            let keys = keys(&config, rng);
            let found = testbench.cycle(&NOTHING, &keys, rng)?;
            assert!(found.iter().all(Option::is_none), "nothing is found after reset");
            testbench.fill(&keys[..entries(&config)], rng)?;
            let found = testbench.cycle(&NOTHING, &keys, rng)?;
            let expected = (0..keys.len()).map(|key| (key < entries(&config)).then_some(key)).collect::<Vec<_>>();
            assert_eq!(found, expected);
            for (index, key) in keys.chunks(1).enumerate().take(entries(&config)) {
                testbench.cycle(&clear(index), key, rng)?;
                testbench.cycle(&NOTHING, key, rng)?;
            }
            Ok(())
        });
    }
}

/// A write and a clear in one cycle: of one entry, the write wins; of two, a key may move from one to the other.
#[test]
fn write_and_clear_in_one_cycle() {
    for config in configurations() {
        tb::run(module_path!(), "write_and_clear_in_one_cycle", &config).seeds(2).check(&cam(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, rng)?;
            let keys = keys(&config, rng);
            let last = entries(&config) - 1;
            for index in 0..entries(&config) {
                let other = (index + 1) % entries(&config);
                let both = |index, key, cleared| Commands { clear: Some(cleared), ..write(index, key) };
                testbench.cycle(&both(index, &keys[0], index), &keys[..2], rng)?;
                testbench.cycle(&both(index, &keys[1], index), &keys[..2], rng)?;
                let found = testbench.cycle(&both(other, &keys[1], index), &keys[..2], rng)?;
                assert_eq!(found, [None, Some(index)]);
                let found = testbench.cycle(&clear(other), &keys[..2], rng)?;
                assert_eq!(found, [None, Some(other)]);
            }
            assert_eq!(testbench.cycle(&clear(last), &keys[..2], rng)?, [None, None]);
            Ok(())
        });
    }
}

/// There is no entry beyond the last one: to write or clear it does nothing.
#[test]
fn beyond_the_last_entry() {
    let odd = |config: &Config| indices(config) > entries(config);
    assert!(odd(&Config::shipped("small", &[]).unwrap()), "this is what `small` is odd for");
    for config in configurations().into_iter().filter(odd) {
        tb::run(module_path!(), "beyond_the_last_entry", &config).seeds(2).check(&cam(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, rng)?;
            let keys = keys(&config, rng);
            testbench.fill(&keys[..entries(&config)], rng)?;
            for index in entries(&config)..indices(&config) {
                testbench.cycle(&clear(index), &keys, rng)?;
                testbench.cycle(&write(index, keys.last().unwrap()), &keys, rng)?;
            }
            testbench.cycle(&NOTHING, &keys, rng).map(drop)
        });
    }
}

/// A reset at any time empties every entry.
#[test]
fn reset_in_the_middle() {
    for config in configurations() {
        tb::run(module_path!(), "reset_in_the_middle", &config).seeds(4).check(&cam(&config), |bench| {
            let Bench { dut, rng, .. } = bench;
            let mut testbench = Testbench::new(dut, &config, rng)?;
            let keys = keys(&config, rng);
            for _ in 0..10 {
                for _ in 0..rng.random_range(1..2 * entries(&config)) {
                    let commands = any_commands(&testbench.golden, &config, &keys, [0.9, 0.1], rng);
                    testbench.cycle(&commands, &keys[..1], rng)?;
                }
                testbench.reset(rng)?;
                let found = testbench.cycle(&NOTHING, &keys, rng)?;
                assert!(found.iter().all(Option::is_none));
            }
            Ok(())
        });
    }
}

/// Who breaks the promise that no two entries hold one key is stopped at the first lookup of it.
#[test]
fn a_key_in_two_entries_stops() {
    for config in configurations() {
        let model = cam(&config).build().unwrap_or_else(|error| panic!("{error}"));
        let stopped = twice(&mut model.instance(1).unwrap()).unwrap_err().to_string();
        assert!(stopped.contains("at most one entry holds a key"), "{stopped}");
    }
}

/// Writes key 1 to entries 0 and 1, and looks for it.
fn twice(dut: &mut Dut) -> Outcome {
    let timing = ClockAndReset::of(dut)?;
    timing.reset(dut)?;
    dut.input("write_valid")?.set(1);
    dut.input("write_data_key")?.set(1);
    for index in [0, 1] {
        dut.input("write_data_index")?.set(index);
        dut.step(timing.clk)?;
    }
    dut.input("write_valid")?.set(0);
    dut.input("lookup")?.set(1);
    dut.step(timing.clk)
}

/// After reset, nothing that counts depends on what the entries held before.
#[test]
fn reset_forgets() {
    for config in configurations() {
        rules::reset_forgets(tb::run(module_path!(), "reset_forgets", &config), &cam(&config), distinct_keys);
    }
}

/// Drives all inputs at random; the key of an entry ends with the entry's number, so no two entries hold one key.
fn distinct_keys(dut: &Dut, seed: u64) -> Outcome<impl FnMut(u64) + use<>> {
    let inputs = ["write_valid", "clear_valid", "clear_data", "lookup"].map(|name| dut.input(name));
    let inputs = inputs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (index, key) = (dut.input("write_data_index")?, dut.input("write_data_key")?);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(move |_| {
        inputs.iter().for_each(|input| input.set_big(&any_bits(&mut rng, input.width())));
        let number = any_bits(&mut rng, index.width());
        let above = any_bits(&mut rng, key.width() - index.width()) << index.width();
        index.set_big(&number);
        key.set_big(&(above | number));
    })
}
