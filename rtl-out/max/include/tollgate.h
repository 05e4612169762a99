/* Tollgate, configuration `max`: what software and hardware agree on.
 * Generated: change the specification and build again. */
#ifndef TOLLGATE_H
#define TOLLGATE_H

#include <stdint.h>

/* The name of this configuration. */
#define TOLLGATE_CONFIGURATION "max"

/* Sizes of this configuration. */

#define TOLLGATE_HOST_ADDRESS_BITS UINT32_C(52) /* bits of a physical address of the host */
#define TOLLGATE_IUID_BITS UINT32_C(10) /* bits of a user domain */
#define TOLLGATE_ACCESS_LOGS UINT32_C(64) /* access logs that may be open at a time */
#define TOLLGATE_ACCESS_LOG_ADDRESS_BITS UINT32_C(64) /* bits of base, head and tail of a log */
#define TOLLGATE_ACCESS_LOG_SIZE_BITS UINT32_C(32) /* bits of the size of a log in bytes */
#define TOLLGATE_ACCESS_LOG_GRANULE_BYTES UINT32_C(32) /* what records are aligned and padded to */
#define TOLLGATE_ACCESS_LOG_COMPACT_GRANULE_BYTES UINT32_C(4) /* the same in compact mode */
#define TOLLGATE_ACCESS_LOG_LARGEST_PAYLOAD_BYTES UINT32_C(4096) /* largest payload of a record */
#define TOLLGATE_ACCESS_LOG_SMALLEST_RING_BYTES UINT32_C(4160) /* smallest ring that is accepted */
#define TOLLGATE_ACCESS_LOG_COMPACT_SMALLEST_RING_BYTES UINT32_C(4100) /* the same in compact mode */
#define TOLLGATE_TLP_TAG_BITS UINT32_C(10) /* bits of a transaction tag */
#define TOLLGATE_TLP_MAX_PAYLOAD_BYTES UINT32_C(4096) /* Max_Payload_Size */
#define TOLLGATE_TLP_MAX_READ_REQUEST_BYTES UINT32_C(4096) /* Max_Read_Request_Size */

/* `pte_4k_leaf`: leaf of level 1, 64 bits, little-endian. */

#define TOLLGATE_PTE_4K_LEAF_BYTES UINT32_C(8) /* bytes of the whole */
#define TOLLGATE_PTE_4K_LEAF_READ_SHIFT UINT32_C(0) /* the lowest bit of `read` */
#define TOLLGATE_PTE_4K_LEAF_READ_MASK UINT64_C(0x0000000000000001) /* R: reads are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_4K_LEAF_WRITE_SHIFT UINT32_C(1) /* the lowest bit of `write` */
#define TOLLGATE_PTE_4K_LEAF_WRITE_MASK UINT64_C(0x0000000000000002) /* W: writes are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_4K_LEAF_WRITE_LOG_SHIFT UINT32_C(7) /* the lowest bit of `write_log` */
#define TOLLGATE_PTE_4K_LEAF_WRITE_LOG_MASK UINT64_C(0x0000000000000080) /* WL: writes are recorded (AA-10) */
#define TOLLGATE_PTE_4K_LEAF_WRITE_LOG_DATA_SHIFT UINT32_C(8) /* the lowest bit of `write_log_data` */
#define TOLLGATE_PTE_4K_LEAF_WRITE_LOG_DATA_MASK UINT64_C(0x0000000000000100) /* WLD: writes are recorded with their data (AA-10) */
#define TOLLGATE_PTE_4K_LEAF_READ_LOG_SHIFT UINT32_C(9) /* the lowest bit of `read_log` */
#define TOLLGATE_PTE_4K_LEAF_READ_LOG_MASK UINT64_C(0x0000000000000200) /* RL: reads are recorded (AA-10) */
#define TOLLGATE_PTE_4K_LEAF_READ_LOG_DATA_SHIFT UINT32_C(10) /* the lowest bit of `read_log_data` */
#define TOLLGATE_PTE_4K_LEAF_READ_LOG_DATA_MASK UINT64_C(0x0000000000000400) /* RLD: reads are recorded with the data they return (AA-10) */
#define TOLLGATE_PTE_4K_LEAF_SNOOP_SHIFT UINT32_C(11) /* the lowest bit of `snoop` */
#define TOLLGATE_PTE_4K_LEAF_SNOOP_MASK UINT64_C(0x0000000000000800) /* SNP, not interpreted by this unit (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_4K_LEAF_ADDRESS_SHIFT UINT32_C(12) /* the lowest bit of `address` */
#define TOLLGATE_PTE_4K_LEAF_ADDRESS_MASK UINT64_C(0x000ffffffffff000) /* bits of the address of the page (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_4K_LEAF_IUID_SHIFT UINT32_C(52) /* the lowest bit of `iuid` */
#define TOLLGATE_PTE_4K_LEAF_IUID_MASK UINT64_C(0x3ff0000000000000) /* IUID: the user domain of the page (AA-08) */
#define TOLLGATE_PTE_4K_LEAF_TRANSIENT_MAPPING_SHIFT UINT32_C(62) /* the lowest bit of `transient_mapping` */
#define TOLLGATE_PTE_4K_LEAF_TRANSIENT_MAPPING_MASK UINT64_C(0x4000000000000000) /* TM, not interpreted by this unit (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_4K_LEAF_ACTIVE_DESTINATION_SHIFT UINT32_C(63) /* the lowest bit of `active_destination` */
#define TOLLGATE_PTE_4K_LEAF_ACTIVE_DESTINATION_MASK UINT64_C(0x8000000000000000) /* E: where records go (AA-11) */
#define TOLLGATE_PTE_4K_LEAF_ACTIVE_DESTINATION_FAULT_LOG UINT64_C(0x0000000000000000) /* the fault log of the system, without data */
#define TOLLGATE_PTE_4K_LEAF_ACTIVE_DESTINATION_ACCESS_LOG UINT64_C(0x0000000000000001) /* the access log of the user domain */

/* `pte_2m_leaf`: leaf of level 2, 64 bits, little-endian. */

#define TOLLGATE_PTE_2M_LEAF_BYTES UINT32_C(8) /* bytes of the whole */
#define TOLLGATE_PTE_2M_LEAF_READ_SHIFT UINT32_C(0) /* the lowest bit of `read` */
#define TOLLGATE_PTE_2M_LEAF_READ_MASK UINT64_C(0x0000000000000001) /* R: reads are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_2M_LEAF_WRITE_SHIFT UINT32_C(1) /* the lowest bit of `write` */
#define TOLLGATE_PTE_2M_LEAF_WRITE_MASK UINT64_C(0x0000000000000002) /* W: writes are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_2M_LEAF_PAGE_SIZE_SHIFT UINT32_C(7) /* the lowest bit of `page_size` */
#define TOLLGATE_PTE_2M_LEAF_PAGE_SIZE_MASK UINT64_C(0x0000000000000080) /* 1: a leaf (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_2M_LEAF_SNOOP_SHIFT UINT32_C(11) /* the lowest bit of `snoop` */
#define TOLLGATE_PTE_2M_LEAF_SNOOP_MASK UINT64_C(0x0000000000000800) /* SNP, not interpreted by this unit (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_2M_LEAF_ADDRESS_SHIFT UINT32_C(21) /* the lowest bit of `address` */
#define TOLLGATE_PTE_2M_LEAF_ADDRESS_MASK UINT64_C(0x000fffffffe00000) /* bits of the address of the page (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_2M_LEAF_IUID_SHIFT UINT32_C(52) /* the lowest bit of `iuid` */
#define TOLLGATE_PTE_2M_LEAF_IUID_MASK UINT64_C(0x3ff0000000000000) /* IUID: the user domain of the page (AA-08) */
#define TOLLGATE_PTE_2M_LEAF_TRANSIENT_MAPPING_SHIFT UINT32_C(62) /* the lowest bit of `transient_mapping` */
#define TOLLGATE_PTE_2M_LEAF_TRANSIENT_MAPPING_MASK UINT64_C(0x4000000000000000) /* TM, not interpreted by this unit (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_2M_LEAF_ACTIVE_DESTINATION_SHIFT UINT32_C(63) /* the lowest bit of `active_destination` */
#define TOLLGATE_PTE_2M_LEAF_ACTIVE_DESTINATION_MASK UINT64_C(0x8000000000000000) /* E: where records go (AA-11) */
#define TOLLGATE_PTE_2M_LEAF_ACTIVE_DESTINATION_FAULT_LOG UINT64_C(0x0000000000000000) /* the fault log of the system, without data */
#define TOLLGATE_PTE_2M_LEAF_ACTIVE_DESTINATION_ACCESS_LOG UINT64_C(0x0000000000000001) /* the access log of the user domain */

