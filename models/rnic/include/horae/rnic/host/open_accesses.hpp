// Accesses to host memory whose times are not known when they are made. No SystemC.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/host/pcie_link.hpp"

namespace horae::rnic {

/// Called when an access is done, at `now` or later: `done` as HostPort::read() and write() return
/// it. Not `ok`: the target answered a read with an error.
using HostThen = std::function<void(Picoseconds now, Picoseconds done, bool ok)>;

/// Reads and writes of a NIC that a target of a user's own answers when it likes. Each is cut into
/// requests as the link wants them. Reads wait for a tag, first come first served, and are answered
/// in any order; writes take effect in the order in which they were made, whatever the order of
/// their answers. Calls come in the order of time.
class OpenAccesses {
 public:
  /// A request that is at the root complex at `arrival`.
  struct Request {
    Picoseconds arrival;
    bool write;
    std::uint64_t address;
    std::uint32_t length;  ///< bytes
    unsigned char* data;   ///< null: contents are of no interest
  };
  /// `begin(number, request)` hands over a request, which answered() answers by that number.
  /// Numbers are used again.
  using Begin = std::function<void(std::uint32_t number, const Request& request)>;
  /// `link` is kept alive by the caller.
  OpenAccesses(PcieLink& link, Begin begin) : link_(link), begin_(std::move(begin)) {}

  /// `data`, of `size` bytes, is kept alive by the caller until the access is done; null: contents
  /// are of no interest.
  void read(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* data);
  void write(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* data);
  /// `then` is called when the access that was made last is done. Before any other access; what
  /// was given before is called first.
  void when_known(HostThen then);
  /// The answer to a request is back at the root complex at `now`. An error of a write changes
  /// nothing: writes are posted, and nobody tells the NIC.
  void answered(Picoseconds now, std::uint32_t number, bool ok);

  std::uint64_t errors() const { return errors_; }  ///< answers with an error
  std::size_t open() const { return open_; }        ///< reads and writes that are not done

 private:
  struct Piece {
    bool write;
    bool answered;
    std::uint64_t address;
    Bytes size;
    unsigned char* data;
    Picoseconds asked;
    Picoseconds tag_taken;
    std::uint32_t group;
  };
  struct Group {
    std::uint32_t pieces = 0;  ///< to be answered
    bool ok = true;
    Picoseconds done{};
    HostThen then{};
  };

  std::uint32_t add_group();
  std::uint32_t add_piece(const Piece& piece);
  void begin_read(Picoseconds now, std::uint32_t piece);
  void end_piece(Picoseconds now, std::uint32_t piece, Picoseconds done);

  PcieLink& link_;
  Begin begin_;
  std::vector<Piece> pieces_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_pieces_, free_groups_;
  std::deque<std::uint32_t> waiting_;  ///< reads without a tag
  std::deque<std::uint32_t> writes_;   ///< that are not visible, in order
  std::uint32_t last_ = 0;             ///< group of the access made last
  std::size_t open_ = 0;
  std::uint64_t errors_ = 0;
};

}  // namespace horae::rnic
