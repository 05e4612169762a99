//! Smaller circuits that are wrong in the same way.

use super::recipe::{Expr, Kind, Module, Recipe, Shape, Step, Stmt};

/// Circuits to try together.
pub const TOGETHER: usize = 24;

/// Makes a recipe as small as it can be while `fails` holds; `fails` judges several candidates at once and is given
/// candidates with numbers of their own.
pub fn shrink(mut recipe: Recipe, mut fails: impl FnMut(&[Recipe]) -> Vec<bool>) -> Recipe {
    let passes: [fn(&Recipe) -> Vec<Recipe>; 7] =
        [cut_cycles, drop_modules, drop_statements, unwrap_statements, simplify_expressions, drop_signals, narrow];
    loop {
        let before = recipe.clone();
        for pass in passes {
            while let Some(smaller) = first_failing(pass(&recipe), &recipe, &mut fails) {
                recipe = smaller;
            }
        }
        if size(&recipe) >= size(&before) {
            return recipe;
        }
    }
}

/// How large a recipe is.
fn size(recipe: &Recipe) -> usize {
    format!("{recipe:?}").len()
}

fn first_failing(
    candidates: Vec<Recipe>,
    of: &Recipe,
    fails: &mut impl FnMut(&[Recipe]) -> Vec<bool>,
) -> Option<Recipe> {
    let mut candidates: Vec<Recipe> = candidates
        .into_iter()
        .filter(|candidate| candidate.modules != of.modules || candidate.cycles < of.cycles)
        .collect();
    for together in candidates.chunks_mut(TOGETHER) {
        for (number, candidate) in together.iter_mut().enumerate() {
            candidate.number = number as u64;
            repair(candidate);
        }
        if let Some(found) = fails(together).iter().position(|fails| *fails) {
            return Some(together[found].clone());
        }
    }
    None
}

fn changed(recipe: &Recipe, change: impl FnOnce(&mut Recipe)) -> Recipe {
    let mut changed = recipe.clone();
    change(&mut changed);
    changed
}

/// Makes registers that nothing sets any more wires: the language wants every register set.
fn repair(recipe: &mut Recipe) {
    for module in &mut recipe.modules {
        for id in 0..module.signals.len() {
            if module.signals[id].kind.is_register() && !module.sets_whole(id) {
                module.signals[id].kind = Kind::Wire;
                module.signals[id].default = Some(Expr::zero());
            }
        }
    }
}

fn cut_cycles(recipe: &Recipe) -> Vec<Recipe> {
    let n = recipe.cycles;
    [1, 2, n / 4, n / 2, n * 3 / 4, n.saturating_sub(1)]
        .into_iter()
        .filter(|cycles| (1..n).contains(cycles))
        .map(|cycles| changed(recipe, |recipe| recipe.cycles = cycles))
        .collect()
}

/// A module alone, or without an instance.
fn drop_modules(recipe: &Recipe) -> Vec<Recipe> {
    let mut candidates = vec![];
    for top in 0..recipe.modules.len() - 1 {
        candidates.push(changed(recipe, |recipe| recipe.modules.truncate(top + 1)));
    }
    for (m, module) in recipe.modules.iter().enumerate() {
        for gone in 0..module.instances.len() {
            candidates.push(changed(recipe, |recipe| {
                drop_instance(&mut recipe.modules[m], gone);
            }));
        }
    }
    for m in 0..recipe.modules.len() - 1 {
        let is_used = recipe.modules.iter().any(|module| module.instances.iter().any(|i| i.module == m));
        if !is_used {
            candidates.push(changed(recipe, |recipe| {
                recipe.modules.remove(m);
                for module in &mut recipe.modules {
                    module.instances.iter_mut().filter(|i| i.module > m).for_each(|i| i.module -= 1);
                }
            }));
        }
    }
    candidates
}