/* `pte_1g_leaf`: leaf of level 3, 64 bits, little-endian. */

#define TOLLGATE_PTE_1G_LEAF_BYTES UINT32_C(8) /* bytes of the whole */
#define TOLLGATE_PTE_1G_LEAF_READ_SHIFT UINT32_C(0) /* the lowest bit of `read` */
#define TOLLGATE_PTE_1G_LEAF_READ_MASK UINT64_C(0x0000000000000001) /* R: reads are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_1G_LEAF_WRITE_SHIFT UINT32_C(1) /* the lowest bit of `write` */
#define TOLLGATE_PTE_1G_LEAF_WRITE_MASK UINT64_C(0x0000000000000002) /* W: writes are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_1G_LEAF_PAGE_SIZE_SHIFT UINT32_C(7) /* the lowest bit of `page_size` */
#define TOLLGATE_PTE_1G_LEAF_PAGE_SIZE_MASK UINT64_C(0x0000000000000080) /* 1: a leaf (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_1G_LEAF_SNOOP_SHIFT UINT32_C(11) /* the lowest bit of `snoop` */
#define TOLLGATE_PTE_1G_LEAF_SNOOP_MASK UINT64_C(0x0000000000000800) /* SNP, not interpreted by this unit (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_1G_LEAF_ADDRESS_SHIFT UINT32_C(30) /* the lowest bit of `address` */
#define TOLLGATE_PTE_1G_LEAF_ADDRESS_MASK UINT64_C(0x000fffffc0000000) /* bits of the address of the page (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_1G_LEAF_IUID_SHIFT UINT32_C(52) /* the lowest bit of `iuid` */
#define TOLLGATE_PTE_1G_LEAF_IUID_MASK UINT64_C(0x3ff0000000000000) /* IUID: the user domain of the page (AA-08) */
#define TOLLGATE_PTE_1G_LEAF_TRANSIENT_MAPPING_SHIFT UINT32_C(62) /* the lowest bit of `transient_mapping` */
#define TOLLGATE_PTE_1G_LEAF_TRANSIENT_MAPPING_MASK UINT64_C(0x4000000000000000) /* TM, not interpreted by this unit (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_1G_LEAF_ACTIVE_DESTINATION_SHIFT UINT32_C(63) /* the lowest bit of `active_destination` */
#define TOLLGATE_PTE_1G_LEAF_ACTIVE_DESTINATION_MASK UINT64_C(0x8000000000000000) /* E: where records go (AA-11) */
#define TOLLGATE_PTE_1G_LEAF_ACTIVE_DESTINATION_FAULT_LOG UINT64_C(0x0000000000000000) /* the fault log of the system, without data */
#define TOLLGATE_PTE_1G_LEAF_ACTIVE_DESTINATION_ACCESS_LOG UINT64_C(0x0000000000000001) /* the access log of the user domain */

/* `pte_table`: entry that leads to the next level, 64 bits, little-endian. */

#define TOLLGATE_PTE_TABLE_BYTES UINT32_C(8) /* bytes of the whole */
#define TOLLGATE_PTE_TABLE_READ_SHIFT UINT32_C(0) /* the lowest bit of `read` */
#define TOLLGATE_PTE_TABLE_READ_MASK UINT64_C(0x0000000000000001) /* R: reads are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_TABLE_WRITE_SHIFT UINT32_C(1) /* the lowest bit of `write` */
#define TOLLGATE_PTE_TABLE_WRITE_MASK UINT64_C(0x0000000000000002) /* W: writes are permitted (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_TABLE_PAGE_SIZE_SHIFT UINT32_C(7) /* the lowest bit of `page_size` */
#define TOLLGATE_PTE_TABLE_PAGE_SIZE_MASK UINT64_C(0x0000000000000080) /* 0: no leaf (VT-d, second-level paging entries) */
#define TOLLGATE_PTE_TABLE_ADDRESS_SHIFT UINT32_C(12) /* the lowest bit of `address` */
#define TOLLGATE_PTE_TABLE_ADDRESS_MASK UINT64_C(0x000ffffffffff000) /* bits of the address of the table (VT-d, second-level paging entries) */

/* `root_entry`: where the context table of a bus lies, 128 bits, little-endian. */

#define TOLLGATE_ROOT_ENTRY_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_ROOT_ENTRY_PRESENT_WORD UINT32_C(0) /* the word of 64 bits of `present` */
#define TOLLGATE_ROOT_ENTRY_PRESENT_SHIFT UINT32_C(0) /* the lowest bit of `present` */
#define TOLLGATE_ROOT_ENTRY_PRESENT_MASK UINT64_C(0x0000000000000001) /* P: the bus has a context table (VT-d, root entry) */
#define TOLLGATE_ROOT_ENTRY_CONTEXT_TABLE_WORD UINT32_C(0) /* the word of 64 bits of `context_table` */
#define TOLLGATE_ROOT_ENTRY_CONTEXT_TABLE_SHIFT UINT32_C(12) /* the lowest bit of `context_table` */
#define TOLLGATE_ROOT_ENTRY_CONTEXT_TABLE_MASK UINT64_C(0x000ffffffffff000) /* CTP: bits of the address of the table (VT-d, root entry) */

/* `context_entry`: the domain and the page table of a requester, 128 bits, little-endian. */

