// Objects files: what is accepted is written as text that reads back as the same design.
#include "../target.hpp"
#include "horae/dataplane/design_file.hpp"
#include "horae/params/document.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace horae;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::read_or_refuse([&] {
    const auto file = dataplane::read_design_file(Document::parse(text, "o.toml"));
    for (const auto& design : file.cases) {
      const std::string written = dataplane::design_text(design);
      const auto back = dataplane::read_design_file(Document::parse(written, "w.toml"));
      fuzz::require(back.cases.size() == 1, "a design is written as one");
      fuzz::require(dataplane::design_text(back.cases[0]) == written,
                    "what is written reads back as something else");
    }
  });
  return 0;
}
