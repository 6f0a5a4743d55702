#include "held_back.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "horae/core/quantity_text.hpp"
#include "horae/core/roce.hpp"
#include "horae/rnic/host/fetch_ahead.hpp"
#include "horae/rnic/host/pcie_link.hpp"
#include "horae/workload/ideal_times.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::run {
namespace {

using rnic::IdleCause;

/// A sender that one cause holds back.
struct Held {
  std::size_t nic = 0;  ///< among the simulation's
  IdleCause cause = IdleCause::no_work;
  double share = 0;
  std::size_t senders = 1;  ///< of its profile that the cause holds back
};

std::string needed(const std::string& key, const std::string& now, const std::string& needed) {
  return fmt::format("{} {}; {} needed", key, now, needed);
}
std::int64_t rounded_up(Picoseconds a, Picoseconds b) { return (a + b - 1_ps) / b; }
std::string nanoseconds(Picoseconds time) { return to_text(1_ns * rounded_up(time, 1_ns)); }

/// Explains the waits of a sender by its configuration.
class Explanation {
 public:
  Explanation(const elaboration::Simulation& simulation, const rnic::rnic& nic,
              const rnic::RnicCounters& counted)
      : platform_(simulation.platform()),
        simulation_(simulation),
        nic_(nic),
        counted_(counted),
        config_(nic.config()),
        profile_(platform_.devices[nic.number()].profile + "."),
        line_(nic.line_rate()) {}

  std::string of(IdleCause cause) const {
    switch (cause) {
      case IdleCause::window:
        return window();
      case IdleCause::shaper:
        return shaper();
      case IdleCause::paused:
        return "PFC of the next device: its pfc thresholds, or what is behind it; no key of the "
               "NIC";
      case IdleCause::doorbell:
        return few_messages(fmt::format("a doorbell takes {} (memory.mmio_latency)",
                                        to_text(config_.memory.mmio_latency)));
      case IdleCause::wqe:
        return wqe();
      case IdleCause::payload:
        return payload();
      case IdleCause::context:
        return context();
      case IdleCause::engine:
        return engine();
      case IdleCause::credits:
        return fmt::format("{}vl_credits {}, which are back after twice the link's delay", profile_,
                           to_text(config_.vl_credits.value_or(0_B)));
      case IdleCause::port:
        return fmt::format("{}port_buffer {}, of ports that others keep busy", profile_,
                           to_text(config_.buffer_of_port()));
      default:  // lock, retransmit, recovery, gap_window
        return fmt::format(
            "NACKs, which {}retransmit.policies serve so; fewer packets out of order "
            "or lost, or other policies",
            profile_);
    }
  }

 private:
  Picoseconds packet_time() const {
    return serialisation_time(l1_bytes(frame_bytes(Opcode::write_middle, config_.mtu)), line_);
  }
  /// Payload of full packets at line rate, in bits per second.
  double payload_rate() const {
    return static_cast<double>(config_.mtu.count()) * 8 / to_seconds(packet_time());
  }
  /// Read time of this host, with the link between its memory and the NIC.
  Picoseconds read_time() const {
    const auto& memory = config_.memory;
    return rnic::payload_read_time(config_) + memory.jitter.value +
           (memory.remote ? memory.numa_extra : 0_ps);
  }
  Picoseconds round_trip() const {
    const workload::IdealTimes ideal(platform_);
    std::set<std::uint32_t> peers;
    for (const auto& c : simulation_.flows()) {
      if (c.sender == &nic_) peers.insert(c.receiver->number());
    }
    Picoseconds longest{};
    for (const std::uint32_t peer : peers)
      longest = std::max(longest, ideal.round_trip(nic_.number(), peer));
    return longest;
  }
  /// Mean size of the completed messages; an MTU if there is none.
  Bytes message() const {
    if (counted_.messages_completed == 0) return config_.mtu;
    return Bytes(static_cast<std::int64_t>(counted_.bytes_completed / counted_.messages_completed));
  }
  Picoseconds message_time() const {
    const std::int64_t packets = (message() + config_.mtu - 1_B) / config_.mtu;
    return packet_time() * std::max<std::int64_t>(1, packets);
  }