#define TOLLGATE_CONTEXT_ENTRY_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_CONTEXT_ENTRY_PRESENT_WORD UINT32_C(0) /* the word of 64 bits of `present` */
#define TOLLGATE_CONTEXT_ENTRY_PRESENT_SHIFT UINT32_C(0) /* the lowest bit of `present` */
#define TOLLGATE_CONTEXT_ENTRY_PRESENT_MASK UINT64_C(0x0000000000000001) /* P: requests may be served (VT-d, context entry) */
#define TOLLGATE_CONTEXT_ENTRY_FAULT_PROCESSING_DISABLE_WORD UINT32_C(0) /* the word of 64 bits of `fault_processing_disable` */
#define TOLLGATE_CONTEXT_ENTRY_FAULT_PROCESSING_DISABLE_SHIFT UINT32_C(1) /* the lowest bit of `fault_processing_disable` */
#define TOLLGATE_CONTEXT_ENTRY_FAULT_PROCESSING_DISABLE_MASK UINT64_C(0x0000000000000002) /* FPD: faults are not recorded; counts with P = 0 too (VT-d, context entry) */
#define TOLLGATE_CONTEXT_ENTRY_TRANSLATION_TYPE_WORD UINT32_C(0) /* the word of 64 bits of `translation_type` */
#define TOLLGATE_CONTEXT_ENTRY_TRANSLATION_TYPE_SHIFT UINT32_C(2) /* the lowest bit of `translation_type` */
#define TOLLGATE_CONTEXT_ENTRY_TRANSLATION_TYPE_MASK UINT64_C(0x000000000000000c) /* TT: what becomes of requests (VT-d, context entry) */
#define TOLLGATE_CONTEXT_ENTRY_TRANSLATION_TYPE_TRANSLATE UINT64_C(0x0000000000000000) /* untranslated requests are translated */
#define TOLLGATE_CONTEXT_ENTRY_TRANSLATION_TYPE_DEVICE_TLB UINT64_C(0x0000000000000001) /* devices have caches of their own; not supported */
#define TOLLGATE_CONTEXT_ENTRY_TRANSLATION_TYPE_PASS_THROUGH UINT64_C(0x0000000000000002) /* untranslated requests go on as they are */
#define TOLLGATE_CONTEXT_ENTRY_PAGE_TABLE_WORD UINT32_C(0) /* the word of 64 bits of `page_table` */
#define TOLLGATE_CONTEXT_ENTRY_PAGE_TABLE_SHIFT UINT32_C(12) /* the lowest bit of `page_table` */
#define TOLLGATE_CONTEXT_ENTRY_PAGE_TABLE_MASK UINT64_C(0x000ffffffffff000) /* SLPTPTR: bits of the address of the PML4 table (VT-d, context entry) */
#define TOLLGATE_CONTEXT_ENTRY_ADDRESS_WIDTH_WORD UINT32_C(1) /* the word of 64 bits of `address_width` */
#define TOLLGATE_CONTEXT_ENTRY_ADDRESS_WIDTH_SHIFT UINT32_C(0) /* the lowest bit of `address_width` */
#define TOLLGATE_CONTEXT_ENTRY_ADDRESS_WIDTH_MASK UINT64_C(0x0000000000000007) /* AW: the levels of the page table (VT-d, context entry) */
#define TOLLGATE_CONTEXT_ENTRY_ADDRESS_WIDTH_FOUR_LEVELS UINT64_C(0x0000000000000002) /* 48 bits, the only one supported */
#define TOLLGATE_CONTEXT_ENTRY_ACTIVE_WORD UINT32_C(1) /* the word of 64 bits of `active` */
#define TOLLGATE_CONTEXT_ENTRY_ACTIVE_SHIFT UINT32_C(3) /* the lowest bit of `active` */
#define TOLLGATE_CONTEXT_ENTRY_ACTIVE_MASK UINT64_C(0x0000000000000008) /* active access is on; ignored by VT-d (U-01) */
#define TOLLGATE_CONTEXT_ENTRY_AVAILABLE_WORD UINT32_C(1) /* the word of 64 bits of `available` */
#define TOLLGATE_CONTEXT_ENTRY_AVAILABLE_SHIFT UINT32_C(4) /* the lowest bit of `available` */
#define TOLLGATE_CONTEXT_ENTRY_AVAILABLE_MASK UINT64_C(0x0000000000000070) /* for software; ignored by this unit (VT-d, context entry) */
#define TOLLGATE_CONTEXT_ENTRY_DOMAIN_WORD UINT32_C(1) /* the word of 64 bits of `domain` */
#define TOLLGATE_CONTEXT_ENTRY_DOMAIN_SHIFT UINT32_C(8) /* the lowest bit of `domain` */
#define TOLLGATE_CONTEXT_ENTRY_DOMAIN_MASK UINT64_C(0x0000000000ffff00) /* DID: the domain id (VT-d, context entry) */

/* `access_log_record`: header of an access-log record, 256 bits, little-endian. */

