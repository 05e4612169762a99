// A counter in each of two clock domains, and a register of every storage class of the bridge.
module two_clocks (
    input  wire        fast_clk,
    input  wire        slow_clk,
    input  wire        rst,
    input  wire [7:0]  byte_in,
    input  wire [15:0] half_in,
    input  wire [32:0] double_in,
    output reg  [15:0] fast,
    output reg  [15:0] slow,
    output reg  [7:0]  byte_out,
    output reg  [15:0] half_out,
    output reg  [32:0] double_out
);
    always @(posedge fast_clk)
        if (rst) fast <= 16'd0;
        else fast <= fast + 16'd1;

    always @(posedge slow_clk)
        if (rst) slow <= 16'd0;
        else slow <= slow + 16'd1;

    always @(posedge fast_clk) begin
        byte_out   <= byte_in;
        half_out   <= half_in;
        double_out <= double_in;
    end
endmodule
