// Objects files: what is accepted is written as text that reads back as the same design.
#include "../target.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/params/document.hpp"

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  using namespace horae;
  const std::string_view text = fuzz::text_of(bytes);
  return fuzz::read_or_refuse([&] {
    const auto file = dataplane::read_design_file(Document::parse(text, "o.toml"));
    for (const auto& design : file.cases) {
      const std::string written = dataplane::design_text(design);
      const auto back = dataplane::read_design_file(Document::parse(written, "w.toml"));
      fuzz::require(back.cases.size() == 1, "a design is written as one");
      fuzz::require(dataplane::design_text(back.cases[0]) == written,
                    "what is written reads back as something else");
    }
  });
}