#define TOLLGATE_ACCESS_LOG_RECORD_BYTES UINT32_C(32) /* bytes of the whole */
#define TOLLGATE_ACCESS_LOG_RECORD_ADDRESS_WORD UINT32_C(0) /* the word of 64 bits of `address` */
#define TOLLGATE_ACCESS_LOG_RECORD_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACCESS_LOG_RECORD_ADDRESS_MASK UINT64_C(0xffffffffffffffff) /* address of the access, as the device gave it */
#define TOLLGATE_ACCESS_LOG_RECORD_REQUESTER_WORD UINT32_C(1) /* the word of 64 bits of `requester` */
#define TOLLGATE_ACCESS_LOG_RECORD_REQUESTER_SHIFT UINT32_C(0) /* the lowest bit of `requester` */
#define TOLLGATE_ACCESS_LOG_RECORD_REQUESTER_MASK UINT64_C(0x000000000000ffff) /* requester id: bus, device, function (AA-06) */
#define TOLLGATE_ACCESS_LOG_RECORD_TAG_WORD UINT32_C(1) /* the word of 64 bits of `tag` */
#define TOLLGATE_ACCESS_LOG_RECORD_TAG_SHIFT UINT32_C(16) /* the lowest bit of `tag` */
#define TOLLGATE_ACCESS_LOG_RECORD_TAG_MASK UINT64_C(0x0000000003ff0000) /* transaction tag of the request */
#define TOLLGATE_ACCESS_LOG_RECORD_IUID_WORD UINT32_C(1) /* the word of 64 bits of `iuid` */
#define TOLLGATE_ACCESS_LOG_RECORD_IUID_SHIFT UINT32_C(32) /* the lowest bit of `iuid` */
#define TOLLGATE_ACCESS_LOG_RECORD_IUID_MASK UINT64_C(0x0000ffff00000000) /* user domain of the page, zero-extended (AA-08) */
#define TOLLGATE_ACCESS_LOG_RECORD_LENGTH_WORD UINT32_C(1) /* the word of 64 bits of `length` */
#define TOLLGATE_ACCESS_LOG_RECORD_LENGTH_SHIFT UINT32_C(48) /* the lowest bit of `length` */
#define TOLLGATE_ACCESS_LOG_RECORD_LENGTH_MASK UINT64_C(0xffff000000000000) /* bytes of the access: 0 to 4096 (Q-03, U-12) */
#define TOLLGATE_ACCESS_LOG_RECORD_FIRST_BYTE_ENABLES_WORD UINT32_C(2) /* the word of 64 bits of `first_byte_enables` */
#define TOLLGATE_ACCESS_LOG_RECORD_FIRST_BYTE_ENABLES_SHIFT UINT32_C(0) /* the lowest bit of `first_byte_enables` */
#define TOLLGATE_ACCESS_LOG_RECORD_FIRST_BYTE_ENABLES_MASK UINT64_C(0x000000000000000f) /* byte enables of the first double word */
#define TOLLGATE_ACCESS_LOG_RECORD_LAST_BYTE_ENABLES_WORD UINT32_C(2) /* the word of 64 bits of `last_byte_enables` */
#define TOLLGATE_ACCESS_LOG_RECORD_LAST_BYTE_ENABLES_SHIFT UINT32_C(4) /* the lowest bit of `last_byte_enables` */
#define TOLLGATE_ACCESS_LOG_RECORD_LAST_BYTE_ENABLES_MASK UINT64_C(0x00000000000000f0) /* byte enables of the last double word */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_WORD UINT32_C(2) /* the word of 64 bits of `kind` */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_SHIFT UINT32_C(8) /* the lowest bit of `kind` */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_MASK UINT64_C(0x0000000000000f00) /* what the record tells of (Q-03, U-11) */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_WRITE UINT64_C(0x0000000000000000) /* a memory write */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_FETCH_ADD_OPERAND UINT64_C(0x0000000000000001) /* the operand of a FetchAdd */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_SWAP_OPERAND UINT64_C(0x0000000000000002) /* the operand of a Swap */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_COMPARE_AND_SWAP_OPERANDS UINT64_C(0x0000000000000003) /* the operands of a CAS */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_READ UINT64_C(0x0000000000000004) /* a memory read */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_FETCH_ADD_OLD_VALUE UINT64_C(0x0000000000000005) /* the value that a FetchAdd returned */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_SWAP_OLD_VALUE UINT64_C(0x0000000000000006) /* the value that a Swap returned */
#define TOLLGATE_ACCESS_LOG_RECORD_KIND_COMPARE_AND_SWAP_OLD_VALUE UINT64_C(0x0000000000000007) /* the value that a CAS returned */
#define TOLLGATE_ACCESS_LOG_RECORD_BLOCKED_WORD UINT32_C(2) /* the word of 64 bits of `blocked` */
#define TOLLGATE_ACCESS_LOG_RECORD_BLOCKED_SHIFT UINT32_C(12) /* the lowest bit of `blocked` */
#define TOLLGATE_ACCESS_LOG_RECORD_BLOCKED_MASK UINT64_C(0x0000000000001000) /* 1: the access had no effect (U-03) */
#define TOLLGATE_ACCESS_LOG_RECORD_HAS_DATA_WORD UINT32_C(2) /* the word of 64 bits of `has_data` */
#define TOLLGATE_ACCESS_LOG_RECORD_HAS_DATA_SHIFT UINT32_C(13) /* the lowest bit of `has_data` */
#define TOLLGATE_ACCESS_LOG_RECORD_HAS_DATA_MASK UINT64_C(0x0000000000002000) /* 1: a payload of `length` bytes follows */
#define TOLLGATE_ACCESS_LOG_RECORD_POISONED_WORD UINT32_C(2) /* the word of 64 bits of `poisoned` */
#define TOLLGATE_ACCESS_LOG_RECORD_POISONED_SHIFT UINT32_C(14) /* the lowest bit of `poisoned` */
#define TOLLGATE_ACCESS_LOG_RECORD_POISONED_MASK UINT64_C(0x0000000000004000) /* 1: the payload is incomplete and zero-filled */
#define TOLLGATE_ACCESS_LOG_RECORD_REASON_WORD UINT32_C(2) /* the word of 64 bits of `reason` */
#define TOLLGATE_ACCESS_LOG_RECORD_REASON_SHIFT UINT32_C(16) /* the lowest bit of `reason` */
#define TOLLGATE_ACCESS_LOG_RECORD_REASON_MASK UINT64_C(0x0000000000ff0000) /* fault reason code (U-05, VT-d) */
#define TOLLGATE_ACCESS_LOG_RECORD_LOG_SEQUENCE_WORD UINT32_C(2) /* the word of 64 bits of `log_sequence` */
#define TOLLGATE_ACCESS_LOG_RECORD_LOG_SEQUENCE_SHIFT UINT32_C(32) /* the lowest bit of `log_sequence` */
#define TOLLGATE_ACCESS_LOG_RECORD_LOG_SEQUENCE_MASK UINT64_C(0xffffffff00000000) /* number of the record in its log, modulo 2^32 */
#define TOLLGATE_ACCESS_LOG_RECORD_GLOBAL_SEQUENCE_WORD UINT32_C(3) /* the word of 64 bits of `global_sequence` */
#define TOLLGATE_ACCESS_LOG_RECORD_GLOBAL_SEQUENCE_SHIFT UINT32_C(0) /* the lowest bit of `global_sequence` */
#define TOLLGATE_ACCESS_LOG_RECORD_GLOBAL_SEQUENCE_MASK UINT64_C(0x00000000ffffffff) /* number of the record in the unit, modulo 2^32 */
#define TOLLGATE_ACCESS_LOG_RECORD_TIMESTAMP_WORD UINT32_C(3) /* the word of 64 bits of `timestamp` */
#define TOLLGATE_ACCESS_LOG_RECORD_TIMESTAMP_SHIFT UINT32_C(32) /* the lowest bit of `timestamp` */
#define TOLLGATE_ACCESS_LOG_RECORD_TIMESTAMP_MASK UINT64_C(0xffffffff00000000) /* clock cycles, modulo 2^32; 0 where not built */

/* `tlp`: first doubleword of a TLP header, whose first byte is the highest, 128 bits, little-endian. */

