// Random WRITEs, ACKs, NAKs and timeouts to packetizer and to Horae's sender `go_back_n`: every packet and every
// completion must be the same.
//   +steps=N       how many (default 50000)
//   +settings=...  another model ("transport=rnic_sr mtu=1KiB reliability.window=16" is a wrong one)
module packetizer_tb;
  import horae_pkg::*;

  localparam int unsigned MTU = 1024;
  localparam int unsigned WINDOW = 16;
  localparam logic [23:0] FIRST_PSN = 24'hffff80;  // PSNs begin again at 0 soon

  logic clk = 0;
  always #1 clk = !clk;

  logic reset = 1, post_valid = 0, post_ready, packet_valid, packet_ready = 0, packet_ack_request;
  logic response_valid = 0, response_nak = 0, timeout = 0;
  logic [31:0] post_bytes = 1;
  logic [23:0] packet_psn, response_psn = 0;
  logic [7:0] packet_opcode;
  logic [15:0] packet_payload;
  logic [3:0] completed;

  packetizer #(
      .MTU(MTU),
      .WINDOW(WINDOW),
      .MESSAGES(8),
      .FIRST_PSN(FIRST_PSN)
  ) dut (
      .*
  );

  int steps = 50000;
  string settings = "transport=go_back_n mtu=1KiB reliability.window=16 reliability.rto=10us";
  int unsigned packets, resent, naks, timeouts, messages, expected;
  longint unsigned now = 0, deadline;
  logic [23:0] oldest, fresh;  // as the responses and packets so far say
  chandle model;
  sender_packet_t p;

  task automatic respond(input logic nak, input logic [23:0] psn);
    response_nak = nak;
    response_psn = psn;
    response_valid = 1;
    expected = sender_response(model, nak, psn, now);
    @(negedge clk);
    response_valid = 0;
    if (32'(completed) != expected)
      $fatal(1, "%s %0d: packetizer completes %0d messages, Horae %0d", nak ? "NAK" : "ACK", psn, completed, expected);
    messages += expected;
  endtask

  initial begin
    void'($value$plusargs("steps=%d", steps));
    void'($value$plusargs("settings=%s", settings));
    model = sender(settings, FIRST_PSN);
    oldest = FIRST_PSN;
    fresh = FIRST_PSN;
    repeat (2) @(negedge clk);
    reset = 0;
    for (int n = 0; n < steps; n++) begin
      @(negedge clk);
      now += 64'($urandom_range(2000));
      case ($urandom_range(9))
        0, 1:
        if (post_ready) begin
          // Packets that are full, nearly full, and alone.
          post_bytes = $urandom_range(3) == 0 ? $urandom_range(4) * MTU + 1024 : 1 + $urandom_range(12 * MTU);
          post_valid = 1;
          sender_post(model, 64'(post_bytes));
          @(negedge clk);
          post_valid = 0;
        end
        2: begin
          // From a few that are known to a few that were never sent.
          logic [23:0] told;
          logic nak;
          nak = 1'($urandom);
          told = 24'(horae_psn_add(32'(oldest), int'($urandom_range(32'(horae_psn_distance(32'(oldest), 32'(fresh))) + 6)) - 3));
          naks += 32'(nak);
          respond(nak, told);
          told = nak ? told : told + 1;
          if (horae_psn_before(32'(oldest), 32'(told)) != 0 && horae_psn_before(32'(fresh), 32'(told)) == 0) oldest = told;
        end
        3: begin
          deadline = sender_deadline(model);
          if (deadline != NEVER && $urandom_range(9) == 0) begin
            if (now < deadline) now = deadline;
            void'(sender_timeout(model, now));
            timeout = 1;
            @(negedge clk);
            timeout = 0;
            timeouts++;
          end
        end
        default: begin
          if (packet_valid != (horae_sender_can_send(model) != 0))
            $fatal(1, "step %0d: packetizer has %s packet, Horae %s", n, packet_valid ? "a" : "no", packet_valid ? "none" : "one");
          if (packet_valid) begin
            p = sender_next(model, now);
            if (packet_psn != p.psn || packet_opcode != p.opcode || packet_payload != p.payload ||
                packet_ack_request != p.ack_request)
              $fatal(1, "step %0d: packetizer sends PSN %0d, opcode %0h, %0d bytes, AckReq %0d; Horae %0d, %0h, %0d, %0d", n,
                     packet_psn, packet_opcode, packet_payload, packet_ack_request, p.psn, p.opcode, p.payload, p.ack_request);
            packets++;
            if (p.kind == FRESH) fresh = p.psn + 1;
            else resent++;
            packet_ready = 1;
            @(negedge clk);
            packet_ready = 0;
          end
        end
      endcase
    end
    horae_sender_destroy(model);
    $display("%0d packets sent alike: %0d again after %0d NAKs and %0d timeouts, %0d messages completed", packets, resent,
             naks, timeouts, messages);
    $finish;
  end

endmodule
