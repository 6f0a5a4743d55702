#include "horae/results/summary_head.hpp"

#include "horae/results/version.hpp"

namespace horae::results {

nlohmann::ordered_json summary_head(const SummaryHead& head) {
  return {{"schema", 1},
          {"platform", head.platform},
          {"config", head.config},
          {"config_hash", head.config_hash},
          {"seed", head.seed},
          {"version", version()},
          {"verdict", head.verdict},
          {"sim_time_ps", head.sim_time.count()},
          {"wall_s", head.wall_s}};
}

}  // namespace horae::results
