  // Rules that must hold of the memory controller at every clock (tb/tools/prove puts this before its endmodule).
  // Beside it stands a book of whose each word is, kept from what is taken and given alone.
  logic [INDEX_ENTRIES*BLOCKS-1:0] book;  // by row of the index, its words
  logic [15:0] words_out;                 // taken so far, less what was given back
  logic [15:0] run_length;
  assign run_length = of_metadata ? 16'(METADATA_WORDS) : 16'(BLOCK_WORDS);
  logic [BLOCKS-1:0] of_row;
  assign of_row = book[32'(row)*BLOCKS+:BLOCKS];
  always_ff @(posedge clk)
    if (reset) begin
      book <= '0;
      words_out <= '0;
    end else if (takes) begin
      book[32'(row)*BLOCKS+:BLOCKS] <= of_row | run_mask;
      words_out <= words_out + run_length;
    end else if (gives) begin
      book[32'(row)*BLOCKS+:BLOCKS] <= of_row & ~run_mask;
      words_out <= words_out - run_length;
    end

  logic disjoint, unused_rows_empty;
  logic [BLOCKS-1:0] any_row;
  always_comb begin
    disjoint = 1'b1;
    unused_rows_empty = 1'b1;
    any_row = '0;
    for (int i = 0; i < INDEX_ENTRIES; i++) begin
      if ((any_row & book[i*BLOCKS+:BLOCKS]) != '0) disjoint = 1'b0;
      if (!index_valid[i] && book[i*BLOCKS+:BLOCKS] != '0) unused_rows_empty = 1'b0;
      any_row = any_row | book[i*BLOCKS+:BLOCKS];
    end
  end
  logic [15:0] allocated;
  always_comb begin
    allocated = '0;
    for (int i = 0; i < BLOCKS; i++) allocated = allocated + 16'(block_alloc_bitmap[i]);
  end
  logic rows_differ;
  always_comb begin
    rows_differ = 1'b1;
    for (int i = 0; i < INDEX_ENTRIES; i++)
      for (int j = 0; j < i; j++)
        if (index_valid[i] && index_valid[j] && index_connection[i] == index_connection[j])
          rows_differ = 1'b0;
  end

  logic holds_taken_was_free, holds_taken_fits, holds_one_owner, holds_free_count;
  assign holds_taken_was_free = !takes || (block_alloc_bitmap & run_mask) == '0;
  assign holds_taken_fits = !takes || 16'(BLOCKS) - run_start >= run_length;
  assign holds_one_owner = disjoint && any_row == block_alloc_bitmap;
  assign holds_free_count = allocated == words_out;
  logic holds_given_by_its_owner, holds_nothing_leaks, holds_access_is_its_own, holds_one_row;
  assign holds_given_by_its_owner = !gives || (of_row & run_mask) == run_mask;
  assign holds_nothing_leaks = unused_rows_empty;
  assign holds_access_is_its_own = !(access && block_known) || of_row[AW'(block_addr + 16'(word))];
  assign holds_one_row = rows_differ;
  logic holds_done_was_asked;
  assign holds_done_was_asked = !done || command_valid;
