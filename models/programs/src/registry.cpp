#include "horae/core/registry.hpp"

#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/params/section.hpp"
#include "horae/programs/conweave/conweave.hpp"
#include "horae/programs/forward/forward.hpp"
#include "horae/programs/plugin.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "horae/programs/themis/themis.hpp"
#include "horae/programs/themis_queue/themis_queue.hpp"

namespace horae::programs {

namespace {
Registry<ProgramEntry>& program_registry() {
  static Registry<ProgramEntry> all("program", {
                                                   conweave_entry(),
                                                   forward_entry(),
                                                   pnp_trp_entry(),
                                                   themis_entry(),
                                                   themis_queue_entry(),
                                               });
  return all;
}
}  // namespace

const std::vector<ProgramEntry>& programs() { return program_registry().all(); }
void add_program(ProgramEntry entry) { program_registry().add(std::move(entry)); }

std::unique_ptr<ProgramFactory> read_program(const Section& section) {
  const std::string name = section.get_string("name");
  const auto entry = [&]() -> const ProgramEntry& {
    try {
      return find_named(programs(), "program", name);
    } catch (const InputError& e) {
      throw section.error("name", e.what());
    }
  }();
  return entry.read(section);
}

}  // namespace horae::programs
