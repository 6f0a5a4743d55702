// H6: retransmit payload takes space of the TX payload buffer and blocks it while it waits.
#include "common_keys.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// Payload to send again is allocated from the pool that holds prefetched payload: what was
/// prefetched last is evicted when the pool is full and read again later, and the head of the line
/// waits for the read. Every NACK is served.
class BufferThrashPolicy final : public RetransmitPolicy {
 public:
  explicit BufferThrashPolicy(const BufferThrash& config) : config_(config) {}

  void add_work(RetransmitWork& work) const override {
    work.serial_reads += config_.serial_reads;
    work.from_pool = true;
  }
  Scope server() const override { return Scope::port; }
  Scope stall() const override { return Scope::port; }

 private:
  BufferThrash config_;
};

}  // namespace

const Schema<BufferThrash>& BufferThrash::schema() {
  static const auto s =
      Schema<BufferThrash>("buffer_thrash", "H6: retransmit payload competes for the TX buffer.")
          .field("serial_reads", &BufferThrash::serial_reads, serial_reads_info());
  return s;
}

RetransmitEntry buffer_thrash_mechanism() {
  return {.name = "buffer_thrash",
          .hypothesis = "H6",
          .doc = "retransmit payload competes for the TX buffer",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<BufferThrashPolicy>(parameters.of<BufferThrash>());
          },
          .parameters = {table_of<BufferThrash>()}};
}

}  // namespace horae::policy