/// Takes an instance out; its ports become wires.
fn drop_instance(module: &mut Module, gone: usize) {
    module.instances.remove(gone);
    for signal in &mut module.signals {
        match &mut signal.kind {
            Kind::InstanceInput { instance, .. } | Kind::InstanceOutput { instance, .. } if *instance == gone => {
                signal.kind = Kind::Wire;
                signal.default.get_or_insert(Expr::zero());
            }
            Kind::InstanceInput { instance, .. } | Kind::InstanceOutput { instance, .. } if *instance > gone => {
                *instance -= 1;
            }
            _ => {}
        }
    }
}

/// What a module without a statement needs: what it set or made gets a value.
fn release(module: &mut Module, stmt: &Stmt) {
    let mut released = vec![];
    stmt.visit(&mut |stmt| {
        released.extend(stmt.makes());
        if let Stmt::Set { target, .. } = stmt {
            released.push(target.signal);
        }
    });
    for id in released {
        let signal = &mut module.signals[id];
        match signal.kind {
            Kind::Made | Kind::ReadPort => {
                signal.kind = Kind::Wire;
                signal.default = Some(Expr::zero());
            }
            Kind::Wire | Kind::Output | Kind::InstanceInput { .. } => {
                signal.default.get_or_insert(Expr::zero());
            }
            _ => {}
        }
    }
}

fn drop_statements(recipe: &Recipe) -> Vec<Recipe> {
    let mut candidates = vec![];
    for (m, module) in recipe.modules.iter().enumerate() {
        let all = module.body.len();
        let mut step = all;
        while step > 0 {
            for first in (0..all).step_by(step) {
                candidates.push(changed(recipe, |recipe| {
                    let module = &mut recipe.modules[m];
                    let gone: Vec<Stmt> = module.body.drain(first..(first + step).min(all)).collect();
                    gone.iter().for_each(|stmt| release(module, stmt));
                }));
            }
            step /= 2;
        }
        // Statements inside of others.
        let mut inner = 0;
        module
            .body
            .iter()
            .for_each(|stmt| stmt.visit(&mut |stmt| inner += stmt.blocks().iter().map(|b| b.len()).sum::<usize>()));
        for position in 0..inner {
            candidates.push(changed(recipe, |recipe| {
                let module = &mut recipe.modules[m];
                let mut left = position;
                let mut gone = None;
                for stmt in &mut module.body {
                    take_inner(stmt, &mut left, &mut gone);
                }
                if let Some(stmt) = gone {
                    release(module, &stmt);
                }
            }));
        }
    }
    candidates
}

fn take_inner(stmt: &mut Stmt, left: &mut usize, gone: &mut Option<Stmt>) {
    for block in stmt.blocks_mut() {
        if gone.is_some() {
            return;
        }
        if *left < block.len() {
            *gone = Some(block.remove(*left));
            return;
        }
        *left -= block.len();
        block.iter_mut().for_each(|stmt| {
            if gone.is_none() {
                take_inner(stmt, left, gone)
            }
        });
    }
}

/// Statements in place of the choices around them; fewer arms; no steps, enables, results.
fn unwrap_statements(recipe: &Recipe) -> Vec<Recipe> {
    let mut candidates = vec![];
    for (m, module) in recipe.modules.iter().enumerate() {
        for number in 0..count_statements(&module.body) {
            for variant in 0..6 {
                let mut smaller = recipe.clone();
                let module = &mut smaller.modules[m];
                let mut left = number;
                if unwrap_in(&mut module.body, &mut left, variant) == Some(true) {
                    for id in 0..module.signals.len() {
                        if matches!(module.signals[id].kind, Kind::Wire | Kind::Output | Kind::InstanceInput { .. }) {
                            module.signals[id].default.get_or_insert(Expr::zero());
                        }
                    }
                    candidates.push(smaller);
                }
            }
        }
    }
    candidates
}

fn count_statements(body: &[Stmt]) -> usize {
    let mut count = 0;
    body.iter().for_each(|stmt| stmt.visit(&mut |_| count += 1));
    count
}

