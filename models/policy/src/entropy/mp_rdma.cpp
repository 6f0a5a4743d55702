// MP-RDMA's choice of paths: packets follow the acknowledgements that allow them.
#include "horae/policy/entropy/drawing.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

std::vector<StateField> mp_rdma_state(const EntropyConfig&, std::uint32_t) {
  return {{"value", 16}, {"valid", 1}};
}

/// The value of the last acknowledgement if it left room in the window, else random ones. MP-RDMA's
/// bound on reordering and its probing are left out, as in the artifact of the REPS paper.
class MpRdma final : public DrawingEntropy {
 public:
  MpRdma(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context),
        once_(config.parameters.of<MpRdmaPaths>().mp_rdma_use == MpRdmaUse::once) {}

  std::uint16_t next(Picoseconds) override {
    if (!valid_) return random_value();
    if (once_) valid_ = false;
    return recycled_value(value_);
  }
  void feedback(const EntropyFeedback& feedback, Picoseconds) override {
    if (feedback.signal != PathSignal::good && feedback.signal != PathSignal::marked) return;
    value_ = feedback.value;
    valid_ = feedback.room;
  }
  std::uint64_t bits() const override { return total_bits(mp_rdma_state({}, 0)); }

 private:
  bool once_;
  std::uint16_t value_ = 0;
  bool valid_ = false;
};

}  // namespace

const Schema<MpRdmaPaths>& MpRdmaPaths::schema() {
  static const Schema<MpRdmaPaths> s =
      Schema<MpRdmaPaths>("mp_rdma", "MP-RDMA's choice of paths.")
          .choice("mp_rdma_use", &MpRdmaPaths::mp_rdma_use,
                  {{"until_next", MpRdmaUse::until_next}, {"once", MpRdmaUse::once}},
                  {.doc = "mp_rdma: the value of an acknowledgement is used until the next one, or "
                          "for one packet",
                   .source = "until_next: artifact of the REPS paper; once: MP-RDMA (Lu et al., "
                             "NSDI 2018), where an ACK clocks a packet out on its path"});
  return s;
}

EntropyEntry mp_rdma_entropy() {
  return {.name = "mp_rdma",
          .doc =
              "the value of the last acknowledgement that left room in the window, else random "
              "(MP-RDMA)",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<MpRdma>(config, context); },
          .state = mp_rdma_state,
          .parameters = {keys_of<MpRdmaPaths>()}};
}

}  // namespace horae::policy
