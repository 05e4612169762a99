//! TLP builder: the headers that leave the unit, of TLPs that go on and of completions that it makes itself.
//!
//! The rules and their sections are in `docs/blocks/iommu/tlp_builder.md`; the golden model is
//! `tollgate_golden::iommu::tlp_builder`.

use super::tlp_parser::matches;
use crate::bundles::Valid;
use tollgate_rtl::prelude::*;
use tollgate_spec::config::{Config, Tlp};
use tollgate_spec::tlp::{self, FORMATS};

/// Completion Status.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
#[encoding(width = 3)]
pub enum Status {
    /// SC.
    Successful = 0,
    /// UR: the request is not supported.
    #[reset]
    UnsupportedRequest = 1,
    /// CRS: to configuration requests alone.
    ConfigurationRetry = 2,
    /// CA: the completer has given up.
    CompleterAbort = 4,
}

/// Ports of the builder of headers that go on.
#[ports(p: Config)]
pub struct ForwardedPorts {
    /// Header as it came, its first byte highest.
    pub header: Input<Bits<{ tlp::HEADER_BITS }>>,
    /// Number of the page in memory that a memory request goes to; without one, its address stays.
    pub frame: Input<Valid<Bits<{ p.pte.frame_bits() }>>>,
    /// Header as it goes on.
    pub forwarded: Output<Bits<{ tlp::HEADER_BITS }>>,
}

/// Makes the header of a TLP that goes on, within the cycle.
pub fn forwarded(p: &Config) -> Module<ForwardedPorts> {
    module("iommu_tlp_builder_forwarded", ForwardedPorts::shape(p), |m, io| {
        m.describe("TLP builder: the header of a TLP that goes on, translated or as it came.");
        m.parameter("frame_bits", p.pte.frame_bits(), "bits of the number of a page in memory");
        let header = io.header;
        m.ignore("digest", header.slice(tlp::DIGEST), "no digest goes on");
        let was_long = header.bit(tlp::LONG.start);
        let offset = mux(was_long, header.slice(2..12), header.slice(34..44));
        let hint = mux(was_long, header.slice(tlp::HINT_64), header.slice(tlp::HINT_32));
        let address = m.named("address", concat([io.frame.data.extend(52), offset]));
        let is_long = m.named("is_long", mux(io.frame.valid, address.slice(30..62).any(), was_long));

        let out = io.forwarded;
        out.set(header);
        out.slice(tlp::LONG).set(is_long.bits());
        out.slice(tlp::DIGEST).set(0);
        let writes = FORMATS.iter().filter(|row| row.kind == tlp::Kind::MemoryWrite);
        let format = header.slice(tlp::FORMAT);
        let write = writes.map(|row| matches(format, row.first_byte)).reduce(|one, other| one | other);
        when(m.named("write", write.expect("the table has writes")), || {
            out.slice(tlp::RELAXED_ORDERING).set(0);
            out.slice(tlp::ID_ORDERING).set(0);
        });
        when(io.frame.valid & is_long, || {
            out.slice(tlp::ADDRESS_64).set(address);
            out.slice(tlp::HINT_64).set(hint);
        })
        .or_when(io.frame.valid, || {
            out.slice(tlp::ADDRESS_32).set(address.slice(0..30));
            out.slice(tlp::HINT_32).set(hint);
        });
        when(!is_long, || out.slice(0..32).set(0));
    })
}

/// What the header of a completion says.
#[bundle(p: Tlp)]
pub struct Completion {
    /// A locked read is completed.
    pub locked: Bit,
    /// Completion Status.
    pub status: Code<Status>,
    /// Doublewords of data that follow if the status is successful: 0 to 1024.
    pub payload: Bits<11>,
    /// Bytes still to come, those of this completion included: 1 to 4096.
    pub byte_count: Bits<13>,
    /// Bits 6:0 of the address of the first byte.
    pub lower_address: Bits<7>,
    /// Requester id of the request.
    pub requester: Bits<16>,
    /// Tag of the request.
    pub tag: Bits<{ p.tag_bits }>,
    /// TC of the request.
    pub traffic_class: Bits<3>,
    /// Attr[2] of the request: id-based ordering.
    pub id_ordering: Bit,
    /// Attr[1] of the request: relaxed ordering.
    pub relaxed_ordering: Bit,
    /// Attr[0] of the request: no snoop.
    pub no_snoop: Bit,
}

/// Ports of the builder of completions.
#[ports(p: Tlp)]
pub struct CompletionPorts {
    /// Completer id: that of the unit.
    pub completer: Input<Bits<16>>,
    /// What to say.
    pub completion: Input<Completion>,
    /// Header that says it, its first byte highest.
    pub header: Output<Bits<{ tlp::HEADER_BITS }>>,
}

/// Makes the header of a completion, within the cycle.
pub fn completion(p: &Tlp) -> Module<CompletionPorts> {
    module("iommu_tlp_builder_completion", CompletionPorts::shape(p), |m, io| {
        m.describe("TLP builder: the header of a completion that the unit makes itself.");
        m.parameter("tag_bits", p.tag_bits, "bits of a transaction tag");
        let Completion { locked, status, payload, byte_count, tag, .. } = io.completion;
        let largest = concat([byte_count.bit(12).bits(), payload.bit(10).bits()]);
        m.ignore("largest", largest, "the field of the largest number is 0");
        let has_data = m.named("has_data", status.is(Status::Successful) & payload.any());

        let out = io.header;
        out.set(0);
        // Fmt and Type: Cpl, CplD, CplLk or CplDLk.
        out.slice(tlp::FORMAT).set(concat([Value::new(7, 0b000_0101_u32).lit(), locked.bits()]));
        out.slice(tlp::HAS_DATA).set(has_data.bits());
        out.slice(tlp::LENGTH).set(payload.slice(0..10) & has_data.repeat(10));
        out.slice(tlp::TRAFFIC_CLASS).set(io.completion.traffic_class);
        out.slice(tlp::ID_ORDERING).set(io.completion.id_ordering.bits());
        out.slice(tlp::RELAXED_ORDERING).set(io.completion.relaxed_ordering.bits());
        out.slice(tlp::NO_SNOOP).set(io.completion.no_snoop.bits());
        out.slice(tlp::COMPLETER).set(io.completer);
        out.slice(tlp::STATUS).set(status.bits());
        out.slice(tlp::BYTE_COUNT).set(byte_count.slice(0..12));
        out.slice(tlp::COMPLETED_REQUESTER).set(io.completion.requester);
        out.slice(tlp::COMPLETED_TAG).set(tag.slice(0..p.tag_bits.min(8)).extend(8));
        if p.tag_bits == 10 {
            out.slice(tlp::TAG_8).set(tag.slice(8..9));
            out.slice(tlp::TAG_9).set(tag.slice(9..10));
        }
        out.slice(tlp::LOWER_ADDRESS).set(io.completion.lower_address);
    })
}
