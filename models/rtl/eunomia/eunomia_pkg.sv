// Signals between the modules of the ordering engine.
package eunomia_pkg;

  // A packet's fate (numbers of horae::policy::Tracking).
  localparam logic [1:0] IN_ORDER = 2'd0;
  localparam logic [1:0] OUT_OF_ORDER = 2'd1;
  localparam logic [1:0] DUPLICATE = 2'd2;
  localparam logic [1:0] REJECTED = 2'd3;

  // Why it was rejected (numbers of horae::policy::Rejection).
  localparam logic [1:0] NONE = 2'd0;
  localparam logic [1:0] REACH = 2'd1;
  localparam logic [1:0] NO_BLOCK = 2'd2;
  localparam logic [1:0] NO_METADATA = 2'd3;

  // Requests of the packet driver to the HD bitmap module.
  localparam logic [1:0] HD_PACKET = 2'd0;  // a packet of a connection that has a bitmap
  localparam logic [1:0] HD_CREATE = 2'd1;  // the first packet that is out of order
  localparam logic [1:0] HD_CLOSE = 2'd2;   // the connection ends

  // Requests of the HD bitmap module to the memory controller.
  localparam logic [2:0] LOOKUP = 3'd0;   // make a connection's metadata the working set
  localparam logic [2:0] CREATE = 3'd1;   // new metadata and block 0, the working set from now on
  localparam logic [2:0] GROW = 3'd2;     // one more block
  localparam logic [2:0] READ = 3'd3;     // a word of a block
  localparam logic [2:0] WRITE = 3'd4;    // a word of a block
  localparam logic [2:0] STORE = 3'd5;    // the working set's variables
  localparam logic [2:0] RELEASE = 3'd6;  // all that the connection holds

  // Words of a connection's metadata before the addresses of its blocks (Eunomia, Table 1, Fig. 7).
  localparam int unsigned STATE_WORDS = 8;

  // The working set's variables, word 0 lowest.
  typedef struct packed {
    logic [7:0]  dynamic_size;  // all blocks
    logic [7:0]  circular;      // blocks of the circular portion
    logic [7:0]  head_index;    // bit of the head in its block
    logic [7:0]  head_block;
    logic [31:0] last_seq;      // all ones: not known
    logic [31:0] tail;          // last PSN of the circular portion
    logic [31:0] head;          // first missing PSN
  } variables_t;

endpackage
