//! Tollgate, configuration `max`: what software and hardware agree on.
//! Generated: change the specification and build again.

/// The name of this configuration.
pub const CONFIGURATION: &str = "max";

// Sizes of this configuration.

/// bits of a physical address of the host
pub const HOST_ADDRESS_BITS: u32 = 52;

/// bits of a user domain
pub const IUID_BITS: u32 = 10;

/// access logs that may be open at a time
pub const ACCESS_LOGS: u32 = 64;

/// bits of base, head and tail of a log
pub const ACCESS_LOG_ADDRESS_BITS: u32 = 64;

/// bits of the size of a log in bytes
pub const ACCESS_LOG_SIZE_BITS: u32 = 32;

/// what records are aligned and padded to
pub const ACCESS_LOG_GRANULE_BYTES: u32 = 32;

/// the same in compact mode
pub const ACCESS_LOG_COMPACT_GRANULE_BYTES: u32 = 4;

/// largest payload of a record
pub const ACCESS_LOG_LARGEST_PAYLOAD_BYTES: u32 = 4096;

/// smallest ring that is accepted
pub const ACCESS_LOG_SMALLEST_RING_BYTES: u32 = 4160;

/// the same in compact mode
pub const ACCESS_LOG_COMPACT_SMALLEST_RING_BYTES: u32 = 4100;

/// bits of a transaction tag
pub const TLP_TAG_BITS: u32 = 10;

/// Max_Payload_Size
pub const TLP_MAX_PAYLOAD_BYTES: u32 = 4096;

/// Max_Read_Request_Size
pub const TLP_MAX_READ_REQUEST_BYTES: u32 = 4096;

// `pte_4k_leaf`: leaf of level 1, 64 bits, little-endian.

/// bytes of the whole
pub const PTE_4K_LEAF_BYTES: u32 = 8;

/// the lowest bit of `read`
pub const PTE_4K_LEAF_READ_SHIFT: u32 = 0;

/// R: reads are permitted (VT-d, second-level paging entries)
pub const PTE_4K_LEAF_READ_MASK: u64 = 0x0000000000000001;

/// the lowest bit of `write`
pub const PTE_4K_LEAF_WRITE_SHIFT: u32 = 1;

/// W: writes are permitted (VT-d, second-level paging entries)
pub const PTE_4K_LEAF_WRITE_MASK: u64 = 0x0000000000000002;

/// the lowest bit of `write_log`
pub const PTE_4K_LEAF_WRITE_LOG_SHIFT: u32 = 7;

/// WL: writes are recorded (AA-10)
pub const PTE_4K_LEAF_WRITE_LOG_MASK: u64 = 0x0000000000000080;

/// the lowest bit of `write_log_data`
pub const PTE_4K_LEAF_WRITE_LOG_DATA_SHIFT: u32 = 8;

/// WLD: writes are recorded with their data (AA-10)
pub const PTE_4K_LEAF_WRITE_LOG_DATA_MASK: u64 = 0x0000000000000100;

/// the lowest bit of `read_log`
pub const PTE_4K_LEAF_READ_LOG_SHIFT: u32 = 9;

/// RL: reads are recorded (AA-10)
pub const PTE_4K_LEAF_READ_LOG_MASK: u64 = 0x0000000000000200;

/// the lowest bit of `read_log_data`
pub const PTE_4K_LEAF_READ_LOG_DATA_SHIFT: u32 = 10;

/// RLD: reads are recorded with the data they return (AA-10)
pub const PTE_4K_LEAF_READ_LOG_DATA_MASK: u64 = 0x0000000000000400;

/// the lowest bit of `snoop`
pub const PTE_4K_LEAF_SNOOP_SHIFT: u32 = 11;

/// SNP, not interpreted by this unit (VT-d, second-level paging entries)
pub const PTE_4K_LEAF_SNOOP_MASK: u64 = 0x0000000000000800;

/// the lowest bit of `address`
pub const PTE_4K_LEAF_ADDRESS_SHIFT: u32 = 12;

/// bits of the address of the page (VT-d, second-level paging entries)
pub const PTE_4K_LEAF_ADDRESS_MASK: u64 = 0x000ffffffffff000;

/// the lowest bit of `iuid`
pub const PTE_4K_LEAF_IUID_SHIFT: u32 = 52;

/// IUID: the user domain of the page (AA-08)
pub const PTE_4K_LEAF_IUID_MASK: u64 = 0x3ff0000000000000;

/// the lowest bit of `transient_mapping`
pub const PTE_4K_LEAF_TRANSIENT_MAPPING_SHIFT: u32 = 62;

/// TM, not interpreted by this unit (VT-d, second-level paging entries)
pub const PTE_4K_LEAF_TRANSIENT_MAPPING_MASK: u64 = 0x4000000000000000;

/// the lowest bit of `active_destination`
pub const PTE_4K_LEAF_ACTIVE_DESTINATION_SHIFT: u32 = 63;

/// E: where records go (AA-11)
pub const PTE_4K_LEAF_ACTIVE_DESTINATION_MASK: u64 = 0x8000000000000000;

/// the fault log of the system, without data
pub const PTE_4K_LEAF_ACTIVE_DESTINATION_FAULT_LOG: u64 = 0x0000000000000000;

/// the access log of the user domain
pub const PTE_4K_LEAF_ACTIVE_DESTINATION_ACCESS_LOG: u64 = 0x0000000000000001;

// `pte_2m_leaf`: leaf of level 2, 64 bits, little-endian.

/// bytes of the whole
pub const PTE_2M_LEAF_BYTES: u32 = 8;

/// the lowest bit of `read`
pub const PTE_2M_LEAF_READ_SHIFT: u32 = 0;

/// R: reads are permitted (VT-d, second-level paging entries)
pub const PTE_2M_LEAF_READ_MASK: u64 = 0x0000000000000001;

/// the lowest bit of `write`
pub const PTE_2M_LEAF_WRITE_SHIFT: u32 = 1;

/// W: writes are permitted (VT-d, second-level paging entries)
pub const PTE_2M_LEAF_WRITE_MASK: u64 = 0x0000000000000002;

/// the lowest bit of `page_size`
pub const PTE_2M_LEAF_PAGE_SIZE_SHIFT: u32 = 7;

/// 1: a leaf (VT-d, second-level paging entries)
pub const PTE_2M_LEAF_PAGE_SIZE_MASK: u64 = 0x0000000000000080;

/// the lowest bit of `snoop`
pub const PTE_2M_LEAF_SNOOP_SHIFT: u32 = 11;

/// SNP, not interpreted by this unit (VT-d, second-level paging entries)
pub const PTE_2M_LEAF_SNOOP_MASK: u64 = 0x0000000000000800;

/// the lowest bit of `address`
pub const PTE_2M_LEAF_ADDRESS_SHIFT: u32 = 21;

/// bits of the address of the page (VT-d, second-level paging entries)
pub const PTE_2M_LEAF_ADDRESS_MASK: u64 = 0x000fffffffe00000;