/// Changes statement `left` in the order of [`Stmt::visit`]; none if it is not here, false if there is nothing to change.
fn unwrap_in(body: &mut Vec<Stmt>, left: &mut usize, variant: usize) -> Option<bool> {
    for position in 0..body.len() {
        if *left == 0 {
            return Some(unwrap_one(body, position, variant));
        }
        *left -= 1;
        for block in body[position].blocks_mut() {
            if let Some(done) = unwrap_in(block, left, variant) {
                return Some(done);
            }
        }
    }
    None
}

fn unwrap_one(body: &mut Vec<Stmt>, position: usize, variant: usize) -> bool {
    let inner = match (&mut body[position], variant) {
        (Stmt::When { arms, .. }, 0) => arms[0].1.clone(),
        (Stmt::When { otherwise: Some(body), .. }, 1) => body.clone(),
        (Stmt::When { otherwise, .. }, 2) if otherwise.is_some() => {
            *otherwise = None;
            return true;
        }
        (Stmt::When { arms, .. }, 3) if arms.len() > 1 => {
            arms.pop();
            return true;
        }
        (Stmt::When { arms, .. }, 4) if arms.len() > 1 => {
            arms.remove(0);
            return true;
        }
        (Stmt::Switch { arms, .. }, _) if variant < arms.len() => arms[variant].clone(),
        (Stmt::Each { count, .. } | Stmt::Fold { count, .. }, 1) if *count > 1 => {
            *count -= 1;
            return true;
        }
        (Stmt::Each { body, result: Some(_), .. }, 2) if !body.is_empty() => {
            body.clear();
            return true;
        }
        (Stmt::Set { target, .. }, 0) if !target.path.is_empty() => {
            target.path.pop();
            return true;
        }
        (Stmt::Set { target, .. }, 1) if !target.path.is_empty() => {
            target.path.remove(0);
            return true;
        }
        (Stmt::Write { enables, .. }, 0) if enables.is_some() => {
            *enables = None;
            return true;
        }
        _ => return false,
    };
    body.splice(position..=position, inner);
    true
}

/// Every expression of a module, to be changed: calls `each` with them in a fixed order until it says it is done.
fn for_expressions(module: &mut Module, each: &mut dyn FnMut(&mut Expr) -> bool) {
    fn inside(expr: &mut Expr, each: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
        each(expr) || expr.children_mut().into_iter().any(|child| inside(child, each))
    }
    fn block(body: &mut [Stmt], each: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
        body.iter_mut().any(|stmt| {
            stmt.expressions_mut().into_iter().any(|expr| inside(expr, each))
                || stmt.blocks_mut().into_iter().any(|body| block(body, each))
        })
    }
    if !block(&mut module.body, each) {
        module.signals.iter_mut().filter_map(|signal| signal.default.as_mut()).any(|expr| inside(expr, each));
    }
}

/// One candidate for each expression that `change` changes.
fn with_expressions(recipe: &Recipe, change: impl Fn(&mut Expr) -> bool) -> Vec<Recipe> {
    let mut candidates = vec![];
    for m in 0..recipe.modules.len() {
        let mut all = 0;
        for_expressions(&mut recipe.modules[m].clone(), &mut |_| {
            all += 1;
            false
        });
        for number in 0..all {
            let mut smaller = recipe.clone();
            let (mut left, mut done) = (number, false);
            for_expressions(&mut smaller.modules[m], &mut |expr| {
                if left > 0 {
                    left -= 1;
                    return false;
                }
                done = change(expr);
                true
            });
            if done {
                candidates.push(smaller);
            }
        }
    }
    candidates
}

