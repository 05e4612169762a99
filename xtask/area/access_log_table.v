// Access log table by hand, the yardstick for area and length: as active_access/access_log_table, for any number of
// entries and any widths, the rings in LUT RAM or in flip-flops, with its assertion for proofs and for simulation.
module access_log_table_by_hand #(
    parameter N = 16,
    parameter I = 4,    // bits of an entry number
    parameter K = 10,   // bits of a user domain
    parameter A = 64,   // bits of an address
    parameter S = 32,   // bits of a size
    parameter GRANULE = 5,
    parameter COMPACT_GRANULE = 2,
    parameter SMALLEST = 4160,
    parameter COMPACT_SMALLEST = 4100,
    parameter STYLE = "distributed"    // "registers": the rings in flip-flops
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         program_valid,
    input  wire [I:0]   program_index,
    input  wire [K-1:0] program_iuid,
    input  wire [A-1:0] program_base,
    input  wire [A-1:0] program_head,
    input  wire [A-1:0] program_tail,
    input  wire [S-1:0] program_size,
    input  wire         program_compact,
    input  wire         program_drop,
    output reg          refused_valid,
    output reg  [6:0]   refused,        // outside, too small, zero size, unaligned, duplicate, enabled, index
    input  wire         invalidate_valid,
    input  wire [I:0]   invalidate_index,
    input  wire         lookup_valid,
    input  wire [K-1:0] lookup_iuid,
    output reg          found_valid,
    output reg  [I-1:0] found_index,
    output reg  [K-1:0] found_iuid,
    output reg  [A-1:0] found_base,
    output reg  [A-1:0] found_head,
    output reg  [A-1:0] found_tail,
    output reg  [S-1:0] found_size,
    output reg          found_compact,
    output reg          found_drop
);
    localparam R = 3 * A + S + 2;
    reg [N-1:0] enabled;
    reg [K-1:0] keys [0:N-1];
    (* ram_style = STYLE *) reg [R-1:0] rings [0:N-1];

    // What speaks against the program command.
    wire [A:0] ring_end = program_base + program_size;
    wire [GRANULE-1:0] low = program_base[GRANULE-1:0] | program_head[GRANULE-1:0]
                           | program_tail[GRANULE-1:0] | program_size[GRANULE-1:0];
    wire head_outside = program_head < program_base || program_head >= ring_end;
    wire tail_outside = program_tail < program_base || program_tail >= ring_end;
    reg busy, twin;
    wire [6:0] refusal = {
        head_outside || tail_outside || (ring_end[A] && |ring_end[A-1:0]),
        program_size < (program_compact ? COMPACT_SMALLEST : SMALLEST),
        program_size == 0,
        |low[COMPACT_GRANULE-1:0] || (!program_compact && |low[GRANULE-1:COMPACT_GRANULE]),
        twin,
        busy,
        program_index >= N
    };
    wire accepted = program_valid && refusal == 0;

    // What matches the lookup.
    reg [N-1:0] hits;
    reg [I-1:0] index;
    integer k;
    always @* begin
        index = 0;
        busy = 1'b0;
        twin = 1'b0;
        for (k = 0; k < N; k = k + 1) begin
            hits[k] = enabled[k] && keys[k] == lookup_iuid;
            if (hits[k]) index = index | k;
            busy = busy || (enabled[k] && program_index == k);
            twin = twin || (enabled[k] && keys[k] == program_iuid && program_index != k);
        end
    end

    always @(posedge clk) begin
        if (rst) begin
            enabled <= 0;
            refused_valid <= 1'b0;
            found_valid <= 1'b0;
        end else begin
            if (invalidate_valid && invalidate_index < N) enabled[invalidate_index[I-1:0]] <= 1'b0;
            if (accepted) enabled[program_index[I-1:0]] <= 1'b1;
            refused_valid <= program_valid;
            found_valid <= lookup_valid && |hits;
        end
        refused <= refusal;
        found_index <= index;
        found_iuid <= lookup_iuid;
        {found_base, found_head, found_tail, found_size, found_compact, found_drop} <= rings[index];
        if (accepted) begin
            keys[program_index[I-1:0]] <= program_iuid;
            rings[program_index[I-1:0]] <=
                {program_base, program_head, program_tail, program_size, program_compact, program_drop};
        end
    end

    // At most one entry has a user domain.
`ifdef FORMAL
    always @(posedge clk) if (!rst) assert ((hits & (hits - 1'b1)) == 0);
`elsif TOLLGATE_CHECKS
    always @(posedge clk)
        if (!rst && (hits & (hits - 1'b1)) != 0) begin
            $display("%m: more than one entry has the user domain");
            $stop;
        end
`endif
endmodule
