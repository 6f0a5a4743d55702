#include "list_triggers.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "horae/core/error.hpp"

namespace horae::workload {
namespace {

using traffic::ListedTrigger;
using Kind = ListedTrigger::Kind;

struct Trigger {
  ListedTrigger listed;
  std::vector<std::size_t> starts;  ///< messages, in the order of the file
  std::uint64_t firings = 0;        ///< that there can be, then that there were
};

class Resolver {
 public:
  Resolver(const config::PlatformConfig& platform, const std::string& path,
           const std::vector<ListedTrigger>& triggers, const std::vector<std::uint32_t>& lines,
           std::vector<Flow>& flows)
      : platform_(platform), path_(path), lines_(lines), flows_(flows) {
    for (const auto& t : triggers) triggers_[t.id].listed = t;
  }

  void resolve(bool on_receipt) {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (flows_[i].trigger != 0) wait(i);
    }
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      Flow& m = flows_[i];
      if (m.fires_at_sender != 0 && on_receipt && m.fires_at_receiver == 0 &&
          place_of(m.fires_at_sender) == static_cast<int>(m.to)) {
        m.fires_at_receiver = std::exchange(m.fires_at_sender, 0);
      }
      if (m.fires_at_sender != 0) check_fired(i, m.fires_at_sender, m.from, true);
      if (m.fires_at_receiver != 0) check_fired(i, m.fires_at_receiver, m.to, false);
    }
    check_all_start();
  }

 private:
  InputError error(std::size_t message, std::string_view text) const {
    return input_error({path_, lines_[message], 1, {}}, text);
  }
  const std::string& name_of(unsigned device) const { return platform_.devices[device].name; }

  /// The NIC whose flows the trigger starts; -1: it starts none.
  int place_of(std::uint32_t trigger) const {
    const auto& starts = triggers_.at(trigger).starts;
    return starts.empty() ? -1 : static_cast<int>(flows_[starts.front()].from);
  }

  void wait(std::size_t i) {
    Flow& m = flows_[i];
    Trigger& trigger = triggers_.at(m.trigger);
    const Kind kind = trigger.listed.kind;
    trigger.starts.push_back(i);
    m.after = kind == Kind::multishot ? trigger.starts.size()
              : kind == Kind::barrier ? trigger.listed.count
                                      : 1;
    const unsigned first = flows_[trigger.starts.front()].from;
    if (m.from == first) return;
    throw error(
        i, fmt::format("trigger {} starts flows of '{}' (line {}) and of '{}'; expected "
                       "those of one node",
                       m.trigger, name_of(first), lines_[trigger.starts.front()], name_of(m.from)));
  }

  void check_fired(std::size_t i, std::uint32_t id, unsigned device, bool by_sender) {
    Trigger& trigger = triggers_.at(id);
    const int place = place_of(id);
    if (place >= 0 && place != static_cast<int>(device)) {
      const bool at_receiver = by_sender && place == static_cast<int>(flows_[i].to);
      throw error(
          i, fmt::format("trigger {} starts flows of '{}' (line {}), which does not know when '{}' "
                         "has {}; expected {}",
                         id, name_of(static_cast<unsigned>(place)), lines_[trigger.starts.front()],
                         name_of(device), by_sender ? "sent this one" : "received this one",
                         at_receiver ? "recv_done_trigger, or send_done = \"on_receipt\""
                                     : "triggers that a node fires for itself"));
    }
    ++trigger.firings;
    if (trigger.listed.kind == Kind::oneshot && trigger.firings > 1)
      throw error(i, fmt::format("trigger {} is a oneshot and is fired again; expected a multishot "
                                 "or a barrier",
                                 id));
  }

  /// Starts what needs nothing, then what that fires, and so on.
  void check_all_start() {
    for (auto& [id, trigger] : triggers_) trigger.firings = 0;
    std::vector<std::size_t> ready;
    std::vector<bool> started(flows_.size());
    const auto start = [&](std::size_t i) {
      started[i] = true;
      ready.push_back(i);
    };
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (flows_[i].trigger == 0) start(i);
    }
    while (!ready.empty()) {
      const Flow& m = flows_[ready.back()];
      ready.pop_back();
      for (const std::uint32_t id : {m.fires_at_sender, m.fires_at_receiver}) {
        if (id == 0) continue;
        Trigger& trigger = triggers_.at(id);
        ++trigger.firings;
        if (trigger.listed.kind == Kind::multishot) {
          if (trigger.firings <= trigger.starts.size()) start(trigger.starts[trigger.firings - 1]);
        } else if (!trigger.starts.empty() &&
                   trigger.firings == flows_[trigger.starts.front()].after) {
          for (const std::size_t i : trigger.starts) start(i);
        }
      }
    }
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (started[i]) continue;
      const Trigger& trigger = triggers_.at(flows_[i].trigger);
      throw error(i, fmt::format("this flow never starts: it waits for trigger {} to be fired {} "
                                 "times, which happens {} times",
                                 flows_[i].trigger, flows_[i].after, trigger.firings));
    }
  }

  const config::PlatformConfig& platform_;
  const std::string& path_;
  const std::vector<std::uint32_t>& lines_;
  std::vector<Flow>& flows_;
  std::map<std::uint32_t, Trigger> triggers_;
};

}  // namespace

void resolve_triggers(const config::PlatformConfig& platform, const FlowListConfig& config,
                      const std::string& path, const std::vector<ListedTrigger>& triggers,
                      const std::vector<std::uint32_t>& lines, std::vector<Flow>& flows) {
  if (triggers.empty()) return;
  Resolver(platform, path, triggers, lines, flows)
      .resolve(config.send_done == FlowListConfig::Triggers::on_receipt);
}

}  // namespace horae::workload
