//! A clock edge: everything is computed from the settled values before it, then takes effect at once.

use super::check::Violation;
use super::evaluate::{Effect, Evaluator, Write, overwrite};
use super::interpreter::Interpreter;
use super::program::{Program, Property, Slot};
use crate::ir::{CheckKind, Collision, DomainId, SignalKind};
use crate::value::Value;
use std::sync::Arc;

/// When properties are judged.
#[derive(Clone, Copy)]
pub(super) enum Occasion<'a> {
    /// All signals have settled: those of modules without the property's clock.
    Settled,
    /// Clocks of these domains of the top module rise.
    Edge(&'a [DomainId]),
}

/// What an edge changes.
#[derive(Default)]
struct Changes {
    /// Registers and synchronous reads, with their next values.
    values: Vec<(Slot, Value)>,
    /// Writes, each with the index of its memory among the memories of all instances, and its granule. In order.
    writes: Vec<(usize, u32, Write)>,
}

impl Interpreter {
    /// One rising edge of the default domain's clock.
    #[track_caller]
    pub fn step(&mut self) {
        self.edge(&[DomainId(0)]);
    }

    /// One rising edge of the clocks of some domains of the top module, all at the same instant.
    #[track_caller]
    pub fn edge(&mut self, domains: &[DomainId]) {
        for domain in domains {
            self.assert_domain(*domain);
        }
        self.settle();
        self.sample_waves(domains);
        self.judge(Occasion::Edge(domains));
        let program = Arc::clone(&self.program);
        let mut changes = Changes::default();
        for number in 0..program.instances.len() {
            if program.instances[number].domains.iter().any(|domain| domains.contains(domain)) {
                self.clock_instance(&program, number, domains, &mut changes);
                self.clock_black_box(&program, number, domains);
            }
        }
        for (slot, value) in changes.values {
            self.state.values[slot.index()] = value;
        }
        for (memory, granule, write) in changes.writes {
            if let Some(address) = write.address {
                let word = &mut self.state.memories[memory][address as usize];
                *word = write.applied(word, granule);
            }
        }
        for domain in domains {
            self.cycles[domain.index()] += 1;
        }
        self.state.edges += 1;
        self.settled = false;
    }

    /// Judges the properties that are judged on an occasion.
    pub(super) fn judge(&mut self, occasion: Occasion<'_>) {
        let program = Arc::clone(&self.program);
        for (number, instance) in program.instances.iter().enumerate() {
            let mut cover = self.first_cover[number];
            for property in &program.plan(instance).properties {
                if self.is_judged(&program, number, property, occasion) {
                    self.judge_property(&program, number, property, cover);
                }
                cover += usize::from(property.kind == CheckKind::Cover);
            }
        }
    }

    /// Whether a property is judged on an occasion.
    fn is_judged(&self, program: &Program, number: usize, property: &Property, occasion: Occasion<'_>) -> bool {
        let instance = &program.instances[number];
        let of_module = &program.module(instance).domains[property.domain.index()];
        let domain = instance.domain(property.domain);
        match occasion {
            Occasion::Settled => !of_module.clock_used,
            Occasion::Edge(domains) => {
                let in_reset = of_module.reset_used && self.resets[domain.index()];
                of_module.clock_used && domains.contains(&domain) && !in_reset
            }
        }
    }

    /// Judges a property; `cover` is its number among the covers, if it is one.
    fn judge_property(&mut self, program: &Program, number: usize, property: &Property, cover: usize) {
        let instance = &program.instances[number];
        let loops = &program.module(instance).loops;
        let cycle = self.cycles[instance.domain(property.domain).index()];
        let (covers, violations) = (&mut self.covers, &mut self.violations);
        Evaluator::new(program, number, &mut self.state).run(&property.body, &mut |effect| {
            let Effect::Check { holds, indices } = effect else { return };
            match (property.kind, holds) {
                (CheckKind::Cover, _) => covers[cover].hits += u64::from(holds),
                (CheckKind::Assert | CheckKind::Assume, true) => {}
                (CheckKind::Assert | CheckKind::Assume, false) => violations.push(Violation {
                    kind: property.kind,
                    message: property.message.clone(),
                    instance: instance.path.clone(),
                    indices: indices.iter().map(|(id, index)| (loops[id.index()].name.clone(), *index)).collect(),
                    cycle,
                    place: property.place,
                }),
            }
        });
    }

    /// What an edge changes in an instance.
    fn clock_instance(&mut self, program: &Program, number: usize, domains: &[DomainId], changes: &mut Changes) {
        let instance = &program.instances[number];
        let module = program.module(instance);
        let plan = program.plan(instance);
        let rises = |domain: DomainId| domains.contains(&instance.domain(domain));

        let mut registers = self.present(plan.registers.iter().map(|id| instance.slot(*id)));
        let mut writes: Vec<Write> = vec![];
        let mut evaluator = Evaluator::new(program, number, &mut self.state);
        evaluator.run(&plan.sequential, &mut |effect| match effect {
            Effect::Assign { signal, low, value } => {
                let register = plan.registers.binary_search(&signal).expect("a register, in order of its id");
                overwrite(&mut registers[register], low, value);
            }
            Effect::Write(write) => {
                let port = &module.memory(write.memory).writes[write.port as usize];
                if rises(port.domain) {
                    writes.push(write);
                }
            }
            Effect::Check { .. } => unreachable!("no sequential statement"),
        });

        for (id, next) in plan.registers.iter().zip(registers) {
            let signal = module.signal(*id);
            let SignalKind::Register { reset, .. } = &signal.kind else { unreachable!("a register") };
            if rises(signal.domain) {
                let in_reset = self.resets[instance.domain(signal.domain).index()];
                let reset = reset.as_ref().filter(|_| in_reset);
                changes.values.push((instance.slot(*id), reset.map_or(next, |reset| reset.value.clone())));
            }
        }

        for (index, memory) in module.memories.iter().enumerate() {
            let of_memory = |write: &&Write| write.memory.index() == index;
            for read in memory.reads.iter().filter(|read| rises(read.domain)) {
                let mut evaluator = Evaluator::new(program, number, &mut self.state);
                if !evaluator.value(read.enable).get(0) {
                    continue;
                }
                let address = evaluator.address(read.address, memory.depth);
                let word = match address {
                    Some(address) => self.state.memories[instance.first_memory + index][address as usize].clone(),
                    None => Value::zero(memory.width),
                };
                let seen = match read.collision {
                    Collision::Old | Collision::DontCare => word,
                    Collision::New => {
                        let same_clock = |write: &&Write| memory.writes[write.port as usize].domain == read.domain;
                        let same_word = |write: &&Write| write.address.is_some() && write.address == address;
                        let seen = writes.iter().filter(of_memory).filter(same_clock).filter(same_word);
                        seen.fold(word, |word, write| write.applied(&word, memory.granule))
                    }
                };
                changes.values.push((instance.slot(read.data), seen));
            }
        }
        changes.writes.extend(
            writes.into_iter().map(|write| (instance.memory(write.memory), module.memory(write.memory).granule, write)),
        );
    }

    /// Tells the model of a black box which of its clocks rise.
    fn clock_black_box(&mut self, program: &Program, number: usize, domains: &[DomainId]) {
        let instance = &program.instances[number];
        let inputs = self.present(program.inputs(instance));
        if let Some(model) = &mut self.models[number] {
            for (index, domain) in instance.domains.iter().enumerate().filter(|(_, domain)| domains.contains(domain)) {
                model.edge(index, self.resets[domain.index()], &inputs);
            }
        }
    }
}
