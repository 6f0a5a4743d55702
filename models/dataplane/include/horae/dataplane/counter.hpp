// Counters.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Packet counters, or packet and byte counters (`width` 64), that the control plane reads. Counted
/// in once per pass.
class Counter final : public Object {
 public:
  Counter(Pipeline& pipeline, Gress gress, const std::string& name, const CounterSpec& spec,
          const Needs& needs = {})
      : Object(pipeline, gress, name, spec, needs), entries_(spec.entries) {}

  std::size_t entries() const { return entries_; }

  void count(const PassKind auto& pass, std::size_t index) {
    count(pass, index, pass.header().frame);
  }
  /// Likewise, with another length in bytes, as a program adjusts it.
  void count(const PassKind auto& pass, std::size_t index, std::int64_t bytes) {
    check_single_access(pass);
    if (index >= counts_.size()) [[unlikely]]
      first_count(pass, index);
    ++counts_[index].packets;
    counts_[index].bytes += static_cast<std::uint64_t>(bytes);
  }

  /// Control plane.
  std::uint64_t packets(std::size_t index) const { return read(index).packets; }
  std::uint64_t bytes(std::size_t index) const { return read(index).bytes; }
  /// `index` is below entries().
  void write(std::size_t index, std::uint64_t packets, std::uint64_t bytes) {
    counts_.resize(entries_);
    counts_.at(index) = {packets, bytes};
  }

 private:
  struct Count {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
  };
  void first_count(const PassKind auto& pass, std::size_t index) {
    if (index >= entries_)
      broken_rule(pass, fmt::format("index {} of {} counters", index, entries_));
    counts_.resize(entries_);
  }
  Count read(std::size_t index) const {
    if (counts_.empty() && index < entries_) return {};
    return counts_.at(index);
  }

  std::size_t entries_;
  std::vector<Count> counts_;  ///< none before the first is counted
};

}  // namespace horae::dataplane
