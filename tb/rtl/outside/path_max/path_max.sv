// A stateful ALU as a user may have one: that of Themis-D's largest PSN of a path (packet-spraying paper, 4.2). An access a
// clock; what it leaves and gives stands in the clock after it.
module path_max (
    input logic clk,
    input logic reset,
    input logic access,
    input logic is_overtaken,  // action 1; action 0 keeps the later one
    input logic [31:0] cell_before,
    input logic [31:0] psn,
    output logic done,
    output logic [31:0] cell_after,
    output logic overtaken
);

  logic [23:0] lead;  // signed: of psn over the cell
  assign lead = psn[23:0] - cell_before[23:0];

  logic later, earlier;
`ifdef PATH_MAX_BREAK
  // For the test of comparisons: the next one is not kept.
  assign later = lead > 24'd1 && !lead[23];
`else
  assign later = lead != '0 && !lead[23];
`endif
  assign earlier = lead[23] && lead != 24'h800000;

  always_ff @(posedge clk)
    if (reset) begin
      done <= 1'b0;
      cell_after <= '0;
      overtaken <= 1'b0;
    end else begin
      done <= access;
      cell_after <= !is_overtaken && later ? psn : cell_before;
      overtaken <= is_overtaken && earlier;
    end

endmodule