/// the lowest bit of `iuid`
pub const PTE_2M_LEAF_IUID_SHIFT: u32 = 52;

/// IUID: the user domain of the page (AA-08)
pub const PTE_2M_LEAF_IUID_MASK: u64 = 0x3ff0000000000000;

/// the lowest bit of `transient_mapping`
pub const PTE_2M_LEAF_TRANSIENT_MAPPING_SHIFT: u32 = 62;

/// TM, not interpreted by this unit (VT-d, second-level paging entries)
pub const PTE_2M_LEAF_TRANSIENT_MAPPING_MASK: u64 = 0x4000000000000000;

/// the lowest bit of `active_destination`
pub const PTE_2M_LEAF_ACTIVE_DESTINATION_SHIFT: u32 = 63;

/// E: where records go (AA-11)
pub const PTE_2M_LEAF_ACTIVE_DESTINATION_MASK: u64 = 0x8000000000000000;

/// the fault log of the system, without data
pub const PTE_2M_LEAF_ACTIVE_DESTINATION_FAULT_LOG: u64 = 0x0000000000000000;

/// the access log of the user domain
pub const PTE_2M_LEAF_ACTIVE_DESTINATION_ACCESS_LOG: u64 = 0x0000000000000001;

// `pte_1g_leaf`: leaf of level 3, 64 bits, little-endian.

/// bytes of the whole
pub const PTE_1G_LEAF_BYTES: u32 = 8;

/// the lowest bit of `read`
pub const PTE_1G_LEAF_READ_SHIFT: u32 = 0;

/// R: reads are permitted (VT-d, second-level paging entries)
pub const PTE_1G_LEAF_READ_MASK: u64 = 0x0000000000000001;

/// the lowest bit of `write`
pub const PTE_1G_LEAF_WRITE_SHIFT: u32 = 1;

/// W: writes are permitted (VT-d, second-level paging entries)
pub const PTE_1G_LEAF_WRITE_MASK: u64 = 0x0000000000000002;

/// the lowest bit of `page_size`
pub const PTE_1G_LEAF_PAGE_SIZE_SHIFT: u32 = 7;

/// 1: a leaf (VT-d, second-level paging entries)
pub const PTE_1G_LEAF_PAGE_SIZE_MASK: u64 = 0x0000000000000080;

/// the lowest bit of `snoop`
pub const PTE_1G_LEAF_SNOOP_SHIFT: u32 = 11;

/// SNP, not interpreted by this unit (VT-d, second-level paging entries)
pub const PTE_1G_LEAF_SNOOP_MASK: u64 = 0x0000000000000800;

/// the lowest bit of `address`
pub const PTE_1G_LEAF_ADDRESS_SHIFT: u32 = 30;

/// bits of the address of the page (VT-d, second-level paging entries)
pub const PTE_1G_LEAF_ADDRESS_MASK: u64 = 0x000fffffc0000000;

/// the lowest bit of `iuid`
pub const PTE_1G_LEAF_IUID_SHIFT: u32 = 52;

/// IUID: the user domain of the page (AA-08)
pub const PTE_1G_LEAF_IUID_MASK: u64 = 0x3ff0000000000000;

/// the lowest bit of `transient_mapping`
pub const PTE_1G_LEAF_TRANSIENT_MAPPING_SHIFT: u32 = 62;

/// TM, not interpreted by this unit (VT-d, second-level paging entries)
pub const PTE_1G_LEAF_TRANSIENT_MAPPING_MASK: u64 = 0x4000000000000000;

/// the lowest bit of `active_destination`
pub const PTE_1G_LEAF_ACTIVE_DESTINATION_SHIFT: u32 = 63;

/// E: where records go (AA-11)
pub const PTE_1G_LEAF_ACTIVE_DESTINATION_MASK: u64 = 0x8000000000000000;

/// the fault log of the system, without data
pub const PTE_1G_LEAF_ACTIVE_DESTINATION_FAULT_LOG: u64 = 0x0000000000000000;

/// the access log of the user domain
pub const PTE_1G_LEAF_ACTIVE_DESTINATION_ACCESS_LOG: u64 = 0x0000000000000001;

// `pte_table`: entry that leads to the next level, 64 bits, little-endian.

/// bytes of the whole
pub const PTE_TABLE_BYTES: u32 = 8;

/// the lowest bit of `read`
pub const PTE_TABLE_READ_SHIFT: u32 = 0;

/// R: reads are permitted (VT-d, second-level paging entries)
pub const PTE_TABLE_READ_MASK: u64 = 0x0000000000000001;

/// the lowest bit of `write`
pub const PTE_TABLE_WRITE_SHIFT: u32 = 1;

/// W: writes are permitted (VT-d, second-level paging entries)
pub const PTE_TABLE_WRITE_MASK: u64 = 0x0000000000000002;

/// the lowest bit of `page_size`
pub const PTE_TABLE_PAGE_SIZE_SHIFT: u32 = 7;

/// 0: no leaf (VT-d, second-level paging entries)
pub const PTE_TABLE_PAGE_SIZE_MASK: u64 = 0x0000000000000080;

/// the lowest bit of `address`
pub const PTE_TABLE_ADDRESS_SHIFT: u32 = 12;

/// bits of the address of the table (VT-d, second-level paging entries)
pub const PTE_TABLE_ADDRESS_MASK: u64 = 0x000ffffffffff000;

// `root_entry`: where the context table of a bus lies, 128 bits, little-endian.

/// bytes of the whole
pub const ROOT_ENTRY_BYTES: u32 = 16;

/// the word of 64 bits of `present`
pub const ROOT_ENTRY_PRESENT_WORD: u32 = 0;

/// the lowest bit of `present`
pub const ROOT_ENTRY_PRESENT_SHIFT: u32 = 0;

/// P: the bus has a context table (VT-d, root entry)
pub const ROOT_ENTRY_PRESENT_MASK: u64 = 0x0000000000000001;

/// the word of 64 bits of `context_table`
pub const ROOT_ENTRY_CONTEXT_TABLE_WORD: u32 = 0;

/// the lowest bit of `context_table`
pub const ROOT_ENTRY_CONTEXT_TABLE_SHIFT: u32 = 12;

/// CTP: bits of the address of the table (VT-d, root entry)
pub const ROOT_ENTRY_CONTEXT_TABLE_MASK: u64 = 0x000ffffffffff000;

// `context_entry`: the domain and the page table of a requester, 128 bits, little-endian.

/// bytes of the whole
pub const CONTEXT_ENTRY_BYTES: u32 = 16;

/// the word of 64 bits of `present`
pub const CONTEXT_ENTRY_PRESENT_WORD: u32 = 0;

/// the lowest bit of `present`
pub const CONTEXT_ENTRY_PRESENT_SHIFT: u32 = 0;

/// P: requests may be served (VT-d, context entry)
pub const CONTEXT_ENTRY_PRESENT_MASK: u64 = 0x0000000000000001;

/// the word of 64 bits of `fault_processing_disable`
pub const CONTEXT_ENTRY_FAULT_PROCESSING_DISABLE_WORD: u32 = 0;

