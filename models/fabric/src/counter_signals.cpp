#include "horae/fabric/counter_signals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae::fabric {
namespace {

/// Names of signals have no dots: those are of the hierarchy.
std::string signal_name(std::string counter) {
  std::replace(counter.begin(), counter.end(), '.', '_');
  return counter;
}

}  // namespace

counter_signals::counter_signals(const sc_core::sc_module_name& name, const device& of,
                                 const std::vector<std::string>& counters, Picoseconds period)
    : sc_module(name), device_(of), period_(to_sc_time(period)), names_(counters) {
  if (period <= 0_ps)
    throw InputError(
        fmt::format("{}: a period of {} ps; expected more than 0", this->name(), period.count()));
  std::vector<std::string> known;
  for (const auto& [counter, value] : counted()) known.push_back(counter);
  for (const std::string& counter : names_) {
    if (std::find(known.begin(), known.end(), counter) == known.end())
      throw InputError(fmt::format("{}: '{}' has no counter '{}'{}", this->name(), of.name(),
                                   counter, suggestion(counter, known)));
    signals_.push_back(
        std::make_unique<sc_core::sc_signal<double>>(signal_name(counter).c_str(), 0.0));
  }
  SC_HAS_PROCESS(counter_signals);
  SC_METHOD(sample);
}

std::vector<std::pair<std::string, double>> counter_signals::counted() const {
  StatTree tree;
  device_.statistics(tree);
  std::vector<std::pair<std::string, double>> all;
  tree.for_each([&](const std::string& path, double number, const std::string& /*unit*/) {
    all.emplace_back(path, number);
  });
  return all;
}

void counter_signals::sample() {
  next_trigger(period_);
  const auto all = counted();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& entry) { return entry.first == names_[i]; });
    // A distribution has no more than its count while it is empty.
    if (found != all.end()) signals_[i]->write(found->second);
  }
}

const sc_core::sc_signal<double>& counter_signals::at(const std::string& counter) const {
  const auto found = std::find(names_.begin(), names_.end(), counter);
  if (found == names_.end())
    throw InputError(
        fmt::format("{}: no signal '{}'{}", name(), counter, suggestion(counter, names_)));
  return *signals_[static_cast<std::size_t>(found - names_.begin())];
}

void counter_signals::trace(sc_core::sc_trace_file* file) const {
  for (const auto& signal : signals_) sc_core::sc_trace(file, *signal, signal->name());
}

}  // namespace horae::fabric
