#include "horae/programs/forward/forward.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/dataplane/register.hpp"

namespace horae::programs {
namespace {

using dataplane::Gress;
using dataplane::Pass;

class Forward final : public Program {
 public:
  Forward(dataplane::Pipeline& pipeline, const ForwardConfig& config, const Routes& routes)
      : config_(config),
        routes_(pipeline, Gress::ingress, "routes", config.route_entries),
        path_random_(pipeline, Gress::ingress, "path_random"),
        path_turn_(pipeline, Gress::ingress, "path_turn", 1),
        nack_count_(pipeline, Gress::ingress, "nack_count", 1),
        nack_random_(pipeline, Gress::ingress, "nack_random") {
    for (const auto& entry : routes.entries) routes_.insert(entry.node, entry.ports);
  }

  void ingress(Pass& pass) override {
    const Packet& p = pass.header();
    const auto* ports = routes_.lookup(pass, p.dst);
    if (ports == nullptr || ports->empty()) return pass.drop();
    if (p.is_nack() && drops_nack(pass)) {
      ++nacks_dropped_;
      return pass.drop();
    }
    const auto n = static_cast<std::uint32_t>(ports->size());
    pass.forward((*ports)[n == 1 ? 0 : path(pass, n)]);
  }

  void egress(Pass&) override {}

  // Three match-dependent stages in ingress (route; path choice or filter, with a stateful ALU;
  // egress port) and none in egress. By the rule that fits the vendor compiler's reports for
  // Tofino2 - 20 cycles per dependent stage, 4 more with a stateful ALU, 2 for each of the other
  // stages of 20 - ingress takes 20 + 24 + 20 + 17 x 2 and an empty gress 58 (reported for an empty
  // program).
  Cycles mau_cycles(Gress gress) const override {
    return gress == Gress::ingress ? Cycles(20 + 24 + 20 + 17 * 2) : Cycles(58);
  }

  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    return {{"nacks_seen", nacks_seen_}, {"nacks_dropped", nacks_dropped_}};
  }

 private:
  bool drops_nack(const Pass& pass) {
    ++nacks_seen_;
    if (config_.nack_filter == NackFilter::random) {
      return nack_random_.below(pass, config_.nack_of) < config_.nack_drop;
    }
    return nack_count_.apply(pass, 0, [&](std::uint32_t& count) {
      const bool drop = count < config_.nack_drop;
      count = count + 1 == config_.nack_of ? 0 : count + 1;
      return drop;
    });
  }

  std::uint32_t path(const Pass& pass, std::uint32_t n) {
    const Packet& p = pass.header();
    const bool sprayed = p.is_data() || config_.spray_responses;
    switch (sprayed ? config_.path_choice : PathChoice::ecmp) {
      case PathChoice::random:
        return path_random_.below(pass, n);
      case PathChoice::round_robin:
        return path_turn_.apply(pass, 0, [n](std::uint32_t& turn) {
          const std::uint32_t now = turn < n ? turn : 0;
          turn = now + 1;
          return now;
        });
      case PathChoice::psn:
        return p.psn.value() % n;
      case PathChoice::ecmp:
        break;
    }
    // A hash unit over the flow's fields; any mixing will do that spreads flows which differ in one
    // field only, such as neighbouring nodes. It is not Tofino's polynomial.
    std::uint64_t flow = static_cast<std::uint64_t>(p.src) << 32 | p.dst;
    for (const std::uint64_t field : {std::uint64_t{0}, std::uint64_t{p.entropy}}) {
      flow = (flow ^ field) * 0x9e3779b97f4a7c15ULL;
      flow = (flow ^ flow >> 32) * 0xc2b2ae3d27d4eb4fULL;
      flow ^= flow >> 29;
    }
    return static_cast<std::uint32_t>((flow >> 32) * n >> 32);
  }

  ForwardConfig config_;
  dataplane::ExactTable<NodeId, std::vector<std::uint16_t>> routes_;
  dataplane::Random path_random_;
  dataplane::Register<std::uint32_t> path_turn_;
  dataplane::Register<std::uint32_t> nack_count_;
  dataplane::Random nack_random_;
  std::uint64_t nacks_seen_ = 0;  // statistics of the model, not state of the program
  std::uint64_t nacks_dropped_ = 0;
};

class ForwardFactory final : public ProgramFactory {
 public:
  explicit ForwardFactory(const ForwardConfig& config) : config_(config) {}
  std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                const Routes& routes) const override {
    if (routes.entries.size() > config_.route_entries) {
      throw InputError(fmt::format("{}: program.route_entries = {} is too small for {} nodes",
                                   pipeline.name(), config_.route_entries, routes.entries.size()));
    }
    return std::make_unique<Forward>(pipeline, config_, routes);
  }
  nlohmann::ordered_json config() const override {
    nlohmann::ordered_json out = {{"name", "forward"}};
    out.update(ForwardConfig::schema().dump(config_));
    return out;
  }

 private:
  ForwardConfig config_;
};

}  // namespace

const Schema<ForwardConfig>& ForwardConfig::schema() {
  static const Schema<ForwardConfig> s =
      Schema<ForwardConfig>("program",
                            "Forwarding with per-packet path choice and a NACK drop filter.")
          .choice("path_choice", &ForwardConfig::path_choice,
                  {{"random", PathChoice::random},
                   {"round_robin", PathChoice::round_robin},
                   {"ecmp", PathChoice::ecmp},
                   {"psn", PathChoice::psn}},
                  {.doc = "how one of several equal-cost ports is chosen for a data packet",
                   .source = "random: packet-spraying paper 2.3"})
          .field("spray_responses", &ForwardConfig::spray_responses,
                 {.doc = "choose paths of ACKs and NACKs likewise, instead of by flow"})
          .field("nack_drop", &ForwardConfig::nack_drop,
                 {.doc = "NACKs dropped ...", .source = "packet-spraying paper 2.3: 255 of 256"})
          .field("nack_of", &ForwardConfig::nack_of,
                 {.doc = "... of every so many, per pipeline", .min = 1})
          .choice("nack_filter", &ForwardConfig::nack_filter,
                  {{"deterministic", NackFilter::deterministic}, {"random", NackFilter::random}},
                  {.doc = "the first of every so many, or each with that probability"})
          .field("route_entries", &ForwardConfig::route_entries,
                 {.doc = "size of the route table", .min = 1, .max = 1 << 20});
  return s;
}

ProgramEntry forward_entry() {
  return {.name = "forward",
          .doc = "shortest paths, per-packet path choice, NACK drop filter",
          .read = [](const Section& section) -> std::unique_ptr<ProgramFactory> {
            const auto config = section.read<ForwardConfig>({"name"});
            if (config.nack_drop > config.nack_of) {
              throw section.error("nack_drop",
                                  "nack_drop = " + std::to_string(config.nack_drop) +
                                      " is above nack_of = " + std::to_string(config.nack_of));
            }
            return std::make_unique<ForwardFactory>(config);
          },
          .describe = [] { return ForwardConfig::schema().describe(); }};
}

}  // namespace horae::programs