/// the lowest bit of `fault_processing_disable`
pub const CONTEXT_ENTRY_FAULT_PROCESSING_DISABLE_SHIFT: u32 = 1;

/// FPD: faults are not recorded; counts with P = 0 too (VT-d, context entry)
pub const CONTEXT_ENTRY_FAULT_PROCESSING_DISABLE_MASK: u64 = 0x0000000000000002;

/// the word of 64 bits of `translation_type`
pub const CONTEXT_ENTRY_TRANSLATION_TYPE_WORD: u32 = 0;

/// the lowest bit of `translation_type`
pub const CONTEXT_ENTRY_TRANSLATION_TYPE_SHIFT: u32 = 2;

/// TT: what becomes of requests (VT-d, context entry)
pub const CONTEXT_ENTRY_TRANSLATION_TYPE_MASK: u64 = 0x000000000000000c;

/// untranslated requests are translated
pub const CONTEXT_ENTRY_TRANSLATION_TYPE_TRANSLATE: u64 = 0x0000000000000000;

/// devices have caches of their own; not supported
pub const CONTEXT_ENTRY_TRANSLATION_TYPE_DEVICE_TLB: u64 = 0x0000000000000001;

/// untranslated requests go on as they are
pub const CONTEXT_ENTRY_TRANSLATION_TYPE_PASS_THROUGH: u64 = 0x0000000000000002;

/// the word of 64 bits of `page_table`
pub const CONTEXT_ENTRY_PAGE_TABLE_WORD: u32 = 0;

/// the lowest bit of `page_table`
pub const CONTEXT_ENTRY_PAGE_TABLE_SHIFT: u32 = 12;

/// SLPTPTR: bits of the address of the PML4 table (VT-d, context entry)
pub const CONTEXT_ENTRY_PAGE_TABLE_MASK: u64 = 0x000ffffffffff000;

/// the word of 64 bits of `address_width`
pub const CONTEXT_ENTRY_ADDRESS_WIDTH_WORD: u32 = 1;

/// the lowest bit of `address_width`
pub const CONTEXT_ENTRY_ADDRESS_WIDTH_SHIFT: u32 = 0;

/// AW: the levels of the page table (VT-d, context entry)
pub const CONTEXT_ENTRY_ADDRESS_WIDTH_MASK: u64 = 0x0000000000000007;

/// 48 bits, the only one supported
pub const CONTEXT_ENTRY_ADDRESS_WIDTH_FOUR_LEVELS: u64 = 0x0000000000000002;

/// the word of 64 bits of `active`
pub const CONTEXT_ENTRY_ACTIVE_WORD: u32 = 1;

/// the lowest bit of `active`
pub const CONTEXT_ENTRY_ACTIVE_SHIFT: u32 = 3;

/// active access is on; ignored by VT-d (U-01)
pub const CONTEXT_ENTRY_ACTIVE_MASK: u64 = 0x0000000000000008;

/// the word of 64 bits of `available`
pub const CONTEXT_ENTRY_AVAILABLE_WORD: u32 = 1;

/// the lowest bit of `available`
pub const CONTEXT_ENTRY_AVAILABLE_SHIFT: u32 = 4;

/// for software; ignored by this unit (VT-d, context entry)
pub const CONTEXT_ENTRY_AVAILABLE_MASK: u64 = 0x0000000000000070;

/// the word of 64 bits of `domain`
pub const CONTEXT_ENTRY_DOMAIN_WORD: u32 = 1;

/// the lowest bit of `domain`
pub const CONTEXT_ENTRY_DOMAIN_SHIFT: u32 = 8;

/// DID: the domain id (VT-d, context entry)
pub const CONTEXT_ENTRY_DOMAIN_MASK: u64 = 0x0000000000ffff00;

// `access_log_record`: header of an access-log record, 256 bits, little-endian.

/// bytes of the whole
pub const ACCESS_LOG_RECORD_BYTES: u32 = 32;

/// the word of 64 bits of `address`
pub const ACCESS_LOG_RECORD_ADDRESS_WORD: u32 = 0;

/// the lowest bit of `address`
pub const ACCESS_LOG_RECORD_ADDRESS_SHIFT: u32 = 0;

/// address of the access, as the device gave it
pub const ACCESS_LOG_RECORD_ADDRESS_MASK: u64 = 0xffffffffffffffff;

/// the word of 64 bits of `requester`
pub const ACCESS_LOG_RECORD_REQUESTER_WORD: u32 = 1;

/// the lowest bit of `requester`
pub const ACCESS_LOG_RECORD_REQUESTER_SHIFT: u32 = 0;

/// requester id: bus, device, function (AA-06)
pub const ACCESS_LOG_RECORD_REQUESTER_MASK: u64 = 0x000000000000ffff;

/// the word of 64 bits of `tag`
pub const ACCESS_LOG_RECORD_TAG_WORD: u32 = 1;

/// the lowest bit of `tag`
pub const ACCESS_LOG_RECORD_TAG_SHIFT: u32 = 16;

/// transaction tag of the request
pub const ACCESS_LOG_RECORD_TAG_MASK: u64 = 0x0000000003ff0000;

/// the word of 64 bits of `iuid`
pub const ACCESS_LOG_RECORD_IUID_WORD: u32 = 1;

/// the lowest bit of `iuid`
pub const ACCESS_LOG_RECORD_IUID_SHIFT: u32 = 32;

/// user domain of the page, zero-extended (AA-08)
pub const ACCESS_LOG_RECORD_IUID_MASK: u64 = 0x0000ffff00000000;

/// the word of 64 bits of `length`
pub const ACCESS_LOG_RECORD_LENGTH_WORD: u32 = 1;

/// the lowest bit of `length`
pub const ACCESS_LOG_RECORD_LENGTH_SHIFT: u32 = 48;

/// bytes of the access: 0 to 4096 (Q-03, U-12)
pub const ACCESS_LOG_RECORD_LENGTH_MASK: u64 = 0xffff000000000000;

/// the word of 64 bits of `first_byte_enables`
pub const ACCESS_LOG_RECORD_FIRST_BYTE_ENABLES_WORD: u32 = 2;

/// the lowest bit of `first_byte_enables`
pub const ACCESS_LOG_RECORD_FIRST_BYTE_ENABLES_SHIFT: u32 = 0;

/// byte enables of the first double word
pub const ACCESS_LOG_RECORD_FIRST_BYTE_ENABLES_MASK: u64 = 0x000000000000000f;

/// the word of 64 bits of `last_byte_enables`
pub const ACCESS_LOG_RECORD_LAST_BYTE_ENABLES_WORD: u32 = 2;

/// the lowest bit of `last_byte_enables`
pub const ACCESS_LOG_RECORD_LAST_BYTE_ENABLES_SHIFT: u32 = 4;

/// byte enables of the last double word
pub const ACCESS_LOG_RECORD_LAST_BYTE_ENABLES_MASK: u64 = 0x00000000000000f0;

