//! Cached translations: the sizes of pages, what an invalidation covers, and the random replacement.

/// The size of the page that a translation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum PageSize {
    /// 4 KiB.
    FourKib = 0,
    /// 2 MiB.
    TwoMib = 1,
    /// 1 GiB.
    OneGib = 2,
}

impl PageSize {
    /// All sizes, the smallest first.
    pub const ALL: [Self; 3] = [Self::FourKib, Self::TwoMib, Self::OneGib];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The low bits of a page number, which counts 4 KiB, that lie within the page: 0, 9 or 18.
    pub const fn inner_bits(self) -> u32 {
        9 * self as u32
    }

    /// The size in words: `2 MiB`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FourKib => "4 KiB",
            Self::TwoMib => "2 MiB",
            Self::OneGib => "1 GiB",
        }
    }
}

/// What an invalidation covers, in the codes of VT-d (IOTLB invalidate, granularity).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scope {
    /// Everything.
    Global = 1,
    /// All pages of a domain.
    Domain = 2,
    /// The pages of a domain that overlap a naturally aligned range.
    Page = 3,
}

impl Scope {
    /// All scopes, lowest code first.
    pub const ALL: [Self; 3] = [Self::Global, Self::Domain, Self::Page];

    /// The code.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Bits of VT-d's address mask (AM): how many low bits of a page number an invalidation ignores.
pub const ADDRESS_MASK_BITS: u32 = 6;

/// Bits of the shift register of the random replacement.
pub const LFSR_BITS: u32 = 16;

/// The bits whose parity enters the shift register at the top when it moves down by one:
/// x^16 + x^14 + x^13 + x^11 + 1, of period 2^16 - 1.
pub const LFSR_TAPS: [u32; 4] = [0, 2, 3, 5];

/// What the shift register holds after reset.
pub const LFSR_SEED: u16 = 0xACE1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pte::Level;

    #[test]
    fn page_numbers_leave_out_what_lies_within_the_page() {
        for (size, level) in PageSize::ALL.into_iter().zip(Level::ALL) {
            assert_eq!(12 + size.inner_bits(), level.offset_bits());
            assert_eq!(size.name(), level.page_size());
        }
    }

    #[test]
    fn the_shift_register_takes_all_values_but_zero() {
        let step = |state: u16| {
            let parity = LFSR_TAPS.iter().fold(0, |parity, tap| parity ^ (state >> tap & 1));
            state >> 1 | parity << (LFSR_BITS - 1)
        };
        let period = std::iter::successors(Some(step(LFSR_SEED)), |state| Some(step(*state)));
        assert_eq!(period.take_while(|state| *state != LFSR_SEED).count(), (1 << LFSR_BITS) - 2);
    }
}
