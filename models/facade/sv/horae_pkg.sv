// Horae's reference models for SystemVerilog: imports of libhorae_c.so (horae/facade/*.h say what each function
// means), and functions around them that end the simulation with the model's own line where it refuses.
package horae_pkg;

  import "DPI-C" function int horae_facade_version();
  import "DPI-C" function string horae_error();

  import "DPI-C" function int unsigned horae_psn_add(input int unsigned psn, input int packets);
  import "DPI-C" function int horae_psn_distance(input int unsigned from_psn, input int unsigned to_psn);
  import "DPI-C" function int horae_psn_before(input int unsigned a, input int unsigned b);
  import "DPI-C" function int horae_psn_after(input int unsigned a, input int unsigned b);

  import "DPI-C" function chandle horae_ordering_create(input string settings);
  import "DPI-C" function void horae_ordering_destroy(input chandle engine);
  import "DPI-C" function int horae_ordering_packet(
      input chandle engine, input int unsigned connection, input int unsigned psn, input int unsigned head,
      input int last, output int unsigned answer[12]);
  import "DPI-C" function int horae_ordering_close(input chandle engine, input int unsigned connection);
  import "DPI-C" function int horae_ordering_memory(input chandle engine, output longint unsigned bytes[3]);
  import "DPI-C" function int horae_ordering_provided(
      input chandle engine, input int unsigned connections, output longint unsigned bytes);

  import "DPI-C" function chandle horae_sender_create(input string settings, input int unsigned first_psn);
  import "DPI-C" function void horae_sender_destroy(input chandle sender);
  import "DPI-C" function int horae_sender_post(input chandle sender, input longint unsigned bytes);
  import "DPI-C" function int horae_sender_can_send(input chandle sender);
  import "DPI-C" function int horae_sender_next(
      input chandle sender, input longint unsigned now, output int unsigned packet[7]);
  import "DPI-C" function int horae_sender_ack(
      input chandle sender, input int unsigned psn, input longint unsigned now, output int unsigned completed);
  import "DPI-C" function int horae_sender_nak(
      input chandle sender, input int unsigned psn, input longint unsigned now, output int unsigned completed);
  import "DPI-C" function int horae_sender_received(input chandle sender, input int unsigned psn);
  import "DPI-C" function int horae_sender_deadline(input chandle sender, output longint unsigned at);
  import "DPI-C" function int horae_sender_timeout(
      input chandle sender, input longint unsigned now, output int unsigned gave_up);

  localparam int FACADE_VERSION = 1;  // HORAE_FACADE_VERSION

  typedef enum logic [1:0] {IN_ORDER, OUT_OF_ORDER, DUPLICATE, REJECTED} tracking_e;
  typedef enum logic [1:0] {NOT_REJECTED, REACH, NO_BLOCK, NO_METADATA} rejection_e;

  // horae_ordering_answer
  typedef struct packed {
    tracking_e   tracking;
    rejection_e  rejection;
    logic [31:0] advanced;
    logic [23:0] expected;
    logic        completed;
    logic [31:0] words_read;
    logic [31:0] words_written;
    logic [31:0] searched;
    logic [31:0] allocated;
    logic [31:0] released;
    logic [31:0] clocks_registers;
    logic [31:0] clocks_block_ram;
  } ordering_answer_t;

  localparam longint unsigned NEVER = 64'hffffffffffffffff;  // HORAE_NEVER

  typedef enum logic [2:0] {FRESH, EXPECTED, LAST, REWIND, TIMEOUT} send_e;

  // horae_sender_packet
  typedef struct packed {
    logic [23:0] psn;
    logic [7:0]  opcode;
    logic [15:0] payload;
    logic        ack_request;
    send_e       kind;
    logic [31:0] message;
    logic [31:0] left;
  } sender_packet_t;

  function automatic void check_version();
    if (horae_facade_version() != FACADE_VERSION)
      $fatal(1, "libhorae_c.so is of version %0d, horae_pkg.sv of %0d", horae_facade_version(), FACADE_VERSION);
  endfunction

  // An engine, e.g. of "engine=eunomia blocks=64 bits=96".
  function automatic chandle ordering(input string settings);
    check_version();
    ordering = horae_ordering_create(settings);
    if (ordering == null) $fatal(1, "%s", horae_error());
  endfunction

  // Answer of the engine to a packet.
  function automatic ordering_answer_t ordering_packet(
      input chandle engine, input int unsigned connection, input logic [23:0] psn, input logic [23:0] head,
      input logic last);
    int unsigned words[12];
    if (horae_ordering_packet(engine, connection, 32'(psn), 32'(head), 32'(last), words) != 0)
      $fatal(1, "%s", horae_error());
    ordering_packet.tracking = tracking_e'(words[0][1:0]);
    ordering_packet.rejection = rejection_e'(words[1][1:0]);
    ordering_packet.advanced = words[2];
    ordering_packet.expected = words[3][23:0];
    ordering_packet.completed = words[4][0];
    ordering_packet.words_read = words[5];
    ordering_packet.words_written = words[6];
    ordering_packet.searched = words[7];
    ordering_packet.allocated = words[8];
    ordering_packet.released = words[9];
    ordering_packet.clocks_registers = words[10];
    ordering_packet.clocks_block_ram = words[11];
  endfunction

  // The connection ends.
  function automatic void ordering_close(input chandle engine, input int unsigned connection);
    if (horae_ordering_close(engine, connection) != 0) $fatal(1, "%s", horae_error());
  endfunction

  // A sender, e.g. of "transport=go_back_n mtu=1KiB reliability.window=64".
  function automatic chandle sender(input string settings, input logic [23:0] first_psn);
    check_version();
    sender = horae_sender_create(settings, 32'(first_psn));
    if (sender == null) $fatal(1, "%s", horae_error());
  endfunction

  // A WRITE is posted.
  function automatic void sender_post(input chandle sender, input longint unsigned bytes);
    if (horae_sender_post(sender, bytes) != 0) $fatal(1, "%s", horae_error());
  endfunction

  // The packet that is to be sent at `now` (ps); one must be there (horae_sender_can_send).
  function automatic sender_packet_t sender_next(input chandle sender, input longint unsigned now);
    int unsigned words[7];
    if (horae_sender_next(sender, now, words) != 0) $fatal(1, "%s", horae_error());
    sender_next.psn = words[0][23:0];
    sender_next.opcode = words[1][7:0];
    sender_next.payload = words[2][15:0];
    sender_next.ack_request = words[3][0];
    sender_next.kind = send_e'(words[4][2:0]);
    sender_next.message = words[5];
    sender_next.left = words[6];
  endfunction

  // Messages that an ACK (or, with `nak`, a NAK) with this PSN completes.
  function automatic int unsigned sender_response(
      input chandle sender, input logic nak, input logic [23:0] psn, input longint unsigned now);
    int status;
    if (nak) status = horae_sender_nak(sender, 32'(psn), now, sender_response);
    else status = horae_sender_ack(sender, 32'(psn), now, sender_response);
    if (status != 0) $fatal(1, "%s", horae_error());
  endfunction

  // When the retransmission timer runs out, or NEVER.
  function automatic longint unsigned sender_deadline(input chandle sender);
    if (horae_sender_deadline(sender, sender_deadline) != 0) $fatal(1, "%s", horae_error());
  endfunction

  // It ran out; 1: the sender gives up.
  function automatic int unsigned sender_timeout(input chandle sender, input longint unsigned now);
    if (horae_sender_timeout(sender, now, sender_timeout) != 0) $fatal(1, "%s", horae_error());
  endfunction

endpackage
