//! Waves: what the signals of a run were, in an FST file.

use super::evaluate::State;
use super::program::{Program, Slot};
use crate::ir::{DomainId, Encoding, Signal, SignalKind};
use crate::value::Value;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError, open_fst,
};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Nanoseconds between two clock edges. The interpreter knows the order of edges alone, so that all are equally far apart.
const PERIOD: u64 = 10;

/// Memories with more words than this are not shown.
const SHOWN_WORDS: u32 = 256;

/// Bytes of waves kept in memory before they are written.
const BUFFERED: usize = 1 << 22;

/// Waves that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the waves {path}", path = path.display())]
pub struct WavesError {
    path: PathBuf,
    source: FstWriteError,
}

/// A file of waves being written.
pub(super) struct Waves {
    path: PathBuf,
    body: FstBodyWriter<BufWriter<File>>,
    traces: Vec<Trace>,
    /// The clock and the reset of each domain of the top module, if they are used.
    domains: Vec<(Option<FstSignalId>, Option<FstSignalId>)>,
    /// Clock edges so far.
    edges: u64,
    /// The domains whose clocks rose at the last edge.
    risen: Vec<DomainId>,
    /// What went wrong first: told at the end.
    failure: Option<FstWriteError>,
}

/// One variable of the waves.
struct Trace {
    variable: FstSignalId,
    of: Origin,
    /// Where the variable's bits begin.
    low: u32,
    width: u32,
    /// The variable that shows the name of the code, if there are names.
    names: Option<(FstSignalId, Arc<Encoding>)>,
    /// What was written last.
    shown: Option<Value>,
}

/// Where the bits of a variable come from.
enum Origin {
    Slot(Slot),
    /// Index among the memories of all instances, and the word.
    Memory(usize, u32),
}

impl Waves {
    /// Creates the file and describes the hierarchy in it.
    pub fn create(path: &Path, program: &Program) -> Result<Self, WavesError> {
        let failed = |source| WavesError { path: path.into(), source };
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: "tollgate-rtl interpreter".into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let header = open_fst(path, &info).map_err(failed)?;
        let mut hierarchy = Hierarchy { header, program, traces: vec![], domains: vec![] };
        hierarchy.instance(0).map_err(failed)?;
        let Hierarchy { header, traces, domains, .. } = hierarchy;
        let body = header.finish().map_err(failed)?;
        Ok(Self { path: path.into(), body, traces, domains, edges: 0, risen: vec![], failure: None })
    }

    /// Shows the values since the last edge; then the clocks of `rising` rise.
    pub fn sample(&mut self, state: &State, resets: &[bool], rising: &[DomainId]) {
        if self.failure.is_none() {
            self.failure = self.try_sample(state, resets).err();
        }
        self.risen = rising.into();
        self.edges += 1;
    }

    /// Shows the last values and ends the file; its path.
    pub fn finish(mut self, state: &State, resets: &[bool]) -> Result<PathBuf, WavesError> {
        self.sample(state, resets, &[]);
        let end = self.body.time_change(self.edges * PERIOD);
        let written = match self.failure {
            Some(failure) => Err(failure),
            None => end
                .and_then(|()| self.body.finish())
                .and_then(|file| Ok(file.into_inner().map_err(|e| e.into_error())?)),
        };
        match written {
            Ok(_) => Ok(self.path),
            Err(source) => Err(WavesError { path: self.path, source }),
        }
    }

    fn try_sample(&mut self, state: &State, resets: &[bool]) -> Result<(), FstWriteError> {
        if self.body.size() > BUFFERED {
            self.body.flush()?;
        }
        self.body.time_change(self.edges * PERIOD)?;
        for (index, (clock, reset)) in self.domains.iter().enumerate() {
            let risen = self.risen.contains(&DomainId(index as u32));
            for (variable, high) in [(clock, risen), (reset, resets[index])] {
                if let Some(variable) = variable {
                    self.body.signal_change(*variable, if high { b"1" } else { b"0" })?;
                }
            }
        }
        for trace in &mut self.traces {
            let whole = match trace.of {
                Origin::Slot(slot) => &state.values[slot.index()],
                Origin::Memory(memory, word) => &state.memories[memory][word as usize],
            };
            let value = whole.slice(trace.low, trace.width);
            if trace.shown.as_ref() == Some(&value) {
                continue;
            }
            self.body.signal_change(trace.variable, value.bits().to_str_radix(2).as_bytes())?;
            if let Some((variable, encoding)) = &trace.names {
                self.body.signal_change(*variable, padded(code_name(encoding, &value), encoding).as_bytes())?;
            }
            trace.shown = Some(value);
        }
        self.body.time_change(self.edges * PERIOD + PERIOD / 2)?;
        for domain in &self.risen {
            if let (Some(clock), _) = self.domains[domain.index()] {
                self.body.signal_change(clock, b"0")?;
            }
        }
        Ok(())
    }
}

