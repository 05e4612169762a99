//! Modules written in the intermediate representation by hand: the printer is tested without the front end.

#![allow(dead_code)]

use std::sync::Arc;
use tollgate_rtl::Place;
use tollgate_rtl::Value;
use tollgate_rtl::ir::*;

/// Builds one module.
pub struct Builder {
    pub module: Module,
}

pub const CLK: DomainId = DomainId(0);

impl Builder {
    pub fn new(name: &str) -> Self {
        let domain = Domain { name: String::new(), clock_used: false, reset_used: false };
        Self {
            module: Module {
                name: name.into(),
                doc: format!("Test of {}.", name.replace('_', " ")),
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
            },
        }
    }

    pub fn domain(&mut self, name: &str) -> DomainId {
        self.module.domains.push(Domain { name: name.into(), clock_used: true, reset_used: true });
        DomainId(self.module.domains.len() as u32 - 1)
    }

    pub fn signal(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        self.module.signals.push(Signal {
            name: name.into(),
            doc: String::new(),
            kind,
            width,
            element_width: None,
            signed: false,
            encoding: None,
            domain: CLK,
            default: None,
            attributes: vec![],
            place: Place::here(),
        });
        SignalId(self.module.signals.len() as u32 - 1)
    }

    pub fn edit(&mut self, id: SignalId) -> &mut Signal {
        &mut self.module.signals[id.index()]
    }

    pub fn input(&mut self, name: &str, width: u32) -> NodeId {
        let id = self.signal(name, width, SignalKind::Input);
        self.edit(id).doc = format!("the {}", name.replace('_', " "));
        self.read(id)
    }

    pub fn output(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Output)
    }

    pub fn wire(&mut self, name: &str, width: u32) -> SignalId {
        self.signal(name, width, SignalKind::Wire)
    }

    /// A register without reset.
    pub fn reg(&mut self, name: &str, width: u32) -> SignalId {
        self.module.domains[0].clock_used = true;
        self.signal(name, width, SignalKind::Register { reset: None, crossing: None })
    }

    /// A register with synchronous reset.
    pub fn reset_reg(&mut self, name: &str, width: u32, value: u64) -> SignalId {
        self.reg_with(name, width, Value::new(width, value), false)
    }

    pub fn reg_with(&mut self, name: &str, width: u32, value: Value, asynchronous: bool) -> SignalId {
        self.module.domains[0].clock_used = true;
        self.module.domains[0].reset_used = true;
        let reset = Some(Reset { value, asynchronous });
        self.signal(name, width, SignalKind::Register { reset, crossing: None })
    }

    pub fn index(&mut self, name: &str, count: u32, parent: Option<LoopId>) -> LoopId {
        self.module.loops.push(Loop { name: name.into(), count, parent, place: Place::here() });
        LoopId(self.module.loops.len() as u32 - 1)
    }

    pub fn node(&mut self, op: Op, width: u32) -> NodeId {
        if let Some(i) = self.module.nodes.iter().position(|n| n.op == op && n.width == width) {
            return NodeId(i as u32);
        }
        self.module.nodes.push(Node { op, width, place: Place::here() });
        NodeId(self.module.nodes.len() as u32 - 1)
    }

    pub fn width(&self, node: NodeId) -> u32 {
        self.module.node(node).width
    }

    pub fn read(&mut self, id: SignalId) -> NodeId {
        let width = self.module.signal(id).width;
        self.node(Op::Read(id), width)
    }

    pub fn lit(&mut self, width: u32, value: u64) -> NodeId {
        self.node(Op::Const(Value::new(width, value)), width)
    }

    pub fn bin(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        use Binary::*;
        let width = match op {
            Multiply | MultiplySigned => self.width(a) + self.width(b),
            Equal | NotEqual | Less | LessEqual | LessSigned | LessEqualSigned => 1,
            _ => self.width(a),
        };
        self.node(Op::Binary(op, a, b), width)
    }

    pub fn un(&mut self, op: Unary, a: NodeId) -> NodeId {
        let width = if matches!(op, Unary::Not | Unary::Negate) { self.width(a) } else { 1 };
        self.node(Op::Unary(op, a), width)
    }

    pub fn not(&mut self, a: NodeId) -> NodeId {
        self.un(Unary::Not, a)
    }

    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.bin(Binary::And, a, b)
    }

    pub fn eq(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.bin(Binary::Equal, a, b)
    }

    pub fn mux(&mut self, c: NodeId, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        self.node(Op::Mux(c, a, b), width)
    }

    pub fn slice(&mut self, of: NodeId, low: u32, width: u32) -> NodeId {
        self.node(Op::Slice { of, low }, width)
    }

    pub fn at(&mut self, of: NodeId, l: LoopId, width: u32) -> NodeId {
        self.node(Op::Part { of, index: Index::Loop(l) }, width)
    }

    pub fn pick(&mut self, of: NodeId, index: NodeId, width: u32) -> NodeId {
        self.node(Op::Part { of, index: Index::Node(index) }, width)
    }

    pub fn concat(&mut self, parts: &[NodeId]) -> NodeId {
        let width = parts.iter().map(|p| self.width(*p)).sum();
        self.node(Op::Concat(parts.to_vec()), width)
    }

    pub fn number(&mut self, l: LoopId, width: u32) -> NodeId {
        self.node(Op::LoopIndex(l), width)
    }

    pub fn set(&mut self, signal: SignalId, value: NodeId) {
        let stmt = assign(signal, value);
        self.module.body.push(stmt);
    }

    pub fn push(&mut self, stmt: Stmt) {
        self.module.body.push(stmt);
    }

    pub fn memory(&mut self, name: &str, depth: u32, width: u32, granule: u32) -> MemoryId {
        self.module.domains[0].clock_used = true;
        self.module.memories.push(Memory {
            name: name.into(),
            doc: String::new(),
            depth,
            width,
            granule,
            initial: None,
            attributes: vec![],
            reads: vec![],
            writes: vec![],
            place: Place::here(),
        });
        MemoryId(self.module.memories.len() as u32 - 1)
    }

    pub fn mem_read(&mut self, memory: MemoryId, address: NodeId) -> NodeId {
        let width = self.module.memory(memory).width;
        self.node(Op::MemoryRead { memory, address }, width)
    }

    pub fn sync_read(
        &mut self,
        memory: MemoryId,
        name: &str,
        address: NodeId,
        enable: NodeId,
        collision: Collision,
    ) -> NodeId {
        let port = self.module.memory(memory).reads.len() as u32;
        let width = self.module.memory(memory).width;
        let data = self.signal(name, width, SignalKind::SyncRead { memory, port });
        let read = ReadPort { address, enable, collision, domain: CLK, data, place: Place::here() };
        self.module.memories[memory.index()].reads.push(read);
        self.read(data)
    }

    /// A statement that writes through a port of its own.
    pub fn write(&mut self, memory: MemoryId, address: NodeId, data: NodeId, enables: Option<NodeId>) -> Stmt {
        let port = self.module.memory(memory).writes.len() as u32;
        self.module.memories[memory.index()].writes.push(WritePort { domain: CLK });
        Stmt::MemoryWrite { memory, port, address, data, enables, place: Place::here() }
    }

    /// An instance with its connections made as signals of this module.
    pub fn instance(&mut self, name: &str, id: ModuleId, inner: &Module) -> Vec<SignalId> {
        let instance = InstanceId(self.module.instances.len() as u32);
        let ports: Vec<(SignalId, Signal)> = inner.ports().map(|(i, s)| (i, s.clone())).collect();
        let mut connections = vec![];
        for (port, signal) in ports {
            let kind = match signal.kind {
                SignalKind::Input => SignalKind::InstanceInput { instance, port },
                _ => SignalKind::InstanceOutput { instance, port },
            };
            connections.push(self.signal(&format!("{name}_{}", signal.name), signal.width, kind));
        }
        self.module.domains[0].clock_used |= inner.domains[0].clock_used;
        self.module.domains[0].reset_used |= inner.domains[0].reset_used;
        self.module.instances.push(Instance {
            name: name.into(),
            doc: String::new(),
            module: id,
            connections: connections.clone(),
            domains: inner.domains.iter().map(|_| CLK).collect(),
            place: Place::here(),
        });
        connections
    }

    pub fn design(self) -> Design {
        Design { modules: vec![self.module] }
    }
}

