//! One circuit for each construct and each trap.

use crate::build::*;
use tollgate_rtl::ir::*;
use tollgate_rtl::{Place, Value};

/// All circuits by name; the module's name is the circuit's.
pub fn all() -> Vec<Design> {
    vec![
        cam(),
        operators(),
        states(),
        full_states(),
        dynamic_writes(),
        nested_each(),
        scalars_in_each(),
        memories(),
        memory_corners(),
        resets(),
        asynchronous(),
        wires(),
        later_assignments(),
        ripple(),
        constants(),
        sharing(),
        recurrences(),
        ranges(),
        loop_corners(),
        two_clocks(),
        properties(),
        hierarchy(),
    ]
}

/// A table searched by content: written one entry at a time, asked each cycle.
pub fn cam() -> Design {
    let n = 16;
    let mut b = Builder::new("access_log_table");
    b.module.doc = "Finds the descriptor of a user domain.".into();
    b.module.parameters =
        vec![Parameter { name: "entries".into(), value: "16".into(), doc: "number of entries".into() }];
    let lookup_valid = b.input("lookup_valid", 1);
    let lookup_iuid = b.input("lookup_iuid", 10);
    let program_valid = b.input("program_valid", 1);
    let program_index = b.input("program_index", 4);
    let program_enabled = b.input("program_enabled", 1);
    let program_iuid = b.input("program_iuid", 10);
    let program_payload = b.input("program_payload", 224);
    let hit = b.output("found_valid", 1);
    let index = b.output("found_index", 4);
    let payload = b.output("found_payload", 224);
    let enabled = b.reset_reg("enabled", n, 0);
    let iuids = b.reg("iuids", n * 10);
    let payloads = b.reg("payloads", n * 224);
    for (id, width, doc) in
        [(enabled, 1, "whether the entry is in use"), (iuids, 10, "its user domain"), (payloads, 224, "its log")]
    {
        b.edit(id).element_width = Some(width);
        b.edit(id).doc = doc.into();
    }
    let found = b.reset_reg("found", 1, 0);
    let found_at = b.reg("found_at", 4);
    let answer = b.reg("answer", 224);
    let l = b.index("entry", n, None);
    let number = b.number(l, 4);
    let here = b.eq(program_index, number);
    let write = b.and(program_valid, here);
    b.push(each(
        l,
        vec![when(
            write,
            vec![
                assign_path(enabled, vec![element(l, 1)], program_enabled),
                assign_path(iuids, vec![element(l, 10)], program_iuid),
                assign_path(payloads, vec![element(l, 224)], program_payload),
            ],
        )],
    ));
    let hits = b.wire("hits", n);
    let h = b.index("hits", n, None);
    let (en, ids, pays) = (b.read(enabled), b.read(iuids), b.read(payloads));
    let (own_en, own_id) = (b.at(en, h, 1), b.at(ids, h, 10));
    let same = b.eq(own_id, lookup_iuid);
    let matches = b.and(own_en, same);
    b.push(each(h, vec![assign_path(hits, vec![element(h, 1)], matches)]));
    // The entry that was hit, and its number: or of all that match.
    let s = b.index("select", n, None);
    let acc_index = b.signal("select_index", 4, SignalKind::Accumulator(s));
    let acc_payload = b.signal("select_payload", 224, SignalKind::Accumulator(s));
    let hit_index = b.wire("hit_index", 4);
    let hit_payload = b.wire("hit_payload", 224);
    let hits_read = b.read(hits);
    let bit = b.at(hits_read, s, 1);
    let own = b.at(pays, s, 224);
    let own_number = b.number(s, 4);
    let (ri, rp) = (b.read(acc_index), b.read(acc_payload));
    let mask4 = b.node(Op::Repeat(bit), 4);
    let mask224 = b.node(Op::Repeat(bit), 224);
    let mi = b.and(mask4, own_number);
    let mp = b.and(mask224, own);
    let next_index = b.bin(Binary::Or, ri, mi);
    let next_payload = b.bin(Binary::Or, rp, mp);
    let (z4, z224) = (b.lit(4, 0), b.lit(224, 0));
    b.push(Stmt::Scan {
        index: s,
        accumulators: vec![
            Accumulator { signal: acc_index, initial: z4, next: next_index, result: Some(hit_index) },
            Accumulator { signal: acc_payload, initial: z224, next: next_payload, result: Some(hit_payload) },
        ],
        outputs: vec![],
        place: Place::here(),
    });
    let any = b.un(Unary::Any, hits_read);
    let go = b.and(lookup_valid, any);
    b.set(found, go);
    let (hi, hp) = (b.read(hit_index), b.read(hit_payload));
    b.set(found_at, hi);
    b.set(answer, hp);
    let (f, fa, a) = (b.read(found), b.read(found_at), b.read(answer));
    b.set(hit, f);
    b.set(index, fa);
    b.set(payload, a);
    b.design()
}