/// the word of 64 bits of `kind`
pub const ACCESS_LOG_RECORD_KIND_WORD: u32 = 2;

/// the lowest bit of `kind`
pub const ACCESS_LOG_RECORD_KIND_SHIFT: u32 = 8;

/// what the record tells of (Q-03, U-11)
pub const ACCESS_LOG_RECORD_KIND_MASK: u64 = 0x0000000000000f00;

/// a memory write
pub const ACCESS_LOG_RECORD_KIND_WRITE: u64 = 0x0000000000000000;

/// the operand of a FetchAdd
pub const ACCESS_LOG_RECORD_KIND_FETCH_ADD_OPERAND: u64 = 0x0000000000000001;

/// the operand of a Swap
pub const ACCESS_LOG_RECORD_KIND_SWAP_OPERAND: u64 = 0x0000000000000002;

/// the operands of a CAS
pub const ACCESS_LOG_RECORD_KIND_COMPARE_AND_SWAP_OPERANDS: u64 = 0x0000000000000003;

/// a memory read
pub const ACCESS_LOG_RECORD_KIND_READ: u64 = 0x0000000000000004;

/// the value that a FetchAdd returned
pub const ACCESS_LOG_RECORD_KIND_FETCH_ADD_OLD_VALUE: u64 = 0x0000000000000005;

/// the value that a Swap returned
pub const ACCESS_LOG_RECORD_KIND_SWAP_OLD_VALUE: u64 = 0x0000000000000006;

/// the value that a CAS returned
pub const ACCESS_LOG_RECORD_KIND_COMPARE_AND_SWAP_OLD_VALUE: u64 = 0x0000000000000007;

/// the word of 64 bits of `blocked`
pub const ACCESS_LOG_RECORD_BLOCKED_WORD: u32 = 2;

/// the lowest bit of `blocked`
pub const ACCESS_LOG_RECORD_BLOCKED_SHIFT: u32 = 12;

/// 1: the access had no effect (U-03)
pub const ACCESS_LOG_RECORD_BLOCKED_MASK: u64 = 0x0000000000001000;

/// the word of 64 bits of `has_data`
pub const ACCESS_LOG_RECORD_HAS_DATA_WORD: u32 = 2;

/// the lowest bit of `has_data`
pub const ACCESS_LOG_RECORD_HAS_DATA_SHIFT: u32 = 13;

/// 1: a payload of `length` bytes follows
pub const ACCESS_LOG_RECORD_HAS_DATA_MASK: u64 = 0x0000000000002000;

/// the word of 64 bits of `poisoned`
pub const ACCESS_LOG_RECORD_POISONED_WORD: u32 = 2;

/// the lowest bit of `poisoned`
pub const ACCESS_LOG_RECORD_POISONED_SHIFT: u32 = 14;

/// 1: the payload is incomplete and zero-filled
pub const ACCESS_LOG_RECORD_POISONED_MASK: u64 = 0x0000000000004000;

/// the word of 64 bits of `reason`
pub const ACCESS_LOG_RECORD_REASON_WORD: u32 = 2;

/// the lowest bit of `reason`
pub const ACCESS_LOG_RECORD_REASON_SHIFT: u32 = 16;

/// fault reason code (U-05, VT-d)
pub const ACCESS_LOG_RECORD_REASON_MASK: u64 = 0x0000000000ff0000;

/// the word of 64 bits of `log_sequence`
pub const ACCESS_LOG_RECORD_LOG_SEQUENCE_WORD: u32 = 2;

/// the lowest bit of `log_sequence`
pub const ACCESS_LOG_RECORD_LOG_SEQUENCE_SHIFT: u32 = 32;

/// number of the record in its log, modulo 2^32
pub const ACCESS_LOG_RECORD_LOG_SEQUENCE_MASK: u64 = 0xffffffff00000000;

/// the word of 64 bits of `global_sequence`
pub const ACCESS_LOG_RECORD_GLOBAL_SEQUENCE_WORD: u32 = 3;

/// the lowest bit of `global_sequence`
pub const ACCESS_LOG_RECORD_GLOBAL_SEQUENCE_SHIFT: u32 = 0;

/// number of the record in the unit, modulo 2^32
pub const ACCESS_LOG_RECORD_GLOBAL_SEQUENCE_MASK: u64 = 0x00000000ffffffff;

/// the word of 64 bits of `timestamp`
pub const ACCESS_LOG_RECORD_TIMESTAMP_WORD: u32 = 3;

/// the lowest bit of `timestamp`
pub const ACCESS_LOG_RECORD_TIMESTAMP_SHIFT: u32 = 32;

/// clock cycles, modulo 2^32; 0 where not built
pub const ACCESS_LOG_RECORD_TIMESTAMP_MASK: u64 = 0xffffffff00000000;

// `tlp`: first doubleword of a TLP header, whose first byte is the highest, 128 bits, little-endian.

/// bytes of the whole
pub const TLP_BYTES: u32 = 16;

/// the word of 64 bits of `length`
pub const TLP_LENGTH_WORD: u32 = 1;

/// the lowest bit of `length`
pub const TLP_LENGTH_SHIFT: u32 = 32;

/// doublewords of data, or asked for; 0: 1024 (PCIe 3.0, 2.2.1)
pub const TLP_LENGTH_MASK: u64 = 0x000003ff00000000;

/// the word of 64 bits of `address_type`
pub const TLP_ADDRESS_TYPE_WORD: u32 = 1;

/// the lowest bit of `address_type`
pub const TLP_ADDRESS_TYPE_SHIFT: u32 = 42;

/// AT; 0: untranslated (PCIe 3.0, 2.2.4.1)
pub const TLP_ADDRESS_TYPE_MASK: u64 = 0x00000c0000000000;

/// the word of 64 bits of `no_snoop`
pub const TLP_NO_SNOOP_WORD: u32 = 1;

/// the lowest bit of `no_snoop`
pub const TLP_NO_SNOOP_SHIFT: u32 = 44;

/// Attr[0]: no snoop (PCIe 3.0, 2.2.6.5)
pub const TLP_NO_SNOOP_MASK: u64 = 0x0000100000000000;

/// the word of 64 bits of `relaxed_ordering`
pub const TLP_RELAXED_ORDERING_WORD: u32 = 1;

/// the lowest bit of `relaxed_ordering`
pub const TLP_RELAXED_ORDERING_SHIFT: u32 = 45;

/// Attr[1]: relaxed ordering (PCIe 3.0, 2.2.6.4)
pub const TLP_RELAXED_ORDERING_MASK: u64 = 0x0000200000000000;

/// the word of 64 bits of `poisoned`
pub const TLP_POISONED_WORD: u32 = 1;

/// the lowest bit of `poisoned`
pub const TLP_POISONED_SHIFT: u32 = 46;

/// EP: the data is poisoned (PCIe 3.0, 2.7.2)
pub const TLP_POISONED_MASK: u64 = 0x0000400000000000;

/// the word of 64 bits of `digest`
pub const TLP_DIGEST_WORD: u32 = 1;

