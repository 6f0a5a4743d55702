#include "horae/rnic/host/posting.hpp"

#include <algorithm>

namespace horae::rnic {

std::optional<Posting::Step> Posting::want(std::size_t i, std::uint64_t messages, Picoseconds now) {
  const std::size_t thread = i % config_.threads;
  const auto& writing = threads_[thread].writing;
  const bool in_turn = wanted_[i] > 0 || (writing && writing->qp == i);
  wanted_[i] += messages;
  if (in_turn) return std::nullopt;
  threads_[thread].turns.push_back({static_cast<std::uint16_t>(i), 0});
  return begin(thread, now);
}

std::optional<Posting::Step> Posting::begin(std::size_t thread, Picoseconds now) {
  Thread& t = threads_[thread];
  if (t.writing || t.turns.empty()) return std::nullopt;
  Doorbell next = t.turns.front();
  t.turns.pop_front();
  Picoseconds done = now + config_.proxy;
  if (thread < config_.threads) {
    std::uint64_t& wanted = wanted_[next.qp];
    next.messages = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, config_.batch));
    wanted -= next.messages;
    done = written_at(next.messages, now);
  }
  t.writing = next;
  t.began = now;
  busy_ += done - now;
  return Step{static_cast<std::uint16_t>(thread), done};
}

Picoseconds Posting::written_at(std::uint32_t messages, Picoseconds now) {
  const std::uint32_t rounds = (messages + config_.lanes - 1) / config_.lanes;
  Picoseconds wqes = now + config_.wqe * rounds;
  if (config_.shared > 0_ps)
    wqes = shared_until_ = std::max(wqes, shared_until_) + config_.shared * messages;
  return wqes + (proxied() ? 0_ps : config_.doorbell);
}

Posting::Done Posting::done(std::size_t thread, Picoseconds now) {
  const Doorbell written = *threads_[thread].writing;
  threads_[thread].writing.reset();
  if (thread < config_.threads && wanted_[written.qp] > 0)
    threads_[thread].turns.push_back({written.qp, 0});
  Done out{
      .written = written, .began = threads_[thread].began, .rings = {}, .next = {}, .proxy = {}};
  if (proxied() && thread < config_.threads) {
    threads_[proxy()].turns.push_back(written);
    out.proxy = begin(proxy(), now);
  } else {
    ++doorbells_;
    out.rings = written;
  }
  out.next = begin(thread, now);
  return out;
}

}  // namespace horae::rnic
