// Results of open-loop hosts.
#include <cstddef>
#include <vector>

#include "result_parts.hpp"

namespace horae::run {

void host_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                  std::vector<NamedResult>& out) {
  if (s.hosts().empty()) return;
  double sent = 0, received = 0, bytes = 0, latency = 0;
  for (std::size_t i = 0; i < s.hosts().size(); ++i) {
    sent += static_cast<double>(to.hosts[i].sent - from.hosts[i].sent);
    received += static_cast<double>(to.hosts[i].received - from.hosts[i].received);
    bytes += static_cast<double>(to.hosts[i].received_bytes - from.hosts[i].received_bytes);
    latency += to_microseconds(to.hosts[i].latency_sum - from.hosts[i].latency_sum);
  }
  const auto n = static_cast<double>(s.hosts().size());
  out.push_back({"hosts.sent", sent, "packets"});
  out.push_back({"hosts.received", received, "packets"});
  out.push_back({"hosts.delivered_rate", 8 * bytes / n / to_seconds(to.time - from.time) / 1e9,
                 "Gbps of payload"});
  out.push_back({"hosts.latency_mean", ratio(latency, received), "us"});
}

}  // namespace horae::run
