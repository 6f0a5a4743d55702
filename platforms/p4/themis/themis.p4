// Which NACKs reach their sender while a network sprays packets: Themis at the receivers' ToR
// ("Enabling Packet Spraying over Commodity RNICs with In-Network Support", section 4.3 and appendix
// A), as the program `themis`, which is in C++, does it with lazy dropping off and one pipeline.
//
// A NACK passes if its packet has not passed to the receiver (condition C1), and a later one of the
// same path has (C2). Cells hold PSNs in their upper 24 bits, so that the sign of a difference tells
// which one is later.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif
#include "../headers.p4"

#ifndef QPS_LOG2
#define QPS_LOG2 11     // queue pairs of a pipeline
#endif
#ifndef WINDOW_LOG2
#define WINDOW_LOG2 9   // PSNs that a sender has under way
#endif
#ifndef PATHS_LOG2
#define PATHS_LOG2 7    // a path is the PSN modulo their number
#endif

const bit<8> SYNDROME_SEQUENCE = 0x60;
const bit<32> BEFORE_FIRST = 0xffffff00;  // PSN 2^24 - 1: queue pairs begin with PSN 0

typedef bit<QPS_LOG2> qp_t;
typedef bit<(QPS_LOG2 + WINDOW_LOG2 + 1)> bit_index_t;
// Index by queue pair and path, in a piece of the array: the three highest bits choose the piece.
typedef bit<(QPS_LOG2 + PATHS_LOG2)> path_index_t;
typedef bit<(QPS_LOG2 + PATHS_LOG2 - 3)> piece_index_t;

// Verdicts on a NACK.
const bit<2> INVALID = 0;   // dropped: the packet has passed to the receiver
const bit<2> VALID = 1;
const bit<2> GIVEN_UP = 2;  // dropped: nothing later of its path has come yet

struct in_metadata_t {}

parser InParser(
    packet_in packet, out headers_t headers, out in_metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic) {
  FrameParser() frame;

  state start {
    packet.extract(intrinsic);
    packet.advance(PORT_METADATA_SIZE);
    frame.apply(packet, headers);
    transition accept;
  }
}

control In(
    inout headers_t headers, inout in_metadata_t metadata,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager) {
  action send(PortId_t port) {
    for_manager.ucast_egress_port = port;
  }
  action drop() {
    for_deparser.drop_ctl = 1;
  }
  table routes {
    key = {
      headers.ipv4.destination: exact;
    }
    actions = {
      send;
      drop;
    }
    const default_action = drop();
    size = 1024;
  }

  apply {
    routes.apply();
  }
}

