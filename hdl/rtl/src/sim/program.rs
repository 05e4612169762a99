//! A design made ready to run: the hierarchy flattened, every combinational signal with the statements that set it, and
//! an order in which to compute them.

use crate::ir::{
    Accumulator, CheckKind, Design, DomainId, Index, LoopId, MemoryId, Module, ModuleId, NodeId, Op, Select, SignalId,
    SignalKind, Stmt,
};
use crate::place::Place;
use crate::value::Value;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where the value of a signal or probe of an instance is kept. A port shares the slot of what it is connected to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Slot(u32);

impl Slot {
    /// As an index into the values.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A design made ready to run.
pub(super) struct Program {
    pub design: Arc<Design>,
    /// One for each module of the design.
    pub plans: Vec<Plan>,
    /// Parents before children; the first is the top.
    pub instances: Vec<Instance>,
    /// Width of each slot.
    pub widths: Vec<u32>,
    /// What computes combinational values, in an order in which it can be computed.
    pub order: Vec<Component>,
    /// Registers that their reset acts upon without a clock edge: slot, value in reset, domain of the top module.
    pub asynchronous_resets: Vec<(Slot, Value, DomainId)>,
}

/// What is known of a module, whoever instantiates it.
pub(super) struct Plan {
    /// The operands of each node.
    pub operands: Vec<Vec<NodeId>>,
    /// The innermost loop whose index or accumulators each node depends on.
    pub innermost: Vec<Option<LoopId>>,
    /// The combinational signals and probes.
    pub drivers: Vec<Driver>,
    /// The registers.
    pub registers: Vec<SignalId>,
    /// The statements that set registers and write memories.
    pub sequential: Vec<Stmt>,
    /// The properties.
    pub properties: Vec<Property>,
}

/// One property of a module.
pub(super) struct Property {
    pub kind: CheckKind,
    pub message: String,
    pub domain: DomainId,
    pub place: Place,
    /// Its statement with the control around it.
    pub body: Vec<Stmt>,
}

/// What the value of one combinational signal or probe follows from.
pub(super) struct Driver {
    /// Number of the signal, or, beyond the signals, of the probe.
    pub local: usize,
    /// Its value where no statement sets it; 0 if absent.
    pub default: Option<NodeId>,
    /// The statements that set it, with the control around them.
    pub body: Vec<Stmt>,
}

/// One instance in the hierarchy.
pub(super) struct Instance {
    pub module: ModuleId,
    /// Its name in its parent; the module's for the top.
    pub name: String,
    /// Names from the top down, with dots between.
    pub path: String,
    /// The instance around it.
    pub parent: Option<usize>,
    /// The slots of its signals, then of its probes.
    pub slots: Vec<Slot>,
    /// For each of its domains, that of the top module.
    pub domains: Vec<DomainId>,
    /// Index of its first node among the nodes of all instances.
    pub first_node: usize,
    /// Index of its first loop among the loops of all instances.
    pub first_loop: usize,
    /// Index of its first memory among the memories of all instances.
    pub first_memory: usize,
}

impl Instance {
    /// The slot of a signal.
    pub fn slot(&self, signal: SignalId) -> Slot {
        self.slots[signal.index()]
    }

    /// The top module's domain for one of this module's.
    pub fn domain(&self, domain: DomainId) -> DomainId {
        self.domains[domain.index()]
    }

    /// Index among the memories of all instances.
    pub fn memory(&self, memory: MemoryId) -> usize {
        self.first_memory + memory.index()
    }
}

/// What is computed together.
pub(super) enum Component {
    /// Depends on what comes before alone.
    Straight(Step),
    /// Each depends on the others, though (as far as the checks of the language have looked) none of their bits on itself.
    Cyclic {
        steps: Vec<Step>,
        /// Bits of their values, all told.
        bits: u64,
    },
}

/// One thing to compute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// A signal or probe: the instance, and the index of its driver in the plan.
    Drive(usize, usize),
    /// All outputs of a black box: the instance.
    BlackBox(usize),
}

impl Program {
    /// Makes a design ready to run.
    pub fn new(design: &Design) -> Self {
        let mut program = Self {
            design: Arc::new(design.clone()),
            plans: design.modules.iter().map(Plan::new).collect(),
            instances: vec![],
            widths: vec![],
            order: vec![],
            asynchronous_resets: vec![],
        };
        let top = ModuleId(design.modules.len() as u32 - 1);
        let name = design.top().name.clone();
        let domains = (0..design.top().domains.len() as u32).map(DomainId).collect();
        program.instantiate(top, None, name, &[], domains);
        program.order = program.evaluation_order();
        program
    }