/// Every operator once.
pub fn operators() -> Design {
    let mut b = Builder::new("operators");
    let a = b.input("a", 8);
    let c = b.input("c", 8);
    let d = b.input("d", 5);
    let bit = b.input("bit_in", 1);
    let far = b.input("distance", 40);
    use Binary::*;
    for (i, op) in [And, Or, Xor, Add, Subtract, Equal, NotEqual, Less, LessEqual, LessSigned, LessEqualSigned]
        .into_iter()
        .enumerate()
    {
        let value = b.bin(op, a, c);
        let width = b.width(value);
        let out = b.output(&format!("same_width_{i}"), width);
        b.set(out, value);
    }
    for (i, op) in [Multiply, MultiplySigned, ShiftLeft, ShiftRight, ShiftRightSigned].into_iter().enumerate() {
        let value = b.bin(op, a, d);
        let width = b.width(value);
        let out = b.output(&format!("any_width_{i}"), width);
        b.set(out, value);
    }
    for (i, op) in [ShiftLeft, ShiftRight, ShiftRightSigned].into_iter().enumerate() {
        let value = b.bin(op, a, far);
        let out = b.output(&format!("far_{i}"), 8);
        b.set(out, value);
    }
    let beyond = b.lit(40, 0x45_6414_de00);
    let value = b.bin(ShiftRightSigned, a, beyond);
    let out = b.output("far_by_a_constant", 8);
    b.set(out, value);
    use Unary::*;
    for (i, op) in [Not, Negate, All, Any, Parity].into_iter().enumerate() {
        let value = b.un(op, a);
        let width = b.width(value);
        let out = b.output(&format!("unary_{i}"), width);
        b.set(out, value);
    }
    let sum = b.bin(Add, a, c);
    let diff = b.bin(Subtract, sum, a);
    let diff = b.bin(Subtract, c, diff);
    let values = [
        b.mux(bit, a, c),
        b.slice(sum, 2, 3),
        b.concat(&[a, d, bit]),
        b.node(Op::Repeat(d), 15),
        b.node(Op::SignExtend(d), 9),
        b.node(Op::SignExtend(sum), 12),
        b.pick(a, d, 1),
        b.pick(far, d, 8),
        b.pick(far, d, 10),
        diff,
    ];
    for (i, value) in values.into_iter().enumerate() {
        let width = b.width(value);
        let out = b.output(&format!("other_{i}"), width);
        b.set(out, value);
    }
    b.design()
}

/// A state machine with an illegal code.
pub fn states() -> Design {
    let mut b = Builder::new("states");
    let e = encoding("State", 2, &[("Idle", 0), ("Busy", 1), ("Done", 2)], 0);
    let start = b.input("start", 1);
    let data = b.input("data", 8);
    let ready = b.output("ready", 1);
    let level = b.output("level", 2);
    let result = b.output("result", 8);
    let state = b.reset_reg("state", 2, 0);
    b.edit(state).encoding = Some(e.clone());
    let count = b.reg("count", 8);
    let (s, n) = (b.read(state), b.read(count));
    let (idle, busy, done) = (b.lit(2, 0), b.lit(2, 1), b.lit(2, 2));
    let is_idle = b.eq(s, idle);
    b.set(ready, is_idle);
    let (zero, one) = (b.lit(8, 0), b.lit(8, 1));
    let less = b.bin(Binary::Subtract, n, one);
    let over = b.eq(n, zero);
    let (l1, l2) = (b.lit(2, 1), b.lit(2, 2));
    let zero2 = b.lit(2, 0);
    b.edit(level).default = Some(zero2);
    b.push(switch(
        s,
        &e,
        vec![
            vec![when(start, vec![assign(state, busy), assign(count, data), assign(level, l1)])],
            vec![assign(count, less), when(over, vec![assign(state, done)]), assign(level, l2)],
            vec![assign(state, idle)],
        ],
    ));
    b.set(result, n);
    b.design()
}

/// A state machine that uses all codes, and states that do nothing.
pub fn full_states() -> Design {
    let mut b = Builder::new("full_states");
    let e = encoding("Phase", 2, &[("Red", 2), ("RedAmber", 3), ("Green", 1), ("Amber", 0)], 0);
    let go = b.input("go", 1);
    let light = b.output("light", 2);
    let seen = b.output("seen", 4);
    let phase = b.reset_reg("phase", 2, 2);
    b.edit(phase).encoding = Some(e.clone());
    b.edit(light).encoding = Some(e.clone());
    let count = b.reset_reg("count", 4, 0);
    let (p, n) = (b.read(phase), b.read(count));
    let codes: Vec<NodeId> = [2, 3, 1, 0].iter().map(|c| b.lit(2, *c)).collect();
    let one = b.lit(4, 1);
    let more = b.bin(Binary::Add, n, one);
    let choice = b.mux(go, codes[1], codes[0]);
    b.push(switch(
        p,
        &e,
        vec![
            vec![assign(phase, choice)],
            vec![assign(phase, codes[2])],
            vec![when(go, vec![assign(phase, codes[3])])],
            vec![assign(phase, codes[0])],
        ],
    ));
    b.push(switch(p, &e, vec![vec![], vec![], vec![assign(count, more)], vec![]]));
    b.set(light, p);
    b.set(seen, n);
    b.design()
}

