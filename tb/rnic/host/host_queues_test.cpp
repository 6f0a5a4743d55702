// Work of the host for a message: threads that post, WQEs that are pushed or read, completions
// that are found, acknowledgements of several messages.
#include <gtest/gtest.h>

#include <vector>

#include "horae/rnic/host/posting.hpp"
#include "host_parts.hpp"

namespace horae::rnic::host_queues_test {
namespace {

using test::connect_queue_pairs;
using test::decisions;
using test::HostTimes;
using test::messages;
using test::NicAndPeer;
using test::NicPair;
using test::odd_link;
using test::with_host;

constexpr Picoseconds w = 191'003_ps, d = 367'007_ps;  // of a WQE, of a doorbell

void add(Posting& posting, std::size_t queue_pairs) {
  for (std::size_t i = 0; i < queue_pairs; ++i) posting.add();
}

TEST(Posting, AThreadWritesABatchAndRings) {
  Posting posting({.wqe = w, .doorbell = d, .batch = 4});
  add(posting, 1);
  const auto step = posting.want(0, 6, 1_us);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->done, 1_us + w * 4 + d);
  EXPECT_FALSE(posting.want(0, 1, 1_us));  // goes with the rest
  const auto done = posting.done(0, step->done);
  ASSERT_TRUE(done.rings && done.next);
  EXPECT_EQ(done.rings->messages, 4u);
  EXPECT_EQ(done.next->done, step->done + w * 3 + d);
  EXPECT_EQ(posting.done(0, done.next->done).rings->messages, 3u);
  EXPECT_EQ(posting.busy(), w * 7 + d * 2);
}

TEST(Posting, QueuePairsOfAThreadTakeTurns) {
  Posting posting({.threads = 2, .wqe = w, .batch = 2});
  add(posting, 5);
  EXPECT_TRUE(posting.want(0, 3, 0_ps));
  EXPECT_FALSE(posting.want(4, 1, 0_ps));
  EXPECT_TRUE(posting.want(3, 1, 0_ps));  // another thread
  std::vector<std::uint16_t> rung;
  Picoseconds t = w * 2;
  for (int n = 0; n < 3; ++n, t += w) rung.push_back(posting.done(0, t).rings->qp);
  EXPECT_EQ(rung, (std::vector<std::uint16_t>{0, 4, 0}));
}

TEST(Posting, AProxyRingsForAll) {
  Posting posting({.threads = 2, .wqe = w, .doorbell = d, .ringer = Ringer::proxy, .proxy = 50_ns});
  add(posting, 2);
  const auto first = posting.want(0, 1, 0_ps), second = posting.want(1, 1, 0_ps);
  EXPECT_EQ(first->done, w);
  const auto written = posting.done(0, w);
  EXPECT_FALSE(written.rings);
  ASSERT_TRUE(written.proxy);
  EXPECT_EQ(written.proxy->done, w + 50_ns);
  EXPECT_FALSE(posting.done(second->thread, w).proxy);  // it is busy
  const auto rung = posting.done(written.proxy->thread, w + 50_ns);
  EXPECT_EQ(rung.rings->qp, 0);
  ASSERT_TRUE(rung.next);
  EXPECT_EQ(rung.next->done, w + 100_ns);
}

// A warp: WQEs of a doorbell side by side, one doorbell for all.
TEST(Posting, LanesWriteWqesSideBySide) {
  Posting posting({.wqe = w, .lanes = 32, .doorbell = d, .batch = 64});
  add(posting, 1);
  const auto step = posting.want(0, 32 + 33, 0_ps);
  EXPECT_EQ(step->done, w * 2 + d);  // 64 of them
  EXPECT_EQ(posting.done(0, step->done).next->done, step->done + w + d);
}

// Shared steps of threads come behind their own time, one thread after the other: n threads have 1
// / max((wqe + doorbell) / n, shared).
TEST(Posting, ThreadsWaitForWhatTheyShare) {
  constexpr Picoseconds shared = 100_ns;
  Posting posting({.threads = 3, .wqe = w, .shared = shared, .doorbell = d, .batch = 2});
  add(posting, 3);
  EXPECT_EQ(posting.want(0, 2, 0_ps)->done, w * 2 + shared * 2 + d);
  EXPECT_EQ(posting.want(1, 2, 0_ps)->done, w * 2 + shared * 4 + d);
  EXPECT_EQ(posting.want(2, 1, 0_ps)->done, w * 2 + shared * 5 + d);
  EXPECT_EQ(posting.done(0, w * 2 + shared * 2 + d).began, 0_ps);
}

TEST(PostConfig, WqesAreWholeBlocks) {
  PostConfig post;
  EXPECT_EQ(post.wqe_bytes(8), 64);  // 48: control, address, where the payload is
  post.inline_most = 1000_B;
  EXPECT_EQ(post.wqe_bytes(28), 64);  // Kalia et al.
  EXPECT_EQ(post.wqe_bytes(29), 128);
  EXPECT_EQ(post.wqe_bytes(92), 128);
  EXPECT_EQ(post.wqe_bytes(93), 192);
  EXPECT_EQ(post.wqe_bytes(1001), 64);
  post.header = 68_B;
  EXPECT_EQ(post.wqe_bytes(8), 128);
}

// Control 16, remote address 16, and 16 for each buffer.
TEST(PostConfig, AWqeHas16BytesForEachBuffer) {
  PostConfig post;
  for (const auto& [sges, bytes] : std::vector<std::pair<std::uint32_t, std::int64_t>>{
           {1, 64}, {2, 64}, {3, 128}, {6, 128}, {7, 192}, {30, 512}}) {
    post.sges = sges;
    EXPECT_EQ(post.wqe_bytes(4096), bytes) << sges;
  }
  EXPECT_EQ(post.wqe_bytes(2), 64);  // no buffer is empty
  EXPECT_EQ(post.wqe_bytes(0), 64);
}

// Whatever is asked for comes whole, in order and once, from buffers whose lengths differ by one.
TEST(PostConfig, PiecesOfBuffersAreTheMessage) {
  for (const std::uint32_t sges : {2u, 3u, 7u, 30u}) {
    PostConfig post;
    post.sges = sges;
    for (const std::int64_t message : {1, 5, 29, 1024, 4097, 1'000'003}) {
      const std::int64_t n = post.buffers(message), mtu = 1000;
      std::vector<std::int64_t> lengths(static_cast<std::size_t>(n));
      for (std::int64_t at = 0; at < message; at += mtu) {
        std::int64_t seen = 0;
        post.gather(message, at, std::min(mtu, message - at), [&](auto k, auto in, auto bytes) {
          EXPECT_GT(bytes, 0);
          EXPECT_EQ(in, lengths.at(static_cast<std::size_t>(k)));
          lengths[static_cast<std::size_t>(k)] += bytes;
          seen += bytes;
        });
        EXPECT_EQ(seen, std::min(mtu, message - at));
      }
      for (const std::int64_t length : lengths) EXPECT_NEAR(length, message / n, 1) << message;
    }
  }
}

RnicConfig posting(PostConfig post) {
  RnicConfig config = with_host();
  config.post = post;
  return config;
}

// Thread, doorbell, WQEs, payload, to the picosecond.
TEST(PostTimes, TheFirstPacketComesBehindThreadDoorbellAndReads) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const std::vector<PostConfig> posts = {
      {.wqe = w, .doorbell = d},
      {.wqe = w, .doorbell = d, .batch = 4},
      {.wqe = w, .doorbell = d, .batch = 4, .queue_read = 77'001_ps},
      {.wqe = w, .doorbell = d, .ringer = Ringer::proxy, .proxy = 50'003_ps}};
  for (unsigned l = 0; l < posts.size(); ++l) {
    lines.emplace_back(context, posting(posts[l]), odd_link, l);
    lines.back().queue_pair(messages(1024_B, posts[l].batch));
  }
  test::run_on(context, 30_us);
  const HostTimes host(posting({}));
  EXPECT_EQ(decisions(lines[0]).at(0), w + d + host.first_packet(1024_B));
  EXPECT_EQ(decisions(lines[1]).at(0), w * 4 + d + host.first_packet(1024_B, 4));
  EXPECT_EQ(decisions(lines[2]).at(0), w * 4 + d + 77'001_ps + host.first_packet(1024_B, 4));
  EXPECT_EQ(decisions(lines[3]).at(0), w + 50'003_ps + host.first_packet(1024_B));
}

TEST(PostTimes, BlueFlameSparesTheReadOfTheWqeAndInlineThatOfThePayload) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const PostConfig flame{.wqe = w, .doorbell = d, .method = PostMethod::blue_flame};
  PostConfig in_wqe = flame;
  in_wqe.inline_most = 92_B;
  PostConfig in_read = in_wqe;
  in_read.method = PostMethod::doorbell;
  for (const PostConfig& post : {flame, in_wqe, in_read}) {
    lines.emplace_back(context, posting(post), odd_link, static_cast<unsigned>(lines.size()));
    lines.back().queue_pair(messages(92_B, 1));
  }
  test::run_on(context, 30_us);
  const RnicConfig config = with_host();
  const HostTimes host(config);
  const PcieLink link(config.pcie);
  const Picoseconds line = link.wire_time(tlp::write + 64_B);
  const Picoseconds mmio = config.memory.mmio_latency;
  EXPECT_EQ(decisions(lines[0]).at(0), w + d + mmio + line + host.read(92_B));
  EXPECT_EQ(decisions(lines[1]).at(0), w + d + mmio + line * 2);
  EXPECT_EQ(decisions(lines[2]).at(0), w + d + host.doorbell() + host.read(128_B));
}

// The reads of the buffers are issued together: one request after the other, then all completions.
TEST(PostTimes, APacketWaitsForAllBuffersThatItIsGatheredFrom) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const std::vector<std::uint32_t> sges = {1, 2, 4, 8};
  for (const std::uint32_t n : sges) {
    lines.emplace_back(context, posting({.sges = n}), odd_link,
                       static_cast<unsigned>(lines.size()));
    lines.back().queue_pair(messages(1024_B, 1));
  }
  test::run_on(context, 30_us);
  const HostTimes host(posting({}));
  for (std::size_t l = 0; l < sges.size(); ++l) {
    const auto n = static_cast<std::int64_t>(sges[l]);
    const Bytes wqe(n > 6 ? 192 : n > 2 ? 128 : 64);
    EXPECT_EQ(decisions(lines[l]).at(0),
              host.doorbell() + host.read(wqe) + host.read(1024_B / n, static_cast<int>(n)))
        << n;
  }
}

// n buffers of b bytes are n completions beside the WQE's and a doorbell: 1 / (their wire), where
// PCIe binds.
TEST(PostRate, PcieBoundsMessagesOfSeveralBuffers) {
  const auto rate = [](std::uint32_t sges) {
    return std::stod(test::in_child([&] {
      fabric::sim_context context;
      RnicConfig config = posting({.threads = 16, .sges = sges});
      config.pcie.lanes.value = 1;
      config.fetch.wqe_batch = 1;
      NicPair pair(context, config);
      for (unsigned i = 0; i < 16; ++i)
        connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(480_B, 100'000)});
      test::run_on(context, 4_ms);
      return std::to_string(pair.a->counters().messages_completed);
    }));
  };
  RnicConfig config = posting({});
  config.pcie.lanes.value = 1;
  const PcieLink link(config.pcie);
  for (const std::uint32_t n : {1u, 4u, 15u}) {
    PostConfig post;
    post.sges = n;
    const std::int64_t wqe = post.wqe_bytes(480), each = 480 / n;
    const auto tlps = [&](std::int64_t size) {
      return (size + config.pcie.max_payload.value.count() - 1) /
             config.pcie.max_payload.value.count();
    };
    const Picoseconds message = link.wire_time(tlp::completion * (tlps(wqe) + tlps(each) * n) +
                                               Bytes(wqe + 480) + tlp::write + 8_B);
    const double expected = 4e9 / static_cast<double>(message.count());
    EXPECT_NEAR(rate(n), expected, 0.01 * expected) << n;
  }
}

// One thread: 1 / (wqe + doorbell / batch), the batch as full as it can be.
TEST(PostRate, TheThreadBoundsSmallMessages) {
  const auto rate = [](PostConfig post, unsigned queue_pairs) {
    return std::stod(test::in_child([&] {
      fabric::sim_context context;
      post.inline_most = 28_B;
      NicPair pair(context, posting(post));
      for (unsigned i = 0; i < queue_pairs; ++i)
        connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(8_B, 100'000)});
      test::run_on(context, 300_us);
      return std::to_string(pair.a->counters().messages_completed);
    }));
  };
  const auto expected = [](Picoseconds each) { return 300e6 / static_cast<double>(each.count()); };
  EXPECT_NEAR(rate({.wqe = w, .doorbell = d}, 1), expected(w + d), 10);
  EXPECT_NEAR(rate({.wqe = w, .doorbell = d, .batch = 16}, 1), expected(w + d / 16), 40);
  EXPECT_NEAR(rate({.threads = 4, .wqe = w, .doorbell = d, .batch = 16}, 4),
              4 * expected(w + d / 16), 160);
}

/// Time of the only message of 8 bytes, and what the sender wrote to memory.
struct Seen {
  Picoseconds latency{};
  std::uint64_t cqes = 0, acks = 0;
};
Seen seen(const RnicConfig& config, std::uint64_t count) {
  const std::string text = test::in_child([&] {
    fabric::sim_context context;
    NicPair pair(context, config);
    connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(8_B, count)});
    test::run_on(context, 100_us);
    EXPECT_EQ(pair.a->counters().messages_completed, count);
    return fmt::format("{} {} {}", pair.a->queue_pair(0).progress().last_completion.count(),
                       pair.a->host()->counters().writes, pair.a->counters().acks_received);
  });
  Seen out;
  std::int64_t latency = 0;
  std::sscanf(text.c_str(), "%ld %lu %lu", &latency, &out.cqes, &out.acks);
  out.latency = Picoseconds(latency);
  return out;
}

TEST(Completions, AMessageEndsWhenItsCqeIsFound) {
  RnicConfig config = with_host();
  const Picoseconds untimed = seen(config, 1).latency;
  config.cq.emplace();
  const PcieLink link(config.pcie);
  const Picoseconds visible =
      untimed + link.wire_time(tlp::write + 64_B) + config.memory.write_latency;
  EXPECT_EQ(seen(config, 1).latency, visible);
  config.cq->poll = 123'001_ps;
  EXPECT_EQ(seen(config, 1).latency, visible + 123'001_ps);
  config.cq->poll_interval = 1'700'003_ps;
  const Picoseconds looked = 1'700'003_ps * ((visible + 1'700'002_ps) / 1'700'003_ps);
  EXPECT_EQ(seen(config, 1).latency, looked + 123'001_ps);
}

TEST(Completions, OneCqeTellsOfSeveralMessages) {
  RnicConfig config = with_host();
  EXPECT_EQ(seen(config, 10).cqes, 10u);
  config.cq.emplace();
  EXPECT_EQ(seen(config, 10).cqes, 10u);
  config.cq->messages = 4;
  EXPECT_EQ(seen(config, 10).cqes, 3u);  // 4, 4, and the last two
  config.cq->hold = 1_ns;                // shorter than the time from one ACK to the next
  EXPECT_GT(seen(config, 10).cqes, 3u);
}

// A title of a whole CQE, and eight minis of 8 bytes in a block.
TEST(Completions, CqesThatAreWrittenTogetherAreCompressed) {
  CqConfig cq;
  EXPECT_EQ(cq.bytes_of(16), 16 * 64);
  cq.mini_cqe = 8_B;
  EXPECT_EQ(cq.bytes_of(1), 64);
  EXPECT_EQ(cq.bytes_of(2), 128);
  EXPECT_EQ(cq.bytes_of(3), 128);
  EXPECT_EQ(cq.bytes_of(8), 128);
  EXPECT_EQ(cq.bytes_of(9), 192);
  cq.mini_cqe = 64_B;
  EXPECT_EQ(cq.bytes_of(3), 3 * 64);  // no less
}

TEST(Completions, CompressionSparesPcieAndChangesNoMessage) {
  RnicConfig config = with_host();
  config.cq.emplace();
  config.ack_messages = 16;
  const auto written = [&] {
    return std::stoul(test::in_child([&] {
      fabric::sim_context context;
      NicPair pair(context, config);
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(8_B, 32)});
      test::run_on(context, 100_us);
      EXPECT_EQ(pair.a->counters().messages_completed, 32u);
      return std::to_string(pair.a->host()->counters().bytes_written);
    }));
  };
  EXPECT_EQ(written(), 32u * 64);
  config.cq->mini_cqe = 8_B;
  EXPECT_EQ(written(), 2u * (64 + 2 * 64));
}

TEST(Acknowledgements, OneIsOfSeveralMessages) {
  RnicConfig config = with_host();
  EXPECT_EQ(seen(config, 16).acks, 16u);
  config.ack_messages = 8;
  EXPECT_EQ(seen(config, 16).acks, 2u);
  EXPECT_EQ(seen(config, 15).acks, 2u);  // the eighth, and the last posted
  EXPECT_EQ(seen(config, 1).acks, 1u);
  for (const char* transport : {"go_back_n", "irn", "timeout_only", "spray_sr"}) {
    config.transport = transport;
    EXPECT_LE(seen(config, 16).acks, 3u) << transport;
  }
}

// Bytes of TLPs for a message of 29 bytes, by what they are for: its payload in whole double words.
// On the wire it is 130 bytes of RoCEv2 with its padding.
TEST(PcieLedger, SmallMessagesTakeMoreOfPcieThanOfTheWire) {
  fabric::sim_context context;
  RnicConfig config = posting({.wqe = w, .doorbell = d});
  NicPair pair(context, config);
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(29_B, 10, 0_ps, 3_us)});
  test::run_on(context, 50_us);
  const PcieLink link(config.pcie);
  const PcieCounters& c = pair.a->host()->counters();
  const Picoseconds each = link.wire_time(tlp::write + 8_B) +
                           link.wire_time(tlp::completion + 64_B) +
                           link.wire_time(tlp::completion + 32_B);
  EXPECT_EQ(c.downstream_busy, each * 10);
  EXPECT_EQ(c.ledger.bytes(PcieUse::doorbell), 10u * (24 + 8));
  EXPECT_EQ(c.ledger.bytes(PcieUse::wqe, PcieDirection::to_host), 10u * 24);
  EXPECT_EQ(c.ledger.bytes(PcieUse::wqe, PcieDirection::to_nic), 10u * (20 + 64));
  EXPECT_EQ(c.ledger.bytes(PcieUse::payload, PcieDirection::to_host), 10u * 24);
  EXPECT_EQ(c.ledger.bytes(PcieUse::payload, PcieDirection::to_nic), 10u * (20 + 32));
  EXPECT_EQ(c.ledger.bytes(PcieUse::cqe), 10u * (24 + 64));
  EXPECT_EQ(c.ledger.total(), 10u * (32 + 108 + 76 + 88));
  EXPECT_EQ(c.ledger.fetched(PcieUse::wqe), 10u * 108);
  EXPECT_EQ(c.ledger.fetched(PcieUse::payload), 10u * 76);
  const PcieLedger& receiver = pair.b->host()->counters().ledger;
  EXPECT_EQ(receiver.bytes(PcieUse::payload, PcieDirection::to_host), 10u * (24 + 32));
  EXPECT_EQ(receiver.total(), receiver.bytes(PcieUse::payload));
  EXPECT_EQ(receiver.fetched(PcieUse::payload), 0u);  // it writes what arrives
  // Row 31 of the questions counts both directions of both reads, without doorbell and CQE: two
  // requests, the WQE and the payload. With the paper's 26 and 22 bytes beside it is its 189.
  const auto reads = [](std::int64_t request, std::int64_t completion) {
    return 2 * request + (64 + completion) + (29 + completion);
  };
  EXPECT_EQ(reads(26, 22), 189);
  const std::int64_t ours = reads(tlp::read_request.count(), tlp::completion.count());
  EXPECT_EQ(ours, 181);
  EXPECT_NEAR(100.0 * static_cast<double>(ours) / 127, 148.8, 0.15 * 148.8);
  EXPECT_EQ(l1_bytes(frame_bytes(Opcode::write_only, 29_B)), 130_B);
}

TEST(PcieLedger, WqesThatTheCpuPushesAreNoDoorbells) {
  fabric::sim_context context;
  const RnicConfig config =
      posting({.wqe = w, .doorbell = d, .method = PostMethod::blue_flame, .inline_most = 64_B});
  NicPair pair(context, config);
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(29_B, 10, 0_ps, 3_us)});
  test::run_on(context, 50_us);
  const PcieLedger& ledger = pair.a->host()->counters().ledger;
  EXPECT_EQ(ledger.bytes(PcieUse::wqe), 10u * 2 * (24 + 64));  // 32 and 33 bytes: two lines
  EXPECT_EQ(ledger.fetched(PcieUse::wqe), 0u);                 // the CPU writes them
  EXPECT_EQ(ledger.bytes(PcieUse::doorbell) + ledger.bytes(PcieUse::payload), 0u);
}