#define TOLLGATE_TLP_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_TLP_LENGTH_WORD UINT32_C(1) /* the word of 64 bits of `length` */
#define TOLLGATE_TLP_LENGTH_SHIFT UINT32_C(32) /* the lowest bit of `length` */
#define TOLLGATE_TLP_LENGTH_MASK UINT64_C(0x000003ff00000000) /* doublewords of data, or asked for; 0: 1024 (PCIe 3.0, 2.2.1) */
#define TOLLGATE_TLP_ADDRESS_TYPE_WORD UINT32_C(1) /* the word of 64 bits of `address_type` */
#define TOLLGATE_TLP_ADDRESS_TYPE_SHIFT UINT32_C(42) /* the lowest bit of `address_type` */
#define TOLLGATE_TLP_ADDRESS_TYPE_MASK UINT64_C(0x00000c0000000000) /* AT; 0: untranslated (PCIe 3.0, 2.2.4.1) */
#define TOLLGATE_TLP_NO_SNOOP_WORD UINT32_C(1) /* the word of 64 bits of `no_snoop` */
#define TOLLGATE_TLP_NO_SNOOP_SHIFT UINT32_C(44) /* the lowest bit of `no_snoop` */
#define TOLLGATE_TLP_NO_SNOOP_MASK UINT64_C(0x0000100000000000) /* Attr[0]: no snoop (PCIe 3.0, 2.2.6.5) */
#define TOLLGATE_TLP_RELAXED_ORDERING_WORD UINT32_C(1) /* the word of 64 bits of `relaxed_ordering` */
#define TOLLGATE_TLP_RELAXED_ORDERING_SHIFT UINT32_C(45) /* the lowest bit of `relaxed_ordering` */
#define TOLLGATE_TLP_RELAXED_ORDERING_MASK UINT64_C(0x0000200000000000) /* Attr[1]: relaxed ordering (PCIe 3.0, 2.2.6.4) */
#define TOLLGATE_TLP_POISONED_WORD UINT32_C(1) /* the word of 64 bits of `poisoned` */
#define TOLLGATE_TLP_POISONED_SHIFT UINT32_C(46) /* the lowest bit of `poisoned` */
#define TOLLGATE_TLP_POISONED_MASK UINT64_C(0x0000400000000000) /* EP: the data is poisoned (PCIe 3.0, 2.7.2) */
#define TOLLGATE_TLP_DIGEST_WORD UINT32_C(1) /* the word of 64 bits of `digest` */
#define TOLLGATE_TLP_DIGEST_SHIFT UINT32_C(47) /* the lowest bit of `digest` */
#define TOLLGATE_TLP_DIGEST_MASK UINT64_C(0x0000800000000000) /* TD: a digest follows the data (PCIe 3.0, 2.2.3) */
#define TOLLGATE_TLP_HAS_HINTS_WORD UINT32_C(1) /* the word of 64 bits of `has_hints` */
#define TOLLGATE_TLP_HAS_HINTS_SHIFT UINT32_C(48) /* the lowest bit of `has_hints` */
#define TOLLGATE_TLP_HAS_HINTS_MASK UINT64_C(0x0001000000000000) /* TH: processing hints are there (PCIe 3.0, 2.2.7.1) */
#define TOLLGATE_TLP_LIGHTWEIGHT_NOTIFICATION_WORD UINT32_C(1) /* the word of 64 bits of `lightweight_notification` */
#define TOLLGATE_TLP_LIGHTWEIGHT_NOTIFICATION_SHIFT UINT32_C(49) /* the lowest bit of `lightweight_notification` */
#define TOLLGATE_TLP_LIGHTWEIGHT_NOTIFICATION_MASK UINT64_C(0x0002000000000000) /* LN, not interpreted (PCIe 3.1, 2.2.1) */
#define TOLLGATE_TLP_ID_ORDERING_WORD UINT32_C(1) /* the word of 64 bits of `id_ordering` */
#define TOLLGATE_TLP_ID_ORDERING_SHIFT UINT32_C(50) /* the lowest bit of `id_ordering` */
#define TOLLGATE_TLP_ID_ORDERING_MASK UINT64_C(0x0004000000000000) /* Attr[2]: id-based ordering (PCIe 3.0, 2.2.6.4) */
#define TOLLGATE_TLP_TAG_8_WORD UINT32_C(1) /* the word of 64 bits of `tag_8` */
#define TOLLGATE_TLP_TAG_8_SHIFT UINT32_C(51) /* the lowest bit of `tag_8` */
#define TOLLGATE_TLP_TAG_8_MASK UINT64_C(0x0008000000000000) /* bit 8 of a tag of ten bits (PCIe 4.0, 2.2.6.2) */
#define TOLLGATE_TLP_TRAFFIC_CLASS_WORD UINT32_C(1) /* the word of 64 bits of `traffic_class` */
#define TOLLGATE_TLP_TRAFFIC_CLASS_SHIFT UINT32_C(52) /* the lowest bit of `traffic_class` */
#define TOLLGATE_TLP_TRAFFIC_CLASS_MASK UINT64_C(0x0070000000000000) /* TC: traffic class (PCIe 3.0, 2.2.6.6) */
#define TOLLGATE_TLP_TAG_9_WORD UINT32_C(1) /* the word of 64 bits of `tag_9` */
#define TOLLGATE_TLP_TAG_9_SHIFT UINT32_C(55) /* the lowest bit of `tag_9` */
#define TOLLGATE_TLP_TAG_9_MASK UINT64_C(0x0080000000000000) /* bit 9 of a tag of ten bits (PCIe 4.0, 2.2.6.2) */
#define TOLLGATE_TLP_FORMAT_WORD UINT32_C(1) /* the word of 64 bits of `format` */
#define TOLLGATE_TLP_FORMAT_SHIFT UINT32_C(56) /* the lowest bit of `format` */
#define TOLLGATE_TLP_FORMAT_MASK UINT64_C(0xff00000000000000) /* Fmt and Type (PCIe 3.0, 2.2.1) */
#define TOLLGATE_TLP_FORMAT_MRD UINT64_C(0x0000000000000000) /* MRd; bits 0x20 are free */
#define TOLLGATE_TLP_FORMAT_MRDLK UINT64_C(0x0000000000000001) /* MRdLk; bits 0x20 are free */
#define TOLLGATE_TLP_FORMAT_MWR UINT64_C(0x0000000000000040) /* MWr; bits 0x20 are free */
#define TOLLGATE_TLP_FORMAT_IORD UINT64_C(0x0000000000000002) /* IORd */
#define TOLLGATE_TLP_FORMAT_IOWR UINT64_C(0x0000000000000042) /* IOWr */
#define TOLLGATE_TLP_FORMAT_CFGRD0 UINT64_C(0x0000000000000004) /* CfgRd0 */
#define TOLLGATE_TLP_FORMAT_CFGWR0 UINT64_C(0x0000000000000044) /* CfgWr0 */
#define TOLLGATE_TLP_FORMAT_CFGRD1 UINT64_C(0x0000000000000005) /* CfgRd1 */
#define TOLLGATE_TLP_FORMAT_CFGWR1 UINT64_C(0x0000000000000045) /* CfgWr1 */
#define TOLLGATE_TLP_FORMAT_MSG UINT64_C(0x0000000000000030) /* Msg; bits 0x07 are free */
#define TOLLGATE_TLP_FORMAT_MSGD UINT64_C(0x0000000000000070) /* MsgD; bits 0x07 are free */
#define TOLLGATE_TLP_FORMAT_CPL UINT64_C(0x000000000000000a) /* Cpl */
#define TOLLGATE_TLP_FORMAT_CPLD UINT64_C(0x000000000000004a) /* CplD */
#define TOLLGATE_TLP_FORMAT_CPLLK UINT64_C(0x000000000000000b) /* CplLk */
#define TOLLGATE_TLP_FORMAT_CPLDLK UINT64_C(0x000000000000004b) /* CplDLk */
#define TOLLGATE_TLP_FORMAT_FETCHADD UINT64_C(0x000000000000004c) /* FetchAdd; bits 0x20 are free */
#define TOLLGATE_TLP_FORMAT_SWAP UINT64_C(0x000000000000004d) /* Swap; bits 0x20 are free */
#define TOLLGATE_TLP_FORMAT_CAS UINT64_C(0x000000000000004e) /* CAS; bits 0x20 are free */

/* `tlp_request_3dw`: request with a header of three doublewords, after the first, 128 bits, little-endian. */

#define TOLLGATE_TLP_REQUEST_3DW_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_TLP_REQUEST_3DW_HINT_WORD UINT32_C(0) /* the word of 64 bits of `hint` */
#define TOLLGATE_TLP_REQUEST_3DW_HINT_SHIFT UINT32_C(32) /* the lowest bit of `hint` */
#define TOLLGATE_TLP_REQUEST_3DW_HINT_MASK UINT64_C(0x0000000300000000) /* PH: processing hint (PCIe 3.0, 2.2.7.1) */
#define TOLLGATE_TLP_REQUEST_3DW_ADDRESS_WORD UINT32_C(0) /* the word of 64 bits of `address` */
#define TOLLGATE_TLP_REQUEST_3DW_ADDRESS_SHIFT UINT32_C(34) /* the lowest bit of `address` */
#define TOLLGATE_TLP_REQUEST_3DW_ADDRESS_MASK UINT64_C(0xfffffffc00000000) /* bits 31:2 of the address (PCIe 3.0, 2.2.4.1) */
#define TOLLGATE_TLP_REQUEST_3DW_FIRST_BYTE_ENABLES_WORD UINT32_C(1) /* the word of 64 bits of `first_byte_enables` */
#define TOLLGATE_TLP_REQUEST_3DW_FIRST_BYTE_ENABLES_SHIFT UINT32_C(0) /* the lowest bit of `first_byte_enables` */
#define TOLLGATE_TLP_REQUEST_3DW_FIRST_BYTE_ENABLES_MASK UINT64_C(0x000000000000000f) /* 1st DW BE (PCIe 3.0, 2.2.5) */
#define TOLLGATE_TLP_REQUEST_3DW_LAST_BYTE_ENABLES_WORD UINT32_C(1) /* the word of 64 bits of `last_byte_enables` */
#define TOLLGATE_TLP_REQUEST_3DW_LAST_BYTE_ENABLES_SHIFT UINT32_C(4) /* the lowest bit of `last_byte_enables` */
#define TOLLGATE_TLP_REQUEST_3DW_LAST_BYTE_ENABLES_MASK UINT64_C(0x00000000000000f0) /* Last DW BE (PCIe 3.0, 2.2.5) */
#define TOLLGATE_TLP_REQUEST_3DW_TAG_WORD UINT32_C(1) /* the word of 64 bits of `tag` */
#define TOLLGATE_TLP_REQUEST_3DW_TAG_SHIFT UINT32_C(8) /* the lowest bit of `tag` */
#define TOLLGATE_TLP_REQUEST_3DW_TAG_MASK UINT64_C(0x000000000000ff00) /* bits 7:0 of the tag; of a write with hints, the steering tag (PCIe 3.0, 2.2.6.2) */
#define TOLLGATE_TLP_REQUEST_3DW_REQUESTER_WORD UINT32_C(1) /* the word of 64 bits of `requester` */
#define TOLLGATE_TLP_REQUEST_3DW_REQUESTER_SHIFT UINT32_C(16) /* the lowest bit of `requester` */
#define TOLLGATE_TLP_REQUEST_3DW_REQUESTER_MASK UINT64_C(0x00000000ffff0000) /* requester id: bus, device, function (PCIe 3.0, 2.2.6.2) */

