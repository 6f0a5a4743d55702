// Parts of NACK handling, freely combined: the space that the named policies are points of.
#include "common_keys.hpp"
#include "horae/core/error.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/retransmit/parameters.hpp"

namespace horae::policy {
namespace {

/// Each key gives one part: what stops, for how long, when, and what becomes of NACKs meanwhile. A
/// lock per received NACK whose retransmissions merge (`server = "queue_pair"`, `until = "sent"`,
/// `merge = "ignore"`, `nack_lock`) has no name of its own.
class PartsPolicy final : public RetransmitPolicy {
 public:
  explicit PartsPolicy(const RetransmitParts& parts) : parts_(parts) { check(); }

  void add_work(RetransmitWork& work) const override {
    work.processor += parts_.event;
    work.serial_reads += parts_.serial_reads;
    work.flush |= parts_.flush;
    work.from_pool |= parts_.from_pool;
  }
  Scope server() const override { return parts_.server; }
  Merge merge() const override { return parts_.merge; }
  bool until_sent() const override { return parts_.until == RetransmitParts::Until::sent; }
  Scope stall() const override { return parts_.stall; }
  bool hold_new_data() const override { return parts_.hold; }
  Picoseconds hold_guard() const override { return parts_.hold ? parts_.guard : never; }
  Picoseconds lock(bool nack) const override { return nack ? parts_.nack_lock : parts_.ack_lock; }
  std::uint32_t gap_window() const override { return parts_.gap_window; }
  Picoseconds nack_interval() const override { return parts_.nack_interval; }

 private:
  /// A key without effect in this combination is a mistake.
  void check() const {
    if (parts_.merge != Merge::every && parts_.server == Scope::none) {
      throw InputError(
          "parts: NACKs merge where they wait: expected server = 'queue_pair' or 'port' with "
          "merge");
    }
    if (until_sent() && (parts_.server != Scope::queue_pair || parts_.merge != Merge::ignore)) {
      throw InputError(
          "parts: expected server = 'queue_pair' and merge = 'ignore' with until = 'sent'");
    }
  }

  RetransmitParts parts_;
};

std::vector<std::pair<std::string, Scope>> scopes() {
  return {{"none", Scope::none}, {"queue_pair", Scope::queue_pair}, {"port", Scope::port}};
}

}  // namespace

const Schema<RetransmitParts>& RetransmitParts::schema() {
  using T = RetransmitParts;
  const auto lock = [](const char* doc) {
    return RangedFieldInfo<Picoseconds>{
        .doc = doc, .max = 1_ms, .source = no_public_value, .verified = false};
  };
  static const auto s =
      Schema<T>("parts", "Parts of NACK handling, freely combined.")
          .choice("server", &T::server, scopes(),
                  {.doc = "how many NACKs are served at once: any number, one per queue pair, one "
                          "in the NIC"})
          .choice("until", &T::until, {{"fetched", T::Until::fetched}, {"sent", T::Until::sent}},
                  {.doc = "a NACK is in service until what it asks for is fetched, or has left"})
          .choice("merge", &T::merge, merges(), {.doc = merge_doc})
          .choice("stall", &T::stall, scopes(), {.doc = "what sends nothing during a service"})
          .field("event", &T::event, lock("time of a processor for a service"))
          .field("serial_reads", &T::serial_reads, serial_reads_info())
          .field("flush", &T::flush, {.doc = "a service discards what is prefetched"})
          .field("from_pool", &T::from_pool,
                 {.doc = "retransmissions take space of the TX payload buffer"})
          .field("hold", &T::hold,
                 {.doc = "no new data until everything sent so far is acknowledged"})
          .field("guard", &T::guard,
                 {.doc = "with hold: a NACK received meanwhile is served after this time",
                  .min = 1_us,
                  .max = 100_ms,
                  .source = "ours: only a second loss in a window ever waits for it",
                  .verified = false})
          .field("nack_lock", &T::nack_lock,
                 lock("time for which a received NACK keeps its queue pair from sending"))
          .field("ack_lock", &T::ack_lock, lock("the same of a received ACK"))
          .field("gap_window", &T::gap_window,
                 {.doc = "most PSNs in flight while a NACKed packet is unacknowledged; 0: no limit",
                  .max = 65536,
                  .source = "as window_stall"})
          .field("nack_interval", &T::nack_interval,
                 lock("responder: least time between two NACKs of a queue pair"));
  return s;
}

RetransmitEntry parts_mechanism() {
  return {.name = "parts",
          .hypothesis = "",
          .doc = "what stops, for how long, when, and what merges, each by a key",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<RetransmitPolicy> {
            return std::make_unique<PartsPolicy>(parameters.of<RetransmitParts>());
          },
          .parameters = {table_of<RetransmitParts>()}};
}

}  // namespace horae::policy
