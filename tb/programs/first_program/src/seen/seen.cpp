#include "horae/programs/seen/seen.hpp"

#include <nlohmann/json.hpp>

#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/params/schema.hpp"

namespace horae::programs {
namespace {

using dataplane::Gress;

struct SeenConfig {
  std::uint32_t index_bits = 16;

  static const Schema<SeenConfig>& schema() {
    static const Schema<SeenConfig> s =
        Schema<SeenConfig>("program", "Counts the packets of each queue pair.")
            .field("index_bits", &SeenConfig::index_bits,
                   {.doc = "there are 2^index_bits counters", .min = 1, .max = 16});
    return s;
  }
};

class Seen final : public Program {
 public:
  Seen(dataplane::Pipeline& p, const SeenConfig& config, const Routes& routes)
      : routes_(p, Gress::ingress, "routes", {.key_bits = 32, .entries = 4096, .data_bits = 16}),
        index_(p, Gress::ingress, "index", {.input_bits = 56, .output_bits = config.index_bits}),
        seen_(p, Gress::ingress, "seen", std::size_t{1} << config.index_bits, 0, {matches(index_)}),
        count_(p, seen_, "count") {
    update(routes);
  }
  void update(const Routes& routes) override {
    for (const auto& e : routes.entries)
      if (!e.ports.empty()) routes_.insert(e.node, e.ports.front());
  }
  void ingress(dataplane::Pass& pass) override {
    const Packet& packet = pass.header();
    const auto cell = index_.of(pass, {std::uint64_t{packet.dst} << 24 | packet.dest_qp.value()});
    const auto n = count_.run(pass, cell) + 1;  // it gives the count before
    if (n > most_) most_ = n;
    const std::uint16_t* port = routes_.lookup(pass, packet.dst);
    if (port == nullptr) return pass.drop();
    pass.forward(*port);
  }
  void egress(dataplane::Pass&) override {}
  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    return {{"most_of_one_cell", most_}};
  }

 private:
  dataplane::ExactTable<NodeId, std::uint16_t> routes_;
  dataplane::Hash index_;
  dataplane::Register<std::uint32_t> seen_;
  dataplane::RegisterAction<std::uint32_t, dataplane::IncrementCell> count_;
  std::uint64_t most_ = 0;  // a statistic for the report; the chip does not hold it
};

class SeenFactory final : public ProgramFactory {
 public:
  explicit SeenFactory(const SeenConfig& config) : config_(config) {}
  std::unique_ptr<Program> make(dataplane::Pipeline& p, const Routes& routes) const override {
    return std::make_unique<Seen>(p, config_, routes);
  }
  bool knows_connections() const override { return false; }
  nlohmann::ordered_json config() const override {
    nlohmann::ordered_json out = {{"name", "seen"}};
    out.update(SeenConfig::schema().dump(config_));
    return out;
  }

 private:
  SeenConfig config_;
};

}  // namespace

ProgramEntry seen_entry() {
  return {.name = "seen",
          .doc = "counts the packets of each queue pair and forwards them",
          .read = [](const Section& section) -> std::unique_ptr<ProgramFactory> {
            return std::make_unique<SeenFactory>(section.read<SeenConfig>({"name"}));
          },
          .describe = [] { return SeenConfig::schema().describe(); }};
}

}  // namespace horae::programs
