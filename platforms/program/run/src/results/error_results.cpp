// Results of queue pairs that gave up.
#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "result_parts.hpp"

namespace horae::run {

bool may_give_up(const config::PlatformConfig& platform) {
  return std::ranges::any_of(platform.profiles, [](const auto& profile) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&profile.second);
    return nic != nullptr &&
           (nic->reliability.retry_count ||
            nic->reliability.rnr_retries() != policy::TransportConfig::rnr_without_end);
  });
}

void error_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                   std::vector<NamedResult>& out) {
  if (!may_give_up(s.platform())) return;
  std::uint64_t connections = 0, messages = 0, rnr = 0;
  Picoseconds first = never, longest{-1};
  for (const auto& flow : found.flows) {
    if (!flow.in_error()) continue;
    const auto& p = flow.progress;
    ++connections;
    rnr += p.rnr_error ? 1 : 0;
    messages += p.failed_messages;
    first = std::min(first, p.error_time);
    if (p.failed_messages > 0) longest = std::max(longest, p.error_time - p.failed_post);
  }
  const auto time = [&](const char* name, Picoseconds t, bool any, const char* none) {
    out.push_back({name, any ? to_microseconds(t) : no_value, "us", any ? "" : none});
  };
  out.push_back({"flows.in_error", static_cast<double>(connections), "connections, whole run"});
  out.push_back({"flows.messages_failed", static_cast<double>(messages), "messages, whole run"});
  if (std::ranges::any_of(s.flows(), &elaboration::Connection::receives))
    out.push_back({"flows.rnr_in_error", static_cast<double>(rnr), "connections, whole run"});
  time("flows.error_time", longest, longest >= 0_ps, "no message ended with an error");
  time("flows.first_error", first, connections > 0, "no connection gave up");
}

}  // namespace horae::run
