#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

/// Whose turn it is that packets take.
enum class Turn : std::uint8_t { group, device };

struct RoundRobinParameters {
  std::optional<Turn> turn;  ///< absent: group
  static const Schema<RoundRobinParameters>& schema();
};

const Schema<RoundRobinParameters>& RoundRobinParameters::schema() {
  static const Schema<RoundRobinParameters> s =
      Schema<RoundRobinParameters>("round_robin", "The ports in turn.")
          .choice("turn", &RoundRobinParameters::turn,
                  {{"group", Turn::group}, {"switch", Turn::device}},
                  {.doc = "group: the packets to each destination take the ports in turn. switch: "
                          "all packets share one turn, whose order is drawn anew each time round; "
                          "packets below 128 B go by a hash of the flow. Absent: group",
                   .source = "switch: strategy ecmp_rr of htsim, fat_tree_switch.cpp"});
  return s;
}

class RoundRobin final : public LoadBalancer {
 public:
  unsigned choose(const Packet& packet, unsigned choices, const PortView&) override {
    unsigned& turn = turn_[packet.dst];
    if (turn >= choices) turn = 0;
    return turn++;
  }

 private:
  std::unordered_map<NodeId, unsigned> turn_;
};

// One turn for all destinations: of as many packets in a row as there are ports each takes another.
// The drawn orders keep hosts that send in step from taking the same ports over and over.
class SharedRoundRobin final : public LoadBalancer {
 public:
  explicit SharedRoundRobin(RandomStream stream) : stream_(stream), salt_(stream_.bits()) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView&) override {
    if (packet.frame_size() < small)
      return static_cast<unsigned>(std::uint64_t{flow_hash(packet, salt_)} * choices >> 32);
    Group& group = groups_[choices];
    if (group.turn == group.order.size()) start_turn(group, choices);
    return group.order[group.turn++];
  }

 private:
  struct Group {
    std::vector<unsigned> order;
    std::size_t turn = 0;
  };

  void start_turn(Group& group, unsigned choices) {
    group.turn = 0;
    group.order.resize(choices);
    std::iota(group.order.begin(), group.order.end(), 0u);
    for (unsigned left = choices; left > 1; --left)
      std::swap(group.order[stream_.below(left)], group.order[left - 1]);
  }

  static constexpr Bytes small{128};
  RandomStream stream_;
  std::uint32_t salt_;
  std::unordered_map<unsigned, Group> groups_;  // by the number of ports
};

}  // namespace

BalancerEntry round_robin_balancer() {
  return {.name = "round_robin",
          .doc = "the ports in turn, per destination group, or by `turn`",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            if (parameters.of<RoundRobinParameters>().turn == Turn::device)
              return std::make_unique<SharedRoundRobin>(RandomStream(seed, path));
            return std::make_unique<RoundRobin>();
          },
          .parameters = {keys_of<RoundRobinParameters>()}};
}

}  // namespace horae::policy
