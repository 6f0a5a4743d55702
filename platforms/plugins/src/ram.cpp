// A host memory of one's own: banks that serve one access at a time, behind one socket for all
// NICs.
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/rnic/plugin.hpp"
#include "mine.hpp"

namespace mine {
namespace {

using namespace horae::literals;
using sc_core::sc_time;

struct RamConfig {
  std::uint32_t banks = 8;
  horae::Picoseconds busy = 10_ns;
  horae::Picoseconds latency = 80_ns;

  static const horae::Schema<RamConfig>& schema() {
    static const horae::Schema<RamConfig> s =
        horae::Schema<RamConfig>("ram", "Banks of memory that several NICs share.")
            .field("banks", &RamConfig::banks,
                   {.doc = "each has 256 bytes, then comes the next one", .min = 1, .max = 4096})
            .field("busy", &RamConfig::busy,
                   {.doc = "time that an access takes of its bank", .min = 0_ns, .max = 1_us})
            .field(
                "latency", &RamConfig::latency,
                {.doc = "from the beginning of an access to its answer", .min = 0_ns, .max = 1_ms});
    return s;
  }
};

class ram : public horae::rnic::memory_module {
 public:
  ram(const sc_core::sc_module_name& name, std::size_t /*nics*/, const RamConfig& config)
      : memory_module(name), config_(config), free_(config.banks) {
    socket_.register_b_transport(this, &ram::b_transport);
  }

  port_type& port(std::size_t /*nic*/) override { return socket_; }
  void statistics(horae::StatTree& tree) const override {
    tree.value("accesses", accesses_, "accesses").value("bytes", bytes_, "bytes");
    tree.value("conflicts", conflicts_, "accesses");
  }

 private:
  /// Called at the time of the access; it may annotate its own, as here, or wait.
  void b_transport(int /*nic*/, tlm::tlm_generic_payload& access, sc_time& delay) {
    sc_time& free = free_[access.get_address() / 256 % config_.banks];
    const sc_time now = sc_core::sc_time_stamp() + delay, begin = std::max(now, free);
    conflicts_ += begin > now ? 1 : 0;
    free = begin + horae::fabric::to_sc_time(config_.busy);
    delay += begin - now + horae::fabric::to_sc_time(config_.latency);
    ++accesses_;
    bytes_ += access.get_data_length();
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  tlm_utils::multi_passthrough_target_socket<ram> socket_{"socket"};
  RamConfig config_;
  std::vector<sc_time> free_;  ///< by bank: when it is
  std::uint64_t accesses_ = 0, bytes_ = 0, conflicts_ = 0;
};

}  // namespace

horae::rnic::MemoryKind ram_kind() { return horae::rnic::memory_kind<ram, RamConfig>(); }

}  // namespace mine
