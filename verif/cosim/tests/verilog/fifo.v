// Four entries, registered. With FAULT defined, the eighth write after reset goes to the wrong entry.
module fifo (
    input  wire        clk,
    input  wire        rst,
    input  wire        in_valid,
    output wire        in_ready,
    input  wire [39:0] in_data_address,
    input  wire [2:0]  in_data_level,
    output wire        out_valid,
    input  wire        out_ready,
    output wire [39:0] out_data_address,
    output wire [2:0]  out_data_level
);
    reg [42:0] entries [0:3];
    reg [2:0]  written;
    reg [2:0]  taken;

    wire write = in_valid & in_ready;
    wire take  = out_valid & out_ready;

    assign in_ready  = (written - taken) != 3'd4;
    assign out_valid = written != taken;
    assign {out_data_address, out_data_level} = entries[taken[1:0]];

`ifdef FAULT
    wire [1:0] place = written == 3'd7 ? 2'd2 : written[1:0];
`else
    wire [1:0] place = written[1:0];
`endif

    always @(posedge clk)
        if (write) entries[place] <= {in_data_address, in_data_level};

    always @(posedge clk)
        if (rst) begin
            written <= 3'd0;
            taken   <= 3'd0;
        end else begin
            if (write) written <= written + 3'd1;
            if (take)  taken   <= taken + 3'd1;
        end
endmodule
