// The fabric in a SystemC program of a user's own: their sc_start(), pauses, stops, reports and
// mistakes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/module_joint.hpp"

namespace horae::fabric::systemc_program_test {
namespace {

using test::in_child;
using test::link_of;
using test::outcome_in_child;
using test::probe;

constexpr scheduling both[] = {scheduling::windowed, scheduling::exact_wake};

sc_core::sc_time us(double t) { return {t, sc_core::SC_US}; }

/// A user's thread, which does something once, and may wait on the way.
class process : public sc_core::sc_module {
 public:
  process(sc_core::sc_module_name name, std::function<void()> work)
      : sc_module(name), work_(std::move(work)) {
    SC_HAS_PROCESS(process);
    SC_THREAD(run);
  }

 private:
  void run() { work_(); }
  std::function<void()> work_;
};

/// A user's end point at a port of a device: hands over packets, and ends those that come.
class end_point : public sc_core::sc_module, public packet_fw_if, public packet_bw_if {
 public:
  end_point(sc_core::sc_module_name name, sim_context& context)
      : sc_module(name), context_(context) {
    in.bind(static_cast<packet_fw_if&>(*this));
    out.bind(static_cast<packet_bw_if&>(*this));
  }
  packet_target_socket in{"in"};
  packet_initiator_socket out{"out"};

  void send(Picoseconds at, packet_phase phase = packet_phase::begin_packet) {
    Packet& p = context_.pool.create();
    sc_core::sc_time t = to_sc_time(at);
    out->nb_transport_fw(p, phase, t);
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& p, packet_phase&, sc_core::sc_time&) override {
    context_.pool.deliver(p);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(Packet&, packet_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  sim_context& context_;
};

/// Two devices on a link; ten packets each way, one every 7 us.
struct Line {
  explicit Line(scheduling mode = scheduling::windowed) : context({.mode = mode}) {
    connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
    for (int i = 0; i < 10; ++i) {
      a.send({.at = 7_us * i, .frame = 64_B});
      b.send({.at = 7_us * i + 1_ns, .frame = 1086_B});
    }
  }
  std::string arrivals() const {
    std::string text;
    for (const auto* end : {&a, &b}) {
      for (const auto& arrival : end->arrivals) text += fmt::format("{} ", arrival.at.count());
    }
    return text;
  }
  std::size_t count() const { return a.arrivals.size() + b.arrivals.size(); }

  sim_context context;
  probe a{"a", context}, b{"b", context};
};

std::string run_as(scheduling mode, const std::function<void(Line&)>& run) {
  return in_child([&] {
    Line line(mode);
    run(line);
    EXPECT_EQ(line.count(), 20u);
    return line.arrivals();
  });
}

TEST(SystemcProgram, ItsOwnStartOfSimulationRunsDevicesAsRunToDoes) {
  const std::string as_ever =
      run_as(both[0], [](Line& line) { line.context.clock.run_to(100_us); });
  for (const scheduling mode : both) {
    EXPECT_EQ(run_as(mode, [](Line&) { sc_core::sc_start(us(100)); }), as_ever);
    // Without a time: up to when nobody has anything to do.
    EXPECT_EQ(run_as(mode, [](Line&) { sc_core::sc_start(); }), as_ever);
    EXPECT_EQ(run_as(mode,
                     [](Line&) {
                       for (int i = 0; i < 1000; ++i) sc_core::sc_start(us(0.1));
                     }),
              as_ever);
    EXPECT_EQ(run_as(mode,
                     [](Line& line) {
                       auto& clock = line.context.clock;
                       for (int i = 0; i < 10; ++i) {
                         clock.run_to(from_sc_time(sc_core::sc_time_stamp()) + 3'333_ns);
                         sc_core::sc_start(us(4));
                         sc_core::sc_start(us(0.05));
                         clock.run_to(from_sc_time(sc_core::sc_time_stamp()) + 100_ns);
                       }
                       sc_core::sc_start(us(50));
                     }),
              as_ever);
  }
}

TEST(SystemcProgram, ItsOwnStartReachesItsTimeWhenNothingIsLeftToDo) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Line line(mode);
                sc_core::sc_start(us(10'000));
                EXPECT_EQ(sc_core::sc_time_stamp(), us(10'000));
                EXPECT_EQ(line.count(), 20u);
                // 10 ms in windows of 500 ns would be 20,000.
                EXPECT_LT(line.context.clock.windows(), 1000u);
              }),
              "accepted");
  }
}

// Nothing is left to do and the clock sleeps: what a user's module hands over wakes it, at any
// time, also between two calls of sc_start().
TEST(SystemcProgram, APacketOfAUsersModuleIsHandledAfterALongSilence) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                sim_context context({.mode = mode});
                probe a("a", context, 2), b("b", context);
                end_point mine("mine", context);
                connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
                mine.out.bind(a.rx(1));
                b.send({.at = 50_ms, .frame = 64_B});  // far ahead: windows are left out
                sc_core::sc_start(us(3000));
                mine.send(3_ms + 500_ns);
                sc_core::sc_start(us(1));
                ASSERT_EQ(a.arrivals.size(), 1u);
                EXPECT_EQ(a.arrivals[0].at, 3_ms + 500_ns);
                sc_core::sc_start(us(3000));
                mine.send(6_ms + 501_us);
                sc_core::sc_start(us(100'000));
                mine.send(from_sc_time(sc_core::sc_time_stamp()) + 500_ns);
                context.clock.run_to(from_sc_time(sc_core::sc_time_stamp()) + 501_ns);
                ASSERT_EQ(a.arrivals.size(), 4u);
                EXPECT_EQ(a.arrivals[1].at, 6_ms + 501_us);
                EXPECT_EQ(a.arrivals[2].at, 50_ms + 6'720_ps + 500_ns);
              }),
              "accepted");
  }
}

TEST(SystemcProgram, APauseOfSomebodyElseIsToldFromTheEnd) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Line line(mode);
                process user("user", [] {
                  sc_core::wait(us(20));
                  sc_core::sc_pause();
                });
                EXPECT_EQ(line.context.clock.run_to(40_us), run_end::paused);
                EXPECT_EQ(sc_core::sc_time_stamp(), us(20));
                EXPECT_EQ(line.context.clock.run_to(40_us), run_end::reached);
                EXPECT_EQ(line.context.clock.run_to(1_ms), run_end::idle);
                EXPECT_EQ(line.count(), 20u);
              }),
              "accepted");
  }
}

