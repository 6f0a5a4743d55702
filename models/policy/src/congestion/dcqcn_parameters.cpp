#include "horae/policy/congestion/dcqcn_parameters.hpp"

#include "horae/core/registry.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

constexpr BitRate mbps(std::int64_t n) { return BitRate(n * 1'000'000); }

// Zhu et al., SIGCOMM 2015, as its testbed ran it.
DcqcnParameters paper(BitRate) {
  return {.form = DcqcnForm::per_cnp,
          .gain = 4,
          .initial_alpha = 1024,
          .alpha_timer = 55_us,
          .cut_period = 50_us,
          .cut_log2 = 11,
          .least_kept = 50,
          .clamp_target = true,
          .clamp_after_time = true,
          .first_cnp_rate = {},
          .rate_timer = 55_us,
          .byte_counter = 10'000'000,
          .byte_counter_unit = 1_B,
          .threshold = 5,
          .additive_increase = mbps(40),
          .hyper_increase = mbps(50),
          .min_rate = mbps(40),
          .release_at_line = false,
          .cnp_interval = 50_us};
}

// NVIDIA's defaults from ConnectX-4 on.
DcqcnParameters vendor(BitRate) {
  return {.form = DcqcnForm::monitored,
          .gain = 1024 - 1019,
          .initial_alpha = 1023,
          .alpha_timer = 1_us,
          .cut_period = 4_us,
          .cut_log2 = 11,
          .least_kept = 50,
          .clamp_target = false,
          .clamp_after_time = true,
          .first_cnp_rate = {},
          .rate_timer = 300_us,
          .byte_counter = 32767,
          .byte_counter_unit = 1_B,
          .threshold = 1,
          .additive_increase = mbps(5),
          .hyper_increase = mbps(50),
          .min_rate = mbps(1),
          .release_at_line = true,
          .cnp_interval = 4_us};
}

// The simulator of HPCC (SIGCOMM 2019) with cc = dcqcn.
DcqcnParameters hpcc(BitRate line) {
  return {.form = DcqcnForm::monitored,
          .gain = 4,
          .initial_alpha = 1024,
          .alpha_timer = 1_us,
          .cut_period = 4_us,
          .cut_log2 = 11,
          .least_kept = 0,
          .clamp_target = false,
          .clamp_after_time = true,
          .first_cnp_rate = {},
          .rate_timer = 300_us,
          .byte_counter = 0,
          .byte_counter_unit = 1_B,
          .threshold = 1,
          .additive_increase = line / 5000,
          .hyper_increase = line / 500,
          .min_rate = 1_Gbps,
          .release_at_line = false,
          .cnp_interval = {}};
}

// The simulator of the long-haul paper (THEMIS, ICNP 2025; main branch, d941dc1): HPCC's with the
// timer of HPCC's sample configuration, in place of its run script's, and increases and least rate
// that do not follow the line.
DcqcnParameters longhaul(BitRate line) {
  DcqcnParameters p = hpcc(line);
  p.rate_timer = 900_us;
  p.additive_increase = mbps(50);
  p.hyper_increase = mbps(100);
  p.min_rate = mbps(100);
  p.cnp_interval = 5_us;
  return p;
}

template <class T>
void replace(T& value, const std::optional<T>& by) {
  if (by) value = *by;
}

}  // namespace

