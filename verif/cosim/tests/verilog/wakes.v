// State that no reset clears, and state that one does.
module wakes (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  address,
    output reg  [31:0] kept,
    output reg  [31:0] cleared,
    output wire [47:0] word
);
    reg [47:0] memory [0:15];
    assign word = memory[address];

    always @(posedge clk)
        if (rst) cleared <= 32'd0;
        else cleared <= cleared + 32'd1;

    always @(posedge clk)
        if (!rst) kept <= kept + 32'd1;

    always @(posedge clk)
        if (&kept) memory[address] <= 48'd0;
endmodule
