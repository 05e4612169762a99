//! The priority selector: the first request, its grant and its data, within the cycle.

use num_bigint::BigUint;
use rand::{Rng, RngExt};
use tb::{any_bits, configurations, model};
use tollgate_cosim::{Coverage, Dut, Failure, Input, ModelBuilder, Outcome, Output};
use tollgate_golden::cells::priority_selector::select;
use tollgate_spec::config::{Config, PrioritySelector};

fn selector(config: &Config) -> ModelBuilder {
    let PrioritySelector { inputs, width } = config.cells.priority_selector;
    model(config, &format!("cells_priority_selector_{inputs}x{width}"))
}

/// The selector with its ports, and who judges it.
struct Testbench<'a> {
    dut: &'a mut Dut,
    parameters: &'a PrioritySelector,
    request: Input,
    data: Input,
    grant: Output,
    selected: Output,
    /// Selections so far.
    count: u64,
}

impl<'a> Testbench<'a> {
    fn new(dut: &'a mut Dut, config: &'a Config) -> Outcome<Self> {
        let parameters = &config.cells.priority_selector;
        let PrioritySelector { inputs, width } = *parameters;
        Ok(Self {
            request: dut.input("request")?.of_width(inputs)?,
            data: dut.input("data")?.of_width(inputs * width)?,
            grant: dut.output("grant")?.of_width(inputs)?,
            selected: dut.output("selected")?.of_width(width)?,
            parameters,
            dut,
            count: 0,
        })
    }

    /// Compares the answer to these requests among random words with the golden model's; who is granted.
    fn select(&mut self, requests: &[bool], rng: &mut impl Rng) -> Outcome<Option<usize>> {
        let PrioritySelector { inputs, width } = *self.parameters;
        let words: Vec<BigUint> = (0..inputs).map(|_| any_bits(rng, width)).collect();
        let data = words.iter().rev().fold(BigUint::ZERO, |data, word| (data << width) | word);
        let vector = (0..).zip(requests).map(|(input, asks)| u64::from(*asks) << input).sum();
        self.request.set(vector);
        self.data.set_big(&data);
        self.dut.eval()?;

        let expected = select(requests, &words);
        let grant = expected.map_or(0, |(input, _)| 1_u64 << input);
        let word = expected.map_or(BigUint::ZERO, |(_, word)| word.clone());
        let outputs = [("grant", self.grant.get_big(), grant.into()), ("selected", self.selected.get_big(), word)];
        for (field, rtl, golden) in outputs {
            if rtl != golden {
                let transaction = format!("selection #{}, requests {vector:#b}", self.count);
                return Err(Failure::mismatch(self.count, transaction, field, rtl, golden));
            }
        }
        self.count += 1;
        Ok(expected.map(|(input, _)| input))
    }
}

/// Who is granted, among how many.
fn covered(config: &Config) -> Coverage {
    let inputs = config.cells.priority_selector.inputs;
    let names = (0..inputs).map(|input| input.to_string()).chain(["none".into()]).collect::<Vec<_>>();
    let last = (inputs - 1).to_string();
    Coverage::new()
        .point("granted", names)
        .point("others ask", ["no", "yes"])
        .cross(["granted", "others ask"])
        .impossible(&[("granted", "none"), ("others ask", "yes")], "somebody asks")
        .impossible(&[("granted", &last), ("others ask", "yes")], "those before it have precedence")
}

/// Any requests: the first that asks is drawn, and how many of those behind it do, so that every input comes first often.
#[test]
fn random_requests() {
    for config in configurations() {
        let inputs = config.cells.priority_selector.inputs as usize;
        let run = tb::run(module_path!(), "random_requests", &config).seeds(4).coverage(covered(&config));
        run.check(&selector(&config), |bench| {
            let mut testbench = Testbench::new(&mut bench.dut, &config)?;
            for _ in 0..2000 {
                let first = bench.rng.random_range(0..=inputs);
                let asks = [0.0, 0.1, 0.5][bench.rng.random_range(0..3)];
                let requests: Vec<_> =
                    (0..inputs).map(|input| input == first || input > first && bench.rng.random_bool(asks)).collect();
                let granted = testbench.select(&requests, &mut bench.rng)?;
                let granted = granted.map_or("none".into(), |input| input.to_string());
                let others = if requests.iter().filter(|asks| **asks).count() > 1 { "yes" } else { "no" };
                bench.coverage.sample(&[("granted", &granted), ("others ask", others)]);
            }
            Ok(())
        });
    }
}

/// Each input alone, each with all behind it, and none.
#[test]
fn each_input() {
    for config in configurations() {
        let inputs = config.cells.priority_selector.inputs as usize;
        let run = tb::run(module_path!(), "each_input", &config).seeds(2).coverage(covered(&config));
        run.check(&selector(&config), |bench| {
            let mut testbench = Testbench::new(&mut bench.dut, &config)?;
            let coverage = &mut bench.coverage;
            for first in 0..inputs {
                let alone: Vec<_> = (0..inputs).map(|input| input == first).collect();
                let with_others: Vec<_> = (0..inputs).map(|input| input >= first).collect();
                for (requests, others) in [(alone, "no"), (with_others, "yes")] {
                    let others = if first + 1 == inputs { "no" } else { others };
                    assert_eq!(testbench.select(&requests, &mut bench.rng)?, Some(first));
                    coverage.sample(&[("granted", &first.to_string()), ("others ask", others)]);
                }
            }
            assert_eq!(testbench.select(&vec![false; inputs], &mut bench.rng)?, None);
            coverage.sample(&[("granted", "none"), ("others ask", "no")]);
            Ok(())
        });
    }
}
