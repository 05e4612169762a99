//! Writes representations by hand, so that these tests depend on nothing but `ir.rs` and the interpreter.

use std::sync::Arc;
use tollgate_rtl::ir::*;
use tollgate_rtl::sim::Interpreter;
use tollgate_rtl::{Place, Value};

/// A module being written, one line a declaration.
pub struct Builder {
    pub module: Module,
}

/// A literal: `width` bits of `bits`.
pub fn v(width: u32, bits: u128) -> Value {
    Value::new(width, bits)
}

/// A literal with `width` bits of which only bit `bit` is 1.
pub fn one_hot(width: u32, bit: u32) -> Value {
    v(1, 1).resized(width).with_slice(0, &Value::zero(1)).with_slice(bit, &v(1, 1))
}

impl Builder {
    pub fn new(name: &str) -> Self {
        let domain = Domain { name: String::new(), clock_used: true, reset_used: true };
        let module = Module {
            name: name.into(),
            doc: String::new(),
            parameters: vec![],
            domains: vec![domain],
            signals: vec![],
            memories: vec![],
            instances: vec![],
            loops: vec![],
            nodes: vec![],
            body: vec![],
            ignored: vec![],
            probes: vec![],
            black_box: None,
            place: Place::here(),
        };
        Self { module }
    }

    /// One more clock domain.
    pub fn domain(&mut self, name: &str) -> DomainId {
        self.module.domains.push(Domain { name: name.into(), clock_used: true, reset_used: true });
        DomainId(self.module.domains.len() as u32 - 1)
    }

    #[track_caller]
    pub fn signal(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        self.module.signals.push(Signal {
            name: name.into(),
            doc: String::new(),
            kind,
            width,
            element_width: None,
            signed: false,
            encoding: None,
            domain: DomainId(0),
            default: None,
            attributes: vec![],
            place: Place::here(),
        });
        SignalId(self.module.signals.len() as u32 - 1)
    }

