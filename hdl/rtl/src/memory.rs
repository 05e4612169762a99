//! Memories.

use crate::arena::{self, Builder, Tag};
use crate::error::Error;
use crate::ir::{self, Collision, LARGEST, MemoryId, NodeId, Op, ReadPort, SignalKind, Stmt, WritePort};
use crate::place::Place;
use crate::shape::{Bundle, BundleExt, Shape};
use crate::types::{Bit, Bits, Leaf, plural};
use crate::value::Value;

/// A memory of words of `T`.
///
/// Reading beyond the depth gives 0, writing there does nothing. Of two writes to one word at one clock edge, the later
/// in program order wins. Its content at the start is any, unless [`Memory::initial`] says otherwise.
#[derive(Clone)]
pub struct Memory<T> {
    tag: Tag,
    id: MemoryId,
    shape: Shape<T>,
    place: Place,
}

impl<T: Bundle> Memory<T> {
    #[track_caller]
    pub(crate) fn declare(name: &str, depth: usize, shape: Shape<T>) -> Self {
        let place = Place::here();
        let width = shape.width();
        arena::with(|b| {
            b.check_declaration(name, place);
            let fits = 1..=LARGEST as usize;
            if !fits.contains(&depth) || !fits.contains(&(width as usize)) {
                let error = Error::new(format!("memory `{name}` has {depth} words of {width} bits"))
                    .at(place, "declared here")
                    .help(format!("depths and widths are from 1 to {LARGEST}"));
                b.report(error);
            }
            let id = MemoryId(b.module.memories.len() as u32);
            b.module.memories.push(ir::Memory {
                name: name.to_owned(),
                doc: String::new(),
                depth: depth.min(LARGEST as usize) as u32,
                width,
                granule: width,
                initial: None,
                attributes: vec![],
                reads: vec![],
                writes: vec![],
                place,
            });
            Self { tag: b.tag, id, shape, place }
        })
    }

    /// Runs `f` on the memory where it belongs; elsewhere it is an error.
    #[track_caller]
    fn with<R>(&self, place: Place, f: impl FnOnce(&mut Builder) -> R) -> Option<R> {
        let here = arena::with(|b| if b.tag == self.tag { Some(f(b)) } else { None });
        if here.is_none() {
            arena::with(|b| {
                let error = Error::new("a memory of another module").at(place, "used here");
                b.report(error.at(self.place, "the memory").help("words cross modules through ports only"));
            });
        }
        here
    }

    #[track_caller]
    fn edit(self, edit: impl FnOnce(&mut ir::Memory)) -> Self {
        self.with(Place::here(), |b| edit(&mut b.module.memories[self.id.index()]));
        self
    }

    /// Says what the memory is for, one line.
    #[track_caller]
    pub fn describe(self, doc: &str) -> Self {
        self.edit(|memory| memory.doc = doc.to_owned())
    }

    /// Gives the memory a Verilog attribute, such as `ram_style` = `distributed` or `block`.
    #[track_caller]
    pub fn attribute(self, name: &str, value: &str) -> Self {
        self.edit(|memory| memory.attributes.push((name.to_owned(), value.to_owned())))
    }

    /// Lets [`Memory::write_enabled`] write groups of `granule` bits, such as 8 for byte enables.
    #[track_caller]
    pub fn granule(self, granule: u32) -> Self {
        let place = Place::here();
        self.with(place, |b| {
            let memory = &b.module.memories[self.id.index()];
            if granule == 0 || !memory.width.is_multiple_of(granule) {
                let error = Error::new(format!(
                    "words of `{}` have {} bits: they do not divide into groups of {granule}",
                    memory.name, memory.width
                ))
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
        self.with(place, |b| {
            let memory = b.module.memories[self.id.index()].clone();
            if words.len() > memory.depth as usize {
                let error =
                    Error::new(format!("memory `{}` has {} words, not {}", memory.name, memory.depth, words.len()))
                        .at(place, "here")
                        .at(memory.place, "the memory");
                b.report(error);
                return;
            }
            if let Some(word) = words.iter().find(|word| word.width() != memory.width) {
                let error = Error::new(format!(
                    "{word} has {} bits, a word of `{}` has {}",
                    word.width(),
                    memory.name,
                    memory.width
                ))
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
        let address = arena::resolve(address.handle(), place);
        let read = self.with(place, |b| match b.module.memory(self.id).width {
            width @ 1..=LARGEST => b.node(Op::MemoryRead { memory: self.id, address }, width, place),
            width => b.poison(width, place),
        });
        self.word(read, place)
    }

    /// What was read, as a `T`; something that stands for one if it could not be.
    #[track_caller]
    fn word(&self, read: Option<NodeId>, place: Place) -> T {
        let word = arena::with(|b| {
            let node = read.unwrap_or_else(|| b.poison(self.shape.width(), place));
            Bits::from_handle(b.handle(node))
        });
        T::unpack(&self.shape, word)
    }

    /// A synchronous read port: `name` takes the word at `address` at each clock edge with `enable`, and keeps it.
    #[track_caller]
    pub fn read_registered(&self, name: &str, address: Bits, enable: Bit, collision: Collision) -> T {
        let place = Place::here();
        let address = arena::resolve(address.handle(), place);
        let enable = arena::resolve(enable.handle(), place);
        let read = self.with(place, |b| {
            b.check_declaration(name, place);
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
            b.read(data, place)
        });
        self.word(read, place)
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
        let address = arena::resolve(address.handle(), place);
        let data = arena::resolve(word.packed().handle(), place);
        let enables = enables.map(|enables| arena::resolve(enables.handle(), place));
        self.with(place, |b| {
            let memory = b.module.memory(self.id).clone();
            let got = b.width(data);
            if got != memory.width && !b.is_poisoned(data) {
                let (text, origin) = b.describe(data);
                let (name, width) = (&memory.name, memory.width);
                let error = Error::new(format!("{text} has {got} bit{}, a word of `{name}` has {width}", plural(got)))
                    .at(place, "written here")
                    .at(memory.place, "the memory")
                    .at(origin, format!("{text} comes from here"));
                b.report(error);
                return;
            }
            if let Some(enables) = enables {
                let (groups, got) = (memory.width / memory.granule, b.width(enables));
                if groups != got && !b.is_poisoned(enables) {
                    let error = Error::new(format!(
                        "{got} enable{} for {groups} group{} of `{}`",
                        plural(got),
                        plural(groups),
                        memory.name
                    ))
                    .at(place, "written here")
                    .at(
                        memory.place,
                        format!("the memory: words of {} bits in groups of {}", memory.width, memory.granule),
                    );
                    b.report(error);
                    return;
                }
            }
            if let Some(frame) = b.frames.iter().find(|frame| frame.index.is_some()).cloned() {
                let error = Error::new(format!("memory `{}` is written in a loop", memory.name))
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
