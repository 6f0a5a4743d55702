// Shared by tests of `horae run`: a platform on which everything is lost that can be, and
// summaries that can be compared.
#pragma once

#include <string>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test {

/// A summary without what may differ between two runs that are the same.
inline ordered_json without_wall(ordered_json summary) {
  summary.erase("wall_s");
  return summary;
}

/// Two lossy hops, open-loop traffic and messages beside each other, small queues: all drop causes.
inline const std::string lossy =
    two_paths({.name = "lossy",
               .sim = "duration = \"60 us\"\nsample = \"10 us\"\n",
               .nic = "reliability = { window = 64, rto = \"20 us\" }\n",
               .plain = "balance = \"spray\"\n",
               .second_path = "outage = [{ from = \"20 us\", to = \"25 us\" }]\n",
               .traffic = R"([[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
payload = "1 KiB"
load = 0.7
)",
               .hosts = true});

}  // namespace horae::test