/* `tlp_request_4dw`: request with a header of four doublewords, after the first, 128 bits, little-endian. */

#define TOLLGATE_TLP_REQUEST_4DW_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_TLP_REQUEST_4DW_HINT_WORD UINT32_C(0) /* the word of 64 bits of `hint` */
#define TOLLGATE_TLP_REQUEST_4DW_HINT_SHIFT UINT32_C(0) /* the lowest bit of `hint` */
#define TOLLGATE_TLP_REQUEST_4DW_HINT_MASK UINT64_C(0x0000000000000003) /* PH: processing hint (PCIe 3.0, 2.2.7.1) */
#define TOLLGATE_TLP_REQUEST_4DW_ADDRESS_WORD UINT32_C(0) /* the word of 64 bits of `address` */
#define TOLLGATE_TLP_REQUEST_4DW_ADDRESS_SHIFT UINT32_C(2) /* the lowest bit of `address` */
#define TOLLGATE_TLP_REQUEST_4DW_ADDRESS_MASK UINT64_C(0xfffffffffffffffc) /* bits 63:2 of the address (PCIe 3.0, 2.2.4.1) */
#define TOLLGATE_TLP_REQUEST_4DW_FIRST_BYTE_ENABLES_WORD UINT32_C(1) /* the word of 64 bits of `first_byte_enables` */
#define TOLLGATE_TLP_REQUEST_4DW_FIRST_BYTE_ENABLES_SHIFT UINT32_C(0) /* the lowest bit of `first_byte_enables` */
#define TOLLGATE_TLP_REQUEST_4DW_FIRST_BYTE_ENABLES_MASK UINT64_C(0x000000000000000f) /* 1st DW BE (PCIe 3.0, 2.2.5) */
#define TOLLGATE_TLP_REQUEST_4DW_LAST_BYTE_ENABLES_WORD UINT32_C(1) /* the word of 64 bits of `last_byte_enables` */
#define TOLLGATE_TLP_REQUEST_4DW_LAST_BYTE_ENABLES_SHIFT UINT32_C(4) /* the lowest bit of `last_byte_enables` */
#define TOLLGATE_TLP_REQUEST_4DW_LAST_BYTE_ENABLES_MASK UINT64_C(0x00000000000000f0) /* Last DW BE (PCIe 3.0, 2.2.5) */
#define TOLLGATE_TLP_REQUEST_4DW_TAG_WORD UINT32_C(1) /* the word of 64 bits of `tag` */
#define TOLLGATE_TLP_REQUEST_4DW_TAG_SHIFT UINT32_C(8) /* the lowest bit of `tag` */
#define TOLLGATE_TLP_REQUEST_4DW_TAG_MASK UINT64_C(0x000000000000ff00) /* bits 7:0 of the tag; of a write with hints, the steering tag (PCIe 3.0, 2.2.6.2) */
#define TOLLGATE_TLP_REQUEST_4DW_REQUESTER_WORD UINT32_C(1) /* the word of 64 bits of `requester` */
#define TOLLGATE_TLP_REQUEST_4DW_REQUESTER_SHIFT UINT32_C(16) /* the lowest bit of `requester` */
#define TOLLGATE_TLP_REQUEST_4DW_REQUESTER_MASK UINT64_C(0x00000000ffff0000) /* requester id: bus, device, function (PCIe 3.0, 2.2.6.2) */

/* `tlp_message`: message, after the first doubleword, 128 bits, little-endian. */

#define TOLLGATE_TLP_MESSAGE_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_TLP_MESSAGE_CODE_WORD UINT32_C(1) /* the word of 64 bits of `code` */
#define TOLLGATE_TLP_MESSAGE_CODE_SHIFT UINT32_C(0) /* the lowest bit of `code` */
#define TOLLGATE_TLP_MESSAGE_CODE_MASK UINT64_C(0x00000000000000ff) /* Message Code (PCIe 3.0, 2.2.8) */
#define TOLLGATE_TLP_MESSAGE_TAG_WORD UINT32_C(1) /* the word of 64 bits of `tag` */
#define TOLLGATE_TLP_MESSAGE_TAG_SHIFT UINT32_C(8) /* the lowest bit of `tag` */
#define TOLLGATE_TLP_MESSAGE_TAG_MASK UINT64_C(0x000000000000ff00) /* bits 7:0 of the tag (PCIe 3.0, 2.2.8) */
#define TOLLGATE_TLP_MESSAGE_REQUESTER_WORD UINT32_C(1) /* the word of 64 bits of `requester` */
#define TOLLGATE_TLP_MESSAGE_REQUESTER_SHIFT UINT32_C(16) /* the lowest bit of `requester` */
#define TOLLGATE_TLP_MESSAGE_REQUESTER_MASK UINT64_C(0x00000000ffff0000) /* requester id: bus, device, function (PCIe 3.0, 2.2.8) */

/* `tlp_completion`: completion, after the first doubleword, 128 bits, little-endian. */

