// Events that can still happen to a chip without progress, and whom it waits for.
#include <set>
#include <utility>

#include "chip_events.hpp"
#include "horae/fabric/ports/pause_waits.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {

using fabric::Event;

/// A program lets queues go that it holds when something comes: a packet on its way around, which
/// may be one that a generator makes again and again. Without messages to be completed nobody waits
/// for those queues, and what goes around does so for ever.
void tofino_switch::own_outlook(fabric::Outlook& outlook) const {
  bool holds = false;
  for (unsigned i = 0; i < ports(); ++i) {
    holds |= port(i).holds_any();
    if (starts_.of(i) == never) continue;
    port(i).for_each([&](const Packet& p, unsigned) {
      if (!p.again) outlook.expect(starts_.of(i));
    });
  }
  const auto expect = [&](const Event& e) {
    const auto kind = fabric::key_kind(e.key);
    if (kind < fabric::device_events) return;
    const bool of_generator = kind == generate_event || kind == make_event;
    const bool carries_packet = kind != queue_event && !of_generator;
    const bool loops = kind >= loopback_event && kind <= recirculated_event;
    const bool repeats = (of_generator && generators_[fabric::key_entity(e.key)].what.repeats()) ||
                         (carries_packet && arrived(e).again) || (loops && !outlook.work_left);
    if ((holds && outlook.work_left) || !repeats) outlook.expect(e.time);
  };
  managed_.for_each(expect);
  events_.for_each(expect);
}

void tofino_switch::add_waits(fabric::PauseWaits& waits) const {
  const auto& pauses = traffic_manager_.pauses();
  for (unsigned i = 0; i < ports(); ++i) {
    const auto queue = [&](unsigned port, unsigned traffic_class) {
      return fabric::PortClass{number(), static_cast<std::uint16_t>(port),
                               static_cast<std::uint16_t>(traffic_class)};
    };
    std::set<std::pair<fabric::PortClass, fabric::PortClass>> kept_in;
    unsigned held = 0;
    port(i).for_each([&](const Packet& p, unsigned c) {
      if (port(i).paused(c)) held |= 1u << c;
      if (pauses && pauses->pausing(pauses->account_of(p)))
        kept_in.emplace(queue(front_port(p), p.traffic_class), queue(i, c));
    });
    for (unsigned c = 0; c < fabric::OutputPort::classes; ++c) {
      if ((held >> c & 1u) != 0) waits.held.push_back(queue(i, c));
    }
    waits.kept_in.insert(waits.kept_in.end(), kept_in.begin(), kept_in.end());
  }
}

}  // namespace horae::tofino
