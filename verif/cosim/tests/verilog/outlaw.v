// A source that breaks the rule of the stream contract chosen by its input.
module outlaw (
    input  wire       clk,
    input  wire       rst,
    input  wire [2:0] rule,
    output wire       out_valid,
    input  wire       out_ready,
    output wire [7:0] out_data
);
    reg [7:0] count;
    always @(posedge clk)
        if (rst) count <= 8'd0;
        else count <= count + 8'd1;

    reg held;
    always @(posedge clk)
        if (rst) held <= 1'b0;
        else held <= 1'b1;

    // 2: valid falls; 3: valid waits for ready; 4: valid in reset; 5: the payload changes
    assign out_valid = rule == 3'd4 ? 1'b1
                     : rule == 3'd3 ? held & out_ready
                     : rule == 3'd2 ? held & (count[1:0] != 2'd2)
                     : held;
    assign out_data = rule == 3'd5 ? count : 8'd7;
endmodule
