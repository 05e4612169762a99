//! What it costs to elaborate and check a table: 64 entries of 235 bits, searched at once.
//!
//! The target is below 50 ms (release build).

use tollgate_rtl::Design;
use tollgate_rtl::prelude::*;

fn main() {
    divan::main();
}

/// Entries of the table.
const ENTRIES: usize = 64;

/// An entry, 235 bits with its valid bit.
#[bundle]
struct Entry {
    /// What is searched for.
    key: Bits<10>,
    /// What is found.
    payload: Bits<224>,
}

/// Ports of the table.
#[ports]
struct TablePorts {
    /// Writes an entry.
    write: Input<Bit>,
    /// Which.
    index: Input<Bits<6>>,
    /// The entry.
    entry: Input<Entry>,
    /// Whether it is valid.
    enabled: Input<Bit>,
    /// Searches.
    key: Input<Bits<10>>,
    /// Whether there is an entry.
    hit: Output<Bit>,
    /// What it holds.
    payload: Output<Bits<224>>,
}

/// A table like the one in the description of the language.
fn table() -> Module<TablePorts> {
    module("table_of_64", TablePorts::shape(&()), |m, io| {
        m.describe("Finds the entry that has a key.");
        let entries = m.reg_array("entries", ENTRIES, Entry::shape(&()));
        let enabled = m.reg_array("enabled_entries", ENTRIES, bit()).reset(0);
        each("entry_of", ENTRIES, |i| {
            when(io.write & io.index.equals(i), || {
                BundleExt::set(entries.at(i), io.entry);
                enabled.at(i).set(io.enabled);
            });
        });
        let hits = each("hits", ENTRIES, |i| enabled.at(i) & entries.at(i).key.equals(io.key));
        m.assert("at most one entry matches", hits.at_most_one());
        let found = hits.select("found", *entries);
        m.ignore("found_key", found.key, "it is the one that was searched for");
        io.hit.set(hits.any());
        io.payload.set(found.payload);
    })
}

/// The same table by Rust loops: everything unrolled.
fn unrolled() -> Module<TablePorts> {
    module("unrolled_table_of_64", TablePorts::shape(&()), |m, io| {
        m.describe("Finds the entry that has a key.");
        let entries = m.reg_array("entries", ENTRIES, Entry::shape(&()));
        let enabled = m.reg_array("enabled_entries", ENTRIES, bit()).reset(0);
        let hits = m.wire("hits", array(ENTRIES, bit()));
        let mut payload = Value::zero(224).lit();
        for i in 0..ENTRIES {
            when(io.write & io.index.equals(i), || {
                BundleExt::set(entries.at(i), io.entry);
                enabled.at(i).set(io.enabled);
            });
            hits.at(i).set(enabled.at(i) & entries.at(i).key.equals(io.key));
            payload = payload | (entries.at(i).payload & hits.at(i).repeat(224));
        }
        m.assert("at most one entry matches", hits.at_most_one());
        io.hit.set(hits.any());
        io.payload.set(payload);
    })
}

/// Tables in a row, each searching for what the one before found: every check looks through all instances.
fn chain() -> Module<TablePorts> {
    module("chain", TablePorts::shape(&()), |m, io| {
        m.describe("Searches sixteen tables, one after the other.");
        let mut key = io.key;
        let mut hit = lit(false);
        for i in 0..16 {
            let table = m.instance(&format!("table_{i}"), &table());
            table.write.set(io.write);
            table.index.set(io.index);
            BundleExt::set(table.entry, io.entry);
            table.enabled.set(io.enabled);
            table.key.set(key);
            key = table.payload.slice(0..10);
            m.ignore(&format!("payload_{i}"), table.payload, "only the last is wanted whole");
            hit = hit | table.hit;
        }
        io.hit.set(hit);
        io.payload.set(key.extend(224));
    })
}

/// A word of 512 bits that turns in a loop of 16 lanes: the search for combinational loops goes bit by bit.
fn ring() -> Module<TablePorts> {
    module("ring", TablePorts::shape(&()), |m, io| {
        m.describe("Hands a lane to the next one.");
        m.ignore("rest", concat([io.index, io.entry.key, io.key, io.write.bits()]), "not needed");
        let lanes = m.wire("lanes", array(16, bits(224)));
        let before = concat([lanes.packed().slice(0..15 * 224), io.entry.payload]).elements(224);
        each("lane", 16, |i| lanes.at(i).set(mux(io.enabled, before.at(i), before.at(i) ^ io.entry.payload)));
        io.hit.set(lanes.at(15usize).any());
        io.payload.set(lanes.at(15usize));
    })
}

/// A square of 64 by 64 bits, each set here or across the diagonal: the search for open bits goes through each iteration.
fn square() -> Module<TablePorts> {
    module("square", TablePorts::shape(&()), |m, io| {
        m.describe("Sets a square or its transpose.");
        m.ignore("rest", concat([io.index, io.entry.packed(), io.key]), "not needed");
        let square = m.wire("cells", array(64, array(64, bit())));
        m.default(square, 0);
        each("row", 64, |row| {
            each("column", 64, |column| {
                when(io.enabled, || square.at(row).at(column).set(io.write))
                    .otherwise(|| square.at(column).at(row).set(!io.write));
            });
        });
        io.hit.set(square.packed().any());
        io.payload.set(io.entry.payload);
    })
}

fn elaborated(describe: fn() -> Module<TablePorts>) -> Design<TablePorts> {
    elaborate(describe).unwrap_or_else(|errors| panic!("{errors}"))
}

#[divan::bench]
fn cam_64_by_235() -> Design<TablePorts> {
    elaborated(table)
}

#[divan::bench]
fn cam_64_by_235_unrolled() -> Design<TablePorts> {
    elaborated(unrolled)
}

#[divan::bench]
fn sixteen_cams_in_a_chain() -> Design<TablePorts> {
    elaborated(chain)
}

#[divan::bench]
fn ring_of_16_lanes() -> Design<TablePorts> {
    elaborated(ring)
}

#[divan::bench]
fn square_of_64_by_64() -> Design<TablePorts> {
    elaborated(square)
}