#define TOLLGATE_TLP_COMPLETION_BYTES UINT32_C(16) /* bytes of the whole */
#define TOLLGATE_TLP_COMPLETION_LOWER_ADDRESS_WORD UINT32_C(0) /* the word of 64 bits of `lower_address` */
#define TOLLGATE_TLP_COMPLETION_LOWER_ADDRESS_SHIFT UINT32_C(32) /* the lowest bit of `lower_address` */
#define TOLLGATE_TLP_COMPLETION_LOWER_ADDRESS_MASK UINT64_C(0x0000007f00000000) /* bits 6:0 of the address of the first byte (PCIe 3.0, 2.2.9) */
#define TOLLGATE_TLP_COMPLETION_TAG_WORD UINT32_C(0) /* the word of 64 bits of `tag` */
#define TOLLGATE_TLP_COMPLETION_TAG_SHIFT UINT32_C(40) /* the lowest bit of `tag` */
#define TOLLGATE_TLP_COMPLETION_TAG_MASK UINT64_C(0x0000ff0000000000) /* bits 7:0 of the tag of the request (PCIe 3.0, 2.2.9) */
#define TOLLGATE_TLP_COMPLETION_REQUESTER_WORD UINT32_C(0) /* the word of 64 bits of `requester` */
#define TOLLGATE_TLP_COMPLETION_REQUESTER_SHIFT UINT32_C(48) /* the lowest bit of `requester` */
#define TOLLGATE_TLP_COMPLETION_REQUESTER_MASK UINT64_C(0xffff000000000000) /* requester id of the request (PCIe 3.0, 2.2.9) */
#define TOLLGATE_TLP_COMPLETION_BYTE_COUNT_WORD UINT32_C(1) /* the word of 64 bits of `byte_count` */
#define TOLLGATE_TLP_COMPLETION_BYTE_COUNT_SHIFT UINT32_C(0) /* the lowest bit of `byte_count` */
#define TOLLGATE_TLP_COMPLETION_BYTE_COUNT_MASK UINT64_C(0x0000000000000fff) /* bytes still to come, these included; 0: 4096 (PCIe 3.0, 2.2.9) */
#define TOLLGATE_TLP_COMPLETION_BYTE_COUNT_MODIFIED_WORD UINT32_C(1) /* the word of 64 bits of `byte_count_modified` */
#define TOLLGATE_TLP_COMPLETION_BYTE_COUNT_MODIFIED_SHIFT UINT32_C(12) /* the lowest bit of `byte_count_modified` */
#define TOLLGATE_TLP_COMPLETION_BYTE_COUNT_MODIFIED_MASK UINT64_C(0x0000000000001000) /* BCM, of bridges to PCI-X (PCIe 3.0, 2.2.9) */
#define TOLLGATE_TLP_COMPLETION_STATUS_WORD UINT32_C(1) /* the word of 64 bits of `status` */
#define TOLLGATE_TLP_COMPLETION_STATUS_SHIFT UINT32_C(13) /* the lowest bit of `status` */
#define TOLLGATE_TLP_COMPLETION_STATUS_MASK UINT64_C(0x000000000000e000) /* Completion Status (PCIe 3.0, 2.2.9) */
#define TOLLGATE_TLP_COMPLETION_STATUS_SUCCESSFUL UINT64_C(0x0000000000000000) /* SC */
#define TOLLGATE_TLP_COMPLETION_STATUS_UNSUPPORTED_REQUEST UINT64_C(0x0000000000000001) /* UR */
#define TOLLGATE_TLP_COMPLETION_STATUS_CONFIGURATION_RETRY UINT64_C(0x0000000000000002) /* CRS */
#define TOLLGATE_TLP_COMPLETION_STATUS_COMPLETER_ABORT UINT64_C(0x0000000000000004) /* CA */
#define TOLLGATE_TLP_COMPLETION_COMPLETER_WORD UINT32_C(1) /* the word of 64 bits of `completer` */
#define TOLLGATE_TLP_COMPLETION_COMPLETER_SHIFT UINT32_C(16) /* the lowest bit of `completer` */
#define TOLLGATE_TLP_COMPLETION_COMPLETER_MASK UINT64_C(0x00000000ffff0000) /* completer id: bus, device, function (PCIe 3.0, 2.2.9) */

/* Fault reasons: those of VT-d below 0xc0, and ours. */

#define TOLLGATE_FAULT_REASON_ROOT_ENTRY_NOT_PRESENT UINT8_C(0x01) /* the root entry of the bus is not present */
#define TOLLGATE_FAULT_REASON_CONTEXT_ENTRY_NOT_PRESENT UINT8_C(0x02) /* the context entry of the requester is not present */
#define TOLLGATE_FAULT_REASON_INVALID_CONTEXT_ENTRY UINT8_C(0x03) /* the context entry holds an unsupported address width or translation type */
#define TOLLGATE_FAULT_REASON_ADDRESS_BEYOND_WIDTH UINT8_C(0x04) /* the address is beyond what the domain can address */
#define TOLLGATE_FAULT_REASON_WRITE_NOT_PERMITTED UINT8_C(0x05) /* a write or AtomicOp lacks write permission */
#define TOLLGATE_FAULT_REASON_READ_NOT_PERMITTED UINT8_C(0x06) /* a read or AtomicOp lacks read permission */
#define TOLLGATE_FAULT_REASON_PAGING_ENTRY_UNREACHABLE UINT8_C(0x07) /* a paging entry could not be read */
#define TOLLGATE_FAULT_REASON_ROOT_ENTRY_UNREACHABLE UINT8_C(0x08) /* a root entry could not be read */
#define TOLLGATE_FAULT_REASON_CONTEXT_ENTRY_UNREACHABLE UINT8_C(0x09) /* a context entry could not be read */
#define TOLLGATE_FAULT_REASON_ROOT_ENTRY_RESERVED UINT8_C(0x0a) /* a present root entry has a reserved bit set */
#define TOLLGATE_FAULT_REASON_CONTEXT_ENTRY_RESERVED UINT8_C(0x0b) /* a present context entry has a reserved bit set */
#define TOLLGATE_FAULT_REASON_PAGING_ENTRY_RESERVED UINT8_C(0x0c) /* a present paging entry has a reserved bit set */
#define TOLLGATE_FAULT_REASON_TRANSLATED_REQUEST_BLOCKED UINT8_C(0x0d) /* the domain takes no translated or translation requests */
#define TOLLGATE_FAULT_REASON_LOGGED_WRITE UINT8_C(0xc0) /* a write that took effect is logged */
#define TOLLGATE_FAULT_REASON_LOGGED_READ UINT8_C(0xc1) /* a read that took effect is logged */
#define TOLLGATE_FAULT_REASON_NO_ACCESS_LOG UINT8_C(0xc2) /* the user domain of the page has no valid access log */
#define TOLLGATE_FAULT_REASON_UNDEFINED_TLP UINT8_C(0xd0) /* Fmt and Type of the header mean no TLP */
#define TOLLGATE_FAULT_REASON_UNSUPPORTED_PREFIX UINT8_C(0xd1) /* the prefix is none that the unit knows, or not for this TLP */
#define TOLLGATE_FAULT_REASON_TRAFFIC_CLASS UINT8_C(0xd2) /* the traffic class is not 0, as this TLP wants */
#define TOLLGATE_FAULT_REASON_SINGLE_DOUBLEWORD UINT8_C(0xd3) /* an I/O or configuration request is not of one doubleword */
#define TOLLGATE_FAULT_REASON_ATTRIBUTES UINT8_C(0xd4) /* the attributes or the address type of an I/O or configuration request are not 0 */
#define TOLLGATE_FAULT_REASON_PAYLOAD_TOO_LARGE UINT8_C(0xd5) /* the payload is larger than the maximum payload size */
#define TOLLGATE_FAULT_REASON_LONG_ADDRESS UINT8_C(0xd6) /* an address below 4 GiB has a header of four doublewords */
#define TOLLGATE_FAULT_REASON_CROSSES_BOUNDARY UINT8_C(0xd7) /* a memory request crosses a 4 KiB boundary */
#define TOLLGATE_FAULT_REASON_BYTE_ENABLES UINT8_C(0xd8) /* the byte enables are not allowed with this length */
#define TOLLGATE_FAULT_REASON_OPERAND_LENGTH UINT8_C(0xd9) /* the length of an AtomicOp is none of its operand sizes */
#define TOLLGATE_FAULT_REASON_OPERAND_ALIGNMENT UINT8_C(0xda) /* the address of an AtomicOp is not aligned to its operand */
#define TOLLGATE_FAULT_REASON_COMPLETION_LENGTH UINT8_C(0xdb) /* a completion carries more than its byte count */
#define TOLLGATE_FAULT_REASON_TAG_TOO_WIDE UINT8_C(0xe0) /* the tag has more bits than the unit keeps */
#define TOLLGATE_FAULT_REASON_PASID_REQUEST UINT8_C(0xe1) /* a request has a PASID */
#define TOLLGATE_FAULT_REASON_IO_REQUEST UINT8_C(0xe2) /* I/O requests are not supported */
#define TOLLGATE_FAULT_REASON_CONFIGURATION_REQUEST UINT8_C(0xe3) /* configuration requests are not supported */
#define TOLLGATE_FAULT_REASON_LOCKED_READ UINT8_C(0xe4) /* locked reads are not supported */
#define TOLLGATE_FAULT_REASON_ATOMIC_OP UINT8_C(0xe5) /* AtomicOps are not supported */
#define TOLLGATE_FAULT_REASON_INTERRUPT_RANGE UINT8_C(0xe6) /* addresses 0xFEEx_xxxx can be written only */
#define TOLLGATE_FAULT_REASON_READ_TOO_LARGE UINT8_C(0xe7) /* a read asks for more than the maximum read request size */
#define TOLLGATE_FAULT_REASON_MESSAGE_ROUTING UINT8_C(0xe8) /* a device sends no messages of this routing */