    #[track_caller]
    pub fn input(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Input)
    }

    #[track_caller]
    pub fn output(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Output)
    }

    #[track_caller]
    pub fn wire(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Wire)
    }

    /// A register without reset.
    #[track_caller]
    pub fn register(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Register { reset: None, crossing: None })
    }

    /// A register with reset.
    #[track_caller]
    pub fn reset_register(&mut self, name: &str, value: Value, asynchronous: bool) -> SignalId {
        let width = value.width();
        self.signal(name, width, SignalKind::Register { reset: Some(Reset { value, asynchronous }), crossing: None })
    }

    pub fn node(&mut self, op: Op, width: u32) -> NodeId {
        self.module.nodes.push(Node { op, width, place: Place::here() });
        NodeId(self.module.nodes.len() as u32 - 1)
    }

    pub fn constant(&mut self, value: Value) -> NodeId {
        let width = value.width();
        self.node(Op::Const(value), width)
    }

    pub fn lit(&mut self, width: u32, bits: u128) -> NodeId {
        self.constant(v(width, bits))
    }

    pub fn read(&mut self, signal: SignalId) -> NodeId {
        let width = self.module.signal(signal).width;
        self.node(Op::Read(signal), width)
    }

    pub fn slice(&mut self, of: NodeId, low: u32, width: u32) -> NodeId {
        self.node(Op::Slice { of, low }, width)
    }

    pub fn unary(&mut self, op: Unary, a: NodeId) -> NodeId {
        let width = match op {
            Unary::Not | Unary::Negate => self.module.node(a).width,
            Unary::All | Unary::Any | Unary::Parity => 1,
        };
        self.node(Op::Unary(op, a), width)
    }

    pub fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        use Binary::*;
        let (left, right) = (self.module.node(a).width, self.module.node(b).width);
        let width = match op {
            Multiply | MultiplySigned => left + right,
            Equal | NotEqual | Less | LessEqual | LessSigned | LessEqualSigned => 1,
            _ => left,
        };
        self.node(Op::Binary(op, a, b), width)
    }

    pub fn a_loop(&mut self, name: &str, count: u32, parent: Option<LoopId>) -> LoopId {
        self.module.loops.push(Loop { name: name.into(), count, parent, place: Place::here() });
        LoopId(self.module.loops.len() as u32 - 1)
    }

    /// Appends a statement to the body.
    pub fn push(&mut self, stmt: Stmt) {
        self.module.body.push(stmt);
    }

    /// Appends an assignment of a whole signal.
    pub fn drive(&mut self, signal: SignalId, value: NodeId) {
        self.push(assign(signal, value));
    }

    /// An instance of a module of the design, with its ports connected to new signals `<instance>_<port>`: their ids.
    pub fn instance(&mut self, name: &str, of: ModuleId, module: &Module, domains: Vec<DomainId>) -> Vec<SignalId> {
        let instance = InstanceId(self.module.instances.len() as u32);
        let ports: Vec<(SignalId, Signal)> = module.ports().map(|(id, port)| (id, port.clone())).collect();
        let connect = |(port, signal): (SignalId, Signal)| {
            let kind = match signal.kind {
                SignalKind::Input => SignalKind::InstanceInput { instance, port },
                _ => SignalKind::InstanceOutput { instance, port },
            };
            self.signal(&format!("{name}_{}", signal.name), signal.width, kind)
        };
        let connections: Vec<SignalId> = ports.into_iter().map(connect).collect();
        self.module.instances.push(Instance {
            name: name.into(),
            doc: String::new(),
            module: of,
            connections: connections.clone(),
            domains,
            place: Place::here(),
        });
        connections
    }

    /// A memory without ports.
    pub fn memory(
        &mut self,
        name: &str,
        depth: u32,
        width: u32,
        granule: u32,
        initial: Option<Vec<Value>>,
    ) -> MemoryId {
        self.module.memories.push(Memory {
            name: name.into(),
            doc: String::new(),
            depth,
            width,
            granule,
            initial,
            attributes: vec![],
            reads: vec![],
            writes: vec![],
            place: Place::here(),
        });
        MemoryId(self.module.memories.len() as u32 - 1)
    }

    /// A synchronous read port: its answer.
    pub fn read_port(
        &mut self,
        name: &str,
        memory: MemoryId,
        address: NodeId,
        enable: NodeId,
        collision: Collision,
        domain: DomainId,
    ) -> SignalId {
        let width = self.module.memory(memory).width;
        let port = self.module.memory(memory).reads.len() as u32;
        let data = self.signal(name, width, SignalKind::SyncRead { memory, port });
        self.module.signals[data.index()].domain = domain;
        let port = ReadPort { address, enable, collision, domain, data, place: Place::here() };
        self.module.memories[memory.index()].reads.push(port);
        data
    }

    /// A write port, written whenever `enable` (one bit) is 1.
    pub fn write_port(
        &mut self,
        memory: MemoryId,
        enable: NodeId,
        address: NodeId,
        data: NodeId,
        enables: Option<NodeId>,
        domain: DomainId,
    ) {
        let writes = &mut self.module.memories[memory.index()].writes;
        let port = writes.len() as u32;
        writes.push(WritePort { domain });
        let write = Stmt::MemoryWrite { memory, port, address, data, enables, place: Place::here() };
        self.push(if_(enable, vec![write]));
    }

    /// The module alone as a design.
    pub fn design(self) -> Design {
        Design { modules: vec![self.module] }
    }

    /// The module alone, ready to run.
    pub fn run(self) -> Interpreter {
        Interpreter::new(&self.design(), 1)
    }
}

/// An assignment of a whole signal.
pub fn assign(signal: SignalId, value: NodeId) -> Stmt {
    assign_part(signal, vec![], value)
}

/// An assignment of a part of a signal.
pub fn assign_part(signal: SignalId, path: Vec<Select>, value: NodeId) -> Stmt {
    Stmt::Assign { target: Target { signal, path }, value, place: Place::here() }
}

/// `if` without `else`.
pub fn if_(condition: NodeId, body: Vec<Stmt>) -> Stmt {
    Stmt::If { arms: vec![(condition, body)], otherwise: vec![], place: Place::here() }
}

/// An enumeration whose variants are given by name and code.
pub fn encoding(name: &str, width: u32, reset: usize, variants: &[(&str, u128)]) -> Arc<Encoding> {
    let variants = variants.iter().map(|(name, code)| (name.to_string(), v(width, *code), String::new())).collect();
    Arc::new(Encoding { name: name.into(), width, variants, reset })
}
