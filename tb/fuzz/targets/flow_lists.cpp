// Flow lists of every format: flows are read to the end, each between nodes that there are.
#include "../target.hpp"
#include "horae/traffic/flow_list.hpp"

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  using namespace horae;
  if (bytes.empty()) return false;
  static fuzz::MemoryFile file;
  file.write(bytes.subspan(1));
  const traffic::ListNodes nodes{.names = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"},
                                 .fold = (bytes[0] & 4) != 0};
  const auto format = static_cast<traffic::ListFormat>(bytes[0] & 3);
  return fuzz::read_or_refuse([&] {
    const auto list = traffic::FlowList::open(file.path(), format, nodes);
    while (const auto flow = list->next()) {
      fuzz::require(flow->from < nodes.names.size() && flow->to < nodes.names.size(),
                    "a node that is not there");
      fuzz::require(nodes.fold || flow->from != flow->to, "a flow to its own sender");
      // 0: without an end, as htsim has them.
      fuzz::require(flow->bytes >= 0_B && flow->at >= 0_ps, "less than nothing, or before time 0");
    }
  });
}
