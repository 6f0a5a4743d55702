// Which PSNs of a queue pair's window have passed to its receiver (packet-spraying paper, appendix
// A): two halves of a window each, used in turn. A bit is set where it differs from its half's base
// bit, and a half is emptied by flipping its base when the window's start leaves it. A packet reads
// and writes each array once, in one clock.
module window_bitmap #(
    parameter int unsigned QPS = 4,
    parameter int unsigned WINDOW = 16  // PSNs, a power of two
) (
    input logic clk,
    input logic reset,

    input logic data,      // at most one of the three: a packet to the receiver,
    input logic ack,       // or from it: everything up to psn has arrived,
    input logic nack,      // everything before psn, and not psn
    input logic [$clog2(QPS)-1:0] qp,
    input logic [23:0] psn,
    output logic missing,  // nack: psn has not passed to the receiver

    input logic write_start,  // control plane: a queue pair begins at psn
    input logic write_bit     // control plane: psn counts as passed, base bit 0
);

  localparam int unsigned HALF = $clog2(WINDOW);  // number of the PSN's bit that says which half

  logic [23:0] epsn[QPS];
  logic [QPS-1:0] base_first, base_second;
  logic [QPS*2*WINDOW-1:0] bitmap;

  logic [$clog2(QPS)+HALF:0] place;
  assign place = {qp, psn[HALF:0]};

  // Where the window begins: never further back.
  logic [23:0] was, start, ahead, behind;
  assign was = epsn[qp];
  assign start = ack ? psn + 24'd1 : psn;
  assign ahead = start - was;   // signed, and not 2^23
  assign behind = psn - was;
  logic later, old;
  assign later = ahead != '0 && !ahead[23];
  assign old = behind[23] && behind != 24'h800000;

  logic leaves, leaves_first, leaves_second;
  assign leaves = (ack || nack) && later && start[HALF] != was[HALF];
  assign leaves_first = leaves && !was[HALF];
  assign leaves_second = leaves && was[HALF];

  logic base;  // of the packet's half, after it was flipped
  assign base = psn[HALF] ? base_second[qp] ^ leaves_second : base_first[qp] ^ leaves_first;
  assign missing = bitmap[place] == base;

  always_ff @(posedge clk)
    if (write_start) epsn[qp] <= psn;
    else if ((ack || nack) && later) epsn[qp] <= start;

  always_ff @(posedge clk)
    if (reset) begin
      base_first <= '0;
      base_second <= '0;
    end else begin
      if (leaves_first) base_first[qp] <= !base_first[qp];
      if (leaves_second) base_second[qp] <= !base_second[qp];
    end

  always_ff @(posedge clk)
    if (reset) bitmap <= '0;
    else if (write_bit) bitmap[place] <= 1'b1;
    else if (data && !old) bitmap[place] <= !base;

endmodule
