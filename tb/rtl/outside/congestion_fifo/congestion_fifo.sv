// A block on a link as a user may have one: a FIFO of beats that marks congestion (RFC 3168) in IPv4 packets which
// come to it while it has MARK_AT beats or more. AXI4-Stream in and out; a frame begins at its destination MAC.
module congestion_fifo #(
    parameter int unsigned BYTES = 64,
    parameter int unsigned DEPTH = 32,  // beats, a power of two
    parameter int unsigned MARK_AT = 16  // 0: never; needs 26 bytes in a beat
) (
    input logic aclk,
    input logic aresetn,

    input logic [8*BYTES-1:0] s_axis_tdata,
    input logic [BYTES-1:0] s_axis_tkeep,
    input logic s_axis_tlast,
    input logic s_axis_tvalid,
    output logic s_axis_tready,

    output logic [8*BYTES-1:0] m_axis_tdata,
    output logic [BYTES-1:0] m_axis_tkeep,
    output logic m_axis_tlast,
    output logic m_axis_tvalid,
    input logic m_axis_tready
);

  localparam int unsigned BITS = $clog2(DEPTH);
  logic [9*BYTES:0] beats[DEPTH];
  logic [BITS-1:0] head, tail;
  logic [BITS:0] count;

  logic comes, leaves;
  logic [8*BYTES-1:0] marked;
  if (MARK_AT > 0) begin : g_mark
    logic [1:0] ecn;
    logic [15:0] checksum, mended;
    logic [16:0] sum;
    logic first, mark;  // `first`: the next beat begins a frame
    assign ecn = s_axis_tdata[8*15+:2];
    assign checksum = {s_axis_tdata[8*24+:8], s_axis_tdata[8*25+:8]};
    assign mark = first && 32'(count) >= MARK_AT && s_axis_tdata[8*12+:16] == 16'h0008 && ecn != 2'd0 && ecn != 2'd3;
    // RFC 1624, equation 3: one word of the header grows by 3 less the mark before.
    assign sum = {1'b0, ~checksum} + (ecn == 2'd1 ? 17'd2 : 17'd1);
`ifdef CONGESTION_FIFO_BREAK
    // For the test of comparisons: the checksum stays as it was.
    assign mended = checksum | 16'(sum & 17'd0);
`else
    assign mended = ~(sum[15:0] + 16'(sum[16]));
`endif
    always_ff @(posedge aclk)
      if (!aresetn) first <= 1'b1;
      else if (comes) first <= s_axis_tlast;
    always_comb begin
      marked = s_axis_tdata;
      if (mark) begin
        marked[8*15+:2] = 2'd3;
        marked[8*24+:16] = {mended[7:0], mended[15:8]};
      end
    end
  end else begin : g_plain
    assign marked = s_axis_tdata;
  end

  assign s_axis_tready = count != (BITS + 1)'(DEPTH);
  assign m_axis_tvalid = count != 0;
  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = beats[head];
  assign comes = s_axis_tvalid && s_axis_tready;
  assign leaves = m_axis_tvalid && m_axis_tready;

  always_ff @(posedge aclk)
    if (!aresetn) begin
      head <= '0;
      tail <= '0;
      count <= '0;
    end else begin
      if (comes) begin
        beats[tail] <= {s_axis_tlast, s_axis_tkeep, marked};
        tail <= tail + 1'b1;
      end
      if (leaves) head <= head + 1'b1;
      count <= count + (BITS + 1)'(comes) - (BITS + 1)'(leaves);
    end

endmodule
