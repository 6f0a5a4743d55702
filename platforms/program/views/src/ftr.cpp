// Transactions as Fast Transaction Recording (transactions.hpp names the description).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/views/transactions.hpp"

namespace horae::views {
namespace {

/// Data items of CBOR (RFC 8949, 3).
class Cbor {
 public:
  void number(std::uint64_t value) { head(0, value); }
  void negative(std::uint64_t magnitude) { head(1, magnitude - 1); }
  void bytes(std::string_view data) {
    head(2, data.size());
    data_ += data;
  }
  void text(std::string_view data) {
    head(3, data.size());
    data_ += data;
  }
  void array(std::size_t items) { head(4, items); }
  void map(std::size_t pairs) { head(5, pairs); }
  void tag(std::uint64_t value) { head(6, value); }
  void open_array() { put(0x9f); }
  void close() { put(0xff); }

  const std::string& data() const { return data_; }
  void clear() { data_.clear(); }

 private:
  void put(unsigned byte) { data_ += static_cast<char>(byte); }
  /// The type, and the argument in as few bytes as hold it, the highest first.
  void head(unsigned type, std::uint64_t argument) {
    constexpr std::uint64_t in_first_byte = 24;
    if (argument < in_first_byte) return put(type << 5 | static_cast<unsigned>(argument));
    unsigned log2 = 0;
    while (log2 < 3 && argument >> (8u << log2) != 0) ++log2;
    put(type << 5 | (24 + log2));
    for (unsigned shift = 8u << log2; shift != 0;) {
      shift -= 8;
      put(argument >> shift & 0xff);
    }
  }
  std::string data_;
};

/// Tags of chunks without compression, and of what is in them.
enum Tag : std::uint64_t {
  chunk_info = 6,
  chunk_dictionary = 8,
  chunk_directory = 10,
  chunk_transactions = 12,
  chunk_relations = 14,
  entry_stream = 16,
  entry_generator = 17,
  transaction_times = 6,
  transaction_attribute = 8,  // one that is recorded, not one of begin or end
  epoch_time = 1,
  self_described = 55799,
};
enum DataType : std::uint64_t { type_unsigned = 3, type_string = 10 };

/// A chunk of a list is written once it is longer.
constexpr std::size_t chunk_bytes = 1 << 16;

class FtrWriter {
 public:
  FtrWriter(const Transactions& all, std::ostream& out) : all_(all), out_(out) {}

  void write() {
    Cbor begin;
    begin.tag(self_described);
    begin.open_array();
    put(begin);
    write_info();
    write_dictionary();
    write_directory();
    write_transactions();
    write_relations();
    Cbor end;
    end.close();
    put(end);
  }

 private:
  void put(const Cbor& item) {
    out_.write(item.data().data(), static_cast<std::streamsize>(item.data().size()));
  }
  void put_chunk(Tag tag, const Cbor& content) {
    Cbor chunk;
    chunk.tag(tag);
    chunk.bytes(content.data());
    put(chunk);
  }

  void write_info() {
    constexpr std::uint64_t picoseconds = 12;
    Cbor info;
    info.array(2);
    info.negative(picoseconds);
    info.tag(epoch_time);
    info.number(0);
    put_chunk(chunk_info, info);
  }
  void write_dictionary() {
    Cbor words;
    words.map(all_.words.size());
    for (std::size_t i = 0; i < all_.words.size(); ++i) {
      words.number(i);
      words.text(all_.words[i]);
    }
    put_chunk(chunk_dictionary, words);
  }
  void write_directory() {
    Cbor entries;
    entries.open_array();
    for (const auto& s : all_.streams) {
      entries.tag(entry_stream);
      entries.array(3);
      entries.number(s.id);
      entries.number(s.name);
      entries.number(s.kind);
    }
    for (const auto& g : all_.generators) {
      entries.tag(entry_generator);
      entries.array(3);
      entries.number(g.id);
      entries.number(g.name);
      entries.number(all_.streams[g.stream].id);
    }
    entries.close();
    put_chunk(chunk_directory, entries);
  }

  std::size_t stream_of(Transactions::Id transaction) const {
    return all_.generators[all_.transactions[transaction - 1].generator].stream;
  }

  /// Blocks have transactions of one stream, in the order of their begins.
  void write_transactions() {
    std::vector<std::vector<Transactions::Id>> by_stream(all_.streams.size());
    for (Transactions::Id id = 1; id <= all_.transactions.size(); ++id)
      by_stream[stream_of(id)].push_back(id);
    for (std::size_t stream = 0; stream < by_stream.size(); ++stream) {
      auto& ids = by_stream[stream];
      std::stable_sort(ids.begin(), ids.end(), [&](auto a, auto b) {
        return all_.transactions[a - 1].begin < all_.transactions[b - 1].begin;
      });
      for (std::size_t next = 0; next < ids.size();) next = write_block(stream, ids, next);
    }
  }
  /// From the `next`th of `ids` on; the first that is not in the block.
  std::size_t write_block(std::size_t stream, const std::vector<Transactions::Id>& ids,
                          std::size_t next) {
    Picoseconds from = all_.transactions[ids[next] - 1].begin, to = from;
    Cbor list;
    list.open_array();
    for (; next < ids.size() && list.data().size() <= chunk_bytes; ++next) {
      to = std::max(to, all_.transactions[ids[next] - 1].end);
      add(list, ids[next]);
    }
    list.close();
    Cbor chunk;
    chunk.tag(chunk_transactions);
    chunk.array(4);
    chunk.number(all_.streams[stream].id);
    chunk.number(static_cast<std::uint64_t>(from.count()));
    chunk.number(static_cast<std::uint64_t>(to.count()));
    chunk.bytes(list.data());
    put(chunk);
    return next;
  }
  void add(Cbor& list, Transactions::Id id) const {
    const auto& t = all_.transactions[id - 1];
    const std::size_t end = all_.attributes_end(id - 1);
    list.array(1 + end - t.attributes);
    list.tag(transaction_times);
    list.array(4);
    list.number(id);
    list.number(all_.generators[t.generator].id);
    list.number(static_cast<std::uint64_t>(t.begin.count()));
    list.number(static_cast<std::uint64_t>(t.end.count()));
    for (std::size_t i = t.attributes; i < end; ++i) {
      const auto& a = all_.attributes[i];
      list.tag(transaction_attribute);
      list.array(3);
      list.number(a.name);
      list.number(a.is_text ? type_string : type_unsigned);
      list.number(a.value);
    }
  }

  void write_relations() {
    for (std::size_t next = 0; next < all_.relations.size();) {
      Cbor list;
      list.open_array();
      for (; next < all_.relations.size() && list.data().size() <= chunk_bytes; ++next) {
        const auto& r = all_.relations[next];
        list.array(5);
        list.number(r.name);
        list.number(r.from);
        list.number(r.to);
        list.number(all_.streams[stream_of(r.from)].id);
        list.number(all_.streams[stream_of(r.to)].id);
      }
      list.close();
      put_chunk(chunk_relations, list);
    }
  }

  const Transactions& all_;
  std::ostream& out_;
};

}  // namespace

void write_ftr(const Transactions& all, std::ostream& out) { FtrWriter(all, out).write(); }

}  // namespace horae::views
