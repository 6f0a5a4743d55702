// Any client of the memory controller that keeps to its protocol (tb/tools/prove): one command at a time, which stays until it
// is done; a connection is created once, looked up before anything else is asked of it, and released once; blocks that it
// has not are not asked for; the count of its blocks is the controller's.
module controller_client #(
    parameter int unsigned BLOCKS = 24,
    parameter int unsigned BLOCK_BITS = 16,
    parameter int unsigned CAP_BITS = 32,
    parameter int unsigned CONNECTIONS = 2,
    parameter int unsigned INDEX_ENTRIES = 2,
    parameter int unsigned SEARCH_WIDTH = 24,
    parameter int unsigned MEMORY = 0,
    parameter int unsigned PORT_WORDS = 10
) (
    input logic clk,
    input logic reset,
    input logic [2:0] any_command,
    input logic [$clog2(CONNECTIONS)-1:0] any_connection,
    input logic [23:0] any_psn,
    input logic [7:0] any_block,
    input logic [3:0] any_word,
    input logic [15:0] any_data,
    input logic [119:0] any_variables
);

  logic [CONNECTIONS-1:0] created;
  logic loaded;  // the working set is that of `connection`
  logic under_way;
  logic [2:0] command;
  logic [$clog2(CONNECTIONS)-1:0] connection;
  logic [7:0] block;
  logic [3:0] word;
  logic [15:0] wdata;
  logic [23:0] first_psn;
  logic [119:0] stored;
  logic done, failed, failed_metadata;
  logic [15:0] rdata;
  logic [127:0] variables;

  logic same;
  assign same = loaded && any_connection == connection;
  logic legal;
  always_comb
    case (any_command)
      eunomia_pkg::LOOKUP: legal = created[any_connection];
      eunomia_pkg::CREATE: legal = !created[any_connection];
      eunomia_pkg::GROW: legal = same && variables[127:120] < 8'(CAP_BITS / BLOCK_BITS);
      eunomia_pkg::READ, eunomia_pkg::WRITE:
      legal = same && any_block < variables[127:120] && 16'(any_word) < 16'(BLOCK_BITS / 16);
      eunomia_pkg::STORE, eunomia_pkg::RELEASE: legal = same;
      default: legal = 1'b0;
    endcase

  always_ff @(posedge clk)
    if (reset) begin
      created <= '0;
      loaded <= 1'b0;
      under_way <= 1'b0;
    end else if (!under_way) begin
      if (legal) begin
        under_way <= 1'b1;
        command <= any_command;
        connection <= any_connection;
        block <= any_block;
        word <= any_word;
        wdata <= any_data;
        first_psn <= any_psn;
        stored <= any_variables;
        if (any_connection != connection) loaded <= 1'b0;
      end
    end else if (done) begin
      under_way <= 1'b0;
      if (command == eunomia_pkg::LOOKUP) loaded <= 1'b1;
      if (command == eunomia_pkg::CREATE) begin
        loaded <= !failed && !failed_metadata;
        created[connection] <= !failed && !failed_metadata;
      end
      if (command == eunomia_pkg::RELEASE) begin
        loaded <= 1'b0;
        created[connection] <= 1'b0;
      end
    end

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
      .command_valid(under_way),
      .command(command),
      .connection(connection),
      .first_psn(first_psn),
      .block(block),
      .word(word),
      .wdata(wdata),
      .new_variables({variables[127:120], stored}),
      .done(done),
      .failed(failed),
      .failed_metadata(failed_metadata),
      .rdata(rdata),
      .variables(variables)
  );

endmodule