// Most values of the paper are known from what others quote: the fields that hold one are not
// verified, whatever the other sets say.
const Schema<DcqcnOverrides>& dcqcn_schema() {
  using D = DcqcnOverrides;
  static const std::string nvidia = "NVIDIA DOCA 3.4, DCQCN CC Parameters (mlxconfig ";
  static const std::string alibaba = "HPCC simulator (alibaba-edu), run.py cc = dcqcn";
  static const Schema<D> s =
      Schema<D>("dcqcn", "DCQCN values that replace those of the set `parameters`.")
          .choice("form", &D::form,
                  {{"per_cnp", DcqcnForm::per_cnp}, {"monitored", DcqcnForm::monitored}},
                  {.doc = "every CNP cuts, or at most one cut a period (paper: per_cnp; vendor, "
                          "hpcc: monitored)",
                   .source = "Zhu et al., SIGCOMM 2015; " + nvidia +
                             "RATE_REDUCE_MONITOR_PERIOD); HPCC simulator rdma-hw.cc"})
          .field("gain", &D::gain,
                 {.doc = "g of alpha in 1024ths (paper, hpcc: 4; vendor: 5)",
                  .min = 1,
                  .max = 1024,
                  .source = nvidia + "DCE_TCP_G 1019 = 1024 - 5); " + alibaba +
                            ": 1/256; paper's recalled",
                  .verified = false})
          .field("initial_alpha", &D::initial_alpha,
                 {.doc = "alpha at the first CNP in 1024ths (paper, hpcc: 1024; vendor: 1023)",
                  .min = 1,
                  .max = 1024,
                  .source = nvidia + "INITIAL_ALPHA_VALUE); HPCC simulator rdma-hw.cc; paper's "
                                     "recalled",
                  .verified = false})
          .field("alpha_timer", &D::alpha_timer,
                 {.doc = "time between updates of alpha (paper: 55 us, after the last CNP; vendor, "
                         "hpcc: 1 us)",
                  .min = 100_ns,
                  .max = 1000_ms,
                  .source = nvidia + "DCE_TCP_RTT); " + alibaba + "; paper's recalled",
                  .verified = false})
          .field("cut_period", &D::cut_period,
                 {.doc = "form = monitored: time between cuts (vendor, hpcc: 4 us; paper: 50 us, "
                         "not used by its form)",
                  .min = 100_ns,
                  .max = 1000_ms,
                  .source = nvidia + "RATE_REDUCE_MONITOR_PERIOD); " + alibaba})
          .field("cut_log2", &D::cut_log2,
                 {.doc = "a cut takes 1024 / 2^n of alpha: 11 half of it, 10 all (all sets: 11)",
                  .min = 10,
                  .max = 11,
                  .source = nvidia + "RPG_GD); Zhu et al., SIGCOMM 2015: alpha / 2"})
          .field("least_kept", &D::least_kept,
                 {.doc = "least percentage of the rate that remains after a cut (paper, vendor: "
                         "50; hpcc: 0)",
                  .max = 100,
                  .source = nvidia + "RPG_MIN_DEC_FAC: a share that is kept, Mellanox community "
                                     "DOC-2790); paper: follows from alpha / 2"})
          .field("clamp_target", &D::clamp_target,
                 {.doc = "every cut sets the target to the rate before it (paper: true; vendor, "
                         "hpcc: false)",
                  .source = nvidia + "CLAMP_TGT_RATE); HPCC simulator ClampTargetRate"})
          .field("clamp_after_time", &D::clamp_after_time,
                 {.doc = "a cut also sets the target if only the timer, not the byte counter, "
                         "raised the rate since the last cut (all sets: true)",
                  .source = nvidia + "CLAMP_TGT_RATE_AFTER_TIME_INC); HPCC simulator rdma-hw.cc"})
          .field("first_cnp_rate", &D::first_cnp_rate,
                 {.doc = "rate and target at the first CNP, 0 to leave them (all sets: 0)",
                  .max = 1600_Gbps,
                  .source = nvidia + "RATE_TO_SET_ON_FIRST_CNP); HPCC simulator RateOnFirstCnp 1"})
          .field("rate_timer", &D::rate_timer,
                 {.doc = "time between increases by the timer (paper: 55 us; vendor, hpcc: 300 us; "
                         "longhaul: 900 us)",
                  .min = 1_us,
                  .max = 1000_ms,
                  .source = nvidia + "RPG_TIME_RESET); " + alibaba +
                            " (its config.txt: 900 us); paper's recalled",
                  .verified = false})
          .field("byte_counter", &D::byte_counter,
                 {.doc = "units sent between increases by the byte counter, 0 for none (paper: "
                         "10 MB; vendor: 32767; hpcc: 0)",
                  .source = nvidia + "RPG_BYTE_RESET); " + alibaba + "; paper's recalled",
                  .verified = false})
          .field("byte_counter_unit", &D::byte_counter_unit,
                 {.doc = "bytes per unit of the byte counter (all sets: 1 B)",
                  .min = 1_B,
                  .max = 64_KiB,
                  .source = "RPG_BYTE_RESET is in bytes by mlxconfig's help; a public simulator "
                            "(Google isekai) takes units of 64 B",
                  .verified = false})
          .field("threshold", &D::threshold,
                 {.doc = "F: stages of fast recovery (paper: 5, of which the last is no longer "
                         "one; vendor, hpcc: 1)",
                  .max = 31,
                  .source = nvidia + "RPG_THRESHOLD); " + alibaba + "; paper's recalled",
                  .verified = false})
          .field("additive_increase", &D::additive_increase,
                 {.doc = "added to the target by a stage of additive increase (paper: 40 Mbps; "
                         "vendor: 5 Mbps; hpcc: 5 Mbps per 25 Gbps of line; longhaul: 50 Mbps)",
                  .min = mbps(1),
                  .max = 1600_Gbps,
                  .source = nvidia + "RPG_AI_RATE); " + alibaba + "; paper's recalled",
                  .verified = false})
          .field("hyper_increase", &D::hyper_increase,
                 {.doc = "added to the target by a stage of hyper increase (paper: 50 Mbps; "
                         "vendor: 50 Mbps; hpcc: 50 Mbps per 25 Gbps of line; longhaul: 100 Mbps)",
                  .min = mbps(1),
                  .max = 1600_Gbps,
                  .source = nvidia + "RPG_HAI_RATE); " + alibaba +
                            "; the paper gives none: IEEE 802.1Qau's default, recalled",
                  .verified = false})
          .field("min_rate", &D::min_rate,
                 {.doc = "least rate (paper: 40 Mbps; vendor: 1 Mbps; hpcc: 1 Gbps; longhaul: 100 "
                         "Mbps)",
                  .min = mbps(1),
                  .max = 1600_Gbps,
                  .source = nvidia + "RPG_MIN_RATE); " + alibaba +
                            " (its config.txt: 100 Mbps); paper's recalled",
                  .verified = false})
          .field("release_at_line", &D::release_at_line,
                 {.doc = "the rate limiter is released within 1 Mbps of the line rate, so that the "
                         "next CNP counts as the first (paper, hpcc: false; vendor: true)",
                  .source = "mlxconfig's help of RPG_MAX_RATE: at this limit the limiter is "
                            "released; how near is assumed, the parameters' unit",
                  .verified = false})
          .field("cnp_interval", &D::cnp_interval,
                 {.doc = "receiver: least time between CNPs of a queue pair (paper: 50 us; vendor: "
                         "4 us; hpcc: 0, every marked packet; longhaul: 5 us)",
                  .max = 1000_ms,
                  .source = nvidia + "MIN_TIME_BETWEEN_CNPS); " + alibaba + "; paper's recalled",
                  .verified = false});
  return s;
}

