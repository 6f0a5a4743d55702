// A load balancer as a user may have one: the shorter queue of two ports at random (the power of two choices,
// M. Mitzenmacher, IEEE TPDS 12(10), 2001). A packet a clock; its answer stands in the clock after it.
module shorter_queue #(
    parameter int unsigned PORTS = 16
) (
    input logic clk,
    input logic reset,
    input logic packet_valid,
    input logic [$clog2(PORTS)-1:0] draw_0,  // among all candidates
    input logic [$clog2(PORTS)-1:0] draw_1,  // among all but one
    input logic [PORTS-1:0][31:0] depths,  // bytes queued
    output logic answer_valid,
    output logic [$clog2(PORTS)-1:0] port
);

  logic [$clog2(PORTS)-1:0] first, second;
  assign first = draw_0;
  assign second = draw_1 < draw_0 ? draw_1 : draw_1 + 1'b1;  // never the first

  logic other;
`ifdef SHORTER_QUEUE_BREAK
  // For the test of comparisons: the second wins ties.
  assign other = depths[second] <= depths[first];
`else
  assign other = depths[second] < depths[first];
`endif

  always_ff @(posedge clk)
    if (reset) begin
      answer_valid <= 1'b0;
      port <= '0;
    end else begin
      answer_valid <= packet_valid;
      if (packet_valid) port <= other ? second : first;
    end

endmodule
