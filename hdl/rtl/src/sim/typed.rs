//! The interpreter with the handles of the language: what a unit test of a block uses.

use super::interpreter::Interpreter;
use super::operators::signed;
use super::waves::WavesError;
use crate::arena::Design;
use crate::ir::{DomainId, Signal, SignalId, SignalKind};
use crate::shape::Bundle;
use crate::types::{Bit, Bits, Handle, Leaf, Signed};
use crate::value::Value;
use num_bigint::{BigInt, Sign};
use num_traits::One;
use std::path::{Path, PathBuf};

/// Runs a design from a test: `sim.set(io.enable, 1); sim.step(); sim.expect(io.count, 1)`.
///
/// Every property of the design is watched: one that does not hold is a panic. All panics tell module, cycle, seed and
/// the file of the waves, if there are any, at the place of the caller.
pub struct Sim<P> {
    design: Design<P>,
    interpreter: Interpreter,
    /// Violations that were looked at.
    seen: usize,
}

/// One leaf of what a test gives.
pub enum Datum {
    /// Bits, as many as the signal has.
    Bits(Value),
    /// A number, which must fit.
    Number(BigInt),
}

/// What a test may give for a `T`: its [plain](Bundle::Plain) value, or, for a vector or a bit, a Rust number that fits.
pub trait Given<T> {
    /// The leaves of `port` with what is given for each.
    fn data(self, port: &T) -> Vec<(Handle, Datum)>;
}

impl<T: Bundle> Given<T> for T::Plain {
    fn data(self, port: &T) -> Vec<(Handle, Datum)> {
        let mut data = vec![];
        port.from_plain(&self, &mut |leaf, value| data.push((leaf, Datum::Bits(value))));
        data
    }
}

macro_rules! given_numbers {
    ($($leaf:ty: $($number:ty)*;)*) => {$($(
        impl Given<$leaf> for $number {
            fn data(self, port: &$leaf) -> Vec<(Handle, Datum)> {
                vec![(port.handle(), Datum::Number(self.into()))]
            }
        }
    )*)*};
}

given_numbers! {
    Bit: i32;
    Bits: i32 u8 u16 u32 u64 u128 usize;
    Signed: i32 i64;
}

impl<P: Bundle> Sim<P> {
    /// A design before its first clock edge, its registers and memories as the seed says.
    pub fn new(design: &Design<P>, seed: u64) -> Self {
        Self { design: design.clone(), interpreter: Interpreter::new(design.ir(), seed), seen: 0 }
    }

    /// The ports of the top module.
    pub fn io(&self) -> P {
        self.design.io()
    }

    /// Sets the inputs among the leaves of `port`.
    #[track_caller]
    pub fn set<T: Bundle>(&mut self, port: T, value: impl Given<T>) {
        let mut any = false;
        for (leaf, datum) in value.data(&port) {
            let signal = self.signal(leaf);
            if self.described(signal).kind == SignalKind::Input {
                let value = self.fitting(signal, datum);
                self.interpreter.set(signal, value);
                any = true;
            }
        }
        if !any {
            let mut leaves = vec![];
            port.leaves(&mut leaves);
            let names: Vec<&str> = leaves.iter().map(|leaf| self.described(self.signal(*leaf)).name.as_str()).collect();
            self.fail(&format!("`{}` is no input and cannot be set", names.join("`, `")));
        }
    }

    /// The settled value of `port`.
    #[track_caller]
    pub fn get<T: Bundle>(&mut self, port: T) -> T::Plain {
        self.interpreter.settle();
        self.watch();
        let mut leaves = vec![];
        port.leaves(&mut leaves);
        let mut values = vec![];
        for leaf in leaves {
            let signal = self.signal(leaf);
            values.push(self.interpreter.get(signal));
        }
        let mut values = values.into_iter();
        port.to_plain(&mut |_| values.next().expect("one value a leaf"))
    }

    /// Panics unless the settled value of `port` is `value`, naming each signal that differs.
    #[track_caller]
    pub fn expect<T: Bundle>(&mut self, port: T, value: impl Given<T>) {
        self.interpreter.settle();
        self.watch();
        let mut differences = vec![];
        for (leaf, datum) in value.data(&port) {
            let signal = self.signal(leaf);
            let expected = self.fitting(signal, datum);
            let got = self.interpreter.get(signal);
            if got != expected {
                let signal = self.described(signal);
                differences.push(format!(
                    "`{}` is {}, expected {}",
                    signal.name,
                    shown(signal, &got),
                    shown(signal, &expected)
                ));
            }
        }
        if !differences.is_empty() {
            self.fail(&differences.join("; "));
        }
    }

    /// One rising edge of the default clock.
    #[track_caller]
    pub fn step(&mut self) {
        self.edge(&[""]);
    }

