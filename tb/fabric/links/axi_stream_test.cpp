// Blocks with AXI4-Stream pins on a link: exact times, bytes, rules of the pins, the book of
// packets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/registry.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/module_joint.hpp"
#include "horae/fabric/plugin.hpp"
#include "horae/params/document.hpp"

namespace horae::fabric::axi_stream_test {
namespace {

using test::in_child;
using test::link_of;
using test::outcome_in_child;
using test::probe;

/// A FIFO in SystemC, as a user writes one. A beat is at the output in the clock after it came.
template <unsigned bytes, class Data = sc_dt::sc_bv<8 * bytes>, class Keep = sc_dt::sc_bv<bytes>>
class fifo : public axi_stream_signals<bytes, Data, Keep> {
 public:
  SC_HAS_PROCESS(fifo);
  fifo(const sc_core::sc_module_name& name, Picoseconds period)
      : axi_stream_signals<bytes, Data, Keep>(name, period) {
    SC_METHOD(edge);
    this->sensitive << this->aclk.posedge_event();
    this->dont_initialize();
  }

 private:
  struct Beat {
    Data data;
    Keep keep;
    bool last;
  };
  void edge() {
    if (!this->aresetn.read()) {
      beats_.clear();
    } else {
      if (this->m_tvalid.read() && this->m_tready.read()) beats_.erase(beats_.begin());
      if (this->s_tvalid.read() && this->s_tready.read())
        beats_.push_back({this->s_tdata.read(), this->s_tkeep.read(), this->s_tlast.read()});
    }
    this->s_tready.write(beats_.size() < 8);
    this->m_tvalid.write(!beats_.empty());
    if (beats_.empty()) return;
    this->m_tdata.write(beats_.front().data);
    this->m_tkeep.write(beats_.front().keep);
    this->m_tlast.write(beats_.front().last);
  }
  std::vector<Beat> beats_;
};

/// Keeps whole frames and sends what a test makes of them.
class editor : public StreamPins {
 public:
  /// `beats`: all that wait to go; called with each frame that has come, in order.
  using Edit = std::function<void(std::vector<StreamBeat> frame, std::deque<StreamBeat>& beats)>;
  /// May spoil the pins; called when they are read. `waited`: clocks for which a beat has waited.
  using Spoil = std::function<void(StreamOutputs&, unsigned waited)>;
  editor(Edit edit, Spoil spoil) : edit_(std::move(edit)), spoil_(std::move(spoil)) {}

  void read(StreamOutputs& out) const override {
    out.ready = true;
    out.valid = !beats_.empty();
    if (out.valid) out.beat = beats_.front();
    if (spoil_) spoil_(out, waited_);
  }
  void clock(const StreamInputs& next) override {
    if (!in_.reset) {
      const bool leaves = !beats_.empty() && in_.ready;
      waited_ = beats_.empty() || leaves ? 0 : waited_ + 1;
      if (leaves) beats_.pop_front();
      if (in_.valid) {
        frame_.push_back(in_.beat);
        if (in_.beat.last) edit_(std::exchange(frame_, {}), beats_);
      }
    }
    in_ = next;
  }

