// A switch program: forwards, and counts the packets to each of its nodes in a register that it
// pays for.
#include <nlohmann/json.hpp>

#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/params/schema.hpp"
#include "mine.hpp"

namespace mine {
namespace {

using horae::dataplane::Gress;
using horae::programs::Routes;

struct TallyConfig {
  std::uint32_t nodes = 4096;

  static const horae::Schema<TallyConfig>& schema() {
    static const horae::Schema<TallyConfig> s =
        horae::Schema<TallyConfig>("program", "Counts the packets to each node.")
            .field("nodes", &TallyConfig::nodes,
                   {.doc = "nodes that it can count", .min = 1, .max = 65536});
    return s;
  }
};

class Tally final : public horae::programs::Program {
 public:
  Tally(horae::dataplane::Pipeline& p, const TallyConfig& config, const Routes& routes)
      : routes_(p, Gress::ingress, "routes", {.key_bits = 32, .entries = 4096, .data_bits = 16}),
        tally_(p, Gress::ingress, "tally", config.nodes),
        count_(p, tally_, "count") {
    update(routes);
  }
  void update(const Routes& routes) override {
    for (const auto& e : routes.entries)
      if (!e.ports.empty()) routes_.insert(e.node, e.ports.front());
  }
  void ingress(horae::dataplane::Pass& pass) override {
    const horae::NodeId to = pass.header().dst;
    const auto n = count_.run(pass, to) + 1;  // it gives the count before
    if (n > most_) most_ = n;
    const std::uint16_t* port = routes_.lookup(pass, to);
    if (port == nullptr) return pass.drop();
    pass.forward(*port);
  }
  void egress(horae::dataplane::Pass&) override {}
  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    return {{"most_of_one_node", most_}};
  }

 private:
  horae::dataplane::ExactTable<horae::NodeId, std::uint16_t> routes_;
  horae::dataplane::Register<std::uint32_t> tally_;
  horae::dataplane::RegisterAction<std::uint32_t, horae::dataplane::IncrementCell> count_;
  std::uint64_t most_ = 0;  // a statistic for the report; the chip does not hold it
};

class TallyFactory final : public horae::programs::ProgramFactory {
 public:
  explicit TallyFactory(const TallyConfig& config) : config_(config) {}
  std::unique_ptr<horae::programs::Program> make(horae::dataplane::Pipeline& p,
                                                 const Routes& routes) const override {
    return std::make_unique<Tally>(p, config_, routes);
  }
  bool knows_connections() const override { return false; }
  nlohmann::ordered_json config() const override {
    nlohmann::ordered_json out = {{"name", "tally"}};
    out.update(TallyConfig::schema().dump(config_));
    return out;
  }

 private:
  TallyConfig config_;
};

}  // namespace

horae::programs::ProgramEntry tally() {
  return {
      .name = "tally",
      .doc = "forwards, and counts the packets to each node",
      .read =
          [](const horae::Section& section) -> std::unique_ptr<horae::programs::ProgramFactory> {
        return std::make_unique<TallyFactory>(section.read<TallyConfig>({"name"}));
      },
      .describe = [] { return TallyConfig::schema().describe(); }};
}

}  // namespace mine
