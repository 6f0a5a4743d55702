// Files that the Tofino back end of the open P4 compiler (p4lang/p4c, backends/tofino,
// bf-p4c 9.13.4) leaves in its output folder, as far as a budget needs it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/price/resources.hpp"
#include "horae/params/location.hpp"

namespace horae::p4 {

/// A node of the table graph (dep.json): a table or condition with what is attached to it.
struct GraphNode {
  std::string name;       ///< the P4 name, or the compiler's own (tbl_..., cond-N)
  std::string kind;       ///< "exact", "ternary", "hash_action", "condition" ... as the graph says
  std::string condition;  ///< its text, of a condition
  struct Attached {
    std::string name;
    std::string type;  ///< "stateful", "statistics", "meter", "selection", "idletime" ...
  };
  std::vector<Attached> attached;
  dataplane::Gress gress = dataplane::Gress::ingress;
  Location where;
};

/// A dependency between two nodes of one gress.
struct GraphEdge {
  std::size_t from = 0;  ///< of the nodes
  std::size_t to = 0;
  dataplane::DependencyKind kind = dataplane::DependencyKind::match;
  bool branch = false;  ///< from a condition to what it guards
};

/// The tables of a program before any were placed, both gresses.
struct TableGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::size_t container_conflicts = 0;  ///< edges left out: two tables write one container
};

/// Amounts of a name (a table, a condition, a register ...) in one stage.
struct NamedUse {
  std::map<std::string, dataplane::Amounts> by_purpose;  ///< "match_entry_ram", "gateway" ...
  /// Bits of each field on the crossbar, by purpose: "exact_match", "meter address" ...
  std::map<std::string, std::map<std::string, std::uint32_t>> reads;
  dataplane::Amounts total() const;
};

/// Units of stages that no object pays for here: what the compiler had.
struct UnpricedUse {
  std::string name;           ///< in JSON: "exact_result_buses"
  std::string title;          ///< in text
  std::int64_t used = 0;      ///< of all stages
  std::int64_t fullest = 0;   ///< of the stage that has most
  unsigned stage = 0;         ///< the first such stage
  std::int64_t capacity = 0;  ///< of a stage
};

/// The units of all stages and who has them (resources.json).
struct StageUsage {
  std::vector<dataplane::Amounts> stages;                       ///< each unit once
  std::map<std::string, std::map<unsigned, NamedUse>> by_name;  ///< by stage
  std::map<std::string, std::vector<unsigned>> tables;          ///< stages of each logical table
  std::vector<unsigned> hash_functions;                         ///< in use, by stage
  std::vector<UnpricedUse> unpriced;  ///< buses, stashes, groups of the crossbars
  dataplane::Amounts total() const;
};

/// An action of a table in the assembler file.
struct AssemblerAction {
  std::string name;
  std::uint32_t data_bits = 0;      ///< of its parameters
  std::uint32_t instructions = 0;   ///< operations; 0: it does nothing
  bool hit = true;                  ///< an entry may have it
  std::vector<std::string> writes;  ///< fields and containers
};

/// A table or attached memory of one stage in the assembler file.
struct AssemblerTable {
  std::string kind;      ///< "exact_match", "ternary_match", "hash_action", "stateful" ...
  std::string internal;  ///< the assembler's name
  std::string name;      ///< the P4 name
  unsigned stage = 0;
  dataplane::Gress gress = dataplane::Gress::ingress;
  std::uint64_t size = 0;  ///< entries or cells asked for; 0: not said
  struct Key {
    std::string name;
    std::uint32_t bits = 0;
    std::string match;  ///< "exact", "ternary", "lpm", "range"
  };
  std::vector<Key> keys;
  std::vector<AssemblerAction> actions;
  struct Reference {
    std::string role;  ///< "stats", "stateful", "meter", "selector", "action"
    std::string to;    ///< the assembler's name
    bool direct = false;
    bool own_address = false;  ///< a hash distribution unit, as opposed to a field of the entry
  };
  std::vector<Reference> references;
  std::uint32_t random_bits = 0;    ///< of the random generator
  std::vector<std::uint32_t> cell;  ///< widths of the words of a register's cell
  std::string counts;               ///< "packets", "bytes", "packets_and_bytes"
  std::uint32_t idle_bits = 0;      ///< of an entry's idle timer; 0: none
  std::string default_action;
  std::uint32_t pool_size = 0;  ///< of a selector: members of its largest group
  bool resilient = false;       ///< of a selector
  std::string gateway;  ///< name of the condition that is merged into it, or of its own gateway
  Location where;
};

/// Containers of the header vector, the parser and the deparser, in the assembler file.
struct HeaderVector {
  /// A part of a field in a container. Parts in other stages, or other parts of the field, may be
  /// in others.
  struct Part {
    std::uint32_t low = 0;  ///< of the field's bits
    std::uint32_t bits = 0;
    std::string container;  ///< "W3"; "MH0", "DB2": set as a whole; "TH1": tagalong
    int first = -1;         ///< stages; below zero, and `last` too: from parser to deparser
    int last = -1;
  };
  struct Field {
    std::string name;  ///< "hdr.ipv4.ttl"; "hdr.ipv4.$valid": its validity
    dataplane::Gress gress = dataplane::Gress::ingress;
    std::vector<Part> parts;
  };
  std::vector<Field> fields;
  std::vector<dataplane::ParserState> states;  ///< with their rows, and headers they extract from
  std::vector<dataplane::ValueSetSpec> value_sets;  ///< with their rows; widths of keys in bits
  /// Units with the states of the parser that use them; of the deparser: updates, without states.
  std::vector<dataplane::ChecksumSpec> checksums;
  /// Units of the parser that sum what passes the stages in no container, by gress: a part of an
  /// update.
  std::array<std::set<std::uint32_t>, 2> clot_checksums;
  std::array<std::size_t, 2> deparser_entries = {0,
                                                 0};  ///< containers and pieces put out, by gress
  std::size_t unread = 0;                             ///< fields in a form that is not known
};

/// One pipe of one program as the compiler left it.
struct CompilerReport {
  std::string folder;
  std::string program;  ///< without .p4
  std::string target;   ///< "tofino", "tofino2" ...
  std::string compiler;
  std::string pipe;
  bool succeeded = false;
  TableGraph graph;
  StageUsage usage;
  std::vector<AssemblerTable> tables;
  HeaderVector headers;
  std::array<std::uint32_t, 2> cycles = {0, 0};  ///< MAU latency by gress; 0: not said
};

/// Reads an output folder, one report per pipe. InputError, one line with file:line:column, for a
/// folder that is not one, a file that is missing or damaged, or a schema of another model.
std::vector<CompilerReport> read_report_folder(const std::string& folder);

}  // namespace horae::p4