/// Arrays written by loops, whole, by constant slices and by dynamic indices, aliasing and out of range.
pub fn dynamic_writes() -> Design {
    let mut b = Builder::new("dynamic_writes");
    let we = b.input("we", 2);
    let index = b.input("index", 4);
    let other = b.input("other", 4);
    let wide = b.input("wide", 7);
    let narrow = b.input("narrow", 2);
    let data = b.input("data", 10);
    let clear = b.input("clear", 1);
    let (w0, w1) = (b.slice(we, 0, 1), b.slice(we, 1, 1));
    // Two dynamic writes to one array of registers: the later wins.
    let table = b.reg_with("lut", 160, Value::zero(160), false);
    b.edit(table).element_width = Some(10);
    let inverted = b.not(data);
    b.push(when(w0, vec![assign_path(table, vec![chosen(index, 10)], data)]));
    b.push(when(w1, vec![assign_path(table, vec![chosen(other, 10)], inverted)]));
    // By a loop, then whole, then one entry, then one bit of an entry; twelve entries, so that indices run beyond.
    let mixed = b.reg("mixed", 60);
    let l = b.index("slot", 12, None);
    let number = b.number(l, 4);
    let here = b.eq(index, number);
    let low = b.slice(data, 0, 5);
    b.push(each(l, vec![when(here, vec![assign_path(mixed, vec![element(l, 5)], low)])]));
    let table_now = b.read(table);
    let some = b.slice(table_now, 0, 60);
    b.push(when(clear, vec![assign(mixed, some)]));
    b.push(when(w0, vec![assign_path(mixed, vec![bits(15, 5)], low)]));
    b.push(when(
        w1,
        vec![
            assign_path(mixed, vec![chosen(wide, 5)], low),
            assign_path(mixed, vec![chosen(other, 5), bits(1, 2)], narrow),
        ],
    ));
    let third = b.slice(data, 9, 1);
    b.push(assign_path(mixed, vec![chosen(narrow, 5), chosen(narrow, 1)], third));
    // Views of one wire with differing elements: integer loops.
    let views = b.wire("views", 24);
    let none = b.lit(24, 0x5a5a5a);
    b.edit(views).default = Some(none);
    let eight = b.slice(data, 0, 8);
    b.push(assign_path(views, vec![chosen(narrow, 8)], eight));
    b.push(assign_path(views, vec![chosen(wide, 1)], w0));
    let out = b.output("lut_out", 160);
    let mixed_out = b.output("mixed_out", 60);
    let views_out = b.output("views_out", 24);
    let (m, v) = (b.read(mixed), b.read(views));
    b.set(out, table_now);
    b.set(mixed_out, m);
    b.set(views_out, v);
    b.design()
}

/// Loops in loops.
pub fn nested_each() -> Design {
    let mut b = Builder::new("nested_each");
    let a = b.input("a", 12);
    let c = b.input("c", 12);
    let on = b.input("on", 4);
    let picture = b.wire("picture", 12);
    let state = b.reg("state", 12);
    let rows = b.index("row", 4, None);
    let columns = b.index("column", 3, Some(rows));
    let (ra, rc) = (b.at(a, rows, 3), b.at(c, rows, 3));
    let (x, y) = (b.at(ra, columns, 1), b.at(rc, columns, 1));
    let xor = b.bin(Binary::Xor, x, y);
    b.push(each(
        rows,
        vec![each(columns, vec![assign_path(picture, vec![element(rows, 3), element(columns, 1)], xor)])],
    ));
    let enable = b.at(on, rows, 1);
    let now = b.read(state);
    let own = b.at(now, rows, 3);
    let bit = b.at(own, columns, 1);
    let flip = b.bin(Binary::Xor, bit, xor);
    let (r, col) = (b.number(rows, 2), b.number(columns, 2));
    let diagonal = b.eq(r, col);
    let one = b.lit(1, 1);
    b.push(each(
        rows,
        vec![when(
            enable,
            vec![each(
                columns,
                vec![
                    assign_path(state, vec![element(rows, 3), element(columns, 1)], flip),
                    when(diagonal, vec![assign_path(state, vec![element(rows, 3), element(columns, 1)], one)]),
                ],
            )],
        )],
    ));
    let out = b.output("picture_out", 12);
    let state_out = b.output("state_out", 12);
    let p = b.read(picture);
    b.set(out, p);
    b.set(state_out, now);
    b.design()
}

/// What is set in a loop without being an array: the last iteration wins. Shared expressions of such a loop stand
/// outside of it.
pub fn scalars_in_each() -> Design {
    let mut b = Builder::new("scalars_in_each");
    let requests = b.input("requests", 5);
    let values = b.input("values", 35);
    let last = b.reg("last", 3);
    let highest = b.wire("highest", 7);
    let zero = b.lit(7, 0);
    b.edit(highest).default = Some(zero);
    let l = b.index("port", 5, None);
    let bit = b.at(requests, l, 1);
    let value = b.at(values, l, 7);
    let number = b.number(l, 3);
    let seven = b.node(Op::Concat(vec![number, number]), 6);
    let pad = b.lit(1, 1);
    let seven = b.concat(&[seven, pad]);
    let sum = b.bin(Binary::Add, value, seven);
    let odd = b.un(Unary::Parity, sum);
    let both = b.and(bit, odd);
    b.push(each(l, vec![when(both, vec![assign(last, number), assign(highest, sum)])]));
    let (n, h) = (b.read(last), b.read(highest));
    let out = b.output("last_out", 3);
    let high_out = b.output("highest_out", 7);
    b.set(out, n);
    b.set(high_out, h);
    b.design()
}

/// Memories: ports of all kinds.
pub fn memories() -> Design {
    let mut b = Builder::new("memories");
    let we = b.input("we", 1);
    let second = b.input("second", 1);
    let waddr = b.input("waddr", 4);
    let raddr = b.input("raddr", 4);
    let wide = b.input("wide_address", 6);
    let data = b.input("data", 32);
    let lanes = b.input("lanes", 4);
    let enable = b.input("enable", 1);
    let words = b.memory("words", 12, 32, 8);
    b.module.memories[0].attributes = vec![("ram_style".into(), "block".into())];
    let write = b.write(words, waddr, data, Some(lanes));
    let flipped = b.not(data);
    let late = b.write(words, wide, flipped, None);
    b.push(when(we, vec![write]));
    b.push(when(second, vec![late]));
    let one = b.lit(1, 1);
    let reads = [
        b.sync_read(words, "old_word", raddr, enable, Collision::Old),
        b.sync_read(words, "new_word", raddr, enable, Collision::New),
        b.sync_read(words, "free_word", waddr, one, Collision::DontCare),
        b.mem_read(words, raddr),
        b.mem_read(words, wide),
    ];
    let exact = b.memory("exact", 16, 9, 9);
    let nine = b.slice(data, 3, 9);
    let write = b.write(exact, waddr, nine, Some(we));
    b.push(write);
    let fresh = b.sync_read(exact, "fresh", raddr, one, Collision::New);
    let direct = b.mem_read(exact, raddr);
    let sum = b.bin(Binary::Add, direct, nine);
    for (i, value) in reads.into_iter().chain([fresh, direct, sum]).enumerate() {
        let width = b.width(value);
        let out = b.output(&format!("out_{i}"), width);
        b.set(out, value);
    }
    b.design()
}

