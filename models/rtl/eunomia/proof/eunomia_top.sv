  // Rules that must hold at the pins (tb/tools/prove puts this before the endmodule of eunomia_top).
  logic under_way;
  always_ff @(posedge clk)
    if (reset) under_way <= 1'b0;
    else if (request_valid && request_ready) under_way <= 1'b1;
    else if (response_valid && response_ready) under_way <= 1'b0;
  logic holds_answer_was_asked, holds_one_at_a_time;
  assign holds_answer_was_asked = !response_valid || under_way;
  assign holds_one_at_a_time = request_ready == !under_way;

  // An answer stays as it is until it is taken.
  logic waits;
  logic [44:0] answer, answer_before;
  assign answer = {response_tracking, response_rejection, response_advanced, response_expected};
  always_ff @(posedge clk) begin
    waits <= !reset && response_valid && !response_ready;
    answer_before <= answer;
  end
  logic holds_answer_stays;
  assign holds_answer_stays = !waits || (response_valid && answer == answer_before);
