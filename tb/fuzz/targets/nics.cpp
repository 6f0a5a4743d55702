// NIC files: a NIC that is accepted has a bill of its memory, by which queue pairs stay in its
// cache exactly as long as it says.
#include "../target.hpp"
#include "horae/params/document.hpp"
#include "horae/rnic/nic_budget.hpp"
#include "horae/rnic/nic_spec.hpp"

namespace {

using namespace horae;

void require_a_bill(const rnic::RnicConfig& nic, std::uint32_t queue_pairs) {
  const rnic::NicDemand demand{
      .groups = {{.queue_pairs = queue_pairs, .outstanding = 8, .memory = 65536_B}}};
  const auto budget = rnic::nic_budget(nic.sram, demand);
  for (const auto& line : budget.lines)
    fuzz::require(line.count >= 0 && line.each >= 0_B, "less than nothing on a bill");
  fuzz::require(budget.all_cached() == (queue_pairs <= budget.most_cached),
                "the bill and the most queue pairs differ");
  fuzz::require(budget.cache() <= budget.capacity, "a cache larger than the chip");
}

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  return read_or_refuse([&] {
    const auto spec = rnic::NicSpec::read(Document::parse(text_of(bytes), "nic.toml").root());
    for (const auto& range : spec.ranges)
      fuzz::require(spec.source_of(range.key.value) == range.source, "a range without its source");
    const auto nic = spec.config();
    for (const std::uint32_t queue_pairs : {1, 1000, 1'000'000}) require_a_bill(nic, queue_pairs);
  });
}
