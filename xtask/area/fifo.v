// FIFO by hand, the yardstick for area and length: as cells/fifo, beats of any width, any number of them, in block RAM
// (read ahead into its output register) or in registers, with its assertion for proofs and for simulation.
module fifo_by_hand #(
    parameter W = 289,
    parameter DEPTH = 512,
    parameter A = 9,           // bits of a place, DEPTH <= 2**A
    parameter BLOCK_RAM = 1    // 0: registers
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         input_valid,
    output wire         input_ready,
    input  wire [W-1:0] input_data,
    output wire         output_valid,
    input  wire         output_ready,
    output wire [W-1:0] output_data
);
    // A pointer is a place and above it a bit that turns over with each round: equal is empty, one round apart is full.
    reg [A:0] write, read;
    wire push = input_valid && input_ready;
    wire [A:0] next_read = (output_valid && output_ready) ? after(read) : read;
    wire seen;
    wire in_order = (write[A] == read[A]) ? read[A-1:0] <= write[A-1:0] : write[A-1:0] <= read[A-1:0];
    assign input_ready = (write ^ read) != (1 << A);

    // One place on; after the last one, those up to the next power of two are left out.
    function [A:0] after(input [A:0] pointer);
        after = pointer + ((pointer[A-1:0] == DEPTH - 1) ? (1 << A) - DEPTH + 1 : 1);
    endfunction

    always @(posedge clk)
        if (rst) begin
            write <= 0;
            read <= 0;
        end else begin
            read <= next_read;
            if (push) write <= after(write);
        end

    if (BLOCK_RAM) begin : g_ram
        (* ram_style = "block" *) reg [W-1:0] beats [0:DEPTH-1];
        reg [W-1:0] head;
        reg [A:0] visible;    // what was written before the last clock edge
        assign output_valid = read != visible;
        assign output_data = head;
        assign seen = visible == write || (after(visible) == write && read != write);
        always @(posedge clk) begin
            if (push) beats[write[A-1:0]] <= input_data;
            head <= beats[next_read[A-1:0]];
            visible <= rst ? 0 : write;
        end
    end else begin : g_registers
        (* ram_style = "registers" *) reg [W-1:0] beats [0:DEPTH-1];
        assign output_valid = read != write;
        assign output_data = beats[read[A-1:0]];
        assign seen = 1'b1;
        always @(posedge clk) if (push) beats[write[A-1:0]] <= input_data;
    end

`ifdef FORMAL
    always @(posedge clk) if (!rst) assert (in_order && seen);
`elsif TOLLGATE_CHECKS
    always @(posedge clk)
        if (!rst && !(in_order && seen)) begin
            $display("%m: the pointers are out of order");
            $stop;
        end
`endif
endmodule