pub fn assign(signal: SignalId, value: NodeId) -> Stmt {
    assign_path(signal, vec![], value)
}

pub fn assign_path(signal: SignalId, path: Vec<Select>, value: NodeId) -> Stmt {
    Stmt::Assign { target: Target { signal, path }, value, place: Place::here() }
}

pub fn bits(low: u32, width: u32) -> Select {
    Select::Slice { low, width }
}

pub fn element(l: LoopId, width: u32) -> Select {
    Select::Part { index: Index::Loop(l), width }
}

pub fn chosen(node: NodeId, width: u32) -> Select {
    Select::Part { index: Index::Node(node), width }
}

pub fn when(condition: NodeId, body: Vec<Stmt>) -> Stmt {
    when_else(condition, body, vec![])
}

pub fn when_else(condition: NodeId, body: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    Stmt::If { arms: vec![(condition, body)], otherwise, place: Place::here() }
}

pub fn each(index: LoopId, body: Vec<Stmt>) -> Stmt {
    Stmt::Each { index, body }
}

pub fn switch(selector: NodeId, encoding: &Arc<Encoding>, arms: Vec<Vec<Stmt>>) -> Stmt {
    Stmt::Switch { selector, encoding: encoding.clone(), arms, place: Place::here() }
}

pub fn check(kind: CheckKind, message: &str, condition: NodeId) -> Stmt {
    Stmt::Check { kind, message: message.into(), condition, domain: CLK, place: Place::here() }
}

pub fn encoding(name: &str, width: u32, variants: &[(&str, u64)], reset: usize) -> Arc<Encoding> {
    Arc::new(Encoding {
        name: name.into(),
        width,
        variants: variants
            .iter()
            .map(|(n, v)| (n.to_string(), Value::new(width, *v), format!("{} it is", n)))
            .collect(),
        reset,
    })
}