/// the lowest bit of `digest`
pub const TLP_DIGEST_SHIFT: u32 = 47;

/// TD: a digest follows the data (PCIe 3.0, 2.2.3)
pub const TLP_DIGEST_MASK: u64 = 0x0000800000000000;

/// the word of 64 bits of `has_hints`
pub const TLP_HAS_HINTS_WORD: u32 = 1;

/// the lowest bit of `has_hints`
pub const TLP_HAS_HINTS_SHIFT: u32 = 48;

/// TH: processing hints are there (PCIe 3.0, 2.2.7.1)
pub const TLP_HAS_HINTS_MASK: u64 = 0x0001000000000000;

/// the word of 64 bits of `lightweight_notification`
pub const TLP_LIGHTWEIGHT_NOTIFICATION_WORD: u32 = 1;

/// the lowest bit of `lightweight_notification`
pub const TLP_LIGHTWEIGHT_NOTIFICATION_SHIFT: u32 = 49;

/// LN, not interpreted (PCIe 3.1, 2.2.1)
pub const TLP_LIGHTWEIGHT_NOTIFICATION_MASK: u64 = 0x0002000000000000;

/// the word of 64 bits of `id_ordering`
pub const TLP_ID_ORDERING_WORD: u32 = 1;

/// the lowest bit of `id_ordering`
pub const TLP_ID_ORDERING_SHIFT: u32 = 50;

/// Attr[2]: id-based ordering (PCIe 3.0, 2.2.6.4)
pub const TLP_ID_ORDERING_MASK: u64 = 0x0004000000000000;

/// the word of 64 bits of `tag_8`
pub const TLP_TAG_8_WORD: u32 = 1;

/// the lowest bit of `tag_8`
pub const TLP_TAG_8_SHIFT: u32 = 51;

/// bit 8 of a tag of ten bits (PCIe 4.0, 2.2.6.2)
pub const TLP_TAG_8_MASK: u64 = 0x0008000000000000;

/// the word of 64 bits of `traffic_class`
pub const TLP_TRAFFIC_CLASS_WORD: u32 = 1;

/// the lowest bit of `traffic_class`
pub const TLP_TRAFFIC_CLASS_SHIFT: u32 = 52;

/// TC: traffic class (PCIe 3.0, 2.2.6.6)
pub const TLP_TRAFFIC_CLASS_MASK: u64 = 0x0070000000000000;

/// the word of 64 bits of `tag_9`
pub const TLP_TAG_9_WORD: u32 = 1;

/// the lowest bit of `tag_9`
pub const TLP_TAG_9_SHIFT: u32 = 55;

/// bit 9 of a tag of ten bits (PCIe 4.0, 2.2.6.2)
pub const TLP_TAG_9_MASK: u64 = 0x0080000000000000;

/// the word of 64 bits of `format`
pub const TLP_FORMAT_WORD: u32 = 1;

/// the lowest bit of `format`
pub const TLP_FORMAT_SHIFT: u32 = 56;

/// Fmt and Type (PCIe 3.0, 2.2.1)
pub const TLP_FORMAT_MASK: u64 = 0xff00000000000000;

/// MRd; bits 0x20 are free
pub const TLP_FORMAT_MRD: u64 = 0x0000000000000000;

/// MRdLk; bits 0x20 are free
pub const TLP_FORMAT_MRDLK: u64 = 0x0000000000000001;

/// MWr; bits 0x20 are free
pub const TLP_FORMAT_MWR: u64 = 0x0000000000000040;

/// IORd
pub const TLP_FORMAT_IORD: u64 = 0x0000000000000002;

/// IOWr
pub const TLP_FORMAT_IOWR: u64 = 0x0000000000000042;

/// CfgRd0
pub const TLP_FORMAT_CFGRD0: u64 = 0x0000000000000004;

/// CfgWr0
pub const TLP_FORMAT_CFGWR0: u64 = 0x0000000000000044;

/// CfgRd1
pub const TLP_FORMAT_CFGRD1: u64 = 0x0000000000000005;

/// CfgWr1
pub const TLP_FORMAT_CFGWR1: u64 = 0x0000000000000045;

/// Msg; bits 0x07 are free
pub const TLP_FORMAT_MSG: u64 = 0x0000000000000030;

/// MsgD; bits 0x07 are free
pub const TLP_FORMAT_MSGD: u64 = 0x0000000000000070;

/// Cpl
pub const TLP_FORMAT_CPL: u64 = 0x000000000000000a;

/// CplD
pub const TLP_FORMAT_CPLD: u64 = 0x000000000000004a;

/// CplLk
pub const TLP_FORMAT_CPLLK: u64 = 0x000000000000000b;

/// CplDLk
pub const TLP_FORMAT_CPLDLK: u64 = 0x000000000000004b;

/// FetchAdd; bits 0x20 are free
pub const TLP_FORMAT_FETCHADD: u64 = 0x000000000000004c;

/// Swap; bits 0x20 are free
pub const TLP_FORMAT_SWAP: u64 = 0x000000000000004d;

/// CAS; bits 0x20 are free
pub const TLP_FORMAT_CAS: u64 = 0x000000000000004e;

// `tlp_request_3dw`: request with a header of three doublewords, after the first, 128 bits, little-endian.

/// bytes of the whole
pub const TLP_REQUEST_3DW_BYTES: u32 = 16;

/// the word of 64 bits of `hint`
pub const TLP_REQUEST_3DW_HINT_WORD: u32 = 0;

/// the lowest bit of `hint`
pub const TLP_REQUEST_3DW_HINT_SHIFT: u32 = 32;

/// PH: processing hint (PCIe 3.0, 2.2.7.1)
pub const TLP_REQUEST_3DW_HINT_MASK: u64 = 0x0000000300000000;

/// the word of 64 bits of `address`
pub const TLP_REQUEST_3DW_ADDRESS_WORD: u32 = 0;

/// the lowest bit of `address`
pub const TLP_REQUEST_3DW_ADDRESS_SHIFT: u32 = 34;

/// bits 31:2 of the address (PCIe 3.0, 2.2.4.1)
pub const TLP_REQUEST_3DW_ADDRESS_MASK: u64 = 0xfffffffc00000000;

/// the word of 64 bits of `first_byte_enables`
pub const TLP_REQUEST_3DW_FIRST_BYTE_ENABLES_WORD: u32 = 1;

/// the lowest bit of `first_byte_enables`
pub const TLP_REQUEST_3DW_FIRST_BYTE_ENABLES_SHIFT: u32 = 0;

/// 1st DW BE (PCIe 3.0, 2.2.5)
pub const TLP_REQUEST_3DW_FIRST_BYTE_ENABLES_MASK: u64 = 0x000000000000000f;

/// the word of 64 bits of `last_byte_enables`
pub const TLP_REQUEST_3DW_LAST_BYTE_ENABLES_WORD: u32 = 1;

/// the lowest bit of `last_byte_enables`
pub const TLP_REQUEST_3DW_LAST_BYTE_ENABLES_SHIFT: u32 = 4;

