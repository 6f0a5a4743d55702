// Holds everything of the connections that reorder: finds space, finds a connection's metadata and
// its blocks, gives space back (Eunomia 3.4 and 4). One command at a time; `done` is raised in a
// command's last clock, and its results stand in that clock (rdata, failed) or after it (the rest).
module memory_controller
#(
    parameter int unsigned BLOCKS = 1024,
    parameter int unsigned BLOCK_BITS = 16,
    parameter int unsigned CAP_BITS = 256,
    parameter int unsigned CONNECTIONS = 256,
    parameter int unsigned INDEX_ENTRIES = 64,
    parameter int unsigned SEARCH_WIDTH = 64,
    parameter int unsigned MEMORY = 0,
    parameter int unsigned PORT_WORDS = 1
) (
    input logic clk,
    input logic reset,
    input logic command_valid,  // stays, like the command, until done
    input logic [2:0] command,
    input logic [$clog2(CONNECTIONS)-1:0] connection,
    input logic [23:0] first_psn,          // CREATE: the head
    input logic [7:0] block,               // READ, WRITE
    input logic [3:0] word,                // READ, WRITE: word of the block
    input logic [15:0] wdata,              // WRITE
    input logic [127:0] new_variables,     // STORE
    output logic done,
    output logic failed,                   // GROW, CREATE: no room for a block
    output logic failed_metadata,          // CREATE: no room for metadata
    output logic [15:0] rdata,             // READ
    output logic [127:0] variables         // the working set
);

  localparam int unsigned CW = $clog2(CONNECTIONS);
  localparam int unsigned AW = $clog2(BLOCKS);
  localparam int unsigned EW = INDEX_ENTRIES > 1 ? $clog2(INDEX_ENTRIES) : 1;
  localparam int unsigned BLOCK_WORDS = BLOCK_BITS / 16;
  localparam int unsigned METADATA_WORDS = eunomia_pkg::STATE_WORDS + CAP_BITS / BLOCK_BITS;
  localparam int unsigned LOADED = eunomia_pkg::STATE_WORDS + 1;  // variables and base address

  localparam logic [3:0] IDLE = 4'd0;
  localparam logic [3:0] LOAD = 4'd1;             // metadata into the working set
  localparam logic [3:0] SEARCH_METADATA = 4'd2;
  localparam logic [3:0] TAKE_METADATA = 4'd3;    // mark it, fill the row of the index
  localparam logic [3:0] SEARCH_BLOCK = 4'd4;
  localparam logic [3:0] CLEAR_BLOCK = 4'd5;      // mark it, set its words to 0
  localparam logic [3:0] INITIALISE = 4'd6;       // write all metadata of a new connection
  localparam logic [3:0] NOTE_ADDRESS = 4'd7;     // GROW: address of the new block
  localparam logic [3:0] NOTE_SIZE = 4'd8;        // GROW: dynamic size
  localparam logic [3:0] GIVE_UP = 4'd9;          // CREATE without a block: metadata goes back
  localparam logic [3:0] RELEASE_BLOCKS = 4'd10;
  localparam logic [3:0] RELEASE_METADATA = 4'd11;

  logic [BLOCKS-1:0] block_alloc_bitmap  /*verilator public_flat_rd*/;
  logic [INDEX_ENTRIES-1:0] index_valid  /*verilator public_flat_rd*/;
  logic [CW-1:0] index_connection[INDEX_ENTRIES]  /*verilator public_flat_rd*/;
  logic [15:0] index_start[INDEX_ENTRIES]  /*verilator public_flat_rd*/;

  // The working set: where the connection's metadata is, its row, its variables.
  logic [3:0] state;
  logic [15:0] metadata;
  logic [EW-1:0] row;
  logic [15:0] base;  // address of block 0
  eunomia_pkg::variables_t set;
  assign variables = set;

  logic [8:0] step;       // words of the running state that are done
  logic [15:0] new_block;
  logic creating;

  // ---- one word or more of the master array in a clock; a block RAM answers a clock later ----
  logic [AW-1:0] m_addr;
  logic [PORT_WORDS-1:0] m_write;
  logic [PORT_WORDS*16-1:0] m_wdata;
  logic [PORT_WORDS*16-1:0] m_rdata;
  logic m_read;  // a read is wanted in this clock
  logic waited;  // the address was there a clock ago
  logic m_ready; // m_rdata is the answer

  master_array #(
      .BLOCKS(BLOCKS),
      .MEMORY(MEMORY),
      .PORT_WORDS(PORT_WORDS)
  ) master (
      .clk(clk),
      .addr(m_addr),
      .write(m_write),
      .wdata(m_wdata),
      .rdata(m_rdata)
  );

  assign m_ready = m_read && (MEMORY == 0 || waited);
  always_ff @(posedge clk)
    if (reset) waited <= 1'b0;
    else waited <= m_read && !m_ready;

  // ---- the index: rows looked at all at once ----
  logic [EW-1:0] hit_row;
  always_comb begin
    hit_row = '0;
    if (state == IDLE)
      for (int i = 0; i < INDEX_ENTRIES; i++)
        if (index_valid[i] && index_connection[i] == connection) hit_row = EW'(i);
  end

  logic [EW-1:0] free_row;
  always_comb begin
    free_row = '0;
    for (int i = INDEX_ENTRIES - 1; i >= 0; i--) if (!index_valid[i]) free_row = EW'(i);
  end

  logic index_full;
  assign index_full = &index_valid;

  // ---- finding space ----
  logic searching, found, exhausted;
  logic [15:0] found_start;
  assign searching = state == SEARCH_METADATA || state == SEARCH_BLOCK;

  run_search #(
      .BLOCKS(BLOCKS),
      .SEARCH_WIDTH(SEARCH_WIDTH),
      .SHORT_RUN(BLOCK_WORDS),
      .LONG_RUN(METADATA_WORDS)
  ) searcher (
      .clk(clk),
      .taken(block_alloc_bitmap),
      .active(searching),
      .backwards(state == SEARCH_METADATA),
      .found(found),
      .exhausted(exhausted),
      .start(found_start)
  );

  // ---- blocks by number: the address of the one used last is kept ----
  logic translated;
  logic [7:0] translated_block;
  logic [15:0] translated_addr;
  logic block_known;
  logic [15:0] block_addr;
  logic [7:0] wanted_block;
  assign wanted_block = state == RELEASE_BLOCKS ? step[7:0] : block;
  assign block_known = wanted_block == '0 || (translated && translated_block == wanted_block);
  assign block_addr = wanted_block == '0 ? base : translated_addr;

  logic access;  // READ or WRITE
  assign access = state == IDLE && command_valid &&
                  (command == eunomia_pkg::READ || command == eunomia_pkg::WRITE);
  logic translating;
  assign translating = (access || state == RELEASE_BLOCKS) && !block_known;

  always_ff @(posedge clk)
    if (reset) begin
      translated <= 1'b0;
      translated_block <= '0;
      translated_addr <= '0;
    end else if (state == LOAD || state == INITIALISE) begin
      translated <= 1'b0;
    end else if (translating && m_ready) begin
      translated <= 1'b1;
      translated_block <= wanted_block;
      translated_addr <= base + m_rdata[15:0];
    end

  // ---- what is written, and where ----
  // A word of the working set as metadata; addresses beyond block 0 begin as 0.
  function automatic logic [15:0] metadata_word(input logic [8:0] k, input logic [127:0] v,
                                                input logic [15:0] base_addr);
    if (k < 9'(eunomia_pkg::STATE_WORDS)) metadata_word = v[{k[2:0], 4'd0}+:16];
    else if (k == 9'(eunomia_pkg::STATE_WORDS)) metadata_word = base_addr;
    else metadata_word = '0;
  endfunction

  logic storing;
  assign storing = state == IDLE && command_valid && command == eunomia_pkg::STORE;

  logic [8:0] step_end;  // words of the running state
  always_comb
    case (state)
      LOAD: step_end = 9'(LOADED);
      CLEAR_BLOCK: step_end = 9'(BLOCK_WORDS);
      INITIALISE: step_end = 9'(METADATA_WORDS);
      default: step_end = 9'(eunomia_pkg::STATE_WORDS);  // STORE
    endcase
  logic last_step;
  assign last_step = step + 9'(PORT_WORDS) >= step_end;

  always_comb begin
    m_addr = AW'(metadata + 16'(step));
    m_read = state == LOAD;
    m_write = '0;
    m_wdata = '0;
    if (state == CLEAR_BLOCK) begin
      m_addr = AW'(new_block + 16'(step));
      for (int i = 0; i < PORT_WORDS; i++) m_write[i] = step + 9'(i) < 9'(BLOCK_WORDS);
    end else if (state == INITIALISE) begin
      for (int i = 0; i < PORT_WORDS; i++) begin
        m_write[i] = step + 9'(i) < 9'(METADATA_WORDS);
        m_wdata[i*16+:16] = metadata_word(step + 9'(i), set, base);
      end
    end else if (storing) begin
      for (int i = 0; i < PORT_WORDS; i++) begin
        m_write[i] = step + 9'(i) < 9'(eunomia_pkg::STATE_WORDS);
        m_wdata[i*16+:16] = metadata_word(step + 9'(i), new_variables, base);
      end
    end else if (state == NOTE_ADDRESS) begin
      m_addr = AW'(metadata + 16'(eunomia_pkg::STATE_WORDS) + 16'(set.dynamic_size));
      m_write[0] = 1'b1;
      m_wdata[15:0] = new_block - base;
    end else if (state == NOTE_SIZE) begin
      m_addr = AW'(metadata + 16'(eunomia_pkg::STATE_WORDS - 1));
      m_write[0] = 1'b1;
      m_wdata[15:0] = {set.dynamic_size, set.circular};
    end else if (translating) begin
      m_addr = AW'(metadata + 16'(eunomia_pkg::STATE_WORDS) + 16'(wanted_block));
      m_read = 1'b1;
    end else if (access) begin
      m_addr = AW'(block_addr + 16'(word));
      m_read = command == eunomia_pkg::READ;
      m_write[0] = command == eunomia_pkg::WRITE;
      m_wdata[15:0] = wdata;
    end
  end
  assign rdata = m_rdata[15:0];

  // ---- the sequence ----
  logic last_block;
  assign last_block = step + 9'd1 >= 9'(set.dynamic_size);
  logic release_block;  // this clock
  assign release_block = state == RELEASE_BLOCKS && block_known;

  always_comb begin
    done = 1'b0;
    failed = 1'b0;
    failed_metadata = 1'b0;
    case (state)
      IDLE:
      if (command_valid)
        case (command)
          eunomia_pkg::READ: done = block_known && m_ready;
          eunomia_pkg::WRITE: done = block_known;
          eunomia_pkg::STORE: done = last_step;
          eunomia_pkg::CREATE: begin
            done = index_full;
            failed_metadata = index_full;
          end
          default: done = 1'b0;
        endcase
      LOAD: done = m_ready && last_step;
      SEARCH_METADATA: begin
        done = exhausted && !found;
        failed_metadata = done;
      end
      SEARCH_BLOCK: begin
        done = exhausted && !found && !creating;
        failed = done;
      end
      GIVE_UP: begin
        done = 1'b1;
        failed = 1'b1;
      end
      INITIALISE: done = last_step;
      NOTE_SIZE: done = 1'b1;
      RELEASE_METADATA: done = 1'b1;
      default: done = 1'b0;
    endcase
  end

  always_ff @(posedge clk)
    if (reset) begin
      state <= IDLE;
      step <= '0;
      creating <= 1'b0;
      new_block <= '0;
    end else
      case (state)
        IDLE:
        if (command_valid)
          case (command)
            eunomia_pkg::LOOKUP: state <= LOAD;
            eunomia_pkg::CREATE: begin
              creating <= 1'b1;
              if (!index_full) state <= SEARCH_METADATA;
            end
            eunomia_pkg::GROW: begin
              creating <= 1'b0;
              state <= SEARCH_BLOCK;
            end
            eunomia_pkg::RELEASE: state <= RELEASE_BLOCKS;
            eunomia_pkg::STORE: step <= last_step ? '0 : step + 9'(PORT_WORDS);
            default: state <= IDLE;
          endcase
        LOAD:
        if (m_ready) begin
          step <= last_step ? '0 : step + 9'(PORT_WORDS);
          if (last_step) state <= IDLE;
        end
        SEARCH_METADATA:
        if (found) state <= TAKE_METADATA;
        else if (exhausted) state <= IDLE;
        TAKE_METADATA: state <= SEARCH_BLOCK;
        SEARCH_BLOCK: begin
          new_block <= found_start;
          if (found) state <= CLEAR_BLOCK;
          else if (exhausted) state <= creating ? GIVE_UP : IDLE;
        end
        CLEAR_BLOCK: begin
          step <= last_step ? '0 : step + 9'(PORT_WORDS);
          if (last_step) state <= creating ? INITIALISE : NOTE_ADDRESS;
        end
        INITIALISE: begin
          step <= last_step ? '0 : step + 9'(PORT_WORDS);
          if (last_step) state <= IDLE;
        end
        NOTE_ADDRESS: state <= NOTE_SIZE;
        RELEASE_BLOCKS:
        if (block_known) begin
          step <= last_block ? '0 : step + 9'd1;
          if (last_block) state <= RELEASE_METADATA;
        end
        default: state <= IDLE;
      endcase

  // ---- the working set ----
  function automatic logic [127:0] with_words(input logic [127:0] v, input logic [8:0] k,
                                              input logic [PORT_WORDS*16-1:0] words);
    with_words = v;
    for (int i = 0; i < PORT_WORDS; i++)
      for (int j = 0; j < eunomia_pkg::STATE_WORDS; j++)
        if (k + 9'(i) == 9'(j)) with_words[j*16+:16] = words[i*16+:16];
  endfunction

  always_ff @(posedge clk)
    if (reset) begin
      metadata <= '0;
      row <= '0;
      base <= '0;
      set <= '0;
    end else
      case (state)
        IDLE:
        if (command_valid && command == eunomia_pkg::LOOKUP) begin
          metadata <= index_start[hit_row];
          row <= hit_row;
        end else if (command_valid && command == eunomia_pkg::CREATE) begin
          row <= free_row;
        end
        LOAD:
        if (m_ready) begin
          set <= with_words(set, step, m_rdata);
          for (int i = 0; i < PORT_WORDS; i++)
            if (step + 9'(i) == 9'(eunomia_pkg::STATE_WORDS)) base <= m_rdata[i*16+:16];
        end
        SEARCH_METADATA: metadata <= found_start;
        CLEAR_BLOCK:
        if (creating) begin
          base <= new_block;
          set.head <= {8'd0, first_psn};
          set.tail <= {8'd0, first_psn + 24'(BLOCK_BITS - 1)};
          set.last_seq <= '1;
          set.head_block <= '0;
          set.head_index <= '0;
          set.circular <= 8'd1;
          set.dynamic_size <= 8'd1;
        end
        NOTE_ADDRESS: set.dynamic_size <= set.dynamic_size + 8'd1;
        default: ;
      endcase

  // ---- what is taken ----
  logic takes, gives, of_metadata;  // in this clock; a run of metadata, or of a block
  assign takes = state == TAKE_METADATA || (state == CLEAR_BLOCK && step == '0);
  assign gives = release_block || state == RELEASE_METADATA || state == GIVE_UP;
  assign of_metadata = state == TAKE_METADATA || state == RELEASE_METADATA || state == GIVE_UP;
  logic [15:0] run_start;
  assign run_start = of_metadata ? metadata : release_block ? block_addr : new_block;
  localparam int unsigned RUN_WORDS = METADATA_WORDS > BLOCK_WORDS ? METADATA_WORDS : BLOCK_WORDS;
  logic [RUN_WORDS-1:0] run_words;
  assign run_words = of_metadata ? RUN_WORDS'({METADATA_WORDS{1'b1}}) : RUN_WORDS'({BLOCK_WORDS{1'b1}});
  logic [BLOCKS-1:0] run_mask;
  assign run_mask = BLOCKS'(run_words) << run_start;

  always_ff @(posedge clk)
    if (reset) block_alloc_bitmap <= '0;
    else if (takes) block_alloc_bitmap <= block_alloc_bitmap | run_mask;
    else if (gives) block_alloc_bitmap <= block_alloc_bitmap & ~run_mask;

  always_ff @(posedge clk)
    if (reset) begin
      index_valid <= '0;
      for (int i = 0; i < INDEX_ENTRIES; i++) begin
        index_connection[i] <= '0;
        index_start[i] <= '0;
      end
    end else if (state == TAKE_METADATA) begin
      index_valid[row] <= 1'b1;
      index_connection[row] <= connection;
      index_start[row] <= metadata;
    end else if (state == RELEASE_METADATA || state == GIVE_UP) begin
      index_valid[row] <= 1'b0;
    end

endmodule
