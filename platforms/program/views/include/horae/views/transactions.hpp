// Transactions of a run, and their files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/views/trace_record.hpp"

namespace horae::views {

/// Data of a transaction recording: streams of transactions, each by a generator of its stream,
/// with attributes, and relations between two of them.
struct Transactions {
  using Id = std::uint64_t;    ///< one count for streams and generators, one for transactions
  using Word = std::uint32_t;  ///< index in `words`
  struct Stream {
    Id id;
    Word name, kind;
  };
  struct Generator {
    Id id;
    Word name;
    std::size_t stream;  ///< index in `streams`
  };
  struct Transaction {
    std::size_t generator;  ///< index in `generators`
    Picoseconds begin, end;
    std::size_t attributes;  ///< index of its first one; they end where the next one's begin
  };
  struct Attribute {
    Word name;
    bool is_text;  ///< `value` is a word
    std::uint64_t value;
  };
  /// `to` belongs to `from`, or comes from it.
  struct Relation {
    Word name;
    Id from, to;
  };

  std::vector<std::string> words = {""};  ///< each once
  std::vector<Stream> streams;
  std::vector<Generator> generators;
  std::vector<Transaction> transactions;  ///< that of Id n is n - 1
  std::vector<Attribute> attributes;
  std::vector<Relation> relations;

  std::size_t attributes_end(std::size_t transaction) const {
    return transaction + 1 < transactions.size() ? transactions[transaction + 1].attributes
                                                 : attributes.size();
  }
};

/// A packet is a transaction of its maker's stream "packets", from when it was chosen to go to its
/// end; its attribute `fate` is "delivered", "dropped" or "in_flight". Its hops, one for each step
/// through a block, are transactions of the block's stream, each with a relation "hop" from the
/// packet. So are messages ("part_of" from a packet to its message), accesses to host memory, NACK
/// services, pauses and drops. Arrows of the trace are relations by their category.
Transactions transactions_of(const TraceRecord& record);

/// The text format of the SystemC Verification Library's transaction recording (scv_tr_text). Times
/// are in ps. Begins and ends stand in the order of time.
void write_scv_text(const Transactions& all, std::ostream& out);

/// Fast Transaction Recording (README.md and src/ftr/ftr_writer.h of Minres/LWTR4SC c5ac812):
/// CBOR (RFC 8949), chunks without compression, times in ps. Two points where that description and
/// its writer differ are as the writer and the reader of Minres/SCViewer have them: the info chunk
/// is a byte string, and the dictionary a map of known length. The time of creation is 0, as the
/// same run gives the same bytes.
void write_ftr(const Transactions& all, std::ostream& out);

}  // namespace horae::views
