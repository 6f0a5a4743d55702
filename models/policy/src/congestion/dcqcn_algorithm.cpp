// The algorithm `dcqcn` as the registry has it.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/policy/congestion/dcqcn.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

void check_dcqcn(const CongestionConfig& config, BitRate line) {
  const auto& dcqcn = config.parameters.of<DcqcnConfig>();
  const BitRate least = dcqcn_parameters(dcqcn, line).min_rate;
  if (least <= line) return;
  throw InputError(fmt::format("dcqcn.min_rate = {} of parameters = '{}' is above the line rate {}",
                               to_text(least), dcqcn.set, to_text(line)));
}

std::unique_ptr<ReactionPoint> make_reaction(const CongestionConfig& config, BitRate line, Bytes) {
  return std::make_unique<Dcqcn>(dcqcn_parameters(config.parameters.of<DcqcnConfig>(), line), line,
                                 find_nack_reaction(config.nack_reaction).make(config.parameters));
}

}  // namespace

CongestionEntry dcqcn_congestion() {
  return {.name = "dcqcn",
          .doc = "CNPs cut the rate; timer and byte counter raise it again",
          .make_reaction = make_reaction,
          .make_notification = make_dcqcn_notification,
          .check = check_dcqcn,
          .parameters = {keys_of<DcqcnConfig>()},
          .by_marks_alone = true,
          .takes_nack_reactions = true};
}

}  // namespace horae::policy
