// A replay as it runs: step by step until nothing is left to happen.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"
#include "horae/results/exit_code.hpp"
#include "session.hpp"

namespace horae::replay {

ReplayOutcome Session::run() {
  run_to_end();
  if (complete()) addresses_.check();
  recorder_.finish();
  ReplayOutcome outcome;
  outcome.summary = summary();
  outcome.warnings = warnings(outcome.summary);
  if (!complete()) {
    outcome.exit_code = results::exit_stuck;
    outcome.dump = device_->describe_queues();
    for (const auto& entry : entries_) {
      if (entry.trace->finished()) continue;
      outcome.dump.push_back(fmt::format("{}: paused, and so is what is left of {}",
                                         ends_[entry.port]->name(), entry.trace->path()));
    }
  }
  return outcome;
}

/// Results of the program, pipe by pipe, and of the traces.
std::vector<std::string> Session::warnings(const nlohmann::ordered_json& summary) const {
  std::vector<std::string> out;
  if (!works_on_bytes()) return out;
  for (const auto& pipe : summary.at("program").at("pipes")) {
    for (const auto& line : pipe.value("warnings", nlohmann::ordered_json::array())) {
      if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(line);
    }
  }
  for (const auto& entry : entries_) {
    constexpr auto malformed = static_cast<std::size_t>(capture::FrameKind::malformed);
    const std::uint64_t count = entry.trace->counts().kinds[malformed];
    if (count > 0)
      out.push_back(
          fmt::format("{}: packets whose lengths contradict each other: {}; the "
                      "program got their bytes as they are",
                      entry.trace->path(), count));
  }
  return out;
}

bool Session::complete() const {
  return device_->held() == 0 && std::all_of(entries_.begin(), entries_.end(),
                                             [](const Entry& e) { return e.trace->finished(); });
}

/// Whether nothing is to come but what packet generators make again and again.
bool Session::over() const {
  fabric::Outlook outlook{.work_left = false};
  for (const auto* d : context_.clock.devices()) d->add_outlook(outlook);
  return outlook.until < Picoseconds{} &&
         std::all_of(entries_.begin(), entries_.end(),
                     [](const Entry& e) { return e.trace->finished(); });
}

Picoseconds Session::ended() const {
  Picoseconds last = lead_;
  for (const auto& end : ends_)
    last = std::max({last, end->counters().last_in, end->counters().last_out});
  return last;
}

double Session::share() const {
  double sum = 0;
  for (const auto& entry : entries_) sum += entry.trace->share();
  return sum / static_cast<double>(entries_.size());
}

void Session::look(double done, std::string_view what) {
  if (folder_ != nullptr && folder_->interrupted()) throw InputError("interrupted");
  if (!progress_.due()) return;
  progress_.update(done, std::string(what));
}

void Session::run_to_end() {
  constexpr Picoseconds step = 100_us;
  auto& clock = context_.clock;
  bool stopped = chip_ == nullptr;
  Picoseconds now{};
  clock.run_to(now);
  for (;;) {
    Picoseconds next = never;
    for (const auto* d : clock.devices()) next = std::min(next, d->next_time());
    if (next == never) break;
    if (!stopped && chip_->generates_for_ever() && over()) {
      chip_->stop_generators();
      stopped = true;
    }
    now = std::max(now + step, next + 1_us);
    clock.run_to(now);
    while (fabric::from_sc_time(sc_core::sc_time_stamp()) < now && !clock.idle()) clock.run_to(now);
    if (progress_.due() || folder_ != nullptr) {
      std::uint64_t sent = 0;
      for (const auto& end : ends_) sent += end->counters().sent;
      look(share(), progress_.due()
                        ? fmt::format("{} packets  {:.0f} packets/s", sent,
                                      static_cast<double>(sent) / progress_.elapsed_seconds())
                        : std::string());
    }
  }
}

}  // namespace horae::replay
