// NIC files: of what is accepted, every value with a range has a source, and the configuration in
// effect, written out whole, is accepted and is the same.
#include <nlohmann/json.hpp>

#include "../target.hpp"
#include "../toml_text.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/rnic/nic_spec.hpp"

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  return read_or_refuse([&] {
    const auto spec = rnic::NicSpec::read(Document::parse(text_of(bytes), "nic.toml").root());
    for (const auto& range : spec.ranges)
      require(!spec.source_of(range.key).empty() || range.source.empty(), "a range without source");
    const auto& schema = rnic::RnicConfig::schema();
    const auto effective = schema.dump(spec.config());
    const std::string text = toml_text(effective);
    nlohmann::ordered_json again;
    try {
      again = schema.dump(schema.read(Document::parse(text, "effective.toml").root()));
    } catch (const InputError& e) {
      require(false, fmt::format("refused when written out: {}\n{}", e.what(), text));
    }
    require(again == effective, "another configuration when written out");
  });
}