  std::string engine() const {
    const rnic::EngineConfig& engine = *config_.engine;
    return fmt::format(
        "{0}engine: a unit takes {1} for a data packet sent and {2} for one received, {3} for a "
        "visit, a message of a queue pair comes {4} after the one before ({0}engine.send, receive, "
        "visit, queue_pair)",
        profile_, to_text(engine.send), to_text(engine.receive), to_text(engine.visit),
        to_text(engine.queue_pair));
  }

  std::string window() const {
    const auto& reliability = config_.reliability;
    const Picoseconds trip = round_trip();
    // The last of those that are acknowledged together waits for the others.
    const std::int64_t packets = rounded_up(trip, packet_time()) + reliability.ack_every;
    if (reliability.window < packets)
      return needed(profile_ + "reliability.window", std::to_string(reliability.window),
                    std::to_string(packets));
    const auto& algorithm = policy::find_congestion_algorithm(config_.congestion.algorithm);
    if (algorithm.controls_rates)
      return fmt::format("{}congestion.algorithm {} keeps its window small; none has no window",
                         profile_, algorithm.name);
    return fmt::format(
        "acknowledgements take longer than the idle round trip of {}: queues of the "
        "network, lost packets or receivers; {}reliability.window is {}",
        nanoseconds(trip), profile_, reliability.window);
  }

  std::string shaper() const {
    const auto senders = static_cast<std::int64_t>(
        std::count_if(simulation_.flows().begin(), simulation_.flows().end(),
                      [this](const elaboration::Connection& c) { return c.sender == &nic_; }));
    if (config_.qp_rate.count() > 0 && config_.qp_rate * senders < line_)
      return needed(profile_ + "qp_rate", to_text(config_.qp_rate),
                    to_text(BitRate((line_.count() + senders - 1) / senders)));
    return fmt::format("{}congestion.algorithm {} keeps rates down; none would not", profile_,
                       config_.congestion.algorithm);
  }

  /// Nothing of the NIC is too small: what it reads comes one after the other.
  std::string few_messages(const std::string& takes) const {
    return fmt::format(
        "{}: more messages posted at once (depth of [[traffic]]), or longer ones, hide it", takes);
  }

  /// The batch of WQEs of which half lasts for a read, if there may be such a one; else nothing.
  std::string larger_batch() const {
    constexpr std::int64_t most = 64;  // of one read
    const std::int64_t batch = 2 * rounded_up(read_time(), message_time());
    if (config_.fetch.wqe_batch >= batch || batch > most) return {};
    return needed(profile_ + "fetch.wqe_batch", std::to_string(config_.fetch.wqe_batch),
                  std::to_string(batch));
  }

  std::string wqe() const {
    const std::string batch = larger_batch();
    if (!batch.empty()) return batch;
    return few_messages(
        fmt::format("a read of WQEs takes {} (memory.round_trip)", nanoseconds(read_time())));
  }

  /// The limit that lets the fewest bytes be in flight is the one that holds back.
  std::string payload() const {
    const auto& pcie = config_.pcie;
    if (rnic::read_bandwidth(pcie, config_.mtu) < payload_rate()) return slow_link();
    const Bytes wanted = rnic::needed_prefetch(config_, line_, read_time());
    const std::int64_t requests =
        rounded_up(read_time(), packet_time()) *
        ((config_.mtu + pcie.max_read_request.value - 1_B) / pcie.max_read_request.value);
    const Bytes by_tags =
        config_.mtu * std::int64_t{pcie.tags} / requests * rounded_up(read_time(), packet_time());
    const Bytes ahead = rnic::prefetch_of(config_, line_), buffer = config_.sram.tx_buffer;
    const Bytes least = std::min({by_tags, ahead, buffer});
    if (pcie.tags < requests && least == by_tags)
      return needed(profile_ + "pcie.tags", std::to_string(pcie.tags), std::to_string(requests));
    if (buffer < wanted && least == buffer)
      return needed(profile_ + "sram.tx_buffer", to_text(buffer), to_text(wanted));
    if (ahead < wanted) return needed(profile_ + "fetch.prefetch", to_text(ahead), to_text(wanted));
    const std::string batch = larger_batch();
    if (!batch.empty()) return batch;
    return few_messages(
        fmt::format("a read of payload takes {} (memory)", nanoseconds(read_time())));
  }

