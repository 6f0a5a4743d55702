// Topology files of ns-3 and htsim (first byte: which, and options): what is read is a network
// whose links join two of its devices.
#include "../target.hpp"
#include "horae/fabric/topology_kind.hpp"
#include "horae/params/document.hpp"

namespace {

using namespace horae;

/// Takes no more than a fuzzer has time for: larger networks only repeat what smaller ones do.
class Counted final : public fabric::NetworkBuilder {
 public:
  unsigned add_device(const std::string& name, const Located<std::string>& /*profile*/) override {
    fuzz::require(!name.empty(), "a device without a name");
    enough(++devices_, 1000);
    return devices_ - 1;
  }
  void add_link(unsigned a, unsigned b, const Location& where,
                const fabric::LinkValues& values) override {
    fuzz::require(a < devices_ && b < devices_ && a != b, "a link to a device that is not there");
    fuzz::require(where.line != 0, "a link without its line");
    fuzz::require(values.rate >= 1_Gbps && values.rate <= 14'400_Gbps && values.delay >= 1_ns &&
                      values.delay <= 1000_ms,
                  "a rate or a delay that no link may have");
    fuzz::require(!values.loss || (*values.loss >= 0 && *values.loss <= 1), "a share beyond 1");
    enough(++links_, 4000);
  }
  void place(unsigned, unsigned) override {}
  void number(unsigned device, std::uint32_t) override {
    fuzz::require(device < devices_, "the number of a device that is not there");
  }
  void scale_up(unsigned nic, unsigned end, std::uint32_t) override {
    fuzz::require(nic < devices_ && end < devices_ && nic != end, "a scale-up end of no device");
  }

 private:
  static void enough(unsigned n, unsigned most) {
    if (n > most) throw InputError("enough for a fuzzer");
  }
  unsigned devices_ = 0, links_ = 0;
};

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return false;
  static fuzz::MemoryFile file;
  file.write(bytes.subspan(1));
  const bool htsim = (bytes[0] & 1) != 0;
  const char* name = htsim ? "htsim_topology" : "ns3_topology";
  std::string table = fmt::format("[{}]\nfile = \"{}\"\nhost = \"h\"\n", name, file.path());
  if (!htsim) table += "switch = \"s\"\n";
  if (htsim) table += "tor = \"t\"\naggregation = \"a\"\n";
  if (htsim && (bytes[0] & 2) != 0) table += "core = \"c\"\n";
  if (htsim && (bytes[0] & 4) != 0) table += "switch_values = \"profile\"\n";
  return fuzz::read_or_refuse([&] {
    const auto document = Document::parse(table, "p.toml");
    for (const auto& kind : fabric::topology_kinds()) {
      if (kind.name != name) continue;
      Counted network;
      kind.read(document.root().child(name))->generate(network);
    }
  });
}
