// FIFO by hand, the yardstick for area and length: 512 beats of 289 bits in block RAM, read ahead into its output register.
module fifo_by_hand #(
    parameter W = 289,
    parameter A = 9
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         input_valid,
    output wire         input_ready,
    input  wire [W-1:0] input_data,
    output wire         output_valid,
    input  wire         output_ready,
    output reg  [W-1:0] output_data
);
    reg [A:0] write, visible, read;
    reg [W-1:0] beats [0:(1<<A)-1];
    wire push = input_valid && input_ready;
    wire [A:0] next_read = (output_valid && output_ready) ? read + 1'b1 : read;
    assign input_ready = (write - read) != (1 << A);
    assign output_valid = read != visible;
    always @(posedge clk) begin
        output_data <= beats[next_read[A-1:0]];
        if (push) beats[write[A-1:0]] <= input_data;
        if (rst) begin
            write <= 0;
            visible <= 0;
            read <= 0;
        end else begin
            visible <= write;
            read <= next_read;
            if (push) write <= write + 1'b1;
        end
    end
endmodule
