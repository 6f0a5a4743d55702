// The logic of a connection's hybrid dynamic bitmap (Eunomia 3.3). It keeps nothing of a connection
// between packets: variables and bits are the memory controller's. One request at a time.
module hd_bitmap #(
    parameter int unsigned BLOCK_BITS = 16,  // a power of two, 16 to 256
    parameter int unsigned CAP_BITS = 256
) (
    input logic clk,
    input logic reset,

    input logic start,  // stays, like the request, until done
    input logic [1:0] request,
    input logic [23:0] psn,
    input logic last,
    output logic done,
    output logic [1:0] tracking,
    output logic [1:0] rejection,
    output logic [16:0] advanced,
    output logic [23:0] expected,
    output logic completed,
    output logic present,  // the connection has a bitmap afterwards

    output logic command_valid,
    output logic [2:0] command,
    output logic [7:0] block,
    output logic [3:0] word,
    output logic [15:0] wdata,
    output logic [127:0] new_variables,
    input logic command_done,
    input logic command_failed,
    input logic command_failed_metadata,
    input logic [15:0] rdata,
    input logic [127:0] variables
);

  localparam int unsigned K = $clog2(BLOCK_BITS);
  localparam int unsigned MAX_BLOCKS = CAP_BITS / BLOCK_BITS;
  localparam int unsigned PW = 17;  // positions: up to twice the circular portion

  localparam logic [3:0] IDLE = 4'd0;
  localparam logic [3:0] FIND = 4'd1;
  localparam logic [3:0] MAKE = 4'd2;
  localparam logic [3:0] PLACE = 4'd3;     // where the packet's bit is
  localparam logic [3:0] EXTEND = 4'd4;    // more blocks first
  localparam logic [3:0] FETCH = 4'd5;     // the word with that bit
  localparam logic [3:0] MARK = 4'd6;      // sets it
  localparam logic [3:0] RUN_FETCH = 4'd7; // the next word of the run of ones
  localparam logic [3:0] RUN_CLEAR = 4'd8; // clears the run's part of the word
  localparam logic [3:0] SCAN = 4'd9;      // are all bits 0?
  localparam logic [3:0] KEEP = 4'd10;     // variables back into memory
  localparam logic [3:0] RELEASE = 4'd11;
  localparam logic [3:0] ANSWER = 4'd12;
  localparam logic [3:0] SETTLE = 4'd13;   // the run is complete

  eunomia_pkg::variables_t now;
  assign now = variables;

  logic [3:0] state;
  logic [23:0] head, tail;
  assign head = now.head[23:0];
  assign tail = now.tail[23:0];

  // Sizes in bits.
  logic [PW-1:0] circular_bits, all_bits, linear_bits;
  assign circular_bits = PW'(now.circular) << K;
  assign all_bits = PW'(now.dynamic_size) << K;
  assign linear_bits = all_bits - circular_bits;
  logic has_linear;
  assign has_linear = now.dynamic_size > now.circular;

  // A position in the circular portion that may have gone once around.
  function automatic logic [PW-1:0] wrapped(input logic [PW-1:0] position,
                                            input logic [PW-1:0] size);
    wrapped = position >= size ? position - size : position;
  endfunction

  logic [PW-1:0] head_position;
  assign head_position = wrapped((PW'(now.head_block) << K) | PW'(now.head_index), circular_bits);

  // ---- where the packet belongs ----
  logic [23:0] distance, past_tail, past_reach;  // signed
  assign distance = psn - head;
  assign past_tail = psn - tail;
  assign past_reach = past_tail - 24'(linear_bits);
  logic is_old, is_head, in_linear, out_of_reach;
  assign is_old = distance[23];
  assign is_head = distance == '0;
  assign in_linear = !past_tail[23] && past_tail != '0;
  assign out_of_reach = !past_reach[23] && past_reach != '0;

  logic [23:0] blocks_needed;
  assign blocks_needed = (past_reach + 24'(BLOCK_BITS - 1)) >> K;
  logic never_reached;
  assign never_reached = blocks_needed + 24'(now.dynamic_size) > 24'(MAX_BLOCKS);

  logic [PW-1:0] place;
  assign place = in_linear ? circular_bits + PW'(past_tail) - 1'b1
                           : wrapped(head_position + PW'(distance), circular_bits);

  // ---- the word in hand ----
  logic [PW-1:0] position;  // of the packet's bit, or where the run goes on
  logic [15:0] held;        // the word at that position, with the packet's bit
  logic [3:0] bit_number;
  assign bit_number = position[3:0];

  // ---- the run of ones from the head on ----
  logic [PW-1:0] run;        // ones so far
  logic [PW-1:0] left;       // positions of this portion that may still belong to it
  logic run_in_linear;

  // Ones at the bottom of a word, 0 to 16.
  function automatic logic [4:0] low_ones(input logic [15:0] value);
    low_ones = 5'd16;
    for (int i = 15; i >= 0; i--) if (!value[i]) low_ones = 5'(i);
  endfunction

  logic [4:0] ones_in_word;  // of the run
  always_comb begin
    ones_in_word = low_ones(held >> bit_number);
    if (PW'(ones_in_word) > left) ones_in_word = left[4:0];
  end
  logic [15:0] cleared;
  assign cleared = held & ~(16'((17'd1 << ones_in_word) - 17'd1) << bit_number);

  logic portion_ends, word_ends;  // the run reaches so far
  assign portion_ends = PW'(ones_in_word) == left;
  assign word_ends = 5'(bit_number) + ones_in_word == 5'd16;
  logic run_enters_linear;
`ifdef EUNOMIA_BREAK
  // For the test of the comparison: the run never leaves the circular portion.
  assign run_enters_linear = 1'b0;
`else
  assign run_enters_linear = portion_ends && has_linear && !run_in_linear;
`endif
  logic run_goes_on;
  assign run_goes_on = run_enters_linear || (!portion_ends && word_ends);

  logic [PW-1:0] next_position;
  always_comb
    if (run_enters_linear) next_position = circular_bits;
    else if (run_in_linear) next_position = position + PW'(ones_in_word);
    else next_position = wrapped(position + PW'(ones_in_word), circular_bits);

  // ---- the variables afterwards ----
  logic all_circular_clear;
  logic absorbs;
  logic last_known;
  logic [23:0] new_head, after_last;
  assign new_head = head + 24'(run);
  assign last_known = !now.last_seq[31];

  logic new_last_known;
  logic [23:0] last_ahead;
  logic [23:0] new_last;
  assign last_ahead = psn - now.last_seq[23:0];
  logic takes_last;
  assign takes_last = last && (!last_known || (!last_ahead[23] && last_ahead != '0));
  assign new_last = takes_last ? psn : now.last_seq[23:0];
  assign new_last_known = last_known || last;

  assign after_last = new_head - (new_last + 24'd1);  // signed
  logic at_end, beyond_end;
  assign at_end = is_head && new_last_known && after_last == '0;
  assign beyond_end = is_head && new_last_known && !after_last[23] && after_last != '0;

  // When the circular portion is empty the linear one becomes part of it.
  assign absorbs = has_linear && all_circular_clear;
  logic [PW-1:0] circular_left;  // signed: what the circular portion still lacks
  assign circular_left = tail[PW-1:0] + 1'b1 - new_head[PW-1:0];
  logic [PW-1:0] moved_head, new_head_position;
  assign moved_head = wrapped(head_position + run, circular_bits);
  // The first bit of the linear portion keeps its place, that of tail + 1.
  assign new_head_position = absorbs ? wrapped(circular_bits - circular_left, all_bits) : moved_head;
  logic [7:0] new_circular;
  assign new_circular = absorbs ? now.dynamic_size : now.circular;
  logic tail_moves;
  assign tail_moves = absorbs || !has_linear;

  eunomia_pkg::variables_t next;
  always_comb begin
    next.dynamic_size = now.dynamic_size;
    next.circular = new_circular;
    next.head_index = 8'(new_head_position[K-1:0]);
    next.head_block = 8'(new_head_position >> K);
    next.last_seq = new_last_known && !at_end && !beyond_end ? {8'd0, new_last} : '1;
    next.tail = {8'd0, tail_moves ? new_head + (24'(new_circular) << K) - 24'd1 : tail};
    next.head = {8'd0, new_head};
  end
  assign new_variables = next;

  // ---- are all bits 0? first the circular portion, then, where it matters, the rest ----
  logic [PW-1:0] scan_end;
  assign scan_end = at_end ? all_bits : circular_bits;
  logic [PW-1:0] scan_next;
  assign scan_next = position + PW'(16);
  logic scan_circular_done;
  assign scan_circular_done = scan_next >= circular_bits;

  // ---- commands ----
  always_comb begin
    command_valid = 1'b1;
    case (state)
      FIND: command = eunomia_pkg::LOOKUP;
      MAKE: command = eunomia_pkg::CREATE;
      EXTEND: command = eunomia_pkg::GROW;
      FETCH, RUN_FETCH, SCAN: command = eunomia_pkg::READ;
      MARK: command = eunomia_pkg::WRITE;
      RUN_CLEAR: begin
        command = eunomia_pkg::WRITE;
        command_valid = ones_in_word != '0;
      end
      KEEP: command = eunomia_pkg::STORE;
      RELEASE: command = eunomia_pkg::RELEASE;
      default: begin
        command = eunomia_pkg::LOOKUP;
        command_valid = 1'b0;
      end
    endcase
  end
  assign block = 8'(position >> K);
  assign word = 4'(position[K-1:0] >> 4);
  assign wdata = state == MARK ? held : cleared;

  // ---- the sequence ----
  logic [23:0] blocks_left;  // EXTEND
  logic scan_wanted;         // after the bit is set or the run cleared
  assign scan_wanted = is_head ? has_linear || at_end : in_linear;
  logic [3:0] after_bits;    // what follows when nothing is to be scanned
  assign after_bits = is_head || takes_last ? KEEP : ANSWER;

  always_ff @(posedge clk)
    if (reset) state <= IDLE;
    else
      case (state)
        IDLE: if (start) state <= request == eunomia_pkg::HD_CREATE ? MAKE : FIND;
        FIND: if (command_done) state <= request == eunomia_pkg::HD_CLOSE ? RELEASE : PLACE;
        MAKE: if (command_done) state <= command_failed || command_failed_metadata ? ANSWER : PLACE;
        PLACE:
        if (is_old) state <= ANSWER;
        else if (!out_of_reach) state <= FETCH;
        else state <= never_reached ? ANSWER : EXTEND;
        EXTEND:
        if (command_done) begin
          if (command_failed) state <= ANSWER;
          else if (blocks_left == 24'd1) state <= PLACE;
        end
        FETCH:
        if (command_done) begin
          if (rdata[bit_number]) state <= ANSWER;
          else state <= is_head ? RUN_CLEAR : MARK;
        end
        MARK: if (command_done) state <= scan_wanted ? SCAN : after_bits;
        RUN_FETCH: if (command_done) state <= RUN_CLEAR;
        RUN_CLEAR:
        if (command_done || !command_valid) state <= run_goes_on ? RUN_FETCH : SETTLE;
        SETTLE: state <= scan_wanted ? SCAN : KEEP;
        SCAN:
        if (command_done) begin
          if (rdata != '0) state <= absorbs ? KEEP : after_bits;
          else if (scan_next >= scan_end) state <= at_end ? RELEASE : KEEP;
        end
        KEEP: if (command_done) state <= ANSWER;
        RELEASE: if (command_done) state <= ANSWER;
        ANSWER: state <= IDLE;
        default: state <= IDLE;
      endcase

  // ---- position, word, run ----
  always_ff @(posedge clk)
    if (reset) begin
      position <= '0;
      held <= '0;
      run <= '0;
      left <= '0;
      run_in_linear <= 1'b0;
      blocks_left <= '0;
      all_circular_clear <= 1'b0;
    end else
      case (state)
        IDLE: begin
          run <= '0;
          run_in_linear <= 1'b0;
          all_circular_clear <= 1'b0;
        end
        PLACE: begin
          position <= place;
          left <= circular_left;
          blocks_left <= blocks_needed;
        end
        EXTEND: if (command_done) blocks_left <= blocks_left - 24'd1;
        FETCH: if (command_done) held <= rdata | (16'd1 << bit_number);
        MARK: if (command_done) position <= '0;
        RUN_FETCH: if (command_done) held <= rdata;
        RUN_CLEAR:
        if (command_done || !command_valid) begin
          run <= run + PW'(ones_in_word);
          left <= run_enters_linear ? linear_bits : left - PW'(ones_in_word);
          run_in_linear <= run_in_linear || run_enters_linear;
          position <= next_position;
        end
        SETTLE: position <= '0;
        SCAN:
        if (command_done) begin
          position <= scan_next;
          if (rdata == '0 && scan_circular_done) all_circular_clear <= 1'b1;
        end
        default: ;
      endcase

  // ---- the answer ----
  always_ff @(posedge clk)
    if (reset) begin
      tracking <= '0;
      rejection <= '0;
      completed <= 1'b0;
      present <= 1'b0;
    end else
      case (state)
        IDLE: begin
          tracking <= eunomia_pkg::IN_ORDER;
          rejection <= eunomia_pkg::NONE;
          completed <= 1'b0;
          present <= 1'b1;
        end
        MAKE:
        if (command_done && (command_failed || command_failed_metadata)) begin
          tracking <= eunomia_pkg::REJECTED;
          rejection <= command_failed_metadata ? eunomia_pkg::NO_METADATA : eunomia_pkg::NO_BLOCK;
          present <= 1'b0;
        end
        PLACE:
        if (is_old) begin
          tracking <= eunomia_pkg::DUPLICATE;
        end else if (out_of_reach && never_reached) begin
          tracking <= eunomia_pkg::REJECTED;
          rejection <= eunomia_pkg::REACH;
        end
        EXTEND:
        if (command_done && command_failed) begin
          tracking <= eunomia_pkg::REJECTED;
          rejection <= eunomia_pkg::NO_BLOCK;
        end
        FETCH:
        if (command_done) begin
          if (rdata[bit_number]) tracking <= eunomia_pkg::DUPLICATE;
          else if (!is_head) tracking <= eunomia_pkg::OUT_OF_ORDER;
        end
        KEEP: completed <= at_end || beyond_end;
        RELEASE: begin
          completed <= request != eunomia_pkg::HD_CLOSE;
          present <= 1'b0;
        end
        default: ;
      endcase

  assign done = state == ANSWER;
  assign advanced = run;
  assign expected = new_head;

endmodule