 private:
  Edit edit_;
  Spoil spoil_;
  StreamInputs in_;
  std::vector<StreamBeat> frame_;
  std::deque<StreamBeat> beats_;
  unsigned waited_ = 0;
};

void append(std::vector<StreamBeat> frame, std::deque<StreamBeat>& beats) {
  beats.insert(beats.end(), frame.begin(), frame.end());
}

template <unsigned bytes, class... Types>
void add_fifo(const std::string& name) {
  add_stream_block({name, bytes, bytes, [](const char* n, Picoseconds period) {
                      return std::make_unique<fifo<bytes, Types...>>(n, period);
                    }});
}
void add_editor(const std::string& name, const editor::Edit& edit,
                const editor::Spoil& spoil = {}) {
  add_stream_block({name, 16, 16, [=](const char* /*name*/, Picoseconds /*period*/) {
                      return std::make_unique<editor>(edit, spoil);
                    }});
}

/// An editor of every second frame.
editor::Edit every_second(const editor::Edit& edit) {
  auto n = std::make_shared<int>(0);
  return [=](std::vector<StreamBeat> frame, std::deque<StreamBeat>& beats) {
    ++*n % 2 == 0 ? edit(std::move(frame), beats) : append(std::move(frame), beats);
  };
}

const bool blocks_added = [] {
  add_fifo<1, std::uint32_t, bool>("one_byte");
  add_fifo<3>("three_bytes");
  add_fifo<8, std::uint64_t, std::uint32_t>("eight_bytes");
  add_fifo<64>("fifo");
  add_fifo<512>("wide");
  add_editor("same", append);
  add_editor("drops_second", every_second([](auto, auto&) {}));
  // The first of two frames waits for the second, and goes behind it.
  add_editor("swaps", [held = std::make_shared<std::vector<StreamBeat>>()](
                          std::vector<StreamBeat> frame, std::deque<StreamBeat>& beats) {
    if (held->empty()) {
      *held = std::move(frame);
    } else {
      append(std::move(frame), beats);
      append(std::exchange(*held, {}), beats);
    }
  });
  add_editor("twice", [](std::vector<StreamBeat> frame, std::deque<StreamBeat>& beats) {
    append(frame, beats);
    append(std::move(frame), beats);
  });
  // A bit of the payload: the ICRC is wrong. Byte 70 is the fifth beat's seventh.
  add_editor("payload", every_second([](std::vector<StreamBeat> frame, auto& beats) {
               frame[4].data[6] ^= 1;
               append(std::move(frame), beats);
             }));
  // The UDP source port, bytes 34 and 35, which is under the ICRC too; TTL, byte 22, which is not,
  // without the checksum.
  add_editor("ttl", [](std::vector<StreamBeat> frame, auto& beats) {
    frame[1].data[6] ^= 1;
    append(std::move(frame), beats);
  });
  add_editor("shorter", [](std::vector<StreamBeat> frame, auto& beats) {
    frame.pop_back();
    frame.back().last = true;
    append(std::move(frame), beats);
  });
  add_editor("no_end", [](std::vector<StreamBeat> frame, auto& beats) {
    for (int i = 0; i < 70; ++i) {
      frame.back() = frame.front();
      append(frame, beats);
    }
  });
  add_editor("hole", append, [](StreamOutputs& out, unsigned) {
    if (out.valid) out.beat.keep[0] = 0x7b;
  });
  add_editor("empty", append, [](StreamOutputs& out, unsigned) {
    if (out.valid) out.beat.keep = {0, 0};
  });
  add_editor("short", append, [](StreamOutputs& out, unsigned) {
    if (out.valid) out.beat.keep = {0xff, 0x7f};
  });
  add_editor("falls", append, [](StreamOutputs& out, unsigned waited) {
    if (waited == 1) out.valid = false;
  });
  add_editor("moves", append, [](StreamOutputs& out, unsigned waited) {
    if (waited == 2) out.beat.data[9] ^= 4;
  });
  add_editor("early", append, [](StreamOutputs& out, unsigned) {
    if (!out.valid) out.beat = {std::vector<std::uint8_t>(16), {0xff, 0xff}, true};
    out.valid = true;
  });
  add_stream_block({.name = "faulty", .refused = "faulty.sv:1:1: syntax error"});
  return true;
}();

std::unique_ptr<ModuleFactory> table(const std::string& text) {
  const auto document = Document::parse("[m]\n" + text, "m.toml");
  return find_named(module_kinds(), "kind of module", "axi_stream")
      .read(document.root().child("m"), {});
}

struct Line {
  explicit Line(const std::string& text, const LinkConfig& link = link_of(100_Gbps, 500'001_ps),
                const time_config& time = {})
      : factory(table(text)),
        context(time),
        a("a", context, 1, 0),
        b("b", context, 1, 1),
        joint("box", context, *factory, {&a, 0, link}, {&b, 0, link}) {}

  void send(int packets, Picoseconds from = 1_us, Picoseconds apart = {}) {
    for (int i = 0; i < packets; ++i)
      a.send({.at = from + apart * i,
              .dst = 1,
              .psn = static_cast<std::uint32_t>(i),
              .payload = 1024_B});
  }
  double counted(const std::string& name) {
    StatTree tree;
    joint.statistics(tree);
    double found = -1;
    tree.for_each([&](const std::string& path, double number, const std::string&) {
      if (path == name) found = number;
    });
    return found;
  }

  std::unique_ptr<ModuleFactory> factory;
  sim_context context;
  probe a, b;
  module_joint joint;
};

constexpr Picoseconds of_1086 = 88'480_ps;  // 1086 B, preamble and gap

/// When a packet leaves a FIFO that it finds empty: it is in front of the block at `here`, its
/// first beat on the pins behind the next edge, in the block one later, its last one taken another
/// later.
Picoseconds leaves(Picoseconds here, Picoseconds period, int beats) {
  const std::int64_t next = here.count() / period.count() + 1;
  return period * (next + beats + 1);
}

TEST(AxiStream, TakesABeatAClock) {
  for (const auto& [block, bytes] : std::vector<std::pair<std::string, int>>{
           {"one_byte", 1}, {"three_bytes", 3}, {"eight_bytes", 8}, {"fifo", 64}, {"wide", 512}}) {
    const int beats = (1086 - 4 + bytes - 1) / bytes;  // without FCS
    const std::string seen = in_child([&, name = block] {
      Line line(fmt::format("block = '{}'\nclock = '3 ns'", name));
      line.send(1);
      line.b.send({.at = 2_us, .dst = 0, .frame = 1086_B, .payload = 1024_B});
      line.context.clock.run_to(10_us);
      EXPECT_EQ(line.a.arrivals.size(), 1u);
      EXPECT_EQ(line.b.arrivals.size(), 1u);
      EXPECT_EQ(line.counted("forward.beats_in"), beats);
      EXPECT_EQ(line.counted("forward.beats_out"), beats);
      EXPECT_EQ(line.counted("forward.changed"), 0);
      EXPECT_EQ(line.counted("forward.most_waiting"), 1);
      EXPECT_EQ(line.counted("forward.clocks"), 10'000 / 3 - 17);
      EXPECT_EQ(line.counted("backward.beats_in"), beats);
      return fmt::format("{} {}", line.b.arrivals.at(0).at.count(),
                         line.a.arrivals.at(0).at.count());
    });
    // Half of the link is 250,000 ps on the side of `a`, one more on the other.
    EXPECT_EQ(seen,
              fmt::format("{} {}",
                          (leaves(1_us + of_1086 + 250'000_ps, 3_ns, beats) + 250'001_ps).count(),
                          (leaves(2_us + of_1086 + 250'001_ps, 3_ns, beats) + 250'000_ps).count()))
        << block;
  }
}

TEST(AxiStream, APacketAtAnEdgeIsForTheNextOne) {
  Line line("block = 'fifo'\nclock = '10 ns'\nreset_clocks = 2");
  line.a.send({.at = 1'001'520_ps, .dst = 1, .payload = 1024_B});  // at the block at 1,340,000
  line.context.clock.run_to(10_us);
  ASSERT_EQ(line.b.arrivals.size(), 1u);
  EXPECT_EQ(line.b.arrivals[0].at, 1'350_ns + 10_ns * 18 + 250'001_ps);
}

TEST(AxiStream, WaitsInResetAndForABlockThatIsSlow) {
  Line line("block = 'eight_bytes'\nclock = '1 ns'\nreset_clocks = 5000");
  line.send(3, 0_us);
  line.context.clock.run_to(100_us);
  ASSERT_EQ(line.b.arrivals.size(), 3u);
  // The pins are driven from the first edge on, and in reset for 5,000: the first beat comes behind
  // edge 5,002. The next packets follow without a clock between them.
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(line.b.arrivals[i].at, 1_ns * (5002 + 136 * (i + 1) + 1) + 250'001_ps) << i;
  EXPECT_EQ(line.counted("forward.most_waiting"), 3);
}

TEST(AxiStream, TheWireHoldsAFasterBlockUp) {
  // Ten packets wait in reset; then the block has 512 Gbps in front of 100 Gbps.
  Line line("block = 'fifo'\nclock = '1 ns'\nreset_clocks = 5000");
  line.send(10, 0_us);
  line.context.clock.run_to(100_us);
  ASSERT_EQ(line.b.arrivals.size(), 10u);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(line.b.arrivals[i].at, 1_ns * (5002 + 18) + of_1086 * i + 250'001_ps) << i;
  // The second packet goes beside the first one's time on the wire; each of eight others waits for
  // what is left of 88.48 ns when its 17 beats are over, to the next edges.
  EXPECT_GE(line.counted("forward.waited_out"), 8 * (88 - 17));
  EXPECT_LE(line.counted("forward.waited_out"), 8 * (88 - 17 + 3));
}

TEST(AxiStream, PausesAtRandomLoseNothing) {
  Line line("block = 'fifo'\nclock = '2 ns'\nstall = 0.4");
  line.send(50);
  line.context.clock.run_to(1_ms);
  ASSERT_EQ(line.b.arrivals.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(line.b.arrivals[i].shot(), i);
  const double beats = 50 * 17;
  EXPECT_EQ(line.counted("forward.beats_out"), beats);
  // A beat waits as long as the other side pauses: 0.4 / 0.6 clocks in the mean.
  EXPECT_NEAR(line.counted("forward.waited_out"), beats * 0.4 / 0.6, beats * 0.15);
}

TEST(AxiStream, ForwardAloneLeavesTheOtherDirectionAsItIs) {
  Line line("block = 'fifo'\nclock = '3 ns'\ndirection = 'forward'");
  line.b.send({.at = 1_us, .dst = 0, .frame = 64_B});  // no plain frame, and nobody asks
  line.send(1);
  line.context.clock.run_to(10_us);
  ASSERT_EQ(line.a.arrivals.size(), 1u);
  EXPECT_EQ(line.a.arrivals[0].at, 1_us + 6'720_ps + 500'001_ps);
  EXPECT_EQ(line.b.arrivals.size(), 1u);
  EXPECT_EQ(line.counted("backward.clocks"), -1);
}

TEST(AxiStream, HowDevicesAreRunDoesNotShow) {
  const auto history = [](scheduling mode, Picoseconds window) {
    return in_child([&] {
      Line line("block = 'fifo'\nclock = '2500 ps'\nstall = 0.2",
                link_of(BitRate(130'000'000'000), 500'001_ps), {.mode = mode, .window = window});
      RandomStream random(7, "shots");
      for (int i = 0; i < 200; ++i) {
        const Picoseconds at(static_cast<std::int64_t>(random.below(200)) * 250'000);
        (i % 2 == 0 ? line.a : line.b)
            .send({.at = at,
                   .dst = i % 2 == 0 ? 1u : 0u,
                   .psn = static_cast<std::uint32_t>(i),
                   .payload = 1024_B});
      }
      line.context.clock.run_to(200_us);
      std::string out;
      for (const probe* p : {&line.a, &line.b})
        for (const auto& x : p->arrivals) out += fmt::format("{} {}\n", x.at.count(), x.id);
      return out;
    });
  };
  const std::string windows = history(scheduling::windowed, {});
  EXPECT_EQ(windows, history(scheduling::exact_wake, {}));
  EXPECT_EQ(windows, history(scheduling::windowed, 12'347_ps));
  EXPECT_EQ(std::count(windows.begin(), windows.end(), '\n'), 200);
}

TEST(AxiStream, WhatTheBlockDropsIsDropped) {
  Line line("block = 'drops_second'\nclock = '2 ns'");
  line.send(9);
  line.context.clock.run_to(100_us);
  ASSERT_EQ(line.b.arrivals.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(line.b.arrivals[i].shot(), 2 * i);
  EXPECT_EQ(line.context.pool.dropped(DropCause::module), 4u);
  EXPECT_EQ(line.context.pool.live(), 0u);
}

TEST(AxiStream, ABlockMayReorderWhereItIsSaid) {
  {
    const std::string seen = in_child([] {
      Line line("block = 'swaps'\nclock = '2 ns'\norder = 'any'");
      line.send(4);
      line.context.clock.run_to(100_us);
      std::string order;
      for (const auto& x : line.b.arrivals) order += fmt::format("{} ", x.shot());
      return order;
    });
    EXPECT_EQ(seen, "1 0 3 2 ");
  }
  EXPECT_NE(outcome_in_child([] {
              Line line("block = 'swaps'\nclock = '2 ns'");
              line.send(4);
              line.context.clock.run_to(100_us);
            }).find("a frame leaves that is of no packet in the block"),
            std::string::npos);
}

TEST(AxiStream, AWrongIcrcIsACorruptedPacket) {
  Line line("block = 'payload'\nclock = '2 ns'");
  line.send(4);
  line.context.clock.run_to(100_us);
  ASSERT_EQ(line.b.arrivals.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(line.b.arrivals[i].corrupted, i % 2 == 1) << i;
  EXPECT_EQ(line.counted("forward.changed"), 2);
  EXPECT_EQ(line.counted("forward.damaged"), 2);
}

TEST(AxiStream, RulesOfThePinsAreKept) {
  const auto ended = [](const std::string& block, const std::string& more = "") {
    return outcome_in_child([&] {
      Line line(fmt::format("block = '{}'\nclock = '2 ns'\n{}", block, more));
      line.send(3);
      line.context.clock.run_to(100_us);
    });
  };
  EXPECT_EQ(ended("same"), "accepted");
  EXPECT_EQ(ended("same", "stall = 0.5"), "accepted");
  for (const auto& [block, said] : std::vector<std::pair<std::string, std::string>>{
           {"hole", "TKEEP of a beat is 7bff (lowest byte first); expected its first bytes"},
           {"empty", "TKEEP of a beat is 0000"},
           {"short", "TKEEP of a beat before the last one keeps 15 bytes of 16; expected all"},
           {"falls", "TVALID fell before TREADY"},
           {"moves", "TDATA, TKEEP or TLAST changed before TREADY"},
           {"early", "TVALID is high at the end of reset"},
           {"twice", "a frame leaves that is of no packet in the block"},
           {"shorter", "is of no packet in the block: it has the length of none (1072 bytes, "},
           {"ttl", "is of no packet in the block: frame byte 24: wrong IPv4 header checksum"},
           {"no_end", "bytes without TLAST"}}) {
    const std::string text = ended(block, "stall = 0.5");
    EXPECT_EQ(text.find("ModelError: box"), 0u) << block << ": " << text;
    EXPECT_NE(text.find(said), std::string::npos) << block << ": " << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
  }
}

TEST(AxiStream, APacketThatIsNoPlainFrameEndsTheRun) {
  const std::string text = outcome_in_child([] {
    Line line("block = 'fifo'\nclock = '2 ns'");
    line.a.send({.at = 1_us, .dst = 1, .frame = 1094_B, .payload = 1024_B});
    line.context.clock.run_to(10_us);
  });
  EXPECT_EQ(text.find("InputError: "), 0u) << text;
  EXPECT_NE(text.find("expected RoCEv2 alone on the way to what works on bytes: 1086 bytes"),
            std::string::npos)
      << text;
}

TEST(AxiStream, ABlockThatIsNotThereIsRefusedAtItsPlace) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      table(text);
      return "accepted";
    } catch (const InputError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(refusal("block = 'fifi'\nclock = '2 ns'").find("m.toml:2:"), 0u);
  EXPECT_NE(refusal("block = 'fifi'\nclock = '2 ns'").find("did you mean 'fifo'?"),
            std::string::npos);
  EXPECT_NE(refusal("block = 'faulty'\nclock = '2 ns'")
                .find("block = 'faulty': it was not built: faulty.sv:1:1: syntax error"),
            std::string::npos);
  EXPECT_NE(refusal("block = 'fifo'").find("clock"), std::string::npos);
  EXPECT_NE(refusal("block = 'fifo'\nclock = '1 ps'").find("clock"), std::string::npos);
  EXPECT_NE(refusal("block = 'fifo'\nclock = '2 ns'\nstall = 1").find("stall"), std::string::npos);
}

}  // namespace
}  // namespace horae::fabric::axi_stream_test