    /// One rising edge of the clocks of some domains, all at the same instant; the default domain's name is empty.
    #[track_caller]
    pub fn edge(&mut self, domains: &[&str]) {
        let mut ids = vec![];
        for domain in domains {
            ids.push(self.domain(domain));
        }
        self.interpreter.edge(&ids);
        self.watch();
    }

    /// Asserts or releases the reset of a domain; the default domain's name is empty.
    #[track_caller]
    pub fn set_reset(&mut self, domain: &str, asserted: bool) {
        let domain = self.domain(domain);
        self.interpreter.set_reset(domain, asserted);
    }

    /// Holds all resets for one edge of all clocks.
    #[track_caller]
    pub fn reset(&mut self) {
        let domains: Vec<DomainId> = (0..self.design.ir().top().domains.len() as u32).map(DomainId).collect();
        for domain in &domains {
            self.interpreter.set_reset(*domain, true);
        }
        self.interpreter.edge(&domains);
        for domain in &domains {
            self.interpreter.set_reset(*domain, false);
        }
        self.watch();
    }

    /// The settled value of a signal or probe anywhere, by its path below the top module.
    #[track_caller]
    pub fn peek(&mut self, path: &str) -> Value {
        self.interpreter.get_path(path)
    }

    /// Rising edges of the default clock so far.
    pub fn cycle(&self) -> u64 {
        self.interpreter.cycle(DomainId(0))
    }

    /// Writes waves into an FST file from now on.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn waves(&mut self, path: impl AsRef<Path>) -> Result<(), WavesError> {
        self.interpreter.waves(path)
    }

    /// Ends the waves and says where they are.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish_waves(&mut self) -> Result<Option<PathBuf>, WavesError> {
        self.interpreter.finish_waves()
    }

    /// What runs the design.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// The signal of the top module behind a handle.
    #[track_caller]
    fn signal(&self, leaf: Handle) -> SignalId {
        match self.design.signal(leaf) {
            Some(signal) => signal,
            None => panic!("a handle that is no signal of the top module `{}`", self.design.ir().top().name),
        }
    }

    fn described(&self, signal: SignalId) -> &Signal {
        self.design.ir().top().signal(signal)
    }

    #[track_caller]
    fn domain(&self, name: &str) -> DomainId {
        let top = self.design.ir().top();
        match top.domains.iter().position(|domain| domain.name == name) {
            Some(index) => DomainId(index as u32),
            None => {
                let known: Vec<String> = top.domains.iter().map(|domain| format!("`{}`", domain.name)).collect();
                panic!("`{}` has no clock domain `{name}`, but {}", top.name, known.join(", "));
            }
        }
    }

    /// What a test gives, as a value of a signal.
    #[track_caller]
    fn fitting(&mut self, signal: SignalId, datum: Datum) -> Value {
        let described = self.described(signal);
        let (width, numeric) = (described.width, described.signed && described.element_width.is_none());
        let number = match datum {
            Datum::Bits(value) if value.width() == width => return value,
            Datum::Bits(value) if numeric => signed(&value),
            Datum::Bits(value) => {
                let message = format!("`{}` has {width} bits, the value {value} has {}", described.name, value.width());
                self.fail(&message)
            }
            Datum::Number(number) => number,
        };
        let modulus = BigInt::one() << width;
        let half = BigInt::one() << (width - 1);
        let (low, end) = if numeric { (-&half, half) } else { (BigInt::ZERO, modulus.clone()) };
        if number < low || number >= end {
            let message = format!("`{}` has {width} bits: {number} does not fit", described.name);
            self.fail(&message);
        }
        let bits = if number.sign() == Sign::Minus { number + modulus } else { number };
        Value::new(width, bits.into_parts().1)
    }

    /// Panics if a property did not hold.
    #[track_caller]
    fn watch(&mut self) {
        let new: Vec<String> = self.interpreter.violations()[self.seen..].iter().map(ToString::to_string).collect();
        self.seen += new.len();
        if !new.is_empty() {
            self.fail(&new.join("\n"));
        }
    }

    /// Ends the waves and panics.
    #[track_caller]
    fn fail(&mut self, what: &str) -> ! {
        let waves = match self.interpreter.finish_waves() {
            Ok(None) => String::new(),
            Ok(Some(path)) => format!("\n  waves: {}", path.display()),
            Err(error) => format!("\n  waves: {error}"),
        };
        let top = &self.design.ir().top().name;
        panic!("{top} cycle {} seed {:#x}: {what}{waves}", self.cycle(), self.interpreter.seed())
    }
}

/// A value with its name, if the signal holds an enumeration.
fn shown(signal: &Signal, value: &Value) -> String {
    let variants = signal.encoding.iter().flat_map(|encoding| &encoding.variants);
    match variants.into_iter().find(|(_, code, _)| code == value) {
        Some((name, _, _)) => format!("{value} ({name})"),
        None => value.to_string(),
    }
}
