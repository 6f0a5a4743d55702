// A window that nothing changes.
#include "horae/policy/congestion/congestion.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

struct ConstantWindow {
  Bytes bytes = 128_KiB;

  static const Schema<ConstantWindow>& schema() {
    static const Schema<ConstantWindow> s =
        Schema<ConstantWindow>("constant", "A window that nothing changes.")
            .field("constant_window", &ConstantWindow::bytes,
                   {.doc = "constant: payload in flight at most",
                    .min = 256_B,
                    .max = Bytes(1 << 30),
                    .source = "ours: 10 us at 100 Gbps; the REPS artifact (b751588) has a cwnd of "
                              "its command line",
                    .verified = false});
    return s;
  }
};

class Constant final : public ReactionPoint {
 public:
  Constant(Bytes window, BitRate line) : window_(window), line_(line) {}
  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override {}
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return line_; }
  Bytes window() const override { return window_; }

 private:
  Bytes window_;
  BitRate line_;
};

}  // namespace

CongestionEntry constant_congestion() {
  return {.name = "constant",
          .doc = "a window that nothing changes",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<Constant>(config.parameters.of<ConstantWindow>().bytes, line);
          },
          .make_notification = nullptr,
          .check = [](const CongestionConfig& config, BitRate) { refuse_acting_reactions(config); },
          .parameters = {keys_of<ConstantWindow>()},
          .listens = {.acks = true},
          .keeps = true};
}

}  // namespace horae::policy
