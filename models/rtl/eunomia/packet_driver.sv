// Entry of every packet (Eunomia 4, packet driver): what is in order of a connection without a
// bitmap is answered here, the rest goes to the HD bitmap module.
module packet_driver #(
    parameter int unsigned CONNECTIONS = 256,
    parameter int unsigned CAP_BITS = 256
) (
    input logic clk,
    input logic reset,

    input logic request_valid,  // stays, like the request, until ready
    output logic request_ready,
    input logic [$clog2(CONNECTIONS)-1:0] request_connection,
    input logic [23:0] request_psn,
    input logic [23:0] request_head,
    input logic request_last,
    input logic request_close,

    output logic response_valid,
    input logic response_ready,
    output logic [1:0] response_tracking,
    output logic [1:0] response_rejection,
    output logic [16:0] response_advanced,
    output logic [23:0] response_expected,
    output logic response_completed,

    output logic hd_start,
    output logic [1:0] hd_request,
    output logic [$clog2(CONNECTIONS)-1:0] connection,
    output logic [23:0] psn,
    output logic [23:0] first_missing,  // head of a bitmap to be created
    output logic last,
    input logic hd_done,
    input logic [1:0] hd_tracking,
    input logic [1:0] hd_rejection,
    input logic [16:0] hd_advanced,
    input logic [23:0] hd_expected,
    input logic hd_completed,
    input logic hd_present
);

  localparam logic [1:0] WAIT = 2'd0;
  localparam logic [1:0] DECIDE = 2'd1;
  localparam logic [1:0] TRACK = 2'd2;  // the HD bitmap module works on it
  localparam logic [1:0] RESPOND = 2'd3;

  // By connection. With one HD bitmap module the map is all zero.
  logic [CONNECTIONS-1:0] known  /*verilator public_flat_rd*/;
  logic [CONNECTIONS-1:0] conn_module_valid  /*verilator public_flat_rd*/;
  logic [CONNECTIONS-1:0] conn_to_module_map  /*verilator public_flat_rd*/;
  logic [23:0] expected[CONNECTIONS]  /*verilator public_flat_rd*/;

  logic [1:0] state;
  logic [23:0] head;
  logic close;

  logic has_bitmap;
  assign has_bitmap = conn_module_valid[connection];
  logic [23:0] expected_now;
  assign expected_now = known[connection] ? expected[connection] : head;
  assign first_missing = expected_now;

  logic [23:0] distance;  // signed
  assign distance = psn - expected_now;
  logic needs_bitmap;
  assign needs_bitmap = !distance[23] && distance != '0 && distance < 24'(CAP_BITS);

  assign hd_start = state == TRACK;
  assign hd_request = close ? eunomia_pkg::HD_CLOSE
                            : has_bitmap ? eunomia_pkg::HD_PACKET : eunomia_pkg::HD_CREATE;
  assign request_ready = state == WAIT;
  assign response_valid = state == RESPOND;

  always_ff @(posedge clk)
    if (reset) state <= WAIT;
    else
      case (state)
        WAIT: if (request_valid) state <= DECIDE;
        DECIDE: state <= has_bitmap || (!close && needs_bitmap) ? TRACK : RESPOND;
        TRACK: if (hd_done) state <= RESPOND;
        default: if (response_ready) state <= WAIT;
      endcase

  always_ff @(posedge clk)
    if (reset) begin
      connection <= '0;
      psn <= '0;
      head <= '0;
      last <= 1'b0;
      close <= 1'b0;
    end else if (state == WAIT && request_valid) begin
      connection <= request_connection;
      psn <= request_psn;
      head <= request_head;
      last <= request_last;
      close <= request_close;
    end

  // ---- the arrays ----
  logic in_order;  // and no bitmap
  assign in_order = !has_bitmap && distance == '0;
  logic expected_write;
  logic [23:0] expected_next;
  always_comb begin
    expected_write = 1'b0;
    expected_next = expected_now;
    if (state == DECIDE && !close && !has_bitmap) begin
      expected_write = 1'b1;
      if (in_order) expected_next = expected_now + 24'd1;
    end else if (state == TRACK && hd_done && !close && hd_rejection == eunomia_pkg::NONE) begin
      expected_write = 1'b1;
      expected_next = hd_expected;
    end
  end

  // Not reset: read only where `known` is set.
  always_ff @(posedge clk) if (expected_write) expected[connection] <= expected_next;

  always_ff @(posedge clk)
    if (reset) begin
      known <= '0;
      conn_module_valid <= '0;
      conn_to_module_map <= '0;
    end else begin
      if (state == DECIDE) known[connection] <= !close;
      if (state == TRACK && hd_done) conn_module_valid[connection] <= hd_present;
    end

  // ---- the answer ----
  always_ff @(posedge clk)
    if (reset) begin
      response_tracking <= '0;
      response_rejection <= '0;
      response_advanced <= '0;
      response_expected <= '0;
      response_completed <= 1'b0;
    end else if (state == DECIDE) begin
      response_tracking <= close || in_order ? eunomia_pkg::IN_ORDER
                           : distance[23] ? eunomia_pkg::DUPLICATE : eunomia_pkg::REJECTED;
      response_rejection <= close || in_order || distance[23] ? eunomia_pkg::NONE
                                                              : eunomia_pkg::REACH;
      response_advanced <= 17'(!close && in_order);
      response_expected <= close ? '0 : expected_next;
      response_completed <= !close && in_order && last;
    end else if (state == TRACK && hd_done && !close) begin
      response_tracking <= hd_tracking;
      response_rejection <= hd_rejection;
      response_advanced <= hd_advanced;
      // A rejected packet moves nothing.
      response_expected <= hd_rejection == eunomia_pkg::NONE ? hd_expected : expected_now;
      response_completed <= hd_completed;
    end

endmodule