    /// The module of an instance.
    pub fn module(&self, instance: &Instance) -> &Module {
        self.design.module(instance.module)
    }

    /// What is known of the module of an instance.
    pub fn plan(&self, instance: &Instance) -> &Plan {
        &self.plans[instance.module.index()]
    }

    /// The slots that a step sets.
    pub fn targets(&self, step: Step) -> Vec<Slot> {
        match step {
            Step::Drive(instance, driver) => {
                let instance = &self.instances[instance];
                vec![instance.slots[self.plan(instance).drivers[driver].local]]
            }
            Step::BlackBox(instance) => self.outputs(&self.instances[instance]).collect(),
        }
    }

    /// The path of a signal that is kept in a slot, and where it was declared. Of several, the outermost.
    pub fn describe(&self, slot: Slot) -> (String, Place) {
        let found = self.instances.iter().find_map(|instance| {
            let local = instance.slots.iter().position(|candidate| *candidate == slot)?;
            let module = self.module(instance);
            Some(match module.signals.get(local) {
                Some(signal) => (format!("{}.{}", instance.path, signal.name), signal.place),
                None => {
                    let probe = &module.probes[local - module.signals.len()];
                    (format!("{}.probe_{}", instance.path, probe.name), probe.place)
                }
            })
        });
        found.expect("every slot is of some instance")
    }

    /// The slots of the input ports of an instance.
    pub fn inputs<'a>(&'a self, instance: &'a Instance) -> impl Iterator<Item = Slot> + 'a {
        let inputs = self.module(instance).ports().filter(|(_, port)| port.kind == SignalKind::Input);
        inputs.map(|(id, _)| instance.slot(id))
    }

    /// The slots of the output ports of an instance.
    pub fn outputs<'a>(&'a self, instance: &'a Instance) -> impl Iterator<Item = Slot> + 'a {
        let outputs = self.module(instance).ports().filter(|(_, port)| port.kind == SignalKind::Output);
        outputs.map(|(id, _)| instance.slot(id))
    }

    /// Adds an instance and all below it. `connections` are the slots of its ports, in their order.
    fn instantiate(
        &mut self,
        module: ModuleId,
        parent: Option<usize>,
        name: String,
        connections: &[Slot],
        domains: Vec<DomainId>,
    ) {
        let this = self.instances.len();
        let mut connections = connections.iter();
        let design = Arc::clone(&self.design);
        let described = design.module(module);
        let mut slots = vec![];
        for signal in &described.signals {
            let port = matches!(signal.kind, SignalKind::Input | SignalKind::Output);
            let connected = if port { connections.next() } else { None };
            slots.push(connected.copied().unwrap_or_else(|| self.add_slot(signal.width)));
        }
        for probe in &described.probes {
            slots.push(self.add_slot(described.node(probe.node).width));
        }
        for (id, signal) in described.signals() {
            if let SignalKind::Register { reset: Some(reset), .. } = &signal.kind
                && reset.asynchronous
            {
                let entry = (slots[id.index()], reset.value.clone(), domains[signal.domain.index()]);
                self.asynchronous_resets.push(entry);
            }
        }
        let path = match parent {
            Some(parent) => format!("{}.{name}", self.instances[parent].path),
            None => name.clone(),
        };
        let counts = |count: fn(&Module) -> usize| self.instances.iter().map(|i| count(self.module(i))).sum();
        let instance = Instance {
            module,
            name,
            path,
            parent,
            first_node: counts(|module| module.nodes.len()),
            first_loop: counts(|module| module.loops.len()),
            first_memory: counts(|module| module.memories.len()),
            slots,
            domains,
        };
        self.instances.push(instance);
        for child in &described.instances {
            let around = &self.instances[this];
            let connections: Vec<Slot> = child.connections.iter().map(|signal| around.slot(*signal)).collect();
            let domains = child.domains.iter().map(|domain| around.domain(*domain)).collect();
            self.instantiate(child.module, Some(this), child.name.clone(), &connections, domains);
        }
    }

    fn add_slot(&mut self, width: u32) -> Slot {
        self.widths.push(width);
        Slot(self.widths.len() as u32 - 1)
    }

