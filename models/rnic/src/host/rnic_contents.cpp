// The NIC with contents: WQEs, payload and CQEs as bytes in host memory.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"

namespace horae::rnic {

void check_contents(const RnicConfig& config) {
  if (!config.memory.contents) return;
  const auto refuse = [](const char* what) {
    throw InputError(fmt::format("memory.contents with {}", what));
  };
  if (config.host == HostModel::none) refuse("host = \"none\"; expected host = \"pcie\"");
  if (config.memory.ddio) refuse("memory.ddio, whose buffers are used again; expected one of them");
  if (config.ordering.write_last == policy::WriteLast::receiver)
    refuse("ordering.write_last = \"receiver\"; expected \"sender\" or \"immediate\"");
  if (config.post && config.post->sges > 1) refuse("post.sges above 1; expected one buffer");
  constexpr std::int64_t long_message = std::int64_t{1} << 32;
  if (config.post && (config.post->inline_most > 0_B || config.post->wqe_bytes(long_message) != 64))
    refuse("WQEs that are not of 64 bytes; expected post.inline = 0 B and a header of 64 B");
  if (config.cq && config.cq->mini_cqe) refuse("compressed CQEs; expected no cq.mini_cqe");
}

void rnic::have_contents(WireBytes& bytes) {
  check_contents(config_);
  bytes.have_contents();
  contents_ = &bytes;
  payload_slot_ = static_cast<std::uint64_t>(config_.mtu.count());
  dresses_ = receives_apart_ = true;
  host_.fetcher->hold_contents(config_.mtu,
                               [this](std::size_t i, std::uint64_t first, std::uint64_t n) {
                                 return good_wqes(i, first, n);
                               });
}

RdmaWqe rnic::wqe_of(std::size_t i, std::uint64_t message) const {
  const QueuePair& qp = qps_[i];
  const std::uint64_t offset = offset_of(qp.message_first(message));
  const Verb verb = qp.message_verb(message);
  return {.message = static_cast<std::uint32_t>(message),
          .verb = verb,
          .qp = qps_.number_of(i),
          .remote_address = offset,
          .remote_key = key_of(qp.config().remote),
          .length = static_cast<std::uint32_t>(qp.message_bytes(message).count()),
          .local_key = key_of(qps_.number_of(i)),
          .local_address = verb == Verb::read ? host_address::payload(i, offset)
                                              : host_address::source(i, offset)};
}

void rnic::write_wqes(std::size_t i, std::uint64_t from) {
  const QueuePair& qp = qps_[i];
  for (std::uint64_t m = from; m < qp.progress().posted_messages; ++m) {
    if (const Verb verb = qp.message_verb(m); verb != Verb::write && verb != Verb::read)
      throw InputError(fmt::format(
          "{}: memory.contents with atomics; expected messages that are WRITEs or READs", name()));
    if (qp.message_verb(m) != qp.message_verb(0))
      throw InputError(fmt::format(
          "{}: memory.contents with WRITEs and READs on one queue pair; expected one of the two",
          name()));
    host_.link->poke(PayloadFetcher::wqe_address(i, m), wqe_of(i, m).bytes());
  }
}

bool rnic::good_wqes(std::size_t i, std::uint64_t first, std::uint64_t n) {
  const auto read = host_.link->take_read(PayloadFetcher::wqe_address(i, first));
  if (read == nullptr) return true;  // they came with the doorbell
  for (std::uint64_t k = 0; k < n; ++k) {
    const QueueEntry expected = wqe_of(i, first + k).bytes();
    if (!std::equal(expected.begin(), expected.end(),
                    read->begin() + static_cast<std::ptrdiff_t>(k * expected.size())))
      return false;
  }
  return true;
}

void rnic::attach_contents(std::size_t i, const Packet& p, const PacketPlace& place, bool fresh) {
  PacketContents& contents = contents_->make(p);
  const std::uint64_t offset = offset_of(p.psn);
  const bool asks = p.opcode == Opcode::read_request;
  if (has_reth(p.opcode) || (config_.reth_on_every_packet && is_write(p.opcode))) {
    contents.reth = Reth{.virtual_address = offset,
                         .remote_key = key_of(qps_[i].config().remote),
                         .dma_length = asks ? place.asks
                                            : static_cast<std::uint32_t>(
                                                  qps_[i].message_bytes(place.message).count())};
  }
  if (p.payload == 0) return;
  const std::uint64_t address = host_address::source(i, offset);
  const auto read = fresh ? host_.link->take_read(address) : nullptr;
  if (read != nullptr && read->size() == p.payload) {
    contents.payload.assign(read->begin(), read->end());
  } else {
    // Sent again: its reads take time and tags, but bring no bytes of their own.
    contents.payload.resize(p.payload);
    host_.link->peek(address, contents.payload);
  }
}

void rnic::take_contents(Packet& p) {
  const std::size_t i = qps_.index_of(p.dest_qp);
  const bool asks = p.opcode == Opcode::read_request;
  if ((!asks && (!p.is_data() || p.payload == 0)) || p.trimmed || p.corrupted || i >= qps_.size())
    return;
  const PacketContents* const contents = contents_->find(p);
  const auto fits = [&](const Reth& reth) {
    return reth.virtual_address == offset_of(p.psn) && reth.remote_key == key_of(p.dest_qp) &&
           (!asks || reth.dma_length == p.msn);
  };
  p.corrupted = contents == nullptr || contents->payload.size() != p.payload ||
                (asks && !contents->reth) || (contents->reth && !fits(*contents->reth));
  if (!p.corrupted && p.payload > 0)
    host_.link->stage(payload_address(i, p.psn), contents->payload);
}

void rnic::stage_cqe(std::size_t i, std::uint32_t without) {
  const QueuePair& qp = qps_[i];
  const std::uint64_t told = qp.progress().posted_messages - qp.unacknowledged() - without;
  const SendCqe cqe{.qp = qps_.number_of(i),
                    .message = static_cast<std::uint32_t>(told - 1),
                    .error = qp.in_error()};
  host_.link->stage(host_address::completion_queue(i), cqe.bytes());
}

}  // namespace horae::rnic
