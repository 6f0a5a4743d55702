#include "horae/core/registry.hpp"

#include <algorithm>

#include "horae/params/schema.hpp"
#include "horae/policy/retransmit/policies.hpp"

namespace horae::policy {
namespace {

using C = RetransmitConfig;

const std::vector<std::pair<std::string, Merge>> merges = {
    {"every", Merge::every}, {"one_pending", Merge::one_pending}, {"ignore", Merge::ignore}};
constexpr const char* merge_doc =
    "NACKs that come while one is served: every one in turn, the last one per queue pair, or none";
constexpr const char* hypothesis = "hypothesis; no public value";

/// Dependent reads before the payload of a retransmission.
RangedFieldInfo<std::uint32_t> reads_info() {
  return {.doc = "dependent 64-byte reads before the payloads are read (context, WQE, translation)",
          .max = 8,
          .source =
              "hypothesis; a connection's state is up to three dependent lookups (context, "
              "MPT, MTT)",
          .verified = false};
}

}  // namespace

const Schema<C>& C::schema() {
  static const auto blocking_fetch =
      Schema<C::BlockingFetch>("blocking_fetch", "H1: TX waits while a retransmission is fetched.")
          .choice("merge", &C::BlockingFetch::merge, merges, {.doc = merge_doc})
          .field("serial_reads", &C::BlockingFetch::serial_reads, reads_info());
  static const auto pipeline_flush =
      Schema<C::PipelineFlush>("pipeline_flush",
                               "H2: a retransmission discards what is prefetched.")
          .choice("merge", &C::PipelineFlush::merge, merges, {.doc = merge_doc})
          .field("flush", &C::PipelineFlush::flush,
                 {.doc = "time to empty the pipe",
                  .max = 1_ms,
                  .source = hypothesis,
                  .verified = false})
          .field("serial_reads", &C::PipelineFlush::serial_reads, reads_info());
  static const auto strict_priority =
      Schema<C::StrictPriority>("strict_priority", "H3: a retransmission costs only its slot.")
          .field("serial_reads", &C::StrictPriority::serial_reads, reads_info());
  static const auto context_lock =
      Schema<C::ContextLock>("context_lock", "H4: an acknowledgement locks the context against TX.")
          .field("lock", &C::ContextLock::lock,
                 {.doc = "time per acknowledgement",
                  .max = 1_ms,
                  .source = hypothesis,
                  .verified = false})
          .field("acks", &C::ContextLock::acks, {.doc = "whether ACKs lock as NACKs do"});
  static const auto window_stall =
      Schema<C::WindowStall>("window_stall", "H5: the window binds while a gap is open.")
          .field("gap_window", &C::WindowStall::gap_window,
                 {.doc = "PSNs from the oldest unacknowledged packet to the newest, while a NACKed "
                         "one is open",
                  .min = 1,
                  .max = 65536,
                  .source = "ConnectX-7: 512 (packet-spraying paper 6.1), others 128 (mlxconfig "
                            "LOG_TX_PSN_WINDOW 9 and 7)"});
  static const auto recovery_handshake =
      Schema<C::RecoveryHandshake>("recovery_handshake",
                                   "H5': no new data until recovery is acked.")
          .choice(
              "hold_from", &C::RecoveryHandshake::hold_from,
              {{"nack", HoldFrom::nack}, {"retransmission", HoldFrom::retransmission}},
              {.doc = "new data waits from the NACK on, or once the retransmissions are fetched"})
          .field("serial_reads", &C::RecoveryHandshake::serial_reads, reads_info())
          .field("guard", &C::RecoveryHandshake::guard,
                 {.doc = "a NACK that came during recovery is served after so long without the ACK",
                  .min = 1_us,
                  .max = 100_ms,
                  .source = "ours: only a second loss in a window ever waits for it",
                  .verified = false});
  static const auto buffer_thrash =
      Schema<C::BufferThrash>("buffer_thrash", "H6: retransmit payload competes for the TX buffer.")
          .field("serial_reads", &C::BufferThrash::serial_reads, reads_info());
  static const auto firmware_event =
      Schema<C::FirmwareEvent>("firmware_event", "H7: firmware handles NACKs one at a time.")
          .field(
              "event", &C::FirmwareEvent::event,
              {.doc = "time per event",
               .max = 1_ms,
               .source = "hypothesis, 1 to 20 us; about 20 us per gap is reported for ConnectX-5 "
                         "UC (NVIDIA developer forum 358441)",
               .verified = false})
          .choice("stall", &C::FirmwareEvent::stall,
                  {{"none", Scope::none}, {"queue_pair", Scope::queue_pair}, {"port", Scope::port}},
                  {.doc = "what sends nothing during an event"});
  static const auto nack_rate_limit =
      Schema<C::NackRateLimit>("nack_rate_limit", "H8: the least time between two NACKs sent.")
          .field("interval", &C::NackRateLimit::interval,
                 {.doc = "per queue pair",
                  .max = 1_ms,
                  .source = "hypothesis, 0 to 2 us",
                  .verified = false});
  static const Schema<C> s =
      Schema<C>("retransmit", "How a NIC serves a NACK.")
          .field("policies", &C::policies,
                 {.doc = "retransmit policies in force, combined (`horae list policies`)"})
          .table("blocking_fetch", &C::blocking_fetch, blocking_fetch)
          .table("pipeline_flush", &C::pipeline_flush, pipeline_flush)
          .table("strict_priority", &C::strict_priority, strict_priority)
          .table("context_lock", &C::context_lock, context_lock)
          .table("window_stall", &C::window_stall, window_stall)
          .table("recovery_handshake", &C::recovery_handshake, recovery_handshake)
          .table("buffer_thrash", &C::buffer_thrash, buffer_thrash)
          .table("firmware_event", &C::firmware_event, firmware_event)
          .table("nack_rate_limit", &C::nack_rate_limit, nack_rate_limit);
  return s;
}

const std::vector<RetransmitEntry>& retransmit_policies() {
  static const std::vector<RetransmitEntry> all = {
      {"blocking_fetch", "H1", "TX waits while what a NACK asks for is fetched again",
       make_blocking_fetch},
      {"pipeline_flush", "H2", "a retransmission discards prefetched WQEs and payloads",
       make_pipeline_flush},
      {"strict_priority", "H3", "a retransmission costs only its slot on the wire",
       make_strict_priority},
      {"context_lock", "H4", "an acknowledgement locks the queue pair against TX",
       make_context_lock},
      {"window_stall", "H5", "the PSN window binds while a gap is open", make_window_stall},
      {"recovery_handshake", "H5'", "no new data until the retransmissions are acknowledged",
       make_recovery_handshake},
      {"buffer_thrash", "H6", "retransmit payload competes for the TX buffer", make_buffer_thrash},
      {"firmware_event", "H7", "firmware takes one NACK at a time", make_firmware_event},
      {"nack_rate_limit", "H8", "the receiver's NACKs are limited in rate", make_nack_rate_limit},
  };
  return all;
}

const RetransmitEntry& find_retransmit_policy(const Located<std::string>& name) {
  try {
    return find_named(retransmit_policies(), "retransmit policy", name.value);
  } catch (const InputError& e) {
    throw input_error(name.where, e.what());
  }
}

RetransmitUnit::RetransmitUnit(const RetransmitConfig& config) {
  for (const auto& name : config.policies) combine(*find_retransmit_policy(name).make(config));
}

void RetransmitUnit::combine(const RetransmitPolicy& policy) {
  policy.add_work(work_);
  server_ = std::max(server_, policy.server());
  merge_ = std::max(merge_, policy.merge());
  stall_ = std::max(stall_, policy.stall());
  hold_new_data_ |= policy.hold_new_data();
  hold_guard_ = std::min(hold_guard_, policy.hold_guard());
  nack_lock_ += policy.lock(true);
  ack_lock_ += policy.lock(false);
  if (policy.gap_window() != 0) {
    gap_window_ =
        gap_window_ == 0 ? policy.gap_window() : std::min(gap_window_, policy.gap_window());
  }
  nack_interval_ = std::max(nack_interval_, policy.nack_interval());
}

}  // namespace horae::policy