    /// Orders all steps so that each comes after those that it depends on, those that depend on each other together.
    ///
    /// The graph has a vertex for each slot and each node, and an edge from whatever reads to whatever is read.
    fn evaluation_order(&self) -> Vec<Component> {
        let slots = self.widths.len();
        let last = self.instances.last().expect("there is a top module");
        let nodes = last.first_node + self.module(last).nodes.len();
        let mut graph: DiGraph<Option<Step>, ()> = DiGraph::with_capacity(slots + nodes, 0);
        for _ in 0..slots + nodes {
            graph.add_node(None);
        }
        let slot = |slot: Slot| NodeIndex::new(slot.index());
        for (number, instance) in self.instances.iter().enumerate() {
            let module = self.module(instance);
            let plan = self.plan(instance);
            let node = |id: NodeId| NodeIndex::new(slots + instance.first_node + id.index());
            for (index, described) in module.nodes.iter().enumerate() {
                let reader = node(NodeId(index as u32));
                for operand in &plan.operands[index] {
                    graph.add_edge(reader, node(*operand), ());
                }
                if let Op::Read(signal) = described.op {
                    graph.add_edge(reader, slot(instance.slot(signal)), ());
                }
            }
            for (index, driver) in plan.drivers.iter().enumerate() {
                let driven = slot(instance.slots[driver.local]);
                graph[driven] = Some(Step::Drive(number, index));
                for read in driver.default.into_iter().chain(expressions(&driver.body)) {
                    graph.add_edge(driven, node(read), ());
                }
            }
            if module.black_box.is_some() {
                let outputs: Vec<Slot> = self.outputs(instance).collect();
                if let Some(first) = outputs.first() {
                    graph[slot(*first)] = Some(Step::BlackBox(number));
                    for input in self.inputs(instance) {
                        graph.add_edge(slot(*first), slot(input), ());
                    }
                    for other in &outputs[1..] {
                        graph.add_edge(slot(*other), slot(*first), ());
                    }
                }
            }
        }
        let components = kosaraju_scc(&graph).into_iter();
        components.filter_map(|vertices| self.component(&graph, &vertices)).collect()
    }

    /// The steps among the vertices of a strongly connected component.
    fn component(&self, graph: &DiGraph<Option<Step>, ()>, vertices: &[NodeIndex]) -> Option<Component> {
        let mut steps: Vec<Step> = vertices.iter().filter_map(|vertex| graph[*vertex]).collect();
        steps.sort();
        match (vertices, &steps[..]) {
            (_, []) => None,
            ([_], [step]) => Some(Component::Straight(*step)),
            _ => {
                let slots = vertices.iter().filter_map(|vertex| self.widths.get(vertex.index()));
                Some(Component::Cyclic { steps, bits: slots.map(|width| u64::from(*width)).sum() })
            }
        }
    }
}

impl Plan {
    fn new(module: &Module) -> Self {
        let operands: Vec<Vec<NodeId>> = module.nodes.iter().map(|node| node.op.operands()).collect();
        let signals = module.signals().filter(|(_, signal)| {
            let body_drives =
                matches!(signal.kind, SignalKind::Output | SignalKind::Wire | SignalKind::InstanceInput { .. });
            body_drives && module.black_box.is_none()
        });
        let signals = signals.map(|(id, signal)| Driver {
            local: id.index(),
            default: signal.default,
            body: only(&module.body, &mut |stmt| sets(stmt, id)),
        });
        let probes = module.probes.iter().enumerate().map(|(i, probe)| Driver {
            local: module.signals.len() + i,
            default: Some(probe.node),
            body: vec![],
        });
        let register = |id: SignalId| matches!(module.signal(id).kind, SignalKind::Register { .. });
        Self {
            innermost: innermost(module, &operands),
            operands,
            drivers: signals.chain(probes).collect(),
            registers: module.signals().map(|(id, _)| id).filter(|id| register(*id)).collect(),
            sequential: only(&module.body, &mut |stmt| match stmt {
                Stmt::Assign { target, .. } => register(target.signal),
                Stmt::MemoryWrite { .. } => true,
                _ => false,
            }),
            properties: properties(&module.body),
        }
    }
}

