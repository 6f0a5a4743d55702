// A file of Fast Transaction Recording, read by its description (README.md of Minres/LWTR4SC
// c5ac812) and RFC 8949 alone; what it does not allow throws.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace horae::test {

/// Data items of CBOR, one after the other.
class CborReader {
 public:
  explicit CborReader(std::string_view data) : data_(data) {}

  enum Major { number, negative, bytes, text, array, map, tag, simple };
  struct Head {
    Major major;
    bool open;  ///< of no known length
    std::uint64_t argument;
  };
  Head head() {
    const unsigned first = byte();
    const auto major = static_cast<Major>(first >> 5);
    const unsigned more = first & 31u;
    if (more < 24) return {major, false, more};
    if (more == 31) return {major, true, 0};
    require(more < 28, "a reserved length of an argument");
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 1u << (more - 24); ++i) value = value << 8 | byte();
    return {major, false, value};
  }
  /// The argument of the next item, which is of `major` and of known length.
  std::uint64_t argument(Major major, const char* what) {
    const Head h = head();
    require(h.major == major && !h.open, what);
    return h.argument;
  }
  void expect(Major major, std::uint64_t value, const char* what) {
    require(argument(major, what) == value, what);
  }
  void expect_open_array(const char* what) {
    const Head h = head();
    require(h.major == array && h.open, what);
  }
  std::string_view string(Major major, const char* what) {
    const std::uint64_t size = argument(major, what);
    require(size <= data_.size() - at_, "a string beyond the end");
    at_ += size;
    return data_.substr(at_ - size, size);
  }
  /// Takes a break, if one is next.
  bool at_break() {
    require(at_ < data_.size(), "an end without a break");
    if (static_cast<unsigned char>(data_[at_]) != 0xff) return false;
    ++at_;
    return true;
  }
  void expect_end() const { require(at_ == data_.size(), "bytes behind the last item"); }
  static void require(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
  }

 private:
  unsigned byte() {
    require(at_ < data_.size(), "an end within an item");
    return static_cast<unsigned char>(data_[at_++]);
  }
  std::string_view data_;
  std::size_t at_ = 0;
};

struct FtrFile {
  struct Transaction {
    std::uint64_t stream_id;
    std::string stream, generator;
    std::int64_t begin, end;  ///< ps
    std::map<std::string, std::string> attributes;
  };
  struct Relation {
    std::string name;
    std::uint64_t from, to;
  };
  std::map<std::uint64_t, Transaction> transactions;
  std::vector<Relation> relations;
  std::size_t blocks = 0;

  explicit FtrFile(std::string_view data) {
    R file(data);
    file.expect(R::tag, 55799, "not self-described CBOR");
    file.expect_open_array("no list of chunks");
    file.expect(R::tag, 6, "the first chunk is not info");
    read_info(R(file.string(R::bytes, "info")));
    while (!file.at_break()) {
      switch (file.argument(R::tag, "a chunk without a tag")) {
        case 8:
          read_dictionary(R(file.string(R::bytes, "dictionary")));
          break;
        case 10:
          read_directory(R(file.string(R::bytes, "directory")));
          break;
        case 12:
          read_block(file);
          break;
        case 14:
          read_relations(R(file.string(R::bytes, "relations")));
          break;
        default:
          throw std::runtime_error("an unknown chunk");
      }
    }
    file.expect_end();
  }

 private:
  using R = CborReader;

  static void read_info(R in) {
    in.expect(R::array, 2, "info");
    in.expect(R::negative, 11, "a time scale other than 10^-12");  // -1 - 11
    in.expect(R::tag, 1, "no epoch");
    in.argument(R::number, "no time of creation");
    in.expect_end();
  }
  void read_dictionary(R in) {
    for (std::uint64_t left = in.argument(R::map, "dictionary"); left != 0; --left) {
      in.expect(R::number, words_.size(), "a word out of turn");
      words_.emplace_back(in.string(R::text, "a word"));
      R::require(seen_.insert(words_.back()).second, "a word twice");
    }
    in.expect_end();
    R::require(words_.at(0).empty(), "word 0 is not empty");
  }
  const std::string& word(R& in) { return words_.at(in.argument(R::number, "an index of a word")); }

