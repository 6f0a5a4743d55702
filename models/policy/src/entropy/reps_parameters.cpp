// The scheme `reps` as the registry has it: its parameters and what they cannot be together.
#include "horae/core/error.hpp"
#include "horae/policy/entropy/reps.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

std::vector<StateField> reps_state(const EntropyConfig& config, std::uint32_t) {
  const std::uint32_t slots = config.parameters.of<RepsParameters>().ring;
  return {{"ring", std::uint64_t{Reps::slot_bits(config.values)} * slots},
          {"head", 8},
          {"valid", 8},
          {"exit_time", 32},
          {"frozen", 1},
          {"explore", 8}};
}

void check_reps(const EntropyConfig& config) {
  const auto& p = config.parameters.of<RepsParameters>();
  if (p.freezing && !p.freezing_timeout) {
    throw InputError(
        "scheme = 'reps' with freezing needs freezing_timeout: the paper has none (its artifact: "
        "10 ms, and 100 us for Figure 6); or set freezing = false");
  }
  if (p.freeze_at && !p.freezing) {
    throw InputError("freeze_at freezes the ring, but freezing = false");
  }
  if (p.frozen_read == RepsFrozenRead::artifact && p.exit == RepsExit::keep) {
    throw InputError(
        "frozen_read = 'artifact' uses valid slots out of their order, after which a ring that is "
        "kept has no oldest one: expected exit = 'clear'");
  }
}

}  // namespace

const Schema<RepsParameters>& RepsParameters::schema() {
  using P = RepsParameters;
  static const Schema<P> s =
      Schema<P>("reps", "REPS.")
          .field("ring", &P::ring,
                 {.doc = "reps: values that the ring holds",
                  .min = 1,
                  .max = 255,
                  .source = "REPS paper, 3.1: 8; their number is counted in 8 bits"})
          .field("freezing", &P::freezing,
                 {.doc = "reps: a timeout that looks like a failure freezes the ring",
                  .source = "REPS paper, 3.2"})
          .field("freezing_timeout", &P::freezing_timeout,
                 {.doc = "reps: how long it stays frozen; must be given with freezing",
                  .min = 1_ns,
                  .max = Picoseconds(1'000'000'000'000),
                  .source = "not in the REPS paper; its artifact 10 ms, in Figure 6 100 us"})
          .choice("exit", &P::exit, {{"keep", RepsExit::keep}, {"clear", RepsExit::clear}},
                  {.doc = "reps: the ring when freezing ends",
                   .source = "keep: REPS paper, Algorithm 1; clear: its artifact and uet-htsim"})
          .choice("exit_on", &P::exit_on, {{"any", RepsExitOn::any}, {"good", RepsExitOn::good}},
                  {.doc = "reps: freezing ends with any acknowledgement or NACK, or with an "
                          "unmarked acknowledgement only",
                   .source = "any: artifact of the REPS paper; good: its Algorithm 1, which never "
                             "ends while all packets are marked"})
          .choice("frozen_read", &P::frozen_read,
                  {{"paper", RepsFrozenRead::paper}, {"artifact", RepsFrozenRead::artifact}},
                  {.doc = "reps: a frozen ring gives its valid values first, or goes through all "
                          "slots in turn; the latter needs exit = \"clear\"",
                   .source = "REPS paper, Algorithm 2; its artifact"})
          .field("explore_packets", &P::explore_packets,
                 {.doc = "reps: packets that get random values after freezing; absent: a "
                         "bandwidth-delay product, at most 255",
                  .max = 255,
                  .source = "REPS paper, Algorithm 1: NUM_PKTS_BDP, 8 bits; uet-htsim: 16"})
          .field("suspect_rtt", &P::suspect_rtt,
                 {.doc = "reps: where switches do not trim, a timeout looks like a failure while "
                         "the longest recent round trip is below this many shortest ones",
                  .min = 1.0,
                  .max = 1000.0,
                  .source = "artifact of the REPS paper: 1.65; its appendix A has no number"})
          .field("freeze_at", &P::freeze_at,
                 {.doc = "reps: the first acknowledgement or NACK of a queue pair from this time "
                         "on freezes it, without any failure; absent: never",
                  .max = Picoseconds(1'000'000'000'000),
                  .source = "Figure 15 of the REPS paper; its artifact: first ACK after 150 us"});
  return s;
}

EntropyEntry reps_entropy() {
  return {.name = "reps",
          .doc = "values that came back unmarked are used again, once each; frozen after failures",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<Reps>(config, context); },
          .state = reps_state,
          .parameters = {keys_of<RepsParameters>()},
          .check = check_reps};
}

}  // namespace horae::policy