/// For each node, the innermost loop that it depends on.
///
/// The loops that one node depends on are nested in each other, and whenever an outer index changes the inner loop starts
/// anew: so the innermost tells when a value is out of date.
fn innermost(module: &Module, operands: &[Vec<NodeId>]) -> Vec<Option<LoopId>> {
    let depth = |id: LoopId| std::iter::successors(Some(id), |id| module.loops[id.index()].parent).count();
    let mut innermost: Vec<Option<LoopId>> = vec![];
    for (node, operands) in module.nodes.iter().zip(operands) {
        let own = match node.op {
            Op::LoopIndex(id) | Op::Part { index: Index::Loop(id), .. } => Some(id),
            Op::Read(signal) => match module.signal(signal).kind {
                SignalKind::Accumulator(id) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let inherited = operands.iter().filter_map(|operand| innermost[operand.index()]);
        innermost.push(own.into_iter().chain(inherited).max_by_key(|id| depth(*id)));
    }
    innermost
}

/// The properties in a body.
fn properties(body: &[Stmt]) -> Vec<Property> {
    let mut found: Vec<Property> = vec![];
    loop {
        let mut passed = 0;
        let mut property = None;
        let body = only(body, &mut |stmt| {
            let Stmt::Check { kind, message, domain, place, .. } = stmt else { return false };
            passed += 1;
            if passed != found.len() + 1 {
                return false;
            }
            property = Some((*kind, message.clone(), *domain, *place));
            true
        });
        match property {
            Some((kind, message, domain, place)) => found.push(Property { kind, message, domain, place, body }),
            None => return found,
        }
    }
}

/// Whether a statement without statements inside it sets bits of a signal.
fn sets(stmt: &Stmt, signal: SignalId) -> bool {
    match stmt {
        Stmt::Assign { target, .. } => target.signal == signal,
        Stmt::Scan { accumulators, outputs, .. } => {
            accumulators.iter().any(|accumulator| accumulator.result == Some(signal))
                || outputs.iter().any(|(output, _)| *output == signal)
        }
        _ => false,
    }
}

/// The body with only those of the innermost statements that are wanted, and the control around them.
fn only(body: &[Stmt], wanted: &mut dyn FnMut(&Stmt) -> bool) -> Vec<Stmt> {
    let mut kept = vec![];
    for stmt in body {
        let stmt = match stmt {
            Stmt::If { arms, otherwise, place } => Stmt::If {
                arms: arms.iter().map(|(condition, body)| (*condition, only(body, wanted))).collect(),
                otherwise: only(otherwise, wanted),
                place: *place,
            },
            Stmt::Switch { selector, encoding, arms, place } => Stmt::Switch {
                selector: *selector,
                encoding: encoding.clone(),
                arms: arms.iter().map(|body| only(body, wanted)).collect(),
                place: *place,
            },
            Stmt::Each { index, body } => Stmt::Each { index: *index, body: only(body, wanted) },
            innermost if wanted(innermost) => innermost.clone(),
            _ => continue,
        };
        let empty = match &stmt {
            Stmt::If { arms, otherwise, .. } => arms.iter().all(|(_, body)| body.is_empty()) && otherwise.is_empty(),
            Stmt::Switch { arms, .. } => arms.iter().all(Vec::is_empty),
            Stmt::Each { body, .. } => body.is_empty(),
            _ => false,
        };
        if !empty {
            kept.push(stmt);
        }
    }
    kept
}

/// The expressions that a body reads, in no particular order.
fn expressions(body: &[Stmt]) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    for stmt in body {
        match stmt {
            Stmt::Assign { target, value, .. } => {
                found.insert(*value);
                for select in &target.path {
                    if let Select::Part { index: Index::Node(index), .. } = select {
                        found.insert(*index);
                    }
                }
            }
            Stmt::If { arms, otherwise, .. } => {
                found.extend(arms.iter().map(|(condition, _)| *condition));
                found.extend(arms.iter().flat_map(|(_, body)| expressions(body)));
                found.extend(expressions(otherwise));
            }
            Stmt::Switch { selector, arms, .. } => {
                found.insert(*selector);
                found.extend(arms.iter().flat_map(|body| expressions(body)));
            }
            Stmt::Each { body, .. } => found.extend(expressions(body)),
            Stmt::Scan { accumulators, outputs, .. } => {
                found.extend(accumulators.iter().flat_map(|Accumulator { initial, next, .. }| [*initial, *next]));
                found.extend(outputs.iter().map(|(_, value)| *value));
            }
            Stmt::MemoryWrite { address, data, enables, .. } => {
                found.extend([*address, *data]);
                found.extend(*enables);
            }
            Stmt::Check { condition, .. } => {
                found.insert(*condition);
            }
        }
    }
    found
}