/// Memories of one word, with constant addresses, with content, written in a loop, read by a recurrence.
pub fn memory_corners() -> Design {
    let mut b = Builder::new("memory_corners");
    let we = b.input("we", 3);
    let address = b.input("address", 2);
    let data = b.input("data", 12);
    let single = b.memory("single", 1, 12, 4);
    let lanes = b.slice(we, 0, 3);
    let write = b.write(single, address, data, Some(lanes));
    b.push(write);
    let never = b.memory("never_written", 1, 12, 12);
    let (off, word) = (b.lit(1, 0), b.mem_read(never, address));
    let write = b.write(never, address, data, None);
    b.push(when(off, vec![write]));
    let out = b.output("kept", 12);
    b.set(out, word);
    let w2 = b.slice(we, 2, 1);
    let (beyond, read) = (b.lit(2, 3), b.lit(2, 1));
    let missed = b.memory("missed", 3, 12, 12);
    b.module.memories[2].initial = Some((0..3).map(|i| Value::new(12, 0x10u8 + i)).collect());
    let answer = b.sync_read(missed, "answer", read, w2, Collision::New);
    let write = b.write(missed, beyond, data, None);
    b.push(when(w2, vec![write]));
    let out = b.output("never_forwarded", 12);
    b.set(out, answer);
    let rom = b.memory("rom", 5, 7, 7);
    b.module.memories[3].initial = Some((0..5).map(|i| Value::new(7, 13u8 * i + 2)).collect());
    let wide = b.concat(&[lanes, address]);
    let fixed = b.memory("fixed", 4, 12, 12);
    let (two, three) = (b.lit(2, 2), b.lit(6, 3));
    let w0 = b.slice(we, 0, 1);
    let first = b.write(fixed, two, data, Some(w0));
    let inverted = b.not(data);
    let last = b.write(fixed, three, inverted, None);
    let w1 = b.slice(we, 1, 1);
    b.push(first);
    b.push(when(w1, vec![last]));
    let looped = b.memory("looped", 6, 4, 4);
    let l = b.index("bank", 3, None);
    let (number, piece, on) = (b.number(l, 2), b.at(data, l, 4), b.at(we, l, 1));
    let one = b.lit(1, 1);
    let there = b.concat(&[one, number]);
    let write = b.write(looped, there, piece, None);
    b.push(each(l, vec![when(on, vec![write])]));
    // Follows three links through the memory.
    let s = b.index("hop", 3, None);
    let at = b.signal("at", 4, SignalKind::Accumulator(s));
    let end = b.wire("end_of_chain", 4);
    let trail = b.wire("trail", 12);
    let now = b.read(at);
    let low = b.slice(now, 0, 3);
    let next = b.mem_read(looped, low);
    let start = b.slice(data, 0, 4);
    b.push(Stmt::Scan {
        index: s,
        accumulators: vec![Accumulator { signal: at, initial: start, next, result: Some(end) }],
        outputs: vec![(trail, next)],
        place: Place::here(),
    });
    let (zero, five) = (b.lit(3, 0), b.lit(3, 5));
    let (end, trail) = (b.read(end), b.read(trail));
    // An index that wraps around: four bits of a sum.
    let folded = b.bin(Binary::Add, address, address);
    let only = b.pick(folded, w0, 2);
    let values = [
        b.mem_read(fixed, folded),
        b.mem_read(fixed, only),
        b.mem_read(single, address),
        b.mem_read(rom, wide),
        b.mem_read(fixed, address),
        b.mem_read(fixed, three),
        b.mem_read(rom, zero),
        b.mem_read(rom, five),
        end,
        trail,
    ];
    for (i, value) in values.into_iter().enumerate() {
        let width = b.width(value);
        let out = b.output(&format!("out_{i}"), width);
        b.set(out, value);
    }
    b.design()
}

/// Resets of all kinds.
pub fn resets() -> Design {
    let mut b = Builder::new("resets");
    let d = b.input("d", 8);
    let on = b.input("on", 1);
    let kinds = [
        b.reg("without", 8),
        b.reset_reg("loaded", 8, 0xa5),
        b.reg_with("only_reset", 8, Value::new(8, 7u8), false),
        b.reg("never_set", 8),
        b.reg("held", 8),
    ];
    b.set(kinds[0], d);
    b.set(kinds[1], d);
    b.push(when(on, vec![assign(kinds[4], d)]));
    // Elements that reset to different values, written by element.
    let table = b.reg_with("lut", 32, Value::new(32, 0x1234_5678u32), false);
    let index = b.slice(d, 0, 3);
    let four = b.slice(d, 4, 4);
    b.push(when(on, vec![assign_path(table, vec![chosen(index, 4)], four)]));
    for (i, reg) in kinds.into_iter().chain([table]).enumerate() {
        let value = b.read(reg);
        let width = b.width(value);
        let not = b.not(value);
        let out = b.output(&format!("out_{i}"), width);
        b.set(out, not);
    }
    b.design()
}