/// The name of a code, as the waves show it.
fn code_name<'a>(encoding: &'a Encoding, code: &Value) -> &'a str {
    let variant = encoding.variants.iter().find(|(_, of_variant, _)| of_variant == code);
    variant.map_or(ILLEGAL, |(name, _, _)| name)
}

/// Shown for a code that no variant has.
const ILLEGAL: &str = "illegal";

/// How long the names of codes are made: those of one variable must be equally long.
fn name_length(encoding: &Encoding) -> usize {
    encoding.variants.iter().map(|(name, _, _)| name.len()).max().unwrap_or(0).max(ILLEGAL.len())
}

fn padded(name: &str, encoding: &Encoding) -> String {
    format!("{name:length$}", length = name_length(encoding))
}

/// Describes the hierarchy of a design in the head of a file.
struct Hierarchy<'a> {
    header: FstHeaderWriter<BufWriter<File>>,
    program: &'a Program,
    traces: Vec<Trace>,
    domains: Vec<(Option<FstSignalId>, Option<FstSignalId>)>,
}

impl Hierarchy<'_> {
    /// Describes an instance and all below it.
    fn instance(&mut self, number: usize) -> Result<(), FstWriteError> {
        let program = self.program;
        let instance = &program.instances[number];
        let module = program.module(instance);
        self.header.scope(&instance.name, &module.name, FstScopeType::Module)?;
        for (domain, of_top) in module.domains.iter().zip(&instance.domains) {
            let (clock, reset) = self.domains.get(of_top.index()).copied().unwrap_or_default();
            let clock = if domain.clock_used { Some(self.bit(domain.clock(), clock)?) } else { None };
            let reset = if domain.reset_used { Some(self.bit(domain.reset(), reset)?) } else { None };
            if number == 0 {
                self.domains.push((clock, reset));
            }
        }
        for (signal, slot) in module.signals.iter().zip(&instance.slots) {
            self.signal(signal, *slot)?;
        }
        for (probe, slot) in module.probes.iter().zip(&instance.slots[module.signals.len()..]) {
            let width = module.node(probe.node).width;
            let name = format!("probe_{}", probe.name);
            self.trace(&name, Origin::Slot(*slot), 0, width, FstVarDirection::Implicit, None)?;
        }
        for (index, memory) in module.memories.iter().enumerate().filter(|(_, memory)| memory.depth <= SHOWN_WORDS) {
            for word in 0..memory.depth {
                let origin = Origin::Memory(instance.first_memory + index, word);
                let name = format!("{}[{word}]", memory.name);
                self.trace(&name, origin, 0, memory.width, FstVarDirection::Implicit, None)?;
            }
        }
        for child in (0..program.instances.len()).filter(|child| program.instances[*child].parent == Some(number)) {
            self.instance(child)?;
        }
        self.header.up_scope()
    }

    /// Describes a clock or a reset, or one that is the same as another.
    fn bit(&mut self, name: String, same: Option<FstSignalId>) -> Result<FstSignalId, FstWriteError> {
        self.header.var(name, FstSignalType::bit_vec(1), FstVarType::Wire, FstVarDirection::Input, same)
    }

    /// Describes a signal, an array by its elements.
    fn signal(&mut self, signal: &Signal, slot: Slot) -> Result<(), FstWriteError> {
        let direction = match signal.kind {
            SignalKind::Accumulator(_) => return Ok(()),
            SignalKind::Input => FstVarDirection::Input,
            SignalKind::Output => FstVarDirection::Output,
            _ => FstVarDirection::Implicit,
        };
        let encoding = signal.encoding.as_ref();
        match signal.element_width.filter(|width| *width > 1) {
            None => self.trace(&signal.name, Origin::Slot(slot), 0, signal.width, direction, encoding),
            Some(width) => (0..signal.width / width).try_for_each(|element| {
                let name = format!("{}[{element}]", signal.name);
                self.trace(&name, Origin::Slot(slot), element * width, width, direction, encoding)
            }),
        }
    }

    /// Describes a variable, and one more for the names of its codes.
    fn trace(
        &mut self,
        name: &str,
        of: Origin,
        low: u32,
        width: u32,
        direction: FstVarDirection,
        encoding: Option<&Arc<Encoding>>,
    ) -> Result<(), FstWriteError> {
        let ranged = if width == 1 { name.into() } else { format!("{name} [{}:0]", width - 1) };
        let variable = self.header.var(ranged, FstSignalType::bit_vec(width), FstVarType::Wire, direction, None)?;
        let mut names = None;
        if let Some(encoding) = encoding.filter(|encoding| encoding.width == width) {
            let shape = FstSignalType::bit_vec(name_length(encoding) as u32);
            let name = match name.split_once('[') {
                Some((array, index)) => format!("{array}_name[{index}"),
                None => format!("{name}_name"),
            };
            let variable = self.header.var(name, shape, FstVarType::GenericString, FstVarDirection::Implicit, None)?;
            names = Some((variable, Arc::clone(encoding)));
        }
        self.traces.push(Trace { variable, of, low, width, names, shown: None });
        Ok(())
    }
}