fn simplify_expressions(recipe: &Recipe) -> Vec<Recipe> {
    let mut candidates = with_expressions(recipe, |expr| {
        let is_zero = matches!(expr, Expr::Const(digits) if digits.is_empty());
        *expr = Expr::zero();
        !is_zero
    });
    for child in 0..3 {
        candidates.extend(with_expressions(recipe, |expr| {
            let Some(inner) = expr.children().get(child).map(|inner| (*inner).clone()) else { return false };
            *expr = inner;
            true
        }));
    }
    candidates.extend(with_expressions(recipe, |expr| match expr {
        Expr::Concat(parts) if parts.len() > 1 => {
            parts.pop();
            true
        }
        Expr::Const(digits) if !digits.is_empty() && *digits != [1] => {
            *digits = vec![1];
            true
        }
        _ => false,
    }));
    candidates
}

/// Without a signal that nothing names, or with a plainer one.
fn drop_signals(recipe: &Recipe) -> Vec<Recipe> {
    let mut candidates = vec![];
    for (m, module) in recipe.modules.iter().enumerate() {
        for id in 0..module.signals.len() {
            if let Some(without) = without_signal(recipe, m, id) {
                candidates.push(without);
            }
            let signal = &module.signals[id];
            let mut plainer = |change: fn(&mut super::recipe::Signal)| {
                candidates.push(changed(recipe, |recipe| change(&mut recipe.modules[m].signals[id])));
            };
            if let Kind::Register { reset, crossing } = &signal.kind {
                if reset.is_some() {
                    plainer(|signal| {
                        if let Kind::Register { reset, .. } = &mut signal.kind {
                            *reset = None;
                        }
                    });
                }
                if *crossing {
                    plainer(|signal| {
                        if let Kind::Register { crossing, .. } = &mut signal.kind {
                            *crossing = false;
                        }
                    });
                }
            }
            if !matches!(signal.shape, Shape::Bits(_) | Shape::Array { .. }) && !matches!(signal.kind, Kind::State(_)) {
                plainer(|signal| signal.shape = Shape::Bits(signal.shape.width()));
            }
            if signal.default.is_some() {
                plainer(|signal| signal.default = None);
            }
            if signal.guard.is_some() {
                plainer(|signal| signal.guard = None);
            }
            if signal.observed {
                plainer(|signal| signal.observed = false);
            }
            if signal.domain > 0 {
                plainer(|signal| signal.domain = 0);
            }
        }
        for memory in 0..module.memories.len() {
            let is_named = {
                let mut named = false;
                let mut count = |expr: &Expr| named |= names_memory(expr, memory);
                module.expressions().into_iter().for_each(&mut count);
                for stmt in &module.body {
                    stmt.visit(&mut |stmt| {
                        named |= matches!(stmt, Stmt::ReadPort { memory: of, .. } | Stmt::Write { memory: of, .. } if *of == memory);
                    });
                }
                named
            };
            if !is_named && memory + 1 == module.memories.len() {
                candidates.push(changed(recipe, |recipe| {
                    recipe.modules[m].memories.pop();
                }));
            }
            if module.memories[memory].initial.is_some() {
                candidates.push(changed(recipe, |recipe| recipe.modules[m].memories[memory].initial = None));
            }
            if module.memories[memory].style.is_some() {
                candidates.push(changed(recipe, |recipe| recipe.modules[m].memories[memory].style = None));
            }
        }
    }
    candidates
}

fn names_memory(expr: &Expr, memory: usize) -> bool {
    matches!(expr, Expr::Word { memory: of, .. } if *of == memory)
        || expr.children().into_iter().any(|child| names_memory(child, memory))
}

