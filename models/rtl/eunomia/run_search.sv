// Finds consecutive free words in the allocation bitmap, SEARCH_WIDTH bits a clock: from the lowest
// word upwards the first SHORT_RUN of them, or from the highest downwards the first LONG_RUN. The
// last bits of the clock before, one less than a run has, are kept, so a run may begin anywhere.
module run_search #(
    parameter int unsigned BLOCKS = 1024,
    parameter int unsigned SEARCH_WIDTH = 64,
    parameter int unsigned SHORT_RUN = 1,
    parameter int unsigned LONG_RUN = 24
) (
    input logic clk,
    input logic [BLOCKS-1:0] taken,
    input logic active,     // searching; the first clock of a search follows one without
    input logic backwards,  // for a long run, from the end
    output logic found,
    output logic exhausted,  // everything was looked at
    output logic [15:0] start
);

  localparam int unsigned GROUPS = (BLOCKS + SEARCH_WIDTH - 1) / SEARCH_WIDTH;
  localparam int unsigned PADDED = GROUPS * SEARCH_WIDTH;
  localparam int unsigned GW = GROUPS > 1 ? $clog2(GROUPS) : 1;
  localparam int unsigned KEPT = (LONG_RUN > SHORT_RUN ? LONG_RUN : SHORT_RUN) - 1;
  localparam int unsigned WINDOW = SEARCH_WIDTH + KEPT;

  logic [GW-1:0] group_number;
  logic [KEPT-1:0] kept;  // free words just before this group, the latest highest

  // The free words of this group in the order of the search; what is beyond the end is not free.
  logic [BLOCKS-1:0] free;
  assign free = ~taken;
  logic [PADDED-1:0] free_up, free_down;  // with what is beyond the end at that end
  assign free_up = PADDED'(free);
  assign free_down = PADDED'(free) << (PADDED - BLOCKS);
  logic [GW-1:0] group_down;
  assign group_down = GW'(GROUPS - 1) - group_number;

  logic [SEARCH_WIDTH-1:0] slice_up, slice_down, group;
  assign slice_up = free_up[32'(group_number)*SEARCH_WIDTH+:SEARCH_WIDTH];
  assign slice_down = free_down[32'(group_down)*SEARCH_WIDTH+:SEARCH_WIDTH];
  always_comb begin
    group = slice_up;
    if (backwards) for (int i = 0; i < SEARCH_WIDTH; i++) group[i] = slice_down[SEARCH_WIDTH-1-i];
  end

  // ends[i]: a run of free words ends with bit i of the group.
  logic [WINDOW-1:0] window;
  assign window = {group, kept};

  logic [SEARCH_WIDTH-1:0] short_ends;
  always_comb begin
    short_ends = '1;
    for (int r = 0; r < SHORT_RUN; r++) short_ends &= window[KEPT-r+:SEARCH_WIDTH];
  end

  logic [SEARCH_WIDTH-1:0] long_ends;
  always_comb begin
    long_ends = '1;
    for (int r = 0; r < LONG_RUN; r++) long_ends &= window[KEPT-r+:SEARCH_WIDTH];
  end

  logic [SEARCH_WIDTH-1:0] ends;
  assign ends = backwards ? long_ends : short_ends;

  // The first of them.
  logic [15:0] offset;
  always_comb begin
    offset = '0;
    for (int i = SEARCH_WIDTH - 1; i >= 0; i--) if (ends[i]) offset = 16'(i);
  end

  logic [15:0] last_looked_at;
  assign last_looked_at = 16'(32'(group_number) * SEARCH_WIDTH) + offset;
  assign found = active && (ends != '0);
  assign exhausted = group_number == GW'(GROUPS - 1);
  assign start = backwards ? 16'(BLOCKS - 1) - last_looked_at
                           : last_looked_at - 16'(SHORT_RUN - 1);

  always_ff @(posedge clk)
    if (!active || found || exhausted) begin
      group_number <= '0;
      kept <= '0;
    end else begin
      group_number <= group_number + 1'b1;
      kept <= window[WINDOW-1-:KEPT];
    end

endmodule