/// Last DW BE (PCIe 3.0, 2.2.5)
pub const TLP_REQUEST_3DW_LAST_BYTE_ENABLES_MASK: u64 = 0x00000000000000f0;

/// the word of 64 bits of `tag`
pub const TLP_REQUEST_3DW_TAG_WORD: u32 = 1;

/// the lowest bit of `tag`
pub const TLP_REQUEST_3DW_TAG_SHIFT: u32 = 8;

/// bits 7:0 of the tag; of a write with hints, the steering tag (PCIe 3.0, 2.2.6.2)
pub const TLP_REQUEST_3DW_TAG_MASK: u64 = 0x000000000000ff00;

/// the word of 64 bits of `requester`
pub const TLP_REQUEST_3DW_REQUESTER_WORD: u32 = 1;

/// the lowest bit of `requester`
pub const TLP_REQUEST_3DW_REQUESTER_SHIFT: u32 = 16;

/// requester id: bus, device, function (PCIe 3.0, 2.2.6.2)
pub const TLP_REQUEST_3DW_REQUESTER_MASK: u64 = 0x00000000ffff0000;

// `tlp_request_4dw`: request with a header of four doublewords, after the first, 128 bits, little-endian.

/// bytes of the whole
pub const TLP_REQUEST_4DW_BYTES: u32 = 16;

/// the word of 64 bits of `hint`
pub const TLP_REQUEST_4DW_HINT_WORD: u32 = 0;

/// the lowest bit of `hint`
pub const TLP_REQUEST_4DW_HINT_SHIFT: u32 = 0;

/// PH: processing hint (PCIe 3.0, 2.2.7.1)
pub const TLP_REQUEST_4DW_HINT_MASK: u64 = 0x0000000000000003;

/// the word of 64 bits of `address`
pub const TLP_REQUEST_4DW_ADDRESS_WORD: u32 = 0;

/// the lowest bit of `address`
pub const TLP_REQUEST_4DW_ADDRESS_SHIFT: u32 = 2;

/// bits 63:2 of the address (PCIe 3.0, 2.2.4.1)
pub const TLP_REQUEST_4DW_ADDRESS_MASK: u64 = 0xfffffffffffffffc;

/// the word of 64 bits of `first_byte_enables`
pub const TLP_REQUEST_4DW_FIRST_BYTE_ENABLES_WORD: u32 = 1;

/// the lowest bit of `first_byte_enables`
pub const TLP_REQUEST_4DW_FIRST_BYTE_ENABLES_SHIFT: u32 = 0;

/// 1st DW BE (PCIe 3.0, 2.2.5)
pub const TLP_REQUEST_4DW_FIRST_BYTE_ENABLES_MASK: u64 = 0x000000000000000f;

/// the word of 64 bits of `last_byte_enables`
pub const TLP_REQUEST_4DW_LAST_BYTE_ENABLES_WORD: u32 = 1;

/// the lowest bit of `last_byte_enables`
pub const TLP_REQUEST_4DW_LAST_BYTE_ENABLES_SHIFT: u32 = 4;

/// Last DW BE (PCIe 3.0, 2.2.5)
pub const TLP_REQUEST_4DW_LAST_BYTE_ENABLES_MASK: u64 = 0x00000000000000f0;

/// the word of 64 bits of `tag`
pub const TLP_REQUEST_4DW_TAG_WORD: u32 = 1;

/// the lowest bit of `tag`
pub const TLP_REQUEST_4DW_TAG_SHIFT: u32 = 8;

/// bits 7:0 of the tag; of a write with hints, the steering tag (PCIe 3.0, 2.2.6.2)
pub const TLP_REQUEST_4DW_TAG_MASK: u64 = 0x000000000000ff00;

/// the word of 64 bits of `requester`
pub const TLP_REQUEST_4DW_REQUESTER_WORD: u32 = 1;

/// the lowest bit of `requester`
pub const TLP_REQUEST_4DW_REQUESTER_SHIFT: u32 = 16;

/// requester id: bus, device, function (PCIe 3.0, 2.2.6.2)
pub const TLP_REQUEST_4DW_REQUESTER_MASK: u64 = 0x00000000ffff0000;

// `tlp_message`: message, after the first doubleword, 128 bits, little-endian.

/// bytes of the whole
pub const TLP_MESSAGE_BYTES: u32 = 16;

/// the word of 64 bits of `code`
pub const TLP_MESSAGE_CODE_WORD: u32 = 1;

/// the lowest bit of `code`
pub const TLP_MESSAGE_CODE_SHIFT: u32 = 0;

/// Message Code (PCIe 3.0, 2.2.8)
pub const TLP_MESSAGE_CODE_MASK: u64 = 0x00000000000000ff;

/// the word of 64 bits of `tag`
pub const TLP_MESSAGE_TAG_WORD: u32 = 1;

/// the lowest bit of `tag`
pub const TLP_MESSAGE_TAG_SHIFT: u32 = 8;

/// bits 7:0 of the tag (PCIe 3.0, 2.2.8)
pub const TLP_MESSAGE_TAG_MASK: u64 = 0x000000000000ff00;

/// the word of 64 bits of `requester`
pub const TLP_MESSAGE_REQUESTER_WORD: u32 = 1;

/// the lowest bit of `requester`
pub const TLP_MESSAGE_REQUESTER_SHIFT: u32 = 16;

/// requester id: bus, device, function (PCIe 3.0, 2.2.8)
pub const TLP_MESSAGE_REQUESTER_MASK: u64 = 0x00000000ffff0000;

// `tlp_completion`: completion, after the first doubleword, 128 bits, little-endian.

/// bytes of the whole
pub const TLP_COMPLETION_BYTES: u32 = 16;

/// the word of 64 bits of `lower_address`
pub const TLP_COMPLETION_LOWER_ADDRESS_WORD: u32 = 0;

/// the lowest bit of `lower_address`
pub const TLP_COMPLETION_LOWER_ADDRESS_SHIFT: u32 = 32;

/// bits 6:0 of the address of the first byte (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_LOWER_ADDRESS_MASK: u64 = 0x0000007f00000000;

/// the word of 64 bits of `tag`
pub const TLP_COMPLETION_TAG_WORD: u32 = 0;

/// the lowest bit of `tag`
pub const TLP_COMPLETION_TAG_SHIFT: u32 = 40;

/// bits 7:0 of the tag of the request (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_TAG_MASK: u64 = 0x0000ff0000000000;

/// the word of 64 bits of `requester`
pub const TLP_COMPLETION_REQUESTER_WORD: u32 = 0;

/// the lowest bit of `requester`
pub const TLP_COMPLETION_REQUESTER_SHIFT: u32 = 48;

/// requester id of the request (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_REQUESTER_MASK: u64 = 0xffff000000000000;

/// the word of 64 bits of `byte_count`
pub const TLP_COMPLETION_BYTE_COUNT_WORD: u32 = 1;

/// the lowest bit of `byte_count`
pub const TLP_COMPLETION_BYTE_COUNT_SHIFT: u32 = 0;

