#include <fmt/format.h>

#include <string>

#include "horae/core/error.hpp"
#include "horae/programs/forward/forward.hpp"

namespace horae::programs {

const std::vector<ProgramEntry>& programs() {
  static const std::vector<ProgramEntry> all = {
      forward_entry(),
  };
  return all;
}

std::unique_ptr<ProgramFactory> read_program(const Section& section) {
  const std::string name = section.get_string("name");
  std::vector<std::string> names;
  for (const auto& entry : programs()) {
    if (entry.name == name) return entry.read(section);
    names.emplace_back(entry.name);
  }
  throw section.error("name", fmt::format("unknown program '{}'{}", name, suggestion(name, names)));
}

}  // namespace horae::programs
