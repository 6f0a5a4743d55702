#include "horae/replay/replay.hpp"

#include "session.hpp"

namespace horae::replay {

ReplayOutcome replay(const config::PlatformConfig& platform, const ReplayOptions& options,
                     results::ResultFolder* folder) {
  return Session(platform, options, folder).run();
}

}  // namespace horae::replay
