// Chip files: on a chip that is accepted a design has a price, and where it fits, no stage holds
// more than the chip says it has.
#include "../target.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/params/document.hpp"

namespace {

using namespace horae;

// An object of each kind that asks the chip for something of its own.
constexpr std::string_view objects = R"(
chip = "tofino2"
[[exact]]
name = "qp"
key_bits = 88
entries = 2048
action_bits = [16, 0]
[[ternary]]
name = "acl"
key_bits = 64
entries = 1024
action_bits = [9]
[[register]]
name = "psn"
width = 32
entries = 262144
pieces = 2
index = "hash"
after = ["qp"]
[[register]]
name = "pair"
width = 32
pair = true
entries = 1024
[[condition]]
name = "is_nack"
kind = "lt"
bits = 16
constant = 1024
guards = ["psn"]
[[counter]]
name = "packets"
entries = 4096
width = 64
[[action]]
name = "rewrite"
after = ["psn"]
[[hash]]
name = "port"
input_bits = 104
output_bits = 16
[[mirror]]
name = "copy"
)";

const dataplane::Design& design() {
  static const auto file = dataplane::read_design_file(Document::parse(objects, "objects.toml"));
  return file.cases.at(0).design;
}

void require_held(const dataplane::Placement& placed, const dataplane::ChipSpec& chip) {
  fuzz::require(placed.stages_used() <= chip.stages, "more stages than the chip has");
  for (const auto& stage : placed.stages) {
    for (const dataplane::Resource r : dataplane::all_resources)
      fuzz::require(stage[r] >= 0 && stage[r] <= chip.capacity(r), "more than a stage has");
  }
}

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  const dataplane::Design& priced = design();
  return read_or_refuse([&] {
    const auto chip =
        dataplane::ChipSpec::read(Document::parse(text_of(bytes), "chip.toml").root());
    const auto placed = dataplane::place(priced, chip);
    if (placed.fits()) require_held(placed, chip);
  });
}