/// The recipe without a signal, if nothing names it.
fn without_signal(recipe: &Recipe, m: usize, id: usize) -> Option<Recipe> {
    let module = &recipe.modules[m];
    let mut named = false;
    module.expressions().into_iter().for_each(|expr| expr.reads(&mut |read| named |= read == id));
    for stmt in &module.body {
        stmt.visit(&mut |stmt| {
            named |= stmt.makes().contains(&id);
            named |= matches!(stmt, Stmt::Set { target, .. } if target.signal == id);
        });
    }
    named |= module.signals.iter().any(|signal| signal.guard == Some(id));
    named |= matches!(module.signals[id].kind, Kind::InstanceInput { .. } | Kind::InstanceOutput { .. });
    let is_port = matches!(module.signals[id].kind, Kind::Input | Kind::Output);
    let is_instantiated = recipe.modules.iter().any(|module| module.instances.iter().any(|i| i.module == m));
    if named || (is_port && is_instantiated) {
        return None;
    }
    Some(changed(recipe, |recipe| {
        recipe.modules[m].signals.remove(id);
        let down = |signal: &mut usize| *signal -= usize::from(*signal > id);
        let module = &mut recipe.modules[m];
        for signal in &mut module.signals {
            signal.guard.iter_mut().for_each(down);
        }
        for_expressions(module, &mut |expr| {
            if let Expr::Read(signal) = expr {
                down(signal);
            }
            false
        });
        module.body.iter_mut().for_each(|stmt| renumber(stmt, &down));
        for other in &mut recipe.modules {
            let instances = other.instances.clone();
            for signal in &mut other.signals {
                if let Kind::InstanceInput { instance, port } | Kind::InstanceOutput { instance, port } =
                    &mut signal.kind
                    && instances[*instance].module == m
                {
                    down(port);
                }
            }
        }
    }))
}

fn renumber(stmt: &mut Stmt, down: &dyn Fn(&mut usize)) {
    match stmt {
        Stmt::Set { target, .. } => down(&mut target.signal),
        Stmt::Each { result: Some((result, _)), .. } => down(result),
        Stmt::Scan { answers, last, .. } => {
            down(answers);
            down(last);
        }
        Stmt::Fold { result, .. } | Stmt::Select { result, .. } | Stmt::ReadPort { result, .. } => down(result),
        _ => {}
    }
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|stmt| renumber(stmt, down));
    }
}

/// Narrower signals, operands, memories; shallower memories.
fn narrow(recipe: &Recipe) -> Vec<Recipe> {
    let mut candidates = vec![];
    let smaller =
        |width: u32| [1, 2, width / 2, width.saturating_sub(1)].into_iter().filter(move |w| (1..width).contains(w));
    for (m, module) in recipe.modules.iter().enumerate() {
        for (id, signal) in module.signals.iter().enumerate() {
            let mut reshape = |shape: Shape| {
                candidates.push(changed(recipe, |recipe| reshape_signal(recipe, m, id, shape)));
            };
            match signal.shape {
                Shape::Bits(width) => smaller(width).for_each(|width| reshape(Shape::Bits(width))),
                Shape::Signed(width) => smaller(width).for_each(|width| reshape(Shape::Signed(width))),
                Shape::Array { count, width } => {
                    smaller(count).for_each(|count| reshape(Shape::Array { count, width }));
                    smaller(width).for_each(|width| reshape(Shape::Array { count, width }));
                }
                Shape::Pair { body, number } => {
                    smaller(body).for_each(|body| reshape(Shape::Pair { body, number }));
                    smaller(number).for_each(|number| reshape(Shape::Pair { body, number }));
                }
                Shape::Bit | Shape::Code(_) => {}
            }
        }
        for (index, memory) in module.memories.iter().enumerate() {
            for width in smaller(memory.width) {
                candidates.push(changed(recipe, |recipe| recipe.modules[m].memories[index].width = width));
            }
            for granule in smaller(memory.granule).chain((memory.granule < memory.width).then_some(memory.width)) {
                candidates.push(changed(recipe, |recipe| recipe.modules[m].memories[index].granule = granule));
            }
            for depth in smaller(memory.depth) {
                candidates.push(changed(recipe, |recipe| recipe.modules[m].memories[index].depth = depth));
            }
        }
    }
    for by in 0..3 {
        candidates.extend(with_expressions(recipe, move |expr| {
            let mut done = false;
            let mut less = |width: &mut u32| {
                let narrower = [1, *width / 2, width.saturating_sub(1)][by];
                if narrower >= 1 && narrower < *width {
                    *width = narrower;
                    done = true;
                }
            };
            match expr {
                Expr::Element { width, count, .. } | Expr::Repeat { width, count, .. } => {
                    less(width);
                    less(count);
                }
                Expr::Part { width, count, index_width, .. } => {
                    less(width);
                    less(count);
                    less(index_width);
                }
                Expr::Each { width, count, .. } => {
                    less(width);
                    less(count);
                }
                Expr::Word { address_width: width, .. }
                | Expr::Reduce { width, .. }
                | Expr::Compare { width, .. }
                | Expr::Shift { amount_width: width, .. }
                | Expr::ShiftBy { amount: width, .. }
                | Expr::SignExtend { width, .. } => less(width),
                Expr::Slice { width, low, .. } => {
                    less(width);
                    less(low);
                }
                Expr::Multiply { widths: (a, b), .. } => {
                    less(a);
                    less(b);
                }
                Expr::Concat(parts) => parts.iter_mut().for_each(|(width, _)| less(width)),
                _ => {}
            }
            done
        }));
    }
    for (m, module) in recipe.modules.iter().enumerate() {
        for number in 0..count_statements(&module.body) {
            for by in 0..3 {
                let mut smaller = recipe.clone();
                let mut left = number;
                if narrow_statement(&mut smaller.modules[m].body, &mut left, by) == Some(true) {
                    candidates.push(smaller);
                }
            }
        }
    }
    candidates
}