control InDeparser(
    packet_out packet, inout headers_t headers, in in_metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

struct metadata_t {
  qp_t qp;
  bit<32> psn;     // in the upper bits
  bit<32> start;   // of the window, as a response says it; likewise
  bit<32> before;  // what the window's start was
  bit<32> moved;
  bit<1> half;     // of the window: where the PSN lies
  bit<1> left;     // that its start has left
  bit<1> old;
  bit<8> first;    // base bits
  bit<8> second;
  bit<8> base;
  bit<1> marked;
  bit<1> overtaken;
  bit<1> is_data;
  bit<1> is_nack;
  bit<3> piece;
  piece_index_t path;
  bit<2> verdict;
}

// The largest PSN of each path that has passed to its receiver.
control PathPiece(inout metadata_t metadata) {
  Register<bit<32>, piece_index_t>(1 << (QPS_LOG2 + PATHS_LOG2 - 3), BEFORE_FIRST) psn_max;
  RegisterAction<bit<32>, piece_index_t, bit<1>>(psn_max) keep_later = {
    void apply(inout bit<32> most) {
      if ((int<32>)(metadata.psn - most) > 0) {
        most = metadata.psn;
      }
    }
  };
  RegisterAction<bit<32>, piece_index_t, bit<1>>(psn_max) is_overtaken = {
    void apply(inout bit<32> most, out bit<1> overtaken) {
      overtaken = 0;
      if ((int<32>)(most - metadata.psn) > 0) {
        overtaken = 1;
      }
    }
  };

  apply {
    if (metadata.is_data == 1) {
      keep_later.execute(metadata.path);
    } else {
      metadata.overtaken = is_overtaken.execute(metadata.path);
    }
  }
}

parser OutParser(
    packet_in packet, out headers_t headers, out metadata_t metadata,
    out egress_intrinsic_metadata_t intrinsic) {
  FrameParser() frame;

  state start {
    packet.extract(intrinsic);
    metadata = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    frame.apply(packet, headers);
    transition accept;
  }
}

control Out(
    inout headers_t headers, inout metadata_t metadata, in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port) {
  Counter<bit<64>, bit<2>>(4, CounterType_t.PACKETS) verdicts;

  Register<bit<32>, qp_t>(1 << QPS_LOG2) epsn_array;
  RegisterAction<bit<32>, qp_t, bit<1>>(epsn_array) is_old = {
    void apply(inout bit<32> start, out bit<1> old) {
      old = 0;
      if ((int<32>)(start - metadata.psn) > 0) {
        old = 1;
      }
    }
  };
  RegisterAction<bit<32>, qp_t, bit<32>>(epsn_array) move_start = {
    void apply(inout bit<32> start, out bit<32> before) {
      before = start;
      if ((int<32>)(metadata.start - start) > 0) {
        start = metadata.start;
      }
    }
  };

  Register<bit<8>, qp_t>(1 << QPS_LOG2) base_first_half;
  RegisterAction<bit<8>, qp_t, bit<8>>(base_first_half) read_first = {
    void apply(inout bit<8> base, out bit<8> set) {
      set = base;
    }
  };
  RegisterAction<bit<8>, qp_t, bit<8>>(base_first_half) turn_first = {
    void apply(inout bit<8> base, out bit<8> set) {
      base = base ^ 1;
      set = base;
    }
  };
  Register<bit<8>, qp_t>(1 << QPS_LOG2) base_second_half;
  RegisterAction<bit<8>, qp_t, bit<8>>(base_second_half) read_second = {
    void apply(inout bit<8> base, out bit<8> set) {
      set = base;
    }
  };
  RegisterAction<bit<8>, qp_t, bit<8>>(base_second_half) turn_second = {
    void apply(inout bit<8> base, out bit<8> set) {
      base = base ^ 1;
      set = base;
    }
  };

  Register<bit<1>, bit_index_t>(1 << (QPS_LOG2 + WINDOW_LOG2 + 1)) bitmap_array;
  RegisterAction<bit<1>, bit_index_t, bit<1>>(bitmap_array) set_bit = {
    void apply(inout bit<1> mark) {
      mark = 1;
    }
  };
  RegisterAction<bit<1>, bit_index_t, bit<1>>(bitmap_array) clear_bit = {
    void apply(inout bit<1> mark) {
      mark = 0;
    }
  };
  RegisterAction<bit<1>, bit_index_t, bit<1>>(bitmap_array) read_bit = {
    void apply(inout bit<1> mark, out bit<1> set) {
      set = mark;
    }
  };

  PathPiece() path0;
  PathPiece() path1;
  PathPiece() path2;
  PathPiece() path3;
  PathPiece() path4;
  PathPiece() path5;
  PathPiece() path6;
  PathPiece() path7;

  action found(qp_t qp) {
    metadata.qp = qp;
  }
  // Data of a queue pair, and the responses to it.
  table destination_qps {
    key = {
      headers.ipv4.source: exact;
      headers.ipv4.destination: exact;
      headers.bth.destination_qp: exact;
    }
    actions = {
      found;
      @defaultonly NoAction;
    }
    const default_action = NoAction();
    size = 1 << (QPS_LOG2 + 1);
  }
  action drop() {
    for_deparser.drop_ctl = 1;
  }

  // Whether the start has left a half of the window, which is emptied then.
  action leave() {
    metadata.moved = metadata.start - metadata.before;
    metadata.left = (metadata.start ^ metadata.before)[(WINDOW_LOG2 + 8):(WINDOW_LOG2 + 8)];
  }
  action find_path() {
    metadata.piece = (metadata.qp ++ headers.bth.psn[(PATHS_LOG2 - 1):0])
        [(QPS_LOG2 + PATHS_LOG2 - 1):(QPS_LOG2 + PATHS_LOG2 - 3)];
    metadata.path = (metadata.qp ++ headers.bth.psn[(PATHS_LOG2 - 1):0])
        [(QPS_LOG2 + PATHS_LOG2 - 4):0];
  }

  apply {
    if (headers.bth.isValid()) {
      if (destination_qps.apply().hit) {
        metadata.psn = headers.bth.psn ++ 8w0;
        metadata.half = headers.bth.psn[WINDOW_LOG2:WINDOW_LOG2];
        find_path();
        if (headers.bth.opcode < OPCODE_ACKNOWLEDGE) {
          metadata.is_data = 1;
        } else if (headers.bth.opcode == OPCODE_ACKNOWLEDGE) {
          metadata.start = metadata.psn;
          if (headers.aeth.syndrome == SYNDROME_SEQUENCE) {
            metadata.is_nack = 1;
          } else {
            metadata.start = metadata.psn + 0x100;  // behind what it acknowledges
          }
        }
        if (metadata.is_data == 1) {
          metadata.old = is_old.execute(metadata.qp);
        } else if (headers.bth.opcode == OPCODE_ACKNOWLEDGE) {
          metadata.before = move_start.execute(metadata.qp);
          leave();
          if (metadata.moved[31:31] == 1) {
            metadata.left = 0;
          }
        }
        if (metadata.left == 1 && metadata.before[(WINDOW_LOG2 + 8):(WINDOW_LOG2 + 8)] == 0) {
          metadata.first = turn_first.execute(metadata.qp);
        } else if (metadata.is_data == 1 || metadata.is_nack == 1) {
          metadata.first = read_first.execute(metadata.qp);
        }
        if (metadata.left == 1 && metadata.before[(WINDOW_LOG2 + 8):(WINDOW_LOG2 + 8)] == 1) {
          metadata.second = turn_second.execute(metadata.qp);
        } else if (metadata.is_data == 1 || metadata.is_nack == 1) {
          metadata.second = read_second.execute(metadata.qp);
        }
        metadata.base = metadata.first;
        if (metadata.half == 1) {
          metadata.base = metadata.second;
        }
        if (metadata.is_nack == 1) {
          metadata.marked = read_bit.execute(metadata.qp ++ headers.bth.psn[WINDOW_LOG2:0]);
        } else if (metadata.is_data == 1 && metadata.old == 0) {
          if (metadata.base == 0) {
            set_bit.execute(metadata.qp ++ headers.bth.psn[WINDOW_LOG2:0]);
          } else {
            clear_bit.execute(metadata.qp ++ headers.bth.psn[WINDOW_LOG2:0]);
          }
        }
        if (metadata.is_data == 1 || metadata.is_nack == 1) {
          if (metadata.piece == 0) {
            path0.apply(metadata);
          } else if (metadata.piece == 1) {
            path1.apply(metadata);
          } else if (metadata.piece == 2) {
            path2.apply(metadata);
          } else if (metadata.piece == 3) {
            path3.apply(metadata);
          } else if (metadata.piece == 4) {
            path4.apply(metadata);
          } else if (metadata.piece == 5) {
            path5.apply(metadata);
          } else if (metadata.piece == 6) {
            path6.apply(metadata);
          } else {
            path7.apply(metadata);
          }
        }
        if (metadata.is_nack == 1) {
          if (metadata.marked != metadata.base[0:0]) {
            metadata.verdict = INVALID;
            drop();
          } else if (metadata.overtaken == 1) {
            metadata.verdict = VALID;
          } else {
            metadata.verdict = GIVEN_UP;
            drop();
          }
          verdicts.count(metadata.verdict);
        }
      }
    }
  }
}

control OutDeparser(
    packet_out packet, inout headers_t headers, in metadata_t metadata,
    in egress_intrinsic_metadata_for_deparser_t for_deparser) {
  apply {
    packet.emit(headers);
  }
}

Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;

Switch(pipe) main;
