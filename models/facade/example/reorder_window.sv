// An ordering engine as a user may have one: a bitmap of WINDOW bits for each connection, bit i of which stands for
// the PSN i after the expected one. A packet a clock; its answer stands in the clock after it.
module reorder_window #(
    parameter int unsigned CONNECTIONS = 4,
    parameter int unsigned WINDOW = 16
) (
    input logic clk,
    input logic reset,
    input logic packet_valid,
    input logic [$clog2(CONNECTIONS)-1:0] connection,
    input logic [23:0] psn,
    input logic [23:0] head,
    output logic answer_valid,
    output logic [1:0] tracking,  // in order, out of order, duplicate, rejected
    output logic [7:0] advanced,
    output logic [23:0] expected
);

  logic [CONNECTIONS-1:0] open;
  logic [23:0] first_missing[CONNECTIONS];
  logic [WINDOW-1:0] arrived[CONNECTIONS];

  logic [23:0] now, ahead, next;
  logic [WINDOW-1:0] bits, marked;
  logic known, beyond;
  logic [7:0] run;

  assign now = open[connection] ? first_missing[connection] : head;
  assign bits = open[connection] ? arrived[connection] : '0;
  assign ahead = psn - now;  // signed
  assign beyond = ahead >= 24'(WINDOW);
  assign marked = bits | (beyond ? '0 : WINDOW'(1) << ahead[$clog2(WINDOW)-1:0]);
  assign known = !beyond && marked == bits;

  // Ones from the expected packet on, once it is there.
  always_comb begin
    run = 8'(WINDOW);
    for (int i = WINDOW - 1; i >= 0; i--) if (!marked[i]) run = 8'(i);
  end
  assign next = now + 24'(run);

  always_ff @(posedge clk) begin
    answer_valid <= packet_valid && !reset;
    tracking <= ahead[23] || known ? 2'd2 : beyond ? 2'd3 : ahead == '0 ? 2'd0 : 2'd1;
    advanced <= run;
    expected <= next;
    if (reset) open <= '0;
    else if (packet_valid) begin
      open[connection] <= 1'b1;
      first_missing[connection] <= next;
      arrived[connection] <= marked >> run;
    end
  end

endmodule