/// An asynchronous reset, alone and around an assignment that follows a conditional one.
pub fn asynchronous() -> Design {
    let mut b = Builder::new("asynchronous");
    let d = b.input("d", 3);
    let q = b.reg_with("q", 3, Value::new(3, 5u8), true);
    b.set(q, d);
    let patched = b.reg_with("patched", 3, Value::new(3, 2u8), true);
    let (on, bit) = (b.slice(d, 0, 1), b.slice(d, 2, 1));
    b.push(when(on, vec![assign(patched, d)]));
    b.push(assign_path(patched, vec![bits(1, 1)], bit));
    for (signal, name) in [(q, "q_out"), (patched, "patched_out")] {
        let value = b.read(signal);
        let out = b.output(name, 3);
        let not = b.not(value);
        b.set(out, not);
    }
    b.design()
}

/// In branches, assignments that follow conditional ones to the same bits; assignments that nothing ever sees.
pub fn later_assignments() -> Design {
    let mut b = Builder::new("later_assignments");
    let on = b.input("on", 3);
    let which = b.input("which", 2);
    let d = b.input("d", 12);
    let part = b.input("part", 4);
    let ask: Vec<NodeId> = (0..3).map(|i| b.slice(on, i, 1)).collect();
    let then = |signal| vec![when(ask[0], vec![assign(signal, d)]), assign_path(signal, vec![bits(3, 4)], part)];
    // What is reset is in a branch as a whole.
    let reset = b.reset_reg("with_reset", 12, 0x5a5);
    then(reset).into_iter().for_each(|stmt| b.push(stmt));
    let first = b.reg("in_first", 12);
    let second = b.reg("in_second", 12);
    let last = b.reg("in_last", 12);
    b.push(Stmt::If {
        arms: vec![(ask[1], then(first)), (ask[2], then(second))],
        otherwise: then(last),
        place: Place::here(),
    });
    let e = encoding("turn", 2, &[("left", 0), ("right", 1), ("back", 2)], 2);
    let turned = b.reg("in_arms", 12);
    b.push(switch(which, &e, vec![then(turned), vec![assign(turned, d)], then(turned)]));
    // By a loop: what follows in the loop, and what follows the loop.
    let looped = b.reg("by_loop", 12);
    let l = b.index("bank", 3, None);
    let (piece, chosen_one) = (b.at(d, l, 4), b.at(on, l, 1));
    let low = b.slice(part, 0, 2);
    let in_loop = vec![
        when(chosen_one, vec![assign_path(looped, vec![element(l, 4)], piece)]),
        assign_path(looped, vec![element(l, 4), bits(1, 2)], low),
    ];
    let bit = b.slice(part, 3, 1);
    b.push(when(ask[1], vec![each(l, in_loop), assign_path(looped, vec![bits(5, 1)], bit)]));
    let wire = b.wire("of_a_wire", 12);
    let none = b.lit(12, 0);
    b.edit(wire).default = Some(none);
    b.push(when(ask[1], then(wire)));
    // All that is left of this is constant: no process would ever start.
    let constant = b.wire("constant", 12);
    b.edit(constant).default = Some(d);
    let (never, ones) = (b.lit(1, 0), b.lit(4, 15));
    b.set(constant, d);
    b.push(when(never, vec![assign(constant, d)]));
    b.set(constant, none);
    b.push(assign_path(constant, vec![bits(0, 4)], ones));
    for (i, signal) in [reset, first, second, last, turned, looped, wire, constant].into_iter().enumerate() {
        let value = b.read(signal);
        let not = b.not(value);
        let out = b.output(&format!("out_{i}"), 12);
        b.set(out, not);
    }
    b.design()
}

/// Wires: slices, defaults, later assignments that win, processes that may and may not be shared.
pub fn wires() -> Design {
    let mut b = Builder::new("wires");
    let a = b.input("a", 8);
    let c = b.input("c", 8);
    let on = b.input("on", 2);
    let (on0, on1) = (b.slice(on, 0, 1), b.slice(on, 1, 1));
    let halves = b.output("halves", 8);
    let (lo, hi) = (b.slice(a, 0, 4), b.slice(c, 4, 4));
    b.push(assign_path(halves, vec![bits(0, 4)], lo));
    b.push(assign_path(halves, vec![bits(4, 4)], hi));
    let patched = b.output("patched", 8);
    b.edit(patched).default = Some(c);
    b.set(patched, a);
    b.push(when(on0, vec![assign_path(patched, vec![bits(4, 4), bits(1, 2)], on)]));
    b.push(when_else(on1, vec![assign(patched, c)], vec![assign_path(patched, vec![bits(7, 1)], on0)]));
    // Two wires under one tree; the second reads the first through a third: not one process.
    let first = b.wire("first", 8);
    let between = b.wire("between", 8);
    let second = b.wire("second", 8);
    let third = b.wire("third", 8);
    for wire in [first, second, third] {
        b.edit(wire).default = Some(a);
    }
    let first_now = b.read(first);
    let sum = b.bin(Binary::Add, first_now, c);
    b.set(between, sum);
    let between_now = b.read(between);
    let difference = b.bin(Binary::Subtract, c, a);
    let upper = b.slice(difference, 2, 4);
    let mixed = b.bin(Binary::Xor, a, c);
    let low = b.slice(mixed, 0, 2);
    b.push(when(
        on0,
        vec![
            when(
                on1,
                vec![
                    assign_path(first, vec![bits(0, 8), bits(4, 4)], upper),
                    assign_path(second, vec![bits(0, 8)], between_now),
                    assign_path(third, vec![bits(3, 2)], low),
                ],
            ),
            assign_path(third, vec![bits(0, 2)], low),
        ],
    ));
    for (name, wire) in [("out_1", first), ("out_2", second), ("out_3", third)] {
        let value = b.read(wire);
        let not = b.not(value);
        let out = b.output(name, 8);
        b.set(out, not);
    }
    b.design()
}