// Every context, key and translation misses: three reads for each packet sent, and the context goes
// back.
TEST(PcieLedger, ContextsAndTranslationsThatMiss) {
  fabric::sim_context context;
  RnicConfig config = with_host();
  config.sram.limited = true;
  config.sram.total = config.sram.tx_buffer + config.sram.rx_buffer + 200_B;
  config.sram.reorder_bits = 0;
  config.sram.retransmit_state = 0_B;
  NicPair pair(context, config);
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(1000_B, 10, 0_ps, 10_us)});
  test::run_on(context, 200_us);
  const PcieLedger& ledger = pair.a->host()->counters().ledger;
  // The acknowledgement of each uses the context again, without a translation. That of the
  // completion queue is read once: it fits.
  EXPECT_EQ(ledger.bytes(PcieUse::context, PcieDirection::to_nic), (10u * 2 + 1) * (20 + 64));
  EXPECT_EQ(ledger.bytes(PcieUse::translation, PcieDirection::to_host),
            ledger.bytes(PcieUse::translation, PcieDirection::to_nic) / 84 * 24);
  EXPECT_GE(ledger.bytes(PcieUse::translation, PcieDirection::to_nic), 84u);
}

TEST(HostQueuesInput, AHostIsNeeded) {
  RnicConfig config;
  check_host_queues(config);
  config.cq.emplace();
  EXPECT_THROW(check_host_queues(config), InputError);
  config.host = HostModel::pcie;
  check_host_queues(config);
  config.post = {.sges = 2};
  check_host_queues(config);
  config.post->inline_most = 8_B;
  EXPECT_THROW(check_host_queues(config), InputError);
}

}  // namespace
}  // namespace horae::rnic::host_queues_test