/// bytes still to come, these included; 0: 4096 (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_BYTE_COUNT_MASK: u64 = 0x0000000000000fff;

/// the word of 64 bits of `byte_count_modified`
pub const TLP_COMPLETION_BYTE_COUNT_MODIFIED_WORD: u32 = 1;

/// the lowest bit of `byte_count_modified`
pub const TLP_COMPLETION_BYTE_COUNT_MODIFIED_SHIFT: u32 = 12;

/// BCM, of bridges to PCI-X (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_BYTE_COUNT_MODIFIED_MASK: u64 = 0x0000000000001000;

/// the word of 64 bits of `status`
pub const TLP_COMPLETION_STATUS_WORD: u32 = 1;

/// the lowest bit of `status`
pub const TLP_COMPLETION_STATUS_SHIFT: u32 = 13;

/// Completion Status (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_STATUS_MASK: u64 = 0x000000000000e000;

/// SC
pub const TLP_COMPLETION_STATUS_SUCCESSFUL: u64 = 0x0000000000000000;

/// UR
pub const TLP_COMPLETION_STATUS_UNSUPPORTED_REQUEST: u64 = 0x0000000000000001;

/// CRS
pub const TLP_COMPLETION_STATUS_CONFIGURATION_RETRY: u64 = 0x0000000000000002;

/// CA
pub const TLP_COMPLETION_STATUS_COMPLETER_ABORT: u64 = 0x0000000000000004;

/// the word of 64 bits of `completer`
pub const TLP_COMPLETION_COMPLETER_WORD: u32 = 1;

/// the lowest bit of `completer`
pub const TLP_COMPLETION_COMPLETER_SHIFT: u32 = 16;

/// completer id: bus, device, function (PCIe 3.0, 2.2.9)
pub const TLP_COMPLETION_COMPLETER_MASK: u64 = 0x00000000ffff0000;

// Fault reasons: those of VT-d below 0xc0, and ours.

/// the root entry of the bus is not present
pub const FAULT_REASON_ROOT_ENTRY_NOT_PRESENT: u8 = 0x01;

/// the context entry of the requester is not present
pub const FAULT_REASON_CONTEXT_ENTRY_NOT_PRESENT: u8 = 0x02;

/// the context entry holds an unsupported address width or translation type
pub const FAULT_REASON_INVALID_CONTEXT_ENTRY: u8 = 0x03;

/// the address is beyond what the domain can address
pub const FAULT_REASON_ADDRESS_BEYOND_WIDTH: u8 = 0x04;

/// a write or AtomicOp lacks write permission
pub const FAULT_REASON_WRITE_NOT_PERMITTED: u8 = 0x05;

/// a read or AtomicOp lacks read permission
pub const FAULT_REASON_READ_NOT_PERMITTED: u8 = 0x06;

/// a paging entry could not be read
pub const FAULT_REASON_PAGING_ENTRY_UNREACHABLE: u8 = 0x07;

/// a root entry could not be read
pub const FAULT_REASON_ROOT_ENTRY_UNREACHABLE: u8 = 0x08;

/// a context entry could not be read
pub const FAULT_REASON_CONTEXT_ENTRY_UNREACHABLE: u8 = 0x09;

/// a present root entry has a reserved bit set
pub const FAULT_REASON_ROOT_ENTRY_RESERVED: u8 = 0x0a;

/// a present context entry has a reserved bit set
pub const FAULT_REASON_CONTEXT_ENTRY_RESERVED: u8 = 0x0b;

/// a present paging entry has a reserved bit set
pub const FAULT_REASON_PAGING_ENTRY_RESERVED: u8 = 0x0c;

/// the domain takes no translated or translation requests
pub const FAULT_REASON_TRANSLATED_REQUEST_BLOCKED: u8 = 0x0d;

/// a write that took effect is logged
pub const FAULT_REASON_LOGGED_WRITE: u8 = 0xc0;

/// a read that took effect is logged
pub const FAULT_REASON_LOGGED_READ: u8 = 0xc1;

/// the user domain of the page has no valid access log
pub const FAULT_REASON_NO_ACCESS_LOG: u8 = 0xc2;

/// Fmt and Type of the header mean no TLP
pub const FAULT_REASON_UNDEFINED_TLP: u8 = 0xd0;

/// the prefix is none that the unit knows, or not for this TLP
pub const FAULT_REASON_UNSUPPORTED_PREFIX: u8 = 0xd1;

/// the traffic class is not 0, as this TLP wants
pub const FAULT_REASON_TRAFFIC_CLASS: u8 = 0xd2;

/// an I/O or configuration request is not of one doubleword
pub const FAULT_REASON_SINGLE_DOUBLEWORD: u8 = 0xd3;

/// the attributes or the address type of an I/O or configuration request are not 0
pub const FAULT_REASON_ATTRIBUTES: u8 = 0xd4;

/// the payload is larger than the maximum payload size
pub const FAULT_REASON_PAYLOAD_TOO_LARGE: u8 = 0xd5;

/// an address below 4 GiB has a header of four doublewords
pub const FAULT_REASON_LONG_ADDRESS: u8 = 0xd6;

/// a memory request crosses a 4 KiB boundary
pub const FAULT_REASON_CROSSES_BOUNDARY: u8 = 0xd7;

/// the byte enables are not allowed with this length
pub const FAULT_REASON_BYTE_ENABLES: u8 = 0xd8;

/// the length of an AtomicOp is none of its operand sizes
pub const FAULT_REASON_OPERAND_LENGTH: u8 = 0xd9;

/// the address of an AtomicOp is not aligned to its operand
pub const FAULT_REASON_OPERAND_ALIGNMENT: u8 = 0xda;

/// a completion carries more than its byte count
pub const FAULT_REASON_COMPLETION_LENGTH: u8 = 0xdb;

/// the tag has more bits than the unit keeps
pub const FAULT_REASON_TAG_TOO_WIDE: u8 = 0xe0;

/// a request has a PASID
pub const FAULT_REASON_PASID_REQUEST: u8 = 0xe1;

/// I/O requests are not supported
pub const FAULT_REASON_IO_REQUEST: u8 = 0xe2;

/// configuration requests are not supported
pub const FAULT_REASON_CONFIGURATION_REQUEST: u8 = 0xe3;

/// locked reads are not supported
pub const FAULT_REASON_LOCKED_READ: u8 = 0xe4;

/// AtomicOps are not supported
pub const FAULT_REASON_ATOMIC_OP: u8 = 0xe5;

/// addresses 0xFEEx_xxxx can be written only
pub const FAULT_REASON_INTERRUPT_RANGE: u8 = 0xe6;

/// a read asks for more than the maximum read request size
pub const FAULT_REASON_READ_TOO_LARGE: u8 = 0xe7;

/// a device sends no messages of this routing
pub const FAULT_REASON_MESSAGE_ROUTING: u8 = 0xe8;

// `active_access/access_log_table`: programming window of the access-log table (AA-15, Q-33).