TEST(SystemcProgram, AStopOfSomebodyElseIsToldAndEndsIt) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Line line(mode);
                process user("user", [] {
                  sc_core::wait(us(20));
                  sc_core::sc_stop();
                });
                EXPECT_EQ(line.context.clock.run_to(40_us), run_end::stopped);
                EXPECT_EQ(sc_core::sc_time_stamp(), us(20));
                line.context.clock.run_to(40_us);
              }),
              "ModelError: clock: sc_stop() ended the simulation at 20 us: it cannot go on");
  }
}

TEST(SystemcProgram, AnotherTimeResolutionIsRefused) {
  const auto with = [](double value, sc_core::sc_time_unit unit) {
    return outcome_in_child([&] {
      sc_core::sc_set_time_resolution(value, unit);
      const sim_context context;
    });
  };
  const std::string rest =
      ": expected 1 ps, its default (call sc_set_time_resolution(1, SC_PS), or do not call it)";
  EXPECT_EQ(with(1, sc_core::SC_FS), "InputError: SystemC's time resolution is 1 fs" + rest);
  EXPECT_EQ(with(10, sc_core::SC_PS), "InputError: SystemC's time resolution is 10 ps" + rest);
  EXPECT_EQ(with(1, sc_core::SC_PS), "accepted");
}

