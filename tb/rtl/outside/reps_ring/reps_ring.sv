// A sender's entropy scheme as a user may have one: the ring of REPS (Bonato et al., EuroSys 2026, Algorithms 1 and 2)
// for each of CONNECTIONS queue pairs, frozen by failures. A request a clock; its answer stands in the clock after it.
module reps_ring #(
    parameter int unsigned CONNECTIONS = 256,
    parameter int unsigned SLOTS = 8,  // a power of two
    parameter int unsigned TIMEOUT_NS = 100_000  // frozen at least so long
) (
    input logic clk,
    input logic reset,
    input logic request_valid,  // for a packet, but for
    input logic open,  // the connection begins
    input logic feedback,  // a packet's end
    input logic freeze,
    input logic [$clog2(CONNECTIONS)-1:0] connection,
    input logic [63:0] now,  // ps, as all times
    input logic [15:0] draw,
    input logic [15:0] feedback_value,
    input logic [1:0] signal,
    input logic [63:0] rtt,
    input logic [63:0] base_rtt,
    input logic [63:0] rto,
    input logic [31:0] bdp,
    input logic trimming,
    output logic response_valid,
    output logic [15:0] value,
    output logic [1:0] origin,
    output logic drew,
    output logic frozen
);

  localparam int unsigned SW = $clog2(SLOTS);
  localparam logic [1:0] GOOD = 2'd0, TIMED_OUT = 2'd3;
  localparam logic [1:0] RECYCLED = 2'd0, RANDOM = 2'd1, AGAIN = 2'd2;

  typedef struct packed {
    logic [SLOTS-1:0] valid;
    logic [SW-1:0] head;  // next slot to write
    logic [SW:0] count;  // slots that are valid: the last ones before head
    logic [SW:0] filled;  // slots that ever held a value: the first ones
    logic [7:0] explore;  // packets that get random values yet
    logic frozen;
    logic [63:0] exit_time;
    logic [63:0] shortest;
    logic [63:0] longest;  // of the window
    logic [63:0] window_end;
    logic measured;  // there is a window
  } state_t;

  logic [15:0] ring[CONNECTIONS*SLOTS];
  state_t states[CONNECTIONS];

  state_t was, next;
  assign was = states[connection];

  logic [SW-1:0] oldest, again;
  assign oldest = was.head - was.count[SW-1:0];
  assign again = {1'b0, was.head} < was.filled ? was.head : '0;

  // Without switches that trim, only after round trips that were all short: longest < 1.65 shortest.
  logic suspicious;
  assign suspicious = trimming || 70'd20 * was.longest < 70'd33 * was.shortest;

  logic write;  // feedback_value is stored
  logic [SW-1:0] read;
  logic [1:0] from;

  always_comb begin
    next = was;
    write = 1'b0;
    read = oldest;
    from = RANDOM;
    if (open) begin
      next = '0;
      next.shortest = base_rtt;
    end else if (freeze || (feedback && signal == TIMED_OUT && was.explore == '0 && suspicious)) begin
      next.frozen = 1'b1;
      if (!was.frozen) next.exit_time = now + 64'd1000 * 64'(TIMEOUT_NS);
    end else if (feedback && signal != TIMED_OUT) begin
      if (!trimming && rtt != '0) begin
        if (!was.measured || now > was.window_end) begin
          next.measured = 1'b1;
          next.window_end = now + 64'd2 * rto;
          next.longest = rtt;
        end else if (rtt > was.longest) next.longest = rtt;
        if (rtt < was.shortest) next.shortest = rtt;
      end
      if (was.frozen && now > was.exit_time) begin
        next.frozen = 1'b0;
        next.explore = bdp > 32'd255 ? 8'd255 : bdp[7:0];
      end
      if (signal == GOOD) begin
        write = 1'b1;
        next.valid[was.head] = 1'b1;
        if (!was.valid[was.head]) next.count = was.count + 1'b1;
        if (was.filled <= {1'b0, was.head}) next.filled = {1'b0, was.head} + 1'b1;
        next.head = was.head + 1'b1;
      end
    end else if (!feedback) begin
      if (was.explore != '0) next.explore = was.explore - 1'b1;
      else if (was.count != '0) begin
        from = RECYCLED;
        next.count = was.count - 1'b1;
`ifndef REPS_RING_BREAK  // For the test of comparisons: a value that was used stays valid.
        next.valid[oldest] = 1'b0;
`endif
      end else if (was.frozen && was.filled != '0) begin
        from = AGAIN;
        read = again;
        next.head = again + 1'b1;
      end
    end
  end

  logic packet;
  assign packet = !open && !feedback && !freeze;

  always_ff @(posedge clk)
    if (request_valid) begin
      states[connection] <= next;
      if (write) ring[{connection, was.head}] <= feedback_value;
    end

  always_ff @(posedge clk)
    if (reset) begin
      response_valid <= 1'b0;
      value <= '0;
      origin <= '0;
      drew <= 1'b0;
      frozen <= 1'b0;
    end else begin
      response_valid <= request_valid;
      value <= !packet ? '0 : from == RANDOM ? draw : ring[{connection, read}];
      origin <= from;
      drew <= packet && from == RANDOM;
      frozen <= next.frozen;
    end

endmodule
