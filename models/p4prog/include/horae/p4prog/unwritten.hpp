// Reads of values that a program has not written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/p4lang/place.hpp"
#include "horae/p4prog/code.hpp"

namespace horae::p4prog {

/// A read of what nobody wrote: P4 leaves open what it gives, and so does the chip.
struct UnwrittenRead {
  std::string name;     ///< "hdr.ipv4.ttl"
  p4lang::Place place;  ///< of the statement
};

/// Follows the words of passes: fields of headers, metadata and locals. A word counts as written
/// once any part of it is. What is copied as a whole (a struct, a header, a value of several words)
/// is not read by that: its copy is as unwritten as it was.
class UnwrittenWords {
 public:
  explicit UnwrittenWords(const GressCode& code);

  /// A pass begins.
  void begin() { written_ = at_first_; }
  /// Before the instruction of that number runs.
  void look(std::uint32_t at, const std::uint64_t* words);
  /// Data of an entry, and the like, came into the words.
  void wrote(std::uint32_t word, std::uint32_t count);
  /// Those since the last call, each name once for ever.
  std::vector<UnwrittenRead> take() { return std::exchange(reads_, {}); }

 private:
  void use(std::uint32_t word, std::uint32_t count = 1);
  void use(std::span<const Piece> pieces, const std::uint64_t* words);
  void copy(std::uint32_t to, std::uint32_t from, std::uint32_t count);
  void header(const Instruction& i, const std::uint64_t* words, bool written);
  void external(const ExternCode& code, const std::uint64_t* words);

  const GressCode& code_;
  std::vector<std::uint8_t> at_first_, written_;
  std::vector<std::uint32_t> open_;  ///< of a word: 1 + its index in code.open; 0: it is not there
  std::vector<std::uint8_t> told_;   ///< of code.open
  std::vector<UnwrittenRead> reads_;
  std::uint32_t at_ = 0;
};

/// Puts random bits into all that P4 leaves open.
void fill_open_words(const GressCode& code, RandomStream& stream, std::uint64_t* words);

}  // namespace horae::p4prog