TEST(SystemcProgram, ASecondSimulationInAProcessIsRefused) {
  EXPECT_EQ(outcome_in_child([] {
              { Line().context.clock.run_to(1_us); }
              const Line second;
            }),
            "InputError: SystemC has elaborated in this process: expected one simulation per "
            "process (make all of it before the first sc_start(), or run the next one in another "
            "process)");
}

/// A host behind a switch whose route to node 3 is port 2.
struct Star {
  Star() {
    for (const std::uint16_t node : {0, 3})
      sw.routes().set(node, {static_cast<std::uint16_t>(node == 3 ? 2 : 0)});
    connect(host, 0, sw, 0, link_of(100_Gbps, 500_ns));
  }
  sim_context context;
  output_queued_switch sw{"sw", context, {.ports = 3}};
  open_loop_host host{"host",
                      context,
                      {.id = 0},
                      std::make_unique<traffic::ConstantSource>(
                          traffic::ConstantSource::Config{.dst = 3, .bytes = 1_KiB, .count = 2})};
};

TEST(SystemcProgram, ARouteToAPortWithoutALinkIsALine) {
  const std::string line =
      "sw: a packet for node 3 is sent by port 2, which has no link: expected a link there, or no "
      "route to that node by it";
  EXPECT_EQ(outcome_in_child([] { Star().context.clock.run_to(100_us); }), "ModelError: " + line);
  const std::string in_report = outcome_in_child([] {
    Star star;
    sc_core::sc_start(us(100));
  });
  EXPECT_EQ(in_report.substr(0, in_report.find('\n')),
            "sc_report: Error: /horae/model_error: " + line);
}

TEST(SystemcProgram, NoWindowIsLongerThanTheLinkOfItsEndPoint) {
  EXPECT_EQ(outcome_in_child([] {
              Star star;
              end_point mine("mine", star.context);
              star.sw.tx(2).socket.bind(mine.in);
              star.sw.tx(2).configure(link_of(100_Gbps, 100_ns));
              star.context.clock.run_to(100_us);
              EXPECT_EQ(star.context.clock.window(), 100_ns);
              EXPECT_EQ(star.context.pool.delivered(), 2u);
            }),
            "accepted");
}

TEST(SystemcProgram, ASocketThatIsBoundButNotConfiguredIsALine) {
  EXPECT_EQ(outcome_in_child([] {
              Star star;
              end_point mine("mine", star.context);
              star.sw.tx(2).socket.bind(mine.in);
              star.context.clock.run_to(100_us);
            }),
            "InputError: sw.tx2: bound to a socket, but the link has no rate and no delay: call "
            "configure(LinkConfig)");
}

/// Faults in a call of a user's process: a packet in the past, and a phase that goes the
/// other way.
std::string misuse(scheduling mode, const std::function<void(end_point&)>& call,
                   const std::function<void(sim_context&)>& run) {
  return outcome_in_child([&] {
    sim_context context({.mode = mode});
    probe a("a", context), b("b", context, 2);
    connect(a, 0, b, 0, link_of(100_Gbps, 500_ns));
    end_point mine("mine", context);
    mine.out.bind(b.rx(1));
    process user("user", [&] {
      sc_core::wait(us(10));
      call(mine);
    });
    run(context);
  });
}

TEST(SystemcProgram, AMistakeInACallOfItsProcessesIsALineNotItsEnd) {
  const auto run_to = [](sim_context& c) { c.clock.run_to(100_us); };
  const auto past = [](end_point& mine) { mine.send(9_us); };
  EXPECT_EQ(misuse(scheduling::windowed, past, run_to),
            "ModelError: b: something arrives at 9000000 ps, inside the window that ends at "
            "10500000 ps");
  EXPECT_EQ(misuse(scheduling::exact_wake, past, run_to),
            "ModelError: b: something arrives at 9000000 ps, in the past of 10 us");
  for (const scheduling mode : both) {
    EXPECT_EQ(misuse(
                  mode, [](end_point& mine) { mine.send(20_us, packet_phase::resume); }, run_to),
              "ModelError: not a phase of the forward path");
  }
}

