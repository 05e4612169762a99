// Ends the simulation in each way there is.
module stops (
    input wire       clk,
    input wire [2:0] how
);
    always @(posedge clk)
        case (how)
            3'd1: begin
                $display("how is %0d", how);
                $stop;
            end
            3'd2: $finish;
            3'd3: $fatal(1, "worse than %0d", how);
            3'd4: $display("still here");
            default: ;
        endcase

    at_most_four: assert property (@(posedge clk) how <= 3'd4);
endmodule
