// H6: retransmit payload takes space of the TX payload buffer and blocks it while it waits.
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

/// Payload to send again is allocated from the pool that holds prefetched payload: what was
/// prefetched last is evicted when the pool is full and read again later, and the head of the line
/// waits for the read. Every NACK is served.
class BufferThrash final : public RetransmitPolicy {
 public:
  explicit BufferThrash(const RetransmitConfig::BufferThrash& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override {
    work.serial_reads += config_.serial_reads;
    work.from_pool = true;
  }
  Scope server() const override { return Scope::port; }
  Scope stall() const override { return Scope::port; }

 private:
  RetransmitConfig::BufferThrash config_;
};

}  // namespace

std::unique_ptr<RetransmitPolicy> make_buffer_thrash(const RetransmitConfig& config) {
  return std::make_unique<BufferThrash>(config.buffer_thrash);
}

}  // namespace horae::policy
