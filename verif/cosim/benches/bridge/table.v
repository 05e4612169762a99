// ENTRIES descriptors of 235 bits, found by a 10-bit key one cycle after it was asked for: the size
// and shape of a block of the project, written by hand.
module table_lookup (
    input  wire         clk,
    input  wire         rst,
    input  wire         program_valid,
    input  wire [`INDEX_BITS-1:0] program_index,
    input  wire [234:0] program_descriptor,
    input  wire         lookup_valid,
    output wire         lookup_ready,
    input  wire [9:0]   lookup_data,
    output reg          found_valid,
    input  wire         found_ready,
    output reg          found_data_hit,
    output reg  [234:0] found_data_descriptor
);
    reg [234:0] entries [0:`ENTRIES-1];
    reg [`ENTRIES-1:0] enabled;
    reg         hit;
    reg [234:0] descriptor;
    integer     i;

    assign lookup_ready = !found_valid | found_ready;

    always @* begin
        hit        = 1'b0;
        descriptor = 235'd0;
        for (i = 0; i < `ENTRIES; i = i + 1)
            if (enabled[i] & (entries[i][9:0] == lookup_data)) begin
                hit        = 1'b1;
                descriptor = descriptor | entries[i];
            end
    end

    always @(posedge clk)
        if (program_valid) entries[program_index] <= program_descriptor;

    always @(posedge clk)
        if (rst) enabled <= {`ENTRIES{1'b0}};
        else if (program_valid) enabled[program_index] <= 1'b1;

    always @(posedge clk) begin
        if (rst) found_valid <= 1'b0;
        else if (lookup_ready) found_valid <= lookup_valid;
        if (lookup_ready & lookup_valid) begin
            found_data_hit        <= hit;
            found_data_descriptor <= descriptor;
        end
    end
endmodule
