// Flow lists: files of other simulators, or of the user's own, that say who sends how much to whom
// and when. Their formats are written down in traces/README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::traffic {

/// How a flow list is written.
enum class ListFormat : std::uint8_t {
  automatic,  ///< as its first line looks
  ns3,        ///< flow.txt of HPCC's and ConWeave's ns-3 simulators
  htsim,      ///< connection matrix of csg-htsim
  csv,        ///< with the heading start_ns,source,destination,bytes
};

/// "ns3", "htsim" or "csv".
std::string_view name_of(ListFormat format);

/// A flow as its line says it.
struct ListedFlow {
  std::uint32_t line = 0;
  std::uint32_t from = 0, to = 0;  ///< nodes of ListNodes; equal only where folding made them so
  Picoseconds at{};                ///< by the list's clock; nothing where a trigger starts it
  Bytes bytes{};                   ///< 0: one packet without payload
  bool endless = false;            ///< sends until the run ends; it has no `bytes` then
  std::optional<std::uint32_t> priority;  ///< ns-3's priority group, htsim's prio
  /// htsim's id where it is a message (msg) of that connection, which others may share; 0: the flow
  /// is a connection of its own.
  std::uint32_t connection = 0;
  // Numbers of triggers; 0: none.
  std::uint32_t trigger = 0;            ///< starts it
  std::uint32_t fires_at_sender = 0;    ///< when its sender knows that all has arrived
  std::uint32_t fires_at_receiver = 0;  ///< when all has arrived
};

/// A trigger of a connection matrix: fired by flows that end, starts others.
struct ListedTrigger {
  enum class Kind : std::uint8_t {
    oneshot,    ///< fired once: starts all
    multishot,  ///< fired the n-th time: starts the n-th, in the order of the file
    barrier,    ///< fired `count` times: starts all
  };
  std::uint32_t line = 0;
  std::uint32_t id = 0;
  Kind kind = Kind::oneshot;
  std::uint32_t count = 1;
};

/// The nodes that a list may name: by number, from 0 in the order of `names`, in CSV by name too.
/// One without a name is no end point.
struct ListNodes {
  std::vector<std::string> names;
  bool fold = false;  ///< a number beyond them stands for its remainder; else it is refused
};

/// A flow list that is being read, line by line: it takes the same memory however long it is, its
/// triggers apart. Every fault is an InputError at file:line:column.
class FlowList {
 public:
  /// Opens the file. InputError where it cannot be read or is of no known format.
  static std::unique_ptr<FlowList> open(const std::string& path, ListFormat format,
                                        const ListNodes& nodes);
  virtual ~FlowList() = default;

  virtual ListFormat format() const = 0;
  /// The next flow in the order of the file, or nothing at its end; then the file as a whole has
  /// been checked too.
  virtual std::optional<ListedFlow> next() = 0;
  /// Complete at the end of the file.
  virtual const std::vector<ListedTrigger>& triggers() const;
  /// At its end: the first line that lies behind the flows its first line announces, which is not
  /// read, nor is any after it; 0: there is none.
  virtual std::uint32_t surplus() const { return 0; }
};

}  // namespace horae::traffic
