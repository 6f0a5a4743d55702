// A small TX path, as a user may have one: RDMA WRITEs of one connection as packets, go-back-N (IBTA vol. 1, 9.7.5.2).
// A NAK rewinds to the PSN it names, a timeout to the oldest unacknowledged one. In a clock with a response or a
// timeout no packet is given; `completed` counts the messages that the response of the clock before completed.
module packetizer #(
    parameter int unsigned MTU = 1024,
    parameter int unsigned WINDOW = 16,  // packets
    parameter int unsigned MESSAGES = 8,  // posted and not completed, a power of two
    parameter logic [23:0] FIRST_PSN = '0
) (
    input logic clk,
    input logic reset,

    input logic post_valid,
    output logic post_ready,
    input logic [31:0] post_bytes,  // at least 1

    output logic packet_valid,
    input logic packet_ready,
    output logic [23:0] packet_psn,
    output logic [7:0] packet_opcode,
    output logic [15:0] packet_payload,
    output logic packet_ack_request,

    input logic response_valid,
    input logic response_nak,
    input logic [23:0] response_psn,  // as in its BTH
    input logic timeout,
    output logic [$clog2(MESSAGES):0] completed
);

  localparam int unsigned BITS = $clog2(MESSAGES);
  localparam logic [7:0] WRITE_FIRST = 8'h06, WRITE_MIDDLE = 8'h07, WRITE_LAST = 8'h08, WRITE_ONLY = 8'h0a;

  // Messages from the oldest that is not completed on.
  logic [23:0] first_psn[MESSAGES], packets[MESSAGES];
  logic [31:0] bytes[MESSAGES];
  logic [BITS-1:0] head, sending;
  logic [BITS:0] count;
  logic [23:0] oldest, next, fresh, posted_end;  // unacknowledged, to send, never sent, never posted
  logic in_vain, ask_first;  // nothing acknowledged since a timeout; the next packet asks for that reason

  // PSNs compare by the shorter way round.
  function automatic logic earlier(input logic [23:0] a, input logic [23:0] b);
    return 24'(a - b) >= 24'h800000;
  endfunction

  logic resends, is_last;
  logic [23:0] place;
  assign resends = next != fresh;
  assign post_ready = count != (BITS + 1)'(MESSAGES);
  assign packet_valid = !response_valid && !timeout && (resends || (fresh != posted_end && fresh - oldest < 24'(WINDOW)));
  assign packet_psn = next;
  assign place = next - first_psn[sending];
  assign is_last = place + 24'd1 == packets[sending];
  assign packet_opcode = place == 0 ? (is_last ? WRITE_ONLY : WRITE_FIRST) : (is_last ? WRITE_LAST : WRITE_MIDDLE);
  assign packet_payload = 16'(is_last ? bytes[sending] - 32'(place) * MTU : 32'(MTU));
  assign packet_ack_request = is_last ||
      (resends ? ask_first || next + 24'd1 == fresh : (next[7:0] == 8'hff || fresh + 24'd1 - oldest >= 24'(WINDOW)));

  // After a response.
  logic [23:0] told, now_oldest;
  logic [BITS-1:0] now_head;
  logic [BITS:0] done;
  always_comb begin
    told = response_nak ? response_psn : response_psn + 24'd1;
    now_oldest = earlier(oldest, told) && !earlier(fresh, told) ? told : oldest;
    now_head = head;
    done = '0;
    for (int i = 0; i < MESSAGES; i++)
      if (done < count && !earlier(now_oldest, first_psn[now_head] + packets[now_head])) begin
        now_head = now_head + 1'b1;
        done = done + 1'b1;
      end
  end

  logic [BITS-1:0] tail;
  assign tail = head + BITS'(count);
  logic posts;
  logic [23:0] more;
  assign posts = post_valid && post_ready;
  assign more = 24'((post_bytes + MTU - 1) / MTU);

  always_ff @(posedge clk)
    if (reset) begin
      {head, sending, count, completed} <= '0;
      {in_vain, ask_first} <= '0;
      oldest <= FIRST_PSN;
      next <= FIRST_PSN;
      fresh <= FIRST_PSN;
      posted_end <= FIRST_PSN;
    end else begin
      completed <= '0;
      count <= count + (BITS + 1)'(posts) - (response_valid ? done : '0);
      if (posts) begin
        first_psn[tail] <= posted_end;
        packets[tail] <= more;
        bytes[tail] <= post_bytes;
        posted_end <= posted_end + more;
        if (count == 0) sending <= tail;
      end
      if (response_valid) begin
        completed <= done;
        oldest <= now_oldest;
        head <= now_head;
        if (now_oldest != oldest) in_vain <= 1'b0;
        if (response_nak && !earlier(response_psn, now_oldest) && earlier(response_psn, fresh)) begin
`ifdef PACKETIZER_BREAK
          // For the test of comparisons: it goes back one too far.
          next <= response_psn == oldest ? response_psn : response_psn - 24'd1;
`else
          next <= response_psn;
`endif
          sending <= now_head;
          ask_first <= 1'b0;
        end else if (earlier(next, now_oldest)) begin
          next <= now_oldest;
          sending <= now_head;
        end
      end else if (timeout && oldest != fresh) begin
        next <= oldest;
        sending <= head;
        ask_first <= in_vain;
        in_vain <= 1'b1;
      end else if (packet_valid && packet_ready) begin
        next <= next + 24'd1;
        if (!resends) fresh <= fresh + 24'd1;
        ask_first <= 1'b0;
        if (is_last) sending <= sending + 1'b1;
      end
    end

endmodule
