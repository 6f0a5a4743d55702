// The words that hold metadata and bitmaps. MEMORY 0: registers, PORT_WORDS neighbouring words read
// and written in a clock, data in the same clock as the address. MEMORY 1: a block RAM with one
// port, one word at a time, data in the clock after the address. Never reset: the controller writes
// every word before it reads it.
module master_array #(
    parameter int unsigned BLOCKS = 1024,
    parameter int unsigned MEMORY = 0,
    parameter int unsigned PORT_WORDS = 1
) (
    input logic clk,
    input logic [$clog2(BLOCKS)-1:0] addr,
    input logic [PORT_WORDS-1:0] write,  // by word
    input logic [PORT_WORDS*16-1:0] wdata,
    output logic [PORT_WORDS*16-1:0] rdata
);

  localparam int unsigned AW = $clog2(BLOCKS);

  logic [15:0] words[BLOCKS]  /*verilator public_flat_rd*/;

  generate
    if (MEMORY == 0) begin : g_registers
      always_ff @(posedge clk)
        for (int i = 0; i < PORT_WORDS; i++)
          if (write[i]) words[addr+AW'(i)] <= wdata[i*16+:16];

      always_comb
        for (int i = 0; i < PORT_WORDS; i++) rdata[i*16+:16] = words[addr+AW'(i)];
    end else begin : g_block_ram
      logic [15:0] read_word;
      always_ff @(posedge clk) begin
        if (write[0]) words[addr] <= wdata[15:0];
        read_word <= words[addr];
      end
      assign rdata = (PORT_WORDS * 16)'(read_word);
    end
  endgenerate

endmodule