fn narrow_statement(body: &mut [Stmt], left: &mut usize, by: usize) -> Option<bool> {
    for stmt in body {
        if *left == 0 {
            let mut done = false;
            let mut less = |width: &mut u32| {
                let narrower = [1, *width / 2, width.saturating_sub(1)][by];
                if narrower >= 1 && narrower < *width {
                    *width = narrower;
                    done = true;
                }
            };
            match stmt {
                Stmt::Set { target, .. } => {
                    for step in &mut target.path {
                        match step {
                            Step::Slice { low, width } => {
                                less(width);
                                less(low);
                            }
                            Step::Computed { width, index_width, .. } => {
                                less(width);
                                less(index_width);
                            }
                            Step::Loop { width, .. } => less(width),
                        }
                    }
                }
                Stmt::ReadPort { address_width, .. } | Stmt::Write { address_width, .. } => less(address_width),
                Stmt::Check { width, .. } => less(width),
                _ => {}
            }
            return Some(done);
        }
        *left -= 1;
        for block in stmt.blocks_mut() {
            if let Some(done) = narrow_statement(block, left, by) {
                return Some(done);
            }
        }
    }
    None
}

/// Gives a signal another shape; a port also outside, a result also in its loop.
fn reshape_signal(recipe: &mut Recipe, m: usize, id: usize, shape: Shape) {
    recipe.modules[m].signals[id].shape = shape;
    let (kind, count) = (
        recipe.modules[m].signals[id].kind.clone(),
        match shape {
            Shape::Array { count, .. } => count,
            _ => 1,
        },
    );
    if kind == Kind::Made {
        for stmt in &mut recipe.modules[m].body {
            match stmt {
                Stmt::Each { count: of, result: Some((result, _)), .. } if *result == id => *of = count,
                _ => {}
            }
        }
    }
    if let Kind::InstanceInput { instance, port } | Kind::InstanceOutput { instance, port } = kind {
        let inner = recipe.modules[m].instances[instance].module;
        recipe.modules[inner].signals[port].shape = shape;
        return reshape_outside(recipe, inner, port, shape);
    }
    reshape_outside(recipe, m, id, shape);
}

fn reshape_outside(recipe: &mut Recipe, inner: usize, of: usize, shape: Shape) {
    for module in &mut recipe.modules {
        let instances = module.instances.clone();
        for signal in &mut module.signals {
            if let Kind::InstanceInput { instance, port } | Kind::InstanceOutput { instance, port } = signal.kind
                && port == of
                && instances[instance].module == inner
            {
                signal.shape = shape;
            }
        }
    }
}
