// Which NACKs of local receivers may pass (Themis-D of the packet-spraying paper, 4.2 and 4.3):
// those for a packet that has not passed (C1) while a later one came by the same path (C2). A
// packet a clock; the answer to a NACK stands in the clock after it.
module themis_d #(
    parameter int unsigned QPS = 4,
    parameter int unsigned WINDOW = 16,
    parameter int unsigned PATHS = 4
) (
    input logic clk,
    input logic reset,
    input logic data,
    input logic ack,
    input logic nack,
    input logic write_start,  // control plane, for a queue pair that begins
    input logic write_bit,
    input logic write_most,
    input logic [$clog2(QPS)-1:0] qp,
    input logic [23:0] psn,
    output logic answer,  // there is one
    output logic valid    // the NACK may pass
);

  logic missing, overtaken;

  window_bitmap #(
      .QPS(QPS),
      .WINDOW(WINDOW)
  ) window (
      .clk(clk),
      .reset(reset),
      .data(data),
      .ack(ack),
      .nack(nack),
      .qp(qp),
      .psn(psn),
      .missing(missing),
      .write_start(write_start),
      .write_bit(write_bit)
  );

  path_psn_max #(
      .QPS(QPS),
      .PATHS(PATHS)
  ) paths (
      .clk(clk),
      .data(data),
      .qp(qp),
      .psn(psn),
      .overtaken(overtaken),
      .write(write_most)
  );

  always_ff @(posedge clk)
    if (reset) begin
      answer <= 1'b0;
      valid <= 1'b0;
    end else begin
      answer <= nack;
      valid <= nack && missing && overtaken;
    end

endmodule
