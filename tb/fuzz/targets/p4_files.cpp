// Files of P4 compilers: P4Info as text, and JSON of the Tofino back end with its places.
#include "../target.hpp"
#include "horae/p4/json.hpp"
#include "horae/p4/p4info.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace horae;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::read_or_refuse([&] { (void)p4::Json::parse(text, "r.json").described(); });
  static fuzz::MemoryFile file;
  file.write({data, size});
  fuzz::read_or_refuse([&] { (void)p4::import_p4info(file.path(), "tofino2"); });
  return 0;
}
