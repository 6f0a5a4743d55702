// GOAL schedules as LogGOPSim's txt2bin writes them (serialize_mmap in src/LogGOPSim/Parser.hpp of
// spcl/LogGOPSim): little-endian, without padding. 8 bytes 4223; then, where offsets count from:
// u32 ranks, u8 and u8 the largest cpu and nic, for each rank u64 begin and u64 end of its part. A
// part: u32 operations, u32 those without dependencies and their numbers (u32 each), 39 bytes for
// each operation, then the lists of dependents that these point into.
#include <fmt/format.h>

#include <array>
#include <span>

#include "goal_formats.hpp"
#include "horae/core/unpacked_file.hpp"

namespace horae::traffic {
namespace {

constexpr std::size_t op_bytes = 39, cookie_bytes = 8;

class GoalBinary {
 public:
  explicit GoalBinary(const std::string& path) {
    out_.path = path;
    out_.binary = true;
    UnpackedFile file(path);
    std::array<char, 65536> room{};
    while (const std::size_t n = file.read(room))
      bytes_.insert(bytes_.end(), &room[0], &room[0] + n);
    if (!file.problem().empty())
      throw InputError(fmt::format("{}: cannot be read: {}", path, file.problem()));
  }

  GoalSchedule read() {
    at_ = cookie_bytes;
    const auto ranks = get<std::uint32_t>("the number of ranks");
    if (ranks == 0 || ranks > most_goal_ranks)
      throw error(cookie_bytes, fmt::format("{} ranks; expected 1 to {}", ranks, most_goal_ranks));
    at_ += 2;
    out_.ranks.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      at_ = cookie_bytes + 6 + std::size_t{16} * r;
      const std::size_t entry = at_;
      const auto begin = get<std::uint64_t>("where a rank begins");
      const auto end = get<std::uint64_t>("where a rank ends");
      const std::uint64_t size = bytes_.size() - cookie_bytes;
      if (begin > end || end > size) {
        throw error(entry, fmt::format("rank {} from byte {} to {}; the file has {} behind the "
                                       "first 8",
                                       r, begin, end, size));
      }
      at_ = cookie_bytes + begin;
      end_ = cookie_bytes + end;
      rank(r, out_.ranks[r]);
    }
    return std::move(out_);
  }

 private:
  InputError error(std::size_t byte, std::string_view message) const {
    return InputError(fmt::format("{}: byte {}: {}", out_.path, byte, message));
  }

  template <class T>
  T get(std::string_view what) {
    if (at_ + sizeof(T) > bytes_.size())
      throw error(bytes_.size(), fmt::format("the end of the file; expected {}", what));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes_[at_ + i])) << 8 * i);
    at_ += sizeof(T);
    return value;
  }

  void rank(std::uint32_t r, GoalRank& rank) {
    const std::size_t begin = at_;
    const std::uint64_t ops = get<std::uint32_t>("a number of operations");
    const std::uint64_t roots = get<std::uint32_t>("a number of operations without dependencies");
    const std::uint64_t lists = begin + 8 + 4 * roots + op_bytes * ops;
    if (lists > end_)
      throw error(begin,
                  fmt::format("rank {} has {} operations; its part ends before them", r, ops));
    const std::uint64_t listed = (end_ - lists) / 4;
    at_ = begin + 8 + 4 * roots;
    std::vector<GoalDependency> all;
    std::vector<std::uint32_t> needs;
    for (std::uint32_t i = 0; i < ops; ++i) {
      const std::size_t where = at_;
      needs.push_back(get<std::uint32_t>("an operation"));
      rank.ops.push_back(operation(r, i));
      for (const bool start : {false, true}) {
        const std::uint64_t count = get<std::uint32_t>("dependents");
        const std::uint64_t first = get<std::uint32_t>("dependents");
        // Each entry of the lists belongs to one operation.
        if (count != 0 && (first + count > listed || all.size() + count > listed)) {
          throw error(where, fmt::format("operation {} of rank {} has dependents {} to {} of {}", i,
                                         r, first, first + count - 1, listed));
        }
        const std::size_t back = at_;
        at_ = lists + 4 * first;
        for (std::uint64_t d = 0; d < count; ++d) {
          const auto waits = get<std::uint32_t>("a dependent");
          if (waits >= ops)
            throw error(at_ - 4,
                        fmt::format("operation {} of rank {}, which has {}", waits, r, ops));
          all.push_back({waits, i, start});
        }
        at_ = back;
      }
    }
    place_dependencies(rank, all);
    for (std::uint32_t i = 0; i < ops; ++i) {
      if (rank.ops[i].needs == needs[i]) continue;
      throw error(begin,
                  fmt::format("operation {} of rank {} has {} dependencies; it is named as a "
                              "dependent {} times",
                              i, r, needs[i], rank.ops[i].needs));
    }
  }

  GoalOp operation(std::uint32_t r, std::uint32_t i) {
    const std::size_t where = at_;
    GoalOp op;
    const auto kind = get<std::uint8_t>("a kind");
    if (kind < 1 || kind > 3)
      throw error(where, fmt::format("kind {} of operation {} of rank {}; expected 1 (send), 2 "
                                     "(recv) or 3 (calc)",
                                     kind, i, r));
    op.kind = static_cast<GoalOp::Kind>(kind);
    op.place = i;
    op.peer = get<std::uint32_t>("a peer");
    op.size = get<std::uint64_t>("a size");
    op.tag = get<std::uint32_t>("a tag");
    op.cpu = get<std::uint8_t>("a cpu");
    op.nic = get<std::uint8_t>("a nic");
    const bool calc = op.kind == GoalOp::Kind::calc;
    if (op.size > (calc ? most_goal_units : most_goal_bytes))
      throw error(where, fmt::format("size {} of operation {} of rank {}; expected at most {}",
                                     op.size, i, r, calc ? most_goal_units : most_goal_bytes));
    const bool any = op.kind == GoalOp::Kind::recv && op.peer == GoalOp::any;
    if (!calc && !any && (op.peer >= out_.ranks.size() || op.peer == r))
      throw error(where, fmt::format("peer {} of operation {} of rank {}; expected another of the "
                                     "{} ranks",
                                     op.peer, i, r, out_.ranks.size()));
    return op;
  }

  std::vector<char> bytes_;
  std::size_t at_ = 0, end_ = 0;
  GoalSchedule out_;
};

}  // namespace

GoalSchedule read_goal_binary(const std::string& path) { return GoalBinary(path).read(); }

}  // namespace horae::traffic