/// bytes of the window
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BYTES: u32 = 64;

/// the entry that the next command is about (AA-15)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_OFFSET: u32 = 0x00000000;

/// `index` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_RESET: u32 = 0x00000000;

/// the lowest bit of `index`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_INDEX_SHIFT: u32 = 0;

/// index of the entry; from access_log_table.entries on, refused with status.index (AA-15; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_INDEX_MASK: u32 = 0x0000ffff;

/// the user domain that owns the log (AA-08)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_OFFSET: u32 = 0x00000004;

/// `iuid` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_RESET: u32 = 0x00000000;

/// the lowest bit of `iuid`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_IUID_SHIFT: u32 = 0;

/// user domain; beyond pte.iuid_bits, refused with status.too_wide (AA-08; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_IUID_MASK: u32 = 0x0000ffff;

/// physical address of the ring, low half (AA-15)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_OFFSET: u32 = 0x00000008;

/// `base_low` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_RESET: u32 = 0x00000000;

/// the lowest bit of `address`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_ADDRESS_SHIFT: u32 = 0;

/// bits 31:0; a multiple of the granule, 4 in compact mode, else refused with status.unaligned (AA-15; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_ADDRESS_MASK: u32 = 0xffffffff;

/// physical address of the ring, high half (AA-15)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_OFFSET: u32 = 0x0000000c;

/// `base_high` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_RESET: u32 = 0x00000000;

/// the lowest bit of `address`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_ADDRESS_SHIFT: u32 = 0;

/// bits 63:32; beyond access_log_table.address_bits, refused with status.too_wide (AA-15; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_ADDRESS_MASK: u32 = 0xffffffff;

/// physical address where the next record starts, low half (AA-15, Q-01)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_OFFSET: u32 = 0x00000010;

/// `head_low` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_RESET: u32 = 0x00000000;

/// the lowest bit of `address`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_ADDRESS_SHIFT: u32 = 0;

/// bits 31:0; a multiple of the granule, and in the ring (AA-15, Q-01; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_ADDRESS_MASK: u32 = 0xffffffff;

/// physical address where the next record starts, high half (AA-15, Q-01)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_OFFSET: u32 = 0x00000014;

/// `head_high` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_RESET: u32 = 0x00000000;

/// the lowest bit of `address`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_ADDRESS_SHIFT: u32 = 0;

/// bits 63:32; beyond access_log_table.address_bits, refused with status.too_wide (AA-15, Q-01; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_ADDRESS_MASK: u32 = 0xffffffff;

/// physical address where the consumer reads next, low half (AA-15, Q-01)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_OFFSET: u32 = 0x00000018;

/// `tail_low` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_RESET: u32 = 0x00000000;

/// the lowest bit of `address`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_ADDRESS_SHIFT: u32 = 0;

/// bits 31:0; a multiple of the granule, and in the ring (AA-15, Q-01; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_ADDRESS_MASK: u32 = 0xffffffff;

/// physical address where the consumer reads next, high half (AA-15, Q-01)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_OFFSET: u32 = 0x0000001c;

/// `tail_high` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_RESET: u32 = 0x00000000;

/// the lowest bit of `address`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_ADDRESS_SHIFT: u32 = 0;

/// bits 63:32; beyond access_log_table.address_bits, refused with status.too_wide (AA-15, Q-01; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_ADDRESS_MASK: u32 = 0xffffffff;

/// size of the ring (AA-15)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_OFFSET: u32 = 0x00000020;

/// `size` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_RESET: u32 = 0x00000000;

/// the lowest bit of `bytes`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_BYTES_SHIFT: u32 = 0;

/// bytes; a multiple of the granule that holds the largest record and one granule (AA-15; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_BYTES_MASK: u32 = 0xffffffff;

/// how the log is written
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_OFFSET: u32 = 0x00000024;

/// `policy` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_RESET: u32 = 0x00000000;

/// the lowest bit of `compact`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_SHIFT: u32 = 0;

/// what a record is made of (Q-04, Q-14; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_MASK: u32 = 0x00000001;

/// a header of 32 bytes and the payload, padded to a granule
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_WHOLE_RECORDS: u32 = 0x00000000;

/// the payload alone, in granules of 4 bytes
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_PAYLOAD_ONLY: u32 = 0x00000001;

/// the lowest bit of `drop`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_SHIFT: u32 = 1;

/// what happens when the log is full (Q-04, Q-14; RW)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_MASK: u32 = 0x00000002;

/// the access waits, and what PCIe orders behind it
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_STALL: u32 = 0x00000000;

/// the record is dropped and counted
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_DROP: u32 = 0x00000001;

/// what to do with the entry (AA-15)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OFFSET: u32 = 0x00000028;

/// `command` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_RESET: u32 = 0x00000000;

/// the lowest bit of `operation`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_SHIFT: u32 = 0;

/// the operation; it starts when it is written (AA-15; WO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_MASK: u32 = 0x00000003;

/// nothing
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_NONE: u32 = 0x00000000;

/// writes the descriptor into the entry and makes it valid, or says in status why not
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_PROGRAM: u32 = 0x00000001;

/// makes the entry invalid; does nothing to an invalid one
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_INVALIDATE: u32 = 0x00000002;

/// why the last program command was refused; 0 means that it was accepted (AA-15)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_OFFSET: u32 = 0x0000002c;

/// `status` after reset
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_RESET: u32 = 0x00000000;

/// the lowest bit of `index`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_INDEX_SHIFT: u32 = 0;

/// 1: the table has no entry of that index (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_INDEX_MASK: u32 = 0x00000001;

/// the lowest bit of `enabled`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ENABLED_SHIFT: u32 = 1;

/// 1: the entry is valid: invalidate it first (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ENABLED_MASK: u32 = 0x00000002;

/// the lowest bit of `duplicate`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_DUPLICATE_SHIFT: u32 = 2;

/// 1: another valid entry has the user domain (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_DUPLICATE_MASK: u32 = 0x00000004;

/// the lowest bit of `unaligned`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_UNALIGNED_SHIFT: u32 = 3;

/// 1: base, head, tail or size is no multiple of the granule (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_UNALIGNED_MASK: u32 = 0x00000008;

/// the lowest bit of `zero_size`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ZERO_SIZE_SHIFT: u32 = 4;

/// 1: the size is 0 (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ZERO_SIZE_MASK: u32 = 0x00000010;

/// the lowest bit of `too_small`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_SMALL_SHIFT: u32 = 5;

/// 1: the ring does not hold the largest record and one granule (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_SMALL_MASK: u32 = 0x00000020;

/// the lowest bit of `outside`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_OUTSIDE_SHIFT: u32 = 6;

/// 1: head or tail is outside the ring, or the ring leaves the address space (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_OUTSIDE_MASK: u32 = 0x00000040;

/// the lowest bit of `too_wide`
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_WIDE_SHIFT: u32 = 7;

/// 1: an address, the size or the user domain has more bits than the unit was built with (AA-15; RO)
pub const ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_WIDE_MASK: u32 = 0x00000080;