  void read_directory(R in) {
    in.expect_open_array("directory");
    while (!in.at_break()) {
      const std::uint64_t tag = in.argument(R::tag, "an entry");
      in.expect(R::array, 3, "an entry");
      const std::uint64_t id = in.argument(R::number, "an id");
      const std::string& name = word(in);
      if (tag == 16) {
        R::require(streams_.emplace(id, name).second, "a stream twice");
        R::require(!word(in).empty(), "a stream of no kind");
      } else {
        R::require(tag == 17, "neither stream nor generator");
        const std::uint64_t stream = in.argument(R::number, "a stream's id");
        R::require(streams_.contains(stream), "a generator of an unknown stream");
        R::require(generators_.emplace(id, std::pair(name, stream)).second, "a generator twice");
      }
    }
    in.expect_end();
  }

  void read_block(R& file) {
    ++blocks;
    file.expect(R::array, 4, "block");
    const std::uint64_t stream = file.argument(R::number, "a block's stream");
    const auto from = static_cast<std::int64_t>(file.argument(R::number, "a block's start"));
    const auto to = static_cast<std::int64_t>(file.argument(R::number, "a block's end"));
    R in(file.string(R::bytes, "block"));
    in.expect_open_array("block");
    std::int64_t first = to, last = from;
    while (!in.at_break()) {
      const std::uint64_t parts = in.argument(R::array, "a transaction");
      in.expect(R::tag, 6, "no times of a transaction");
      in.expect(R::array, 4, "times");
      const std::uint64_t id = in.argument(R::number, "a transaction's id");
      const auto& [generator, of] = generators_.at(in.argument(R::number, "a generator's id"));
      R::require(of == stream, "a transaction in a block of another stream");
      Transaction t{stream, streams_.at(stream), generator, 0, 0, {}};
      t.begin = static_cast<std::int64_t>(in.argument(R::number, "begin"));
      t.end = static_cast<std::int64_t>(in.argument(R::number, "end"));
      first = std::min(first, t.begin);
      last = std::max(last, t.end);
      for (std::uint64_t i = 1; i < parts; ++i) read_attribute(in, t);
      R::require(transactions.emplace(id, std::move(t)).second, "a transaction twice");
    }
    in.expect_end();
    R::require(first == from && last == to, "the times of a block are not those of its list");
  }
  void read_attribute(R& in, Transaction& t) {
    in.expect(R::tag, 8, "an attribute of another kind than recorded");
    in.expect(R::array, 3, "an attribute");
    const std::string& name = word(in);
    const std::uint64_t type = in.argument(R::number, "a type");
    R::require(type == 3 || type == 10, "neither UNSIGNED nor STRING");
    const std::string value =
        type == 10 ? word(in) : std::to_string(in.argument(R::number, "a value"));
    R::require(t.attributes.emplace(name, value).second, "an attribute twice");
  }

  void read_relations(R in) {
    in.expect_open_array("relations");
    while (!in.at_break()) {
      in.expect(R::array, 5, "a relation");
      Relation r{word(in), 0, 0};
      r.from = in.argument(R::number, "a source");
      r.to = in.argument(R::number, "a sink");
      in.expect(R::number, transactions.at(r.from).stream_id, "a source's stream");
      in.expect(R::number, transactions.at(r.to).stream_id, "a sink's stream");
      relations.push_back(std::move(r));
    }
    in.expect_end();
  }

  std::vector<std::string> words_;
  std::set<std::string> seen_;
  std::map<std::uint64_t, std::string> streams_;
  std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> generators_;  ///< name, stream
};

}  // namespace horae::test
