// Counters and registers with a cell for each entry of a match table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "horae/dataplane/objects/key_index.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// A direct object is used in a pass in which the table had a hit, with the key that it had there.
template <class K, class Cell, class H>
class DirectCells {
 public:
  explicit DirectCells(const Object& table) : table_(table) {}
  bool looked_up(const Pass& pass) const { return table_.used_in(pass.serial()); }
  /// The cell of an entry; `initial` before its first use.
  Cell& of(const K& key, const Cell& initial = {}) {
    if (!cells_.contains(key)) cells_.put(key, initial);
    return const_cast<Cell&>(*cells_.find(key));
  }
  const Cell* find(const K& key) const { return cells_.find(key); }
  void forget(const K& key) { cells_.erase(key); }

 private:
  const Object& table_;
  KeyIndex<K, Cell, H> cells_;
};

/// Packet and byte counters of a table's entries, priced with the RAMs of the table.
template <class K, class H = std::hash<K>>
class EntryCounter final : public Object {
 public:
  EntryCounter(Pipeline& pipeline, Gress gress, const std::string& name, CounterSpec spec,
               const Object& table, const Needs& needs = {})
      : Object(pipeline, gress, name, of(spec, table), needs), cells_(table) {}

  void count(const Pass& pass, const K& key) {
    check_single_access(pass);
    if (!cells_.looked_up(pass)) broken_rule(pass, "counts before its table was looked up");
    Count& c = cells_.of(key);
    ++c.packets;
    c.bytes += pass.header().frame;
  }

  /// Control plane.
  std::uint64_t packets(const K& key) const { return read(key).packets; }
  std::uint64_t bytes(const K& key) const { return read(key).bytes; }
  /// Control plane, with the entry: the next one of that key counts from zero.
  void forget(const K& key) { cells_.forget(key); }

 private:
  struct Count {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
  };
  Count read(const K& key) const {
    const Count* c = cells_.find(key);
    return c == nullptr ? Count{} : *c;
  }
  static CounterSpec of(CounterSpec spec, const Object& table) {
    spec.table = table.short_name();
    spec.direct = true;
    return spec;
  }

  DirectCells<K, Count, H> cells_;
};

/// A register cell of each entry of a table.
template <class K, class T, class H = std::hash<K>>
class EntryRegister final : public Object {
 public:
  EntryRegister(Pipeline& pipeline, Gress gress, const std::string& name, RegisterSpec spec,
                const Object& table, T initial = {}, const Needs& needs = {})
      : Object(pipeline, gress, name, of(spec, table), needs), cells_(table), initial_(initial) {}

  /// Runs `f(T& cell)` on the cell of the entry that was hit, and returns what it returns.
  template <class F>
  decltype(auto) apply(const Pass& pass, const K& key, F&& f) {
    check_single_access(pass);
    if (!cells_.looked_up(pass)) broken_rule(pass, "accessed before its table was looked up");
    return std::forward<F>(f)(cells_.of(key, initial_));
  }
  /// Control plane.
  T read(const K& key) const {
    const T* cell = cells_.find(key);
    return cell == nullptr ? initial_ : *cell;
  }
  /// Control plane, with the entry.
  void forget(const K& key) { cells_.forget(key); }

 private:
  static RegisterSpec of(RegisterSpec spec, const Object& table) {
    spec.table = table.short_name();
    spec.direct = true;
    return spec;
  }

  DirectCells<K, T, H> cells_;
  T initial_;
};

}  // namespace horae::dataplane
