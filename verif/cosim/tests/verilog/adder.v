// Adds two numbers wider than any machine word; combinational.
module adder (
    input  wire [599:0] a,
    input  wire [599:0] b,
    output wire [600:0] sum
);
    assign sum = {1'b0, a} + {1'b0, b};
endmodule