/// A wire whose bits depend on lower ones: no loop, bit by bit.
pub fn ripple() -> Design {
    let mut b = Builder::new("ripple");
    let a = b.input("a", 4);
    let c = b.input("c", 4);
    let on = b.input("on", 1);
    let carry = b.wire("carry", 5);
    let now = b.read(carry);
    let zero = b.lit(1, 0);
    b.push(assign_path(carry, vec![bits(0, 1)], zero));
    for i in 0..4 {
        let (x, y, z) = (b.slice(a, i, 1), b.slice(c, i, 1), b.slice(now, i, 1));
        let (xy, xz, yz) = (b.and(x, y), b.and(x, z), b.and(y, z));
        let any = b.bin(Binary::Or, xy, xz);
        let any = b.bin(Binary::Or, any, yz);
        b.push(assign_path(carry, vec![bits(i + 1, 1)], any));
    }
    let masked = b.wire("masked", 4);
    let one = b.lit(4, 0b0110);
    b.edit(masked).default = Some(one);
    let mine = b.read(masked);
    let (low, part) = (b.slice(mine, 0, 2), b.slice(a, 0, 2));
    b.push(when(on, vec![assign_path(masked, vec![bits(2, 2)], low), assign_path(masked, vec![bits(0, 2)], part)]));
    let (o, m) = (b.output("carry_out", 5), b.output("masked_out", 4));
    let sum = b.bin(Binary::Xor, a, c);
    let upper = b.slice(now, 0, 4);
    let sum = b.bin(Binary::Xor, sum, upper);
    let s = b.output("sum", 4);
    b.set(s, sum);
    b.set(o, now);
    b.set(m, mine);
    b.design()
}

/// Processes that nothing would ever start.
pub fn constants() -> Design {
    let mut b = Builder::new("constants");
    let a = b.input("a", 4);
    let table = b.wire("lut", 32);
    let zero = b.lit(32, 0);
    b.edit(table).default = Some(zero);
    let l = b.index("entry", 8, None);
    let number = b.number(l, 4);
    let three = b.lit(4, 3);
    let above = b.bin(Binary::Less, three, number);
    let square = b.bin(Binary::Multiply, number, number);
    let low = b.slice(square, 0, 4);
    let odd = b.slice(number, 0, 1);
    b.push(each(
        l,
        vec![when(
            above,
            vec![
                assign_path(table, vec![element(l, 4)], low),
                when(odd, vec![assign_path(table, vec![element(l, 4), bits(3, 1)], odd)]),
            ],
        )],
    ));
    let still = b.wire("still", 4);
    let (one, two) = (b.lit(1, 1), b.lit(4, 2));
    let table_now = b.read(table);
    let piece = b.slice(table_now, 24, 4);
    b.edit(still).default = Some(two);
    let (first, last) = (b.lit(2, 1), b.slice(piece, 0, 1));
    let inner = when(one, vec![assign_path(still, vec![bits(3, 1)], last)]);
    b.push(when(one, vec![assign_path(still, vec![bits(0, 2)], first), inner]));
    let still_now = b.read(still);
    let sum = b.bin(Binary::Add, a, still_now);
    let out = b.output("sum", 4);
    b.set(out, sum);
    let picked = b.pick(table_now, a, 4);
    let out = b.output("picked", 4);
    b.set(out, picked);
    // Expressions whose text reads less than they do: one bit shifted arithmetically, and some bits of a concatenation.
    let rest = b.wire("reads_nothing", 4);
    b.edit(rest).default = Some(two);
    let shifted = b.bin(Binary::ShiftRightSigned, one, a);
    let both = b.concat(&[a, first]);
    let lower = b.slice(both, 0, 2);
    b.push(assign_path(rest, vec![bits(0, 1)], shifted));
    b.push(assign_path(rest, vec![bits(2, 2)], lower));
    let rest_now = b.read(rest);
    let out = b.output("rest", 4);
    let other = b.bin(Binary::Xor, a, rest_now);
    b.set(out, other);
    // An index that is always beyond the end.
    let beyond = b.wire("beyond", 2);
    let last = b.lit(2, 3);
    b.set(beyond, last);
    let (beyond, write) = (b.read(beyond), b.slice(a, 0, 1));
    let vector = b.concat(&[a, a, a]);
    let words = b.memory("three_words", 3, 4, 4);
    let written = b.write(words, first, a, Some(write));
    b.push(written);
    let low = b.slice(a, 0, 2);
    let values = [
        ("no_element", b.pick(vector, beyond, 4)),
        ("no_word", b.mem_read(words, beyond)),
        ("some_word", b.mem_read(words, low)),
        ("the_index", beyond),
    ];
    for (name, value) in values {
        let width = b.width(value);
        let out = b.output(name, width);
        b.set(out, value);
    }
    b.design()
}