/* `active_access/access_log_table`: programming window of the access-log table (AA-15, Q-33). */

#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BYTES UINT32_C(64) /* bytes of the window */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_OFFSET UINT32_C(0x00000000) /* the entry that the next command is about (AA-15) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_RESET UINT32_C(0x00000000) /* `index` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_INDEX_SHIFT UINT32_C(0) /* the lowest bit of `index` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_INDEX_INDEX_MASK UINT32_C(0x0000ffff) /* index of the entry; from access_log_table.entries on, refused with status.index (AA-15; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_OFFSET UINT32_C(0x00000004) /* the user domain that owns the log (AA-08) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_RESET UINT32_C(0x00000000) /* `iuid` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_IUID_SHIFT UINT32_C(0) /* the lowest bit of `iuid` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_IUID_IUID_MASK UINT32_C(0x0000ffff) /* user domain; beyond pte.iuid_bits, refused with status.too_wide (AA-08; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_OFFSET UINT32_C(0x00000008) /* physical address of the ring, low half (AA-15) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_RESET UINT32_C(0x00000000) /* `base_low` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_LOW_ADDRESS_MASK UINT32_C(0xffffffff) /* bits 31:0; a multiple of the granule, 4 in compact mode, else refused with status.unaligned (AA-15; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_OFFSET UINT32_C(0x0000000c) /* physical address of the ring, high half (AA-15) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_RESET UINT32_C(0x00000000) /* `base_high` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_BASE_HIGH_ADDRESS_MASK UINT32_C(0xffffffff) /* bits 63:32; beyond access_log_table.address_bits, refused with status.too_wide (AA-15; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_OFFSET UINT32_C(0x00000010) /* physical address where the next record starts, low half (AA-15, Q-01) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_RESET UINT32_C(0x00000000) /* `head_low` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_LOW_ADDRESS_MASK UINT32_C(0xffffffff) /* bits 31:0; a multiple of the granule, and in the ring (AA-15, Q-01; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_OFFSET UINT32_C(0x00000014) /* physical address where the next record starts, high half (AA-15, Q-01) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_RESET UINT32_C(0x00000000) /* `head_high` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_HEAD_HIGH_ADDRESS_MASK UINT32_C(0xffffffff) /* bits 63:32; beyond access_log_table.address_bits, refused with status.too_wide (AA-15, Q-01; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_OFFSET UINT32_C(0x00000018) /* physical address where the consumer reads next, low half (AA-15, Q-01) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_RESET UINT32_C(0x00000000) /* `tail_low` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_LOW_ADDRESS_MASK UINT32_C(0xffffffff) /* bits 31:0; a multiple of the granule, and in the ring (AA-15, Q-01; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_OFFSET UINT32_C(0x0000001c) /* physical address where the consumer reads next, high half (AA-15, Q-01) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_RESET UINT32_C(0x00000000) /* `tail_high` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_ADDRESS_SHIFT UINT32_C(0) /* the lowest bit of `address` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_TAIL_HIGH_ADDRESS_MASK UINT32_C(0xffffffff) /* bits 63:32; beyond access_log_table.address_bits, refused with status.too_wide (AA-15, Q-01; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_OFFSET UINT32_C(0x00000020) /* size of the ring (AA-15) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_RESET UINT32_C(0x00000000) /* `size` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_BYTES_SHIFT UINT32_C(0) /* the lowest bit of `bytes` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_SIZE_BYTES_MASK UINT32_C(0xffffffff) /* bytes; a multiple of the granule that holds the largest record and one granule (AA-15; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_OFFSET UINT32_C(0x00000024) /* how the log is written */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_RESET UINT32_C(0x00000000) /* `policy` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_SHIFT UINT32_C(0) /* the lowest bit of `compact` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_MASK UINT32_C(0x00000001) /* what a record is made of (Q-04, Q-14; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_WHOLE_RECORDS UINT32_C(0x00000000) /* a header of 32 bytes and the payload, padded to a granule */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_COMPACT_PAYLOAD_ONLY UINT32_C(0x00000001) /* the payload alone, in granules of 4 bytes */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_SHIFT UINT32_C(1) /* the lowest bit of `drop` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_MASK UINT32_C(0x00000002) /* what happens when the log is full (Q-04, Q-14; RW) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_STALL UINT32_C(0x00000000) /* the access waits, and what PCIe orders behind it */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_POLICY_DROP_DROP UINT32_C(0x00000001) /* the record is dropped and counted */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OFFSET UINT32_C(0x00000028) /* what to do with the entry (AA-15) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_RESET UINT32_C(0x00000000) /* `command` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_SHIFT UINT32_C(0) /* the lowest bit of `operation` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_MASK UINT32_C(0x00000003) /* the operation; it starts when it is written (AA-15; WO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_NONE UINT32_C(0x00000000) /* nothing */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_PROGRAM UINT32_C(0x00000001) /* writes the descriptor into the entry and makes it valid, or says in status why not */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_COMMAND_OPERATION_INVALIDATE UINT32_C(0x00000002) /* makes the entry invalid; does nothing to an invalid one */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_OFFSET UINT32_C(0x0000002c) /* why the last program command was refused; 0 means that it was accepted (AA-15) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_RESET UINT32_C(0x00000000) /* `status` after reset */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_INDEX_SHIFT UINT32_C(0) /* the lowest bit of `index` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_INDEX_MASK UINT32_C(0x00000001) /* 1: the table has no entry of that index (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ENABLED_SHIFT UINT32_C(1) /* the lowest bit of `enabled` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ENABLED_MASK UINT32_C(0x00000002) /* 1: the entry is valid: invalidate it first (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_DUPLICATE_SHIFT UINT32_C(2) /* the lowest bit of `duplicate` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_DUPLICATE_MASK UINT32_C(0x00000004) /* 1: another valid entry has the user domain (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_UNALIGNED_SHIFT UINT32_C(3) /* the lowest bit of `unaligned` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_UNALIGNED_MASK UINT32_C(0x00000008) /* 1: base, head, tail or size is no multiple of the granule (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ZERO_SIZE_SHIFT UINT32_C(4) /* the lowest bit of `zero_size` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_ZERO_SIZE_MASK UINT32_C(0x00000010) /* 1: the size is 0 (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_SMALL_SHIFT UINT32_C(5) /* the lowest bit of `too_small` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_SMALL_MASK UINT32_C(0x00000020) /* 1: the ring does not hold the largest record and one granule (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_OUTSIDE_SHIFT UINT32_C(6) /* the lowest bit of `outside` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_OUTSIDE_MASK UINT32_C(0x00000040) /* 1: head or tail is outside the ring, or the ring leaves the address space (AA-15; RO) */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_WIDE_SHIFT UINT32_C(7) /* the lowest bit of `too_wide` */
#define TOLLGATE_ACTIVE_ACCESS_ACCESS_LOG_TABLE_STATUS_TOO_WIDE_MASK UINT32_C(0x00000080) /* 1: an address, the size or the user domain has more bits than the unit was built with (AA-15; RO) */

#endif /* TOLLGATE_H */
