// A SystemC module on a link: a box that encrypts one way and decrypts the other, by one engine
// that takes packets one after the other. Only data is encrypted; the rest passes.
#include <cstdint>
#include <deque>

#include "horae/core/stats.hpp"
#include "horae/fabric/plugin.hpp"
#include "mine.hpp"

namespace mine {
namespace {

using namespace horae::literals;

struct CipherConfig {
  horae::Picoseconds setup = 20_ns;
  horae::BitRate rate = 100_Gbps;
  std::uint32_t queue = 64;

  static const horae::Schema<CipherConfig>& schema() {
    static const horae::Schema<CipherConfig> s =
        horae::Schema<CipherConfig>("cipher", "An engine that encrypts and decrypts data.")
            .field("setup", &CipherConfig::setup,
                   {.doc = "time for each packet before its first byte", .min = 0_ns, .max = 1_ms})
            .field("rate", &CipherConfig::rate,
                   {.doc = "of the engine, counted in payload", .min = 1_Gbps, .max = 10000_Gbps})
            .field("queue", &CipherConfig::queue,
                   {.doc = "packets that may wait for the engine, both directions together; more "
                           "are dropped",
                    .min = 1,
                    .max = 1'000'000});
    return s;
  }
};

class cipher_box : public horae::fabric::middlebox {
 public:
  cipher_box(const sc_core::sc_module_name& name, horae::fabric::module_context& context,
             const CipherConfig& config)
      : middlebox(name), context_(context), config_(config) {
    SC_HAS_PROCESS(cipher_box);
    SC_THREAD(work);
  }

  void statistics(horae::StatTree& tree) const override {
    tree.value("encrypted", done_[0], "packets").value("decrypted", done_[1], "packets");
    tree.value("most_waiting", most_waiting_, "packets");
  }
  std::vector<std::string> describe_queues() const override {
    if (waiting_.empty()) return {};
    return {std::to_string(waiting_.size()) + " packets wait for the engine"};
  }

 private:
  struct Job {
    unsigned from;
    horae::Packet* packet;
  };

  void arrived(unsigned side, horae::Packet& p) override {
    if (!p.is_data()) return send(1 - side, p);
    if (waiting_.size() == config_.queue) return context_.drop(p, true);
    waiting_.push_back({side, &p});
    if (waiting_.size() > most_waiting_) most_waiting_ = waiting_.size();
    more_.notify(sc_core::SC_ZERO_TIME);
  }
  void work() {
    for (;;) {
      while (waiting_.empty()) wait(more_);
      const Job job = waiting_.front();
      waiting_.pop_front();
      const horae::Bytes payload(job.packet->payload);
      wait(horae::fabric::to_sc_time(config_.setup +
                                     horae::serialisation_time(payload, config_.rate)));
      ++done_[job.from];
      send(1 - job.from, *job.packet);
    }
  }

  horae::fabric::module_context& context_;
  CipherConfig config_;
  std::deque<Job> waiting_;
  std::uint64_t done_[2] = {0, 0};
  std::uint64_t most_waiting_ = 0;
  sc_core::sc_event more_{"more"};
};

}  // namespace

horae::fabric::ModuleKind cipher() {
  return horae::fabric::module_kind<cipher_box, CipherConfig>();
}

}  // namespace mine