/// A device whose event fails.
class failing : public device {
 public:
  failing(sc_core::sc_module_name name, sim_context& context, bool of_input)
      : device(name, context, 1), of_input_(of_input) {}

 protected:
  void begin() override { schedule(12_us, device_events, 0, 0); }
  void handle(const Event&) override {
    if (of_input_) throw InputError("what it was given is wrong");
    throw ModelError("what it does is wrong");
  }

 private:
  bool of_input_;
};

struct Reported {
  std::string type, text, module;
  sc_core::sc_time at;
  int count = 0;
};

/// Text for the report handler when a device fails in `run`, and how that ended.
std::string reports_of(scheduling mode, bool of_input,
                       const std::function<void(sim_context&)>& run) {
  return in_child([&] {
    static Reported reported;
    sc_core::sc_report_handler::set_handler(
        [](const sc_core::sc_report& r, const sc_core::sc_actions& actions) {
          if (r.get_severity() < sc_core::SC_ERROR) return;  // of sc_stop()
          ++reported.count;
          reported.type = r.get_msg_type();
          reported.text = r.get_msg();
          reported.at = r.get_time();
          reported.module = r.get_process_name();
          sc_core::sc_report_handler::default_handler(r, actions & ~sc_core::SC_DISPLAY);
        });
    sim_context context({.mode = mode});
    failing bad("bad", context, of_input);
    probe b("b", context);
    connect(bad, 0, b, 0, link_of(100_Gbps, 500_ns));
    std::string end = "returned";
    try {
      run(context);
    } catch (const InputError& e) {
      end = std::string("InputError ") + e.what();
    } catch (const ModelError& e) {
      end = std::string("ModelError ") + e.what();
    } catch (const sc_core::sc_report& e) {
      end = std::string("sc_report ") + e.get_msg();
    }
    return fmt::format("{} times {} '{}' in {} at {}; {}{}", reported.count, reported.type,
                       reported.text, reported.module, reported.at.to_string(), end,
                       sc_core::sc_get_status() == sc_core::SC_STOPPED ? ", stopped" : "");
  });
}

TEST(SystemcProgram, WhatFailsInAProcessOfOursReachesTheReportHandler) {
  const auto run_to = [](sim_context& c) { c.clock.run_to(100_us); };
  const auto start = [](sim_context&) { sc_core::sc_start(us(100)); };
  const auto quiet = [](sim_context&) {
    sc_core::sc_report_handler::set_actions("/horae/model_error", sc_core::SC_DO_NOTHING);
    sc_core::sc_start(us(100));
  };
  const std::string told = "1 times /horae/model_error 'bad: what it does is wrong' in ";
  EXPECT_EQ(reports_of(scheduling::windowed, false, run_to),
            told + "clock.next_window at 12 us; ModelError what it does is wrong");
  EXPECT_EQ(reports_of(scheduling::exact_wake, false, run_to),
            told + "bad.run_wake at 12 us; ModelError what it does is wrong");
  EXPECT_EQ(
      reports_of(scheduling::windowed, true, run_to),
      "1 times /horae/input_error 'bad: what it was given is wrong' in clock.next_window at 12 "
      "us; InputError what it was given is wrong");
  for (const auto& [mode, process] : {std::pair(scheduling::windowed, "clock.next_window"),
                                      std::pair(scheduling::exact_wake, "bad.run_wake")}) {
    EXPECT_EQ(reports_of(mode, false, start),
              told + process + " at 12 us; sc_report bad: what it does is wrong");
    // Whoever turns the throw off has a simulation that is over all the same.
    EXPECT_EQ(reports_of(mode, false, quiet), told + process + " at 12 us; returned, stopped");
  }
}

}  // namespace
}  // namespace horae::fabric::systemc_program_test
