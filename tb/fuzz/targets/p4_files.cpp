// Files of P4 compilers: P4Info as text, and JSON of the Tofino back end with its places.
#include "../target.hpp"
#include "horae/p4/json.hpp"
#include "horae/p4/p4info.hpp"

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  using namespace horae;
  const std::string_view text = fuzz::text_of(bytes);
  const bool json =
      fuzz::read_or_refuse([&] { (void)p4::Json::parse(text, "r.json").described(); });
  static fuzz::MemoryFile file;
  file.write(bytes);
  const bool p4info =
      fuzz::read_or_refuse([&] { (void)p4::import_p4info(file.path(), "tofino2"); });
  return json || p4info;
}