/// Expressions that are read more than once: at the top, in a loop, in an integer loop.
pub fn sharing() -> Design {
    let mut b = Builder::new("sharing");
    let a = b.input("a", 16);
    let c = b.input("c", 16);
    let on = b.input("on", 4);
    let product = b.bin(Binary::Multiply, a, c);
    let high = b.slice(product, 16, 16);
    let twice = b.bin(Binary::Add, high, high);
    let first = b.output("first", 16);
    let second = b.output("second", 16);
    let parity = b.output("parity", 1);
    let odd = b.un(Unary::Parity, twice);
    let flip = b.bin(Binary::Xor, twice, c);
    b.set(first, twice);
    b.set(second, flip);
    b.set(parity, odd);
    // In a generate loop: local to it.
    let table = b.reg("lut", 16);
    let valid = b.reset_reg("valid", 4, 0);
    let l = b.index("lane", 4, None);
    let (mine, other, bit) = (b.at(a, l, 4), b.at(c, l, 4), b.at(on, l, 1));
    let sum = b.bin(Binary::Add, mine, other);
    let full = b.un(Unary::All, sum);
    let go = b.and(bit, full);
    let low = b.slice(sum, 0, 1);
    b.push(each(
        l,
        vec![when(
            go,
            vec![assign_path(table, vec![element(l, 4)], sum), assign_path(valid, vec![element(l, 1)], low)],
        )],
    ));
    // In an integer loop: outside of it, all iterations side by side.
    let best = b.wire("best", 4);
    let none = b.lit(4, 0);
    b.edit(best).default = Some(none);
    let less = b.bin(Binary::Subtract, mine, other);
    let top = b.slice(less, 3, 1);
    let wanted = b.and(bit, top);
    b.push(each(l, vec![when(wanted, vec![assign(best, less)])]));
    for (name, signal) in [("lut_out", table), ("valid_out", valid), ("best_out", best)] {
        let value = b.read(signal);
        let width = b.width(value);
        let out = b.output(name, width);
        b.set(out, value);
    }
    b.design()
}

/// Recurrences: accumulators that exchange their values, outputs by element, shared expressions inside.
pub fn recurrences() -> Design {
    let mut b = Builder::new("recurrences");
    let a = b.input("a", 24);
    let start = b.input("start", 4);
    let s = b.index("step", 6, None);
    let x = b.signal("x_now", 4, SignalKind::Accumulator(s));
    let y = b.signal("y_now", 4, SignalKind::Accumulator(s));
    let (x_end, y_end) = (b.wire("x_end", 4), b.wire("y_end", 4));
    let sums = b.wire("sums", 24);
    let carries = b.wire("carries", 6);
    let (xn, yn) = (b.read(x), b.read(y));
    let item = b.at(a, s, 4);
    let number = b.number(s, 3);
    let wide = {
        let z = b.lit(1, 0);
        b.concat(&[z, number])
    };
    let sum = b.bin(Binary::Add, xn, item);
    let other = b.bin(Binary::Xor, sum, wide);
    let top = b.slice(other, 3, 1);
    let next = b.mux(top, yn, sum);
    let zero = b.lit(4, 9);
    b.push(Stmt::Scan {
        index: s,
        accumulators: vec![
            Accumulator { signal: x, initial: start, next: yn, result: Some(x_end) },
            Accumulator { signal: y, initial: zero, next, result: Some(y_end) },
        ],
        outputs: vec![(sums, other), (carries, top)],
        place: Place::here(),
    });
    for (name, signal) in [("out_x", x_end), ("out_y", y_end), ("out_sums", sums), ("out_carries", carries)] {
        let value = b.read(signal);
        let width = b.width(value);
        let out = b.output(name, width);
        b.set(out, value);
    }
    b.design()
}

/// Elements beyond the last, arrays of one, constants as indices, comparisons that are always true.
pub fn ranges() -> Design {
    let mut b = Builder::new("ranges");
    let a = b.input("a", 12);
    let index = b.input("index", 3);
    let bit = b.input("bit_in", 1);
    let l = b.index("entry", 5, None);
    let beyond = b.at(a, l, 4);
    let copies = b.wire("copies", 20);
    b.push(each(l, vec![assign_path(copies, vec![element(l, 4)], beyond)]));
    let short = b.wire("short", 12);
    let none = b.lit(12, 0xfed);
    b.edit(short).default = Some(none);
    let copies_now = b.read(copies);
    let mine = b.at(copies_now, l, 4);
    b.push(each(l, vec![assign_path(short, vec![element(l, 4)], mine)]));
    let sum = {
        let k = b.lit(12, 77);
        b.bin(Binary::Add, a, k)
    };
    let (c1, c9) = (b.lit(4, 1), b.lit(4, 9));
    let (zero, ones) = (b.lit(3, 0), b.lit(3, 7));
    let scalar = b.pick(bit, index, 1);
    let short_now = b.read(short);
    let values = [
        copies_now,
        short_now,
        scalar,
        b.pick(a, bit, 12),
        b.pick(sum, index, 4),
        b.pick(sum, index, 3),
        b.pick(sum, index, 1),
        b.pick(a, c1, 4),
        b.pick(a, c9, 4),
        b.bin(Binary::Less, index, zero),
        b.bin(Binary::LessEqual, index, ones),
        b.bin(Binary::LessEqual, zero, index),
        b.bin(Binary::LessSigned, ones, index),
        b.bin(Binary::Less, ones, index),
    ];
    for (i, value) in values.into_iter().enumerate() {
        let width = b.width(value);
        let out = b.output(&format!("out_{i}"), width);
        b.set(out, value);
    }
    b.design()
}