  /// PCIe carries less than the line: more lanes, or else a later generation.
  std::string slow_link() const {
    const auto carries = [this](std::uint32_t generation, std::uint32_t lanes) {
      rnic::PcieConfig pcie = config_.pcie;
      pcie.generation = generation;
      pcie.lanes.value = lanes;
      return rnic::read_bandwidth(pcie, config_.mtu) >= payload_rate();
    };
    const auto& pcie = config_.pcie;
    for (std::uint32_t lanes = pcie.lanes; lanes <= 32; lanes *= 2) {
      if (carries(pcie.generation, lanes))
        return needed(profile_ + "pcie.lanes", std::to_string(pcie.lanes.value),
                      std::to_string(lanes));
    }
    for (std::uint32_t generation = pcie.generation; generation <= 6; ++generation) {
      if (carries(generation, 32))
        return needed(profile_ + "pcie.generation", std::to_string(pcie.generation),
                      fmt::format("{} with 32 lanes", generation));
    }
    return fmt::format("{}pcie carries {:.0f} of {:.0f} Gbps; no link has more", profile_,
                       rnic::read_bandwidth(pcie, config_.mtu) / 1e9, payload_rate() / 1e9);
  }

  std::string context() const {
    for (const auto& sized : workload::size_nics(platform_)) {
      const auto& devices = sized.devices;
      if (std::find(devices.begin(), devices.end(), platform_.devices[nic_.number()].name) ==
          devices.end())
        continue;
      return needed(profile_ + "sram.total", to_text(sized.budget.capacity),
                    to_text(sized.budget.on_chip() + sized.budget.cached()));
    }
    return profile_ + "sram.total";
  }

  const config::PlatformConfig& platform_;
  const elaboration::Simulation& simulation_;
  const rnic::rnic& nic_;
  const rnic::RnicCounters& counted_;
  const rnic::RnicConfig& config_;
  std::string profile_;  ///< with the point of a key
  BitRate line_;
};

bool is_sender(const elaboration::Simulation& s, const rnic::rnic& nic) {
  return std::find(s.senders().begin(), s.senders().end(), &nic) != s.senders().end();
}

/// By profile and cause, longest first.
std::vector<Held> longest_held(const elaboration::Simulation& s, const Snapshot& from,
                               const Snapshot& to) {
  std::map<std::pair<std::string, IdleCause>, Held> worst;
  const double window = to_seconds(to.time - from.time);
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    if (!is_sender(s, *s.nics()[i])) continue;
    const rnic::RnicCounters counted = to.nics[i] - from.nics[i];
    for (std::size_t c = 0; c < rnic::idle_causes; ++c) {
      const auto cause = static_cast<IdleCause>(c);
      const double share = to_seconds(counted.idle[c]) / window;
      if (cause == IdleCause::no_work || share <= named_from) continue;
      const auto& profile = s.platform().devices[s.nics()[i]->number()].profile;
      const auto [it, first] = worst.try_emplace({profile, cause}, Held{i, cause, share});
      if (first) continue;
      ++it->second.senders;
      if (share > it->second.share) it->second.nic = i, it->second.share = share;
    }
  }
  std::vector<Held> out;
  for (const auto& [key, held] : worst) out.push_back(held);
  std::stable_sort(out.begin(), out.end(),
                   [](const Held& a, const Held& b) { return a.share > b.share; });
  return out;
}

}  // namespace

std::vector<std::string> held_back(const elaboration::Simulation& s, const Snapshot& from,
                                   const Snapshot& to) {
  std::vector<std::string> lines;
  if (to.time <= from.time || from.nics.size() != to.nics.size()) return lines;
  for (const Held& held : longest_held(s, from, to)) {
    const rnic::rnic& nic = *s.nics()[held.nic];
    const rnic::RnicCounters counted = to.nics[held.nic] - from.nics[held.nic];
    const std::string others =
        held.senders > 1 ? fmt::format(" and {} more", held.senders - 1) : "";
    lines.push_back(fmt::format("held back: {}{} for {:.0f} % of the time by {}: {}", nic.name(),
                                others, 100 * held.share, rnic::name_of(held.cause),
                                Explanation(s, nic, counted).of(held.cause)));
  }
  return lines;
}

}  // namespace horae::run
