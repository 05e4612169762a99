//! Memories.

use crate::arena;
use crate::error::Error;
use crate::ir::{self, Collision, MemoryId, Op, ReadPort, SignalKind, Stmt, WritePort};
use crate::place::Place;
use crate::shape::{Bundle, BundleExt, Shape};
use crate::types::{Bit, Bits, Handle, Leaf, plural};
use crate::value::Value;

/// A memory of words of `T`.
///
/// Reading beyond the depth gives 0, writing there does nothing. Of two writes to one word at one clock edge, the later
/// in program order wins. Its content at the start is any, unless [`Memory::initial`] says otherwise.
#[derive(Clone)]
pub struct Memory<T> {
    id: MemoryId,
    shape: Shape<T>,
}

impl<T: Bundle> Memory<T> {
    #[track_caller]
    pub(crate) fn declare(name: &str, depth: usize, shape: Shape<T>) -> Self {
        let place = Place::here();
        let width = shape.width();
        arena::with(|b| {
            if depth == 0 || width == 0 {
                b.report(
                    Error::new(format!("memory `{name}` has {depth} words of {width} bits")).at(place, "declared here"),
                );
            }
            let id = MemoryId(b.module.memories.len() as u32);
            b.module.memories.push(ir::Memory {
                name: name.to_owned(),
                doc: String::new(),
                depth: depth as u32,
                width,
                granule: width,
                initial: None,
                attributes: vec![],
                reads: vec![],
                writes: vec![],
                place,
            });
            Self { id, shape }
        })
    }

    fn edit(self, edit: impl FnOnce(&mut ir::Memory)) -> Self {
        arena::with(|b| edit(&mut b.module.memories[self.id.index()]));
        self
    }

    /// Says what the memory is for, one line.
    pub fn describe(self, doc: &str) -> Self {
        self.edit(|memory| memory.doc = doc.to_owned())
    }

    /// Gives the memory a Verilog attribute, such as `ram_style` = `distributed` or `block`.
    pub fn attribute(self, name: &str, value: &str) -> Self {
        self.edit(|memory| memory.attributes.push((name.to_owned(), value.to_owned())))
    }

    /// Lets [`Memory::write_enabled`] write groups of `granule` bits, such as 8 for byte enables.
    #[track_caller]
    pub fn granule(self, granule: u32) -> Self {
        let place = Place::here();
        arena::with(|b| {
            let memory = &b.module.memories[self.id.index()];
            if granule == 0 || !memory.width.is_multiple_of(granule) {
                let error =
                    Error::new(format!("words of {} bits do not divide into groups of {granule}", memory.width))
                        .at(place, "here")
                        .at(memory.place, "the memory");
                b.report(error);
                return;
            }
            b.module.memories[self.id.index()].granule = granule;
        });
        self
    }

    /// The content before the first clock edge: a word for each address from 0; what is missing is 0.
    #[track_caller]
    pub fn initial(self, words: impl IntoIterator<Item = Value>) -> Self {
        let place = Place::here();
        let mut words: Vec<Value> = words.into_iter().collect();
        arena::with(|b| {
            let memory = b.module.memories[self.id.index()].clone();
            if words.len() > memory.depth as usize {
                let error = Error::new(format!("{} words for a memory of {}", words.len(), memory.depth))
                    .at(place, "here")
                    .at(memory.place, "the memory");
                b.report(error);
                return;
            }
            if let Some(word) = words.iter().find(|word| word.width() != memory.width) {
                let error = Error::new(format!("a word of {} bits for a memory of {}", word.width(), memory.width))
                    .at(place, "here")
                    .at(memory.place, "the memory");
                b.report(error);
                return;
            }
            words.resize(memory.depth as usize, Value::zero(memory.width));
            b.module.memories[self.id.index()].initial = Some(words);
        });
        self
    }

    /// The word at `address`, as it is now.
    #[track_caller]
    pub fn read(&self, address: Bits) -> T {
        let place = Place::here();
        let address = arena::resolve(address.handle());
        let word = arena::with(|b| {
            let width = b.module.memory(self.id).width;
            let node = b.node(Op::MemoryRead { memory: self.id, address }, width, place);
            Bits::from_handle(b.handle(node))
        });
        T::unpack(&self.shape, word)
    }

    /// A synchronous read port: `name` takes the word at `address` at each clock edge with `enable`, and keeps it.
    #[track_caller]
    pub fn read_registered(&self, name: &str, address: Bits, enable: Bit, collision: Collision) -> T {
        let place = Place::here();
        let address = arena::resolve(address.handle());
        let enable = arena::resolve(enable.handle());
        let word: Handle = arena::with(|b| {
            let memory = b.module.memory(self.id);
            let (width, port) = (memory.width, memory.reads.len() as u32);
            let domain = b.domain;
            let data = b.add_signal(ir::Signal {
                name: name.to_owned(),
                doc: String::new(),
                kind: SignalKind::SyncRead { memory: self.id, port },
                width,
                element_width: None,
                signed: false,
                encoding: None,
                domain,
                default: None,
                attributes: vec![],
                place,
            });
            b.module.memories[self.id.index()].reads.push(ReadPort { address, enable, collision, domain, data, place });
            let node = b.read(data, place);
            b.handle(node)
        });
        T::unpack(&self.shape, Bits::from_handle(word))
    }

    /// Writes a word at the clock edge, where the statement runs.
    #[track_caller]
    pub fn write(&self, address: Bits, word: T) {
        self.write_port(address, word, None, Place::here());
    }

    /// Writes, of a word, the groups whose bit in `enables` is 1; bit 0 is the lowest group. See [`Memory::granule`].
    #[track_caller]
    pub fn write_enabled(&self, address: Bits, word: T, enables: Bits) {
        self.write_port(address, word, Some(enables), Place::here());
    }

    #[track_caller]
    fn write_port(&self, address: Bits, word: T, enables: Option<Bits>, place: Place) {
        let address = arena::resolve(address.handle());
        let data = arena::resolve(word.packed().handle());
        let enables = enables.map(|enables| arena::resolve(enables.handle()));
        arena::with(|b| {
            let memory = b.module.memory(self.id).clone();
            let got = b.width(data);
            if got != memory.width && !b.is_poisoned(data) {
                let error = Error::new(format!("a word of {got} bits for a memory of {}", memory.width))
                    .at(place, "written here")
                    .at(memory.place, "the memory");
                b.report(error);
                return;
            }
            if let Some(enables) = enables {
                let (groups, got) = (memory.width / memory.granule, b.width(enables));
                if groups != got && !b.is_poisoned(enables) {
                    let error = Error::new(format!("{got} enable{} for {groups} group{}", plural(got), plural(groups)))
                        .at(place, "written here")
                        .at(memory.place, format!("the memory: {} bits in groups of {}", memory.width, memory.granule));
                    b.report(error);
                    return;
                }
            }
            if let Some(frame) = b.frames.iter().find(|frame| frame.index.is_some()).cloned() {
                let error = Error::new("a memory is written in a loop")
                    .at(place, "written here")
                    .at(frame.place, "the loop")
                    .help("each write is a port: write once, with a computed address");
                b.report(error);
                return;
            }
            let domain = b.domain;
            let port = memory.writes.len() as u32;
            b.module.memories[self.id.index()].writes.push(WritePort { domain });
            b.statement(Stmt::MemoryWrite { memory: self.id, port, address, data, enables, place }, place);
        });
    }
}