/// Loops with more iterations than their target has elements, wide indices, selects from what changes with the loop.
pub fn loop_corners() -> Design {
    let mut b = Builder::new("loop_corners");
    let a = b.input("a", 40);
    let on = b.input("on", 1);
    let index = b.input("index", 3);
    let state = b.reg("state", 165);
    let small = b.reg("small", 8);
    let l = b.index("turn", 9, None);
    let wide = b.number(l, 165);
    let part = b.pick(wide, index, 33);
    let own = b.at(a, l, 4);
    let bit = b.pick(own, index, 1);
    let some = b.and(bit, on);
    b.push(each(l, vec![when(some, vec![assign_path(state, vec![element(l, 33)], part)])]));
    let one = b.index("only", 1, None);
    let number = b.number(one, 1);
    let high = b.number(one, 5);
    let there = b.concat(&[number, index]);
    let byte = b.pick(a, there, 8);
    let sum = {
        let low = b.slice(byte, 0, 5);
        b.bin(Binary::Add, low, high)
    };
    let three = b.slice(sum, 0, 3);
    let eight = b.concat(&[sum, three]);
    b.push(each(one, vec![when(on, vec![assign_path(small, vec![element(one, 8)], eight)])]));
    for (name, signal) in [("state_out", state), ("small_out", small)] {
        let value = b.read(signal);
        let width = b.width(value);
        let out = b.output(name, width);
        b.set(out, value);
    }
    b.design()
}

/// Two clock domains.
pub fn two_clocks() -> Design {
    let mut b = Builder::new("two_clocks");
    let d = b.input("d", 4);
    let fast = b.domain("fast");
    let slow = b.reset_reg("slow", 4, 3);
    let quick = b.reset_reg("quick", 4, 0);
    b.edit(quick).domain = fast;
    let meta = b.reg("meta", 4);
    b.edit(meta).domain = fast;
    b.edit(meta).attributes = vec![("async_reg".into(), "true".into())];
    b.edit(meta).kind = SignalKind::Register { reset: None, crossing: Some("gray code".into()) };
    let (s, m, q) = (b.read(slow), b.read(meta), b.read(quick));
    let one = b.lit(4, 1);
    let more = b.bin(Binary::Add, q, one);
    b.set(slow, d);
    b.set(meta, s);
    let same = b.eq(m, q);
    b.push(when(same, vec![assign(quick, more)]));
    let (o, p) = (b.output("slow_out", 4), b.output("quick_out", 4));
    b.set(o, s);
    b.set(p, q);
    b.design()
}

/// Properties, probes and what is left unread.
pub fn properties() -> Design {
    let mut b = Builder::new("properties");
    let a = b.input("a", 4);
    let c = b.input("c", 4);
    let spare = b.input("spare", 3);
    let q = b.reset_reg("q", 4, 0);
    b.set(q, a);
    let now = b.read(q);
    let out = b.output("q_out", 4);
    let not = b.not(now);
    b.set(out, not);
    let differs = b.bin(Binary::NotEqual, now, c);
    let any = b.un(Unary::Any, a);
    b.push(when(
        any,
        vec![check(CheckKind::Assert, "100% \"different\"", differs), check(CheckKind::Assume, "as told", any)],
    ));
    b.push(check(CheckKind::Cover, "it differs", differs));
    let l = b.index("bit", 4, None);
    let (x, y) = (b.at(a, l, 1), b.at(now, l, 1));
    let sure = {
        let n = b.not(x);
        let or = b.bin(Binary::Or, n, x);
        b.bin(Binary::Or, or, y)
    };
    b.push(each(l, vec![check(CheckKind::Assert, "each bit", sure)]));
    b.module.ignored.push(Ignored {
        node: spare,
        name: "spare".into(),
        reason: "for later".into(),
        place: Place::here(),
    });
    let sum = b.bin(Binary::Add, now, c);
    b.module.probes.push(Probe { node: sum, name: "sum".into(), place: Place::here() });
    b.design()
}

/// Instances: connections of all kinds, the same module twice.
pub fn hierarchy() -> Design {
    let mut inner = Builder::new("stage");
    let d = inner.input("d", 8);
    let enable = inner.input("enable", 1);
    let q = inner.output("q", 8);
    let busy = inner.output("busy", 1);
    let held = inner.reset_reg("held", 8, 1);
    inner.push(when(enable, vec![assign(held, d)]));
    let now = inner.read(held);
    let any = inner.un(Unary::Any, now);
    inner.set(q, now);
    inner.set(busy, any);
    let inner = inner.module;
    let mut b = Builder::new("hierarchy");
    let x = b.input("x", 8);
    let go = b.input("go", 2);
    let out = b.output("out", 8);
    let busy = b.output("busy", 1);
    let one = b.instance("first", ModuleId(0), &inner);
    let two = b.instance("second", ModuleId(0), &inner);
    let (go0, go1) = (b.slice(go, 0, 1), b.slice(go, 1, 1));
    b.set(one[0], x);
    b.set(one[1], go0);
    let (q1, b1, q2, b2) = (b.read(one[2]), b.read(one[3]), b.read(two[2]), b.read(two[3]));
    let sum = b.bin(Binary::Add, q1, x);
    let product = b.bin(Binary::Multiply, sum, q1);
    let low = b.slice(product, 0, 8);
    b.push(when_else(b1, vec![assign(two[0], low)], vec![assign(two[0], x)]));
    b.set(two[1], go1);
    b.set(out, q2);
    let both = b.and(b1, b2);
    b.set(busy, both);
    let mut design = b.design();
    design.modules.insert(0, inner);
    design
}
