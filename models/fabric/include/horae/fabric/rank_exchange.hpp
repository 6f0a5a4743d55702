// The seam to the other processes of a run: bytes from each to each, at moments that all agree on.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::fabric {

/// Another process of the run gave up.
struct RankFailed : std::runtime_error {
  RankFailed(unsigned failed_rank, int code, const std::string& text)
      : std::runtime_error(text), rank(failed_rank), exit_code(code) {}
  unsigned rank;
  int exit_code;  ///< of the program
};

/// The processes (ranks) of one run, seen from one of them. All call the same functions in the same
/// order, so that what one gives is what the others wait for.
class rank_exchange {
 public:
  using Bytes = std::vector<std::byte>;

  virtual ~rank_exchange() = default;

  virtual unsigned rank() const = 0;   ///< this one, from 0
  virtual unsigned ranks() const = 0;  ///< of all of them

  /// Gives `out[r]` to rank r and waits for what each gave this one: `in[r]`. Both have an entry
  /// per rank; this one's own is not touched. RankFailed when one of them gave up.
  virtual void exchange(std::span<const std::span<const std::byte>> out,
                        std::vector<Bytes>& in) = 0;
  /// Tells the others that this one gives up: their next exchange throws. Once; afterwards nothing
  /// more is exchanged.
  virtual void fail(int exit_code, const std::string& text) = 0;

  /// Gives the bytes of each rank to all, by rank.
  std::vector<Bytes> all(std::span<const std::byte> mine) {
    const std::vector<std::span<const std::byte>> out(ranks(), mine);
    std::vector<Bytes> in(ranks());
    exchange(out, in);
    in[rank()].assign(mine.begin(), mine.end());
    return in;
  }
  /// The same of one value.
  template <class T>
  std::vector<T> all_of(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values;
    for (const Bytes& bytes : all(std::as_bytes(std::span(&mine, 1)))) {
      T value{};
      std::memcpy(&value, bytes.data(), sizeof(T));
      values.push_back(value);
    }
    return values;
  }
};

}  // namespace horae::fabric
