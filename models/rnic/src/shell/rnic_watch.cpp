// The NIC while somebody watches.
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

/// Says whose reads they are.
class FetchTeller final : public FetchObserver {
 public:
  FetchTeller(const rnic& nic, nic_observer& watcher) : nic_(nic), watcher_(watcher) {}
  void wqes_came(std::size_t i, std::uint64_t messages, Picoseconds at) override {
    watcher_.wqes_came(nic_, i, messages, at);
  }
  void payload_read(std::size_t i, Psn psn, Picoseconds asked, Picoseconds ready) override {
    watcher_.payload_read(nic_, i, psn, asked, ready);
  }

 private:
  const rnic& nic_;
  nic_observer& watcher_;
};

}  // namespace

void rnic::watch(nic_observer* watcher) {
  nic_watcher_ = watcher;
  if (!host_.fetcher) return;
  fetch_observer_ = std::make_unique<FetchTeller>(*this, *watcher);
  host_.fetcher->watch(*fetch_observer_);
}

std::optional<std::size_t> rnic::concerned(const fabric::Event& e) const {
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event:
    case context_event:
    case engine_event:
      if (arrived(e).dst != id_ || arrived(e).opcode == Opcode::none) return std::nullopt;
      if (const std::size_t i = qps_.index_of(arrived(e).dest_qp); i < qps_.size()) return i;
      return std::nullopt;
    case response_event:
    case timer_event:
    case post_event:
    case doorbell_event:
    case guard_event:
    case rest_event:
    case notify_event:
    case handshake_event:
    case placement_event:
    case copy_event:
    case cqe_event:
    case found_event:
    case again_event:
      return fabric::key_entity(e.key);
    case service_event:
      return nacks_.service(fabric::key_entity(e.key)).qp;
    default:
      return std::nullopt;
  }
}

void rnic::handle_watched(const fabric::Event& e) {
  notify_arrival(e);
  if (nic_watcher_ == nullptr) return handle(e);
  const auto qp = concerned(e);
  handle(e);
  nic_watcher_->stepped(*this, qp, e.time);
}

void rnic::notify_placed(std::size_t i, const Packet& p, Picoseconds decided) {
  const Picoseconds written = qps_[i].written_until;
  if (written != never)
    return nic_watcher_->placed(*this, i, p, decided, std::max(decided, written));
  wait_for_writes(i, [this, i, p, decided](Picoseconds, Picoseconds at) {
    nic_watcher_->placed(*this, i, p, decided, std::max(decided, at));
  });
}

void rnic::notify_posted(std::size_t i, std::uint64_t posted_before, Picoseconds now) {
  const std::uint64_t posted = qps_[i].progress().posted_messages;
  if (posted > posted_before)
    nic_watcher_->posted(*this, i, posted_before, posted - posted_before, now);
}

void rnic::notify_completed(std::size_t i, std::uint32_t completed, Picoseconds now) {
  const std::uint64_t all = qps_[i].progress().completed_messages;
  nic_watcher_->completed(*this, i, all - completed, completed, now);
}

void rnic::notify_chosen(std::size_t i, const Packet& data, Picoseconds now) {
  nic_watcher_->chosen(*this, i, data.psn, qps_[i].context_ready, now);
  if (engine_) notify_engine(i, EngineWork::send, data);
}

void rnic::notify_nack(std::size_t i, const Packet& cause, Psn expected, Picoseconds now) {
  nic_watcher_->nack_decided(*this, i, cause, expected, now);
}

}  // namespace horae::rnic
