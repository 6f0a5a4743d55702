// Windows: what is refused, and what run_to() promises.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::window_test {
namespace {

using test::link_of;
using test::outcome_in_child;
using test::probe;

// Two links, the shorter one of 300 ns; one packet over each.
void run_with(const time_config& time, Picoseconds shorter = 300_ns) {
  sim_context context(time);
  probe a("a", context, 2), b("b", context), c("c", context);
  connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
  connect(a, 1, c, 0, link_of(100_Gbps, shorter));
  a.send({.at = 5_us, .port = 0});
  a.send({.at = 5_us, .port = 1});
  context.clock.run_to(20_us);
  EXPECT_EQ(b.arrivals.size(), 1u);
  EXPECT_EQ(c.arrivals.size(), 1u);
}

TEST(Window, MayBeAsLongAsTheShortestLinkButNotLonger) {
  EXPECT_EQ(outcome_in_child([] { run_with({.window = 300_ns}); }), "accepted");
  EXPECT_EQ(outcome_in_child([] { run_with({.window = 1_ns}); }), "accepted");
  const std::string refusal = outcome_in_child([] { run_with({.window = 300_ns + 1_ps}); });
  EXPECT_EQ(refusal.substr(0, 12), "InputError: ") << refusal;
  EXPECT_NE(refusal.find("300001"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("300000"), std::string::npos) << refusal;
}

TEST(Window, IsTheShortestLinkByDefault) {
  sim_context context;
  probe a("a", context, 2), b("b", context), c("c", context);
  connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
  connect(a, 1, c, 0, link_of(100_Gbps, 300_ns));
  context.clock.run_to(30_us);
  EXPECT_EQ(context.clock.window(), 300_ns);
  EXPECT_EQ(context.clock.windows(), 100u);
}

// With no time between sender and receiver there is no window; time would stand still.
TEST(Window, NeedsLinksThatTakeTime) {
  const std::string refusal = outcome_in_child([] { run_with({}, 0_ps); });
  EXPECT_EQ(refusal.substr(0, 12), "InputError: ") << refusal;
  EXPECT_EQ(outcome_in_child([] { run_with({.mode = scheduling::exact_wake}, 0_ps); }), "accepted");
}

TEST(Window, RunsUpToTheStopAndNoFurther) {
  for (const scheduling mode : {scheduling::windowed, scheduling::exact_wake}) {
    EXPECT_EQ(outcome_in_child([&] {
                sim_context context({.mode = mode});
                probe a("a", context), b("b", context);
                connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
                for (int i = 0; i < 10; ++i) a.send({.at = 1_us * i, .frame = 64_B});
                const Picoseconds first = 6'720_ps + 500_ns;
                for (int i = 0; i < 10; ++i) {
                  const auto n = static_cast<std::size_t>(i);
                  context.clock.run_to(first + 1_us * i);
                  EXPECT_EQ(b.arrivals.size(), n);
                  EXPECT_EQ(context.clock.run_to(first + 1_us * i + 1_ps),
                            i < 9 ? run_end::reached : run_end::idle);
                  EXPECT_EQ(b.arrivals.size(), n + 1);
                  // Stops in the middle of a window, again and again, also into the past.
                  context.clock.run_to(first + 1_us * i + 300_ns);
                  context.clock.run_to(first);
                }
              }),
              "accepted");
  }
}

TEST(Window, AnIdleRunStopsEarlyAndCanGoOn) {
  sim_context context;
  probe a("a", context), b("b", context);
  connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
  a.send({.at = 5_us, .frame = 64_B});
  EXPECT_EQ(context.clock.run_to(1_ms * 1000), run_end::idle);
  EXPECT_LT(from_sc_time(sc_core::sc_time_stamp()), 1_ms);
  EXPECT_EQ(b.arrivals.size(), 1u);
  EXPECT_TRUE(context.clock.idle());
}

// Hands a packet over at once, or back in time, as no link does.
class hasty : public device {
 public:
  hasty(sc_core::sc_module_name name, sim_context& context, Picoseconds at, Picoseconds offset)
      : device(name, context, 1), at_(at), offset_(offset) {}

 protected:
  void begin() override { schedule(at_, device_events, 0, 0); }
  void handle(const Event& e) override {
    if (key_kind(e.key) == arrival_event) return context_.pool.deliver(arrived(e));
    Packet& p = context_.pool.create();
    packet_phase phase = packet_phase::begin_packet;
    sc_core::sc_time t = to_sc_time(e.time + offset_);
    tx(0).socket->nb_transport_fw(p, phase, t);
  }

 private:
  Picoseconds at_, offset_;
};

std::string run_hasty(const time_config& time, Picoseconds offset) {
  return outcome_in_child([&] {
    sim_context context(time);
    hasty a("a", context, 10'200_ns, offset);
    probe b("b", context);
    connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
    b.send({.at = 10_us, .frame = 64_B});
    context.clock.run_to(20_us);
    EXPECT_EQ(b.arrivals.size(), 1u);
  });
}

TEST(Window, ADeviceThatBreaksCausalityIsRefused) {
  // Windows of 500 ns: 10.2 us lies in the one that ends at 10.5 us.
  for (const Picoseconds offset : {0_ps, 100_ns, 299'999_ps}) {
    const std::string refusal = run_hasty({}, offset);
    EXPECT_EQ(refusal, fmt::format("ModelError: b: something arrives at {} ps, inside the window "
                                   "that ends at 10500000 ps",
                                   (10'200_ns + offset).count()));
  }
  EXPECT_EQ(run_hasty({}, 300_ns), "accepted");
  EXPECT_EQ(run_hasty({.window = 100_ns}, 100_ns), "accepted");
}

// With exact wake-ups nothing runs ahead: only the past is closed.
TEST(Window, WithExactWakeUpsOnlyThePastIsRefused) {
  EXPECT_EQ(run_hasty({.mode = scheduling::exact_wake}, 1_ps), "accepted");
  const std::string refusal = run_hasty({.mode = scheduling::exact_wake}, 0_ps - 1_ps);
  EXPECT_EQ(refusal, "ModelError: b: something arrives at 10199999 ps, in the past of 10200 ns");
}

// A SystemC thread that sleeps for long and then sends: the fabric has nothing to do meanwhile and
// must not take that for the end.
class sleeper : public sc_core::sc_module, public packet_bw_if {
 public:
  sleeper(sc_core::sc_module_name name, sim_context& context, Picoseconds until)
      : sc_module(name), context_(context), until_(until) {
    socket.bind(static_cast<packet_bw_if&>(*this));
    SC_HAS_PROCESS(sleeper);
    SC_THREAD(live);
  }
  packet_initiator_socket socket{"socket"};

 private:
  tlm::tlm_sync_enum nb_transport_bw(Packet&, packet_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void live() {
    wait(to_sc_time(until_));
    Packet& p = context_.pool.create();
    packet_phase phase = packet_phase::begin_packet;
    sc_core::sc_time t = to_sc_time(until_ + 500_ns);
    socket->nb_transport_fw(p, phase, t);
  }
  sim_context& context_;
  Picoseconds until_;
};

// In a child, which ends without a search for leaks: that would run into the guard page of the
// thread's stack.
TEST(Window, ASleepingSystemCThreadIsNotTheEnd) {
  EXPECT_EQ(outcome_in_child([] {
              sim_context context;
              probe a("a", context), b("b", context, 2);
              sleeper s("s", context, 3_ms);
              connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
              s.socket.bind(b.rx(1));
              context.clock.run_to(4_ms);
              ASSERT_EQ(b.arrivals.size(), 1u);
              EXPECT_EQ(b.arrivals[0].at, 3_ms + 500_ns);
            }),
            "accepted");
}

}  // namespace
}  // namespace horae::fabric::window_test
