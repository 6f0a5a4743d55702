// Random packets to reorder_window and to Horae's engine `static`: every answer must be the same.
//   +packets=N     how many (default 20000)
//   +settings=...  another model ("engine=static bits=15" is a wrong one)
module reorder_window_tb;
  import horae_pkg::*;

  localparam int unsigned CONNECTIONS = 4;
  localparam int unsigned WINDOW = 16;

  logic clk = 0;
  always #1 clk = !clk;

  logic reset = 1, packet_valid = 0;
  logic [1:0] connection;
  logic [23:0] psn;
  logic [23:0] head[CONNECTIONS], missing[CONNECTIONS];
  logic answer_valid;
  logic [1:0] tracking;
  logic [7:0] advanced;
  logic [23:0] expected;

  reorder_window #(
      .CONNECTIONS(CONNECTIONS),
      .WINDOW(WINDOW)
  ) dut (
      .clk(clk),
      .reset(reset),
      .packet_valid(packet_valid),
      .connection(connection),
      .psn(psn),
      .head(head[connection]),
      .answer_valid(answer_valid),
      .tracking(tracking),
      .advanced(advanced),
      .expected(expected)
  );

  int packets = 20000;
  string settings = "engine=static bits=16";
  int unsigned cases[4];
  chandle model;
  ordering_answer_t answer;

  initial begin
    void'($value$plusargs("packets=%d", packets));
    void'($value$plusargs("settings=%s", settings));
    model = ordering(settings);
    for (int i = 0; i < CONNECTIONS; i++) head[i] = 24'($urandom);
    head[0] = 24'hfffff0;  // PSNs begin again at 0 soon
    missing = head;
    repeat (2) @(negedge clk);
    reset = 0;
    for (int n = 0; n < packets; n++) begin
      connection = 2'($urandom);
      // From a few that were there to a few that are out of reach; the expected one most of the time.
      psn = 24'(horae_psn_add(32'(missing[connection]), $urandom_range(2) == 0 ? $urandom_range(24) - 4 : 0));
      packet_valid = 1;
      answer = ordering_packet(model, 32'(connection), psn, head[connection], 1'b0);
      @(negedge clk);
      packet_valid = 0;
      if (!answer_valid || tracking != answer.tracking || 32'(advanced) != answer.advanced ||
          expected != answer.expected)
        $fatal(1, "packet %0d, PSN %0d of connection %0d: reorder_window says %0d, %0d, %0d; Horae %0d, %0d, %0d",
               n, psn, connection, tracking, advanced, expected, answer.tracking, answer.advanced, answer.expected);
      cases[tracking]++;
      missing[connection] = expected;
    end
    horae_ordering_destroy(model);
    $display("%0d packets answered alike: %0d in order, %0d out of order, %0d duplicates, %0d rejected",
             packets, cases[0], cases[1], cases[2], cases[3]);
    $finish;
  end

endmodule