const Schema<DcqcnConfig>& DcqcnConfig::schema() {
  static const Schema<DcqcnConfig> s =
      Schema<DcqcnConfig>("dcqcn", "DCQCN.")
          .choice("parameters", &DcqcnConfig::set, names_of(dcqcn_parameter_sets()),
                  {.doc = "set of DCQCN values to start from: its paper, NVIDIA's defaults "
                          "(vendor), the HPCC simulator, or that of the long-haul paper"})
          .table("dcqcn", &DcqcnConfig::overrides, dcqcn_schema());
  return s;
}

const std::vector<DcqcnSet>& dcqcn_parameter_sets() {
  static const std::vector<DcqcnSet> all = {
      {"paper", "DCQCN's paper (SIGCOMM 2015)", paper},
      {"vendor", "NVIDIA's defaults from ConnectX-4 on", vendor},
      {"hpcc", "the simulator of HPCC (SIGCOMM 2019)", hpcc},
      {"longhaul",
       "the simulator of the long-haul paper (THEMIS, ICNP 2025): hpcc but for timer, "
       "increases, least rate and gap of CNPs",
       longhaul},
  };
  return all;
}

DcqcnParameters dcqcn_parameters(std::string_view set, const DcqcnOverrides& overrides,
                                 BitRate line) {
  DcqcnParameters p = find_named(dcqcn_parameter_sets(), "parameters", set).values(line);
  replace(p.form, overrides.form);
  replace(p.gain, overrides.gain);
  replace(p.initial_alpha, overrides.initial_alpha);
  replace(p.alpha_timer, overrides.alpha_timer);
  replace(p.cut_period, overrides.cut_period);
  replace(p.cut_log2, overrides.cut_log2);
  replace(p.least_kept, overrides.least_kept);
  replace(p.clamp_target, overrides.clamp_target);
  replace(p.clamp_after_time, overrides.clamp_after_time);
  replace(p.first_cnp_rate, overrides.first_cnp_rate);
  replace(p.rate_timer, overrides.rate_timer);
  replace(p.byte_counter, overrides.byte_counter);
  replace(p.byte_counter_unit, overrides.byte_counter_unit);
  replace(p.threshold, overrides.threshold);
  replace(p.additive_increase, overrides.additive_increase);
  replace(p.hyper_increase, overrides.hyper_increase);
  replace(p.min_rate, overrides.min_rate);
  replace(p.release_at_line, overrides.release_at_line);
  replace(p.cnp_interval, overrides.cnp_interval);
  return p;
}

}  // namespace horae::policy
