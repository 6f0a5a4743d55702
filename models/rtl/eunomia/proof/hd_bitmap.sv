  // Rules that must hold of the HD bitmap module at every clock (tb/tools/prove puts this before its endmodule).
  logic holds_done_was_started;
  assign holds_done_was_started = !done || start;
