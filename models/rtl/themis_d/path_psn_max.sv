// The largest PSN that came by each path of each queue pair (packet-spraying paper 4.2): PSNs take
// the paths in turn.
module path_psn_max #(
    parameter int unsigned QPS = 4,
    parameter int unsigned PATHS = 4  // a power of two
) (
    input logic clk,
    input logic data,  // a packet to the receiver
    input logic [$clog2(QPS)-1:0] qp,
    input logic [23:0] psn,
    output logic overtaken,  // a later one came by the path of psn

    input logic write  // control plane: psn is the largest of its path
);

  localparam int unsigned PW = $clog2(PATHS);

  logic [23:0] most[QPS*PATHS];
  logic [$clog2(QPS)+PW-1:0] place;
`ifdef THEMIS_D_BREAK
  assign place = {qp, psn[PW:1]};  // for the test of the comparison
`else
  assign place = {qp, psn[PW-1:0]};
`endif

  logic [23:0] lead;  // signed: of psn over the largest
  assign lead = psn - most[place];
  assign overtaken = lead[23] && lead != 24'h800000;

  always_ff @(posedge clk)
    if (write || (data && lead != '0 && !lead[23])) most[place] <= psn;

endmodule
