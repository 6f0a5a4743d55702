// The receiving NIC's ordering layer of Eunomia: one packet driver, one HD bitmap module, one
// memory controller (Eunomia, Figure 8a). A request is a packet, or a connection's end; each gets
// one response, in order, and the next request is taken when the response was.
module eunomia_top #(
    parameter int unsigned BLOCKS = 1024,        // two-byte words of the master array
    parameter int unsigned BLOCK_BITS = 16,      // bits of a bitmap block: 16, 32, 64, 128, 256
    parameter int unsigned CAP_BITS = 256,       // most bits of a connection: 2 to 255 blocks
    parameter int unsigned CONNECTIONS = 256,    // known at a time, 2 or more
    parameter int unsigned INDEX_ENTRIES = 64,   // that may have a bitmap at a time
    parameter int unsigned SEARCH_WIDTH = 64,    // allocation bits looked at per clock
    parameter int unsigned MEMORY = 0,           // 0: registers, 1: block RAM
    parameter int unsigned PORT_WORDS = 1        // words per access; 1 with a block RAM
) (
    input logic clk,
    input logic reset,  // synchronous, one clock or more

    input logic request_valid,
    output logic request_ready,
    input logic [$clog2(CONNECTIONS)-1:0] request_connection,
    input logic [23:0] request_psn,
    input logic [23:0] request_head,  // first PSN of the connection
    input logic request_last,         // its last packet
    input logic request_close,        // no packet: the connection ends

    output logic response_valid,
    input logic response_ready,
    output logic [1:0] response_tracking,
    output logic [1:0] response_rejection,
    output logic [16:0] response_advanced,
    output logic [23:0] response_expected,
    output logic response_completed
);

  generate
    if (BLOCK_BITS < 16 || BLOCK_BITS > 256 || (BLOCK_BITS & (BLOCK_BITS - 1)) != 0)
      $error("BLOCK_BITS must be 16, 32, 64, 128 or 256");
    if (CAP_BITS % BLOCK_BITS != 0 || CAP_BITS < 2 * BLOCK_BITS || CAP_BITS > 255 * BLOCK_BITS)
      $error("CAP_BITS must be 2 to 255 blocks");
    if (CONNECTIONS < 2 || MEMORY > 1 || (MEMORY == 1 && PORT_WORDS != 1))
      $error("CONNECTIONS, MEMORY or PORT_WORDS out of range");
  endgenerate

  logic hd_start, hd_done, hd_last, hd_completed, hd_present;
  logic [1:0] hd_request, hd_tracking, hd_rejection;
  logic [16:0] hd_advanced;
  logic [23:0] hd_psn, hd_first, hd_expected;
  logic [$clog2(CONNECTIONS)-1:0] connection;

  packet_driver #(
      .CONNECTIONS(CONNECTIONS),
      .CAP_BITS(CAP_BITS)
  ) driver (
      .clk(clk),
      .reset(reset),
      .request_valid(request_valid),
      .request_ready(request_ready),
      .request_connection(request_connection),
      .request_psn(request_psn),
      .request_head(request_head),
      .request_last(request_last),
      .request_close(request_close),
      .response_valid(response_valid),
      .response_ready(response_ready),
      .response_tracking(response_tracking),
      .response_rejection(response_rejection),
      .response_advanced(response_advanced),
      .response_expected(response_expected),
      .response_completed(response_completed),
      .hd_start(hd_start),
      .hd_request(hd_request),
      .connection(connection),
      .psn(hd_psn),
      .first_missing(hd_first),
      .last(hd_last),
      .hd_done(hd_done),
      .hd_tracking(hd_tracking),
      .hd_rejection(hd_rejection),
      .hd_advanced(hd_advanced),
      .hd_expected(hd_expected),
      .hd_completed(hd_completed),
      .hd_present(hd_present)
  );

  logic command_valid, command_done, command_failed, command_failed_metadata;
  logic [2:0] command;
  logic [7:0] block;
  logic [3:0] word;
  logic [15:0] wdata, rdata;
  logic [127:0] new_variables, variables;

  hd_bitmap #(
      .BLOCK_BITS(BLOCK_BITS),
      .CAP_BITS(CAP_BITS)
  ) bitmap (
      .clk(clk),
      .reset(reset),
      .start(hd_start),
      .request(hd_request),
      .psn(hd_psn),
      .last(hd_last),
      .done(hd_done),
      .tracking(hd_tracking),
      .rejection(hd_rejection),
      .advanced(hd_advanced),
      .expected(hd_expected),
      .completed(hd_completed),
      .present(hd_present),
      .command_valid(command_valid),
      .command(command),
      .block(block),
      .word(word),
      .wdata(wdata),
      .new_variables(new_variables),
      .command_done(command_done),
      .command_failed(command_failed),
      .command_failed_metadata(command_failed_metadata),
      .rdata(rdata),
      .variables(variables)
  );

  memory_controller #(
      .BLOCKS(BLOCKS),
      .BLOCK_BITS(BLOCK_BITS),
      .CAP_BITS(CAP_BITS),
      .CONNECTIONS(CONNECTIONS),
      .INDEX_ENTRIES(INDEX_ENTRIES),
      .SEARCH_WIDTH(SEARCH_WIDTH),
      .MEMORY(MEMORY),
      .PORT_WORDS(PORT_WORDS)
  ) controller (
      .clk(clk),
      .reset(reset),
      .command_valid(command_valid),
      .command(command),
      .connection(connection),
      .first_psn(hd_first),
      .block(block),
      .word(word),
      .wdata(wdata),
      .new_variables(new_variables),
      .done(command_done),
      .failed(command_failed),
      .failed_metadata(command_failed_metadata),
      .rdata(rdata),
      .variables(variables)
  );

endmodule
