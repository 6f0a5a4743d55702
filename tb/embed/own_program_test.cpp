// A SystemC program without a platform file: NICs on a chip, their hosts on a bus and a memory of
// its own, a module of its own on a link, an end point of its own at a port, reports of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "forked.hpp"
#include "horae/fabric/middlebox.hpp"
#include "horae/fabric/module_joint.hpp"
#include "horae/params/document.hpp"
#include "horae/programs/forward/forward.hpp"
#include "horae/rnic/base_protocol_checker.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/tofino/tofino_switch.hpp"
#include "horae/traffic/source.hpp"

namespace horae::own_program_test {
namespace {

/// Memory behind a bus that carries 64 GB/s, one access after the other; all NICs share it.
class bus_and_memory : public sc_core::sc_module {
 public:
  explicit bus_and_memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &bus_and_memory::b_transport);
  }
  tlm_utils::multi_passthrough_target_socket<bus_and_memory> socket{"socket"};
  std::uint64_t reads = 0, writes = 0, bytes = 0;

 private:
  void b_transport(int, tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    const sc_core::sc_time now = sc_core::sc_time_stamp() + delay;
    free_ =
        std::max(free_, now) + sc_core::sc_time(15.625 * access.get_data_length(), sc_core::SC_PS);
    wait(free_ - sc_core::sc_time_stamp() + sc_core::sc_time(80, sc_core::SC_NS));
    delay = sc_core::SC_ZERO_TIME;
    ++(access.is_read() ? reads : writes);
    bytes += access.get_data_length();
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  sc_core::sc_time free_;
};

/// Holds each packet for 5 ns, and says what it is told to at the fifth.
class tap : public fabric::middlebox {
 public:
  SC_HAS_PROCESS(tap);
  tap(const sc_core::sc_module_name& name, std::function<void()> at_the_fifth)
      : middlebox(name), at_the_fifth_(std::move(at_the_fifth)) {
    SC_METHOD(go_on);
    sensitive << due_;
    dont_initialize();
  }
  sc_core::sc_signal<std::uint64_t> seen{"seen"};

 private:
  void arrived(unsigned side, Packet& p) override {
    held_.push({sc_core::sc_time_stamp() + sc_core::sc_time(5, sc_core::SC_NS), side, &p});
    seen.write(++count_);
    if (held_.size() == 1) due_.notify(5, sc_core::SC_NS);
  }
  void go_on() {
    const Held h = held_.front();
    held_.pop();
    if (!held_.empty()) due_.notify(held_.front().until - sc_core::sc_time_stamp());
    send(1 - h.side, *h.packet);
    if (count_ >= 5) std::exchange(at_the_fifth_, [] {})();
  }
  struct Held {
    sc_core::sc_time until;
    unsigned side;
    Packet* packet;
  };
  std::queue<Held> held_;
  std::uint64_t count_ = 0;
  std::function<void()> at_the_fifth_;
  sc_core::sc_event due_{"due"};
};

struct TapFactory : fabric::ModuleFactory {
  std::function<void()> at_the_fifth = [] {};
  mutable tap* made = nullptr;
  std::unique_ptr<fabric::link_module> make(const sc_core::sc_module_name& name,
                                            fabric::module_context&) const override {
    auto module = std::make_unique<tap>(name, at_the_fifth);
    made = module.get();
    return module;
  }
  nlohmann::ordered_json config() const override { return {}; }
};

/// Takes what comes by one port, at its own time.
class sink : public sc_core::sc_module, fabric::packet_fw_if, fabric::packet_bw_if {
 public:
  SC_HAS_PROCESS(sink);
  sink(const sc_core::sc_module_name& name, fabric::sim_context& context)
      : sc_module(name), context_(context) {
    in_.bind(static_cast<fabric::packet_fw_if&>(*this));
    out_.bind(static_cast<fabric::packet_bw_if&>(*this));
    SC_METHOD(take);
    sensitive << due_;
    dont_initialize();
  }
  void join(fabric::device& peer, unsigned port, const fabric::LinkConfig& link) {
    peer.tx(port).socket.bind(in_);
    out_.bind(peer.rx(port));
    peer.tx(port).configure(link);
    context_.clock.limit_window(link.delay);
  }
  std::uint64_t got = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& p, fabric::packet_phase&,
                                     sc_core::sc_time& at) override {
    coming_.emplace(at, &p);
    due_.notify(coming_.begin()->first - sc_core::sc_time_stamp());
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(Packet&, fabric::packet_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void take() {
    for (; !coming_.empty() && coming_.begin()->first <= sc_core::sc_time_stamp(); ++got) {
      context_.pool.deliver(*coming_.begin()->second);
      coming_.erase(coming_.begin());
    }
    if (!coming_.empty()) due_.notify(coming_.begin()->first - sc_core::sc_time_stamp());
  }
  fabric::packet_target_socket in_{"in"};
  fabric::packet_initiator_socket out_{"out"};
  fabric::sim_context& context_;
  std::multimap<sc_core::sc_time, Packet*> coming_;
  sc_core::sc_event due_{"due"};
};

class Own {
 public:
  explicit Own(
      const fabric::time_config& time = {}, std::function<void()> at_the_fifth = [] {})
      : context(time), bus("bus"), end("end", context) {
    taps.at_the_fifth = std::move(at_the_fifth);
    rnic::RnicConfig config = rnic::NicSpec::find({"connectx7", {}}).config();
    config.host = rnic::HostModel::pcie;
    for (unsigned i = 0; i < 3; ++i) {
      nics.push_back(
          std::make_unique<rnic::rnic>(fmt::format("nic{}", i).c_str(), context, config, i));
      checkers.push_back(
          std::make_unique<rnic::base_protocol_checker<>>(fmt::format("checker{}", i).c_str()));
      nics.back()->host()->memory.bind(checkers.back()->target_socket);
      checkers.back()->initiator_socket.bind(bus.socket);
    }
    programs::Routes routes;
    for (std::uint16_t i = 0; i < 4; ++i)
      routes.entries.push_back({.node = i, .ports = {i}, .attached = true});
    const Document nothing = Document::parse("", "own");
    program = programs::forward_entry().read(nothing.root());
    chip = std::make_unique<tofino::tofino_switch>("chip", context, tofino::ChipConfig{}, 4,
                                                   *program, routes);
    const fabric::LinkConfig link{.rate = 400_Gbps, .delay = 300_ns};
    fabric::connect(*nics[0], 0, *chip, 0, link);
    joint = std::make_unique<fabric::module_joint>(
        "joint", context, taps, fabric::module_joint::End{nics[1].get(), 0, link},
        fabric::module_joint::End{chip.get(), 1, link});
    fabric::connect(*nics[2], 0, *chip, 2, link);
    end.join(*chip, 3, link);
    stream(0, 2);
    stream(1, 2);
    // To the end point, which answers nothing.
    rnic::QueuePairConfig lonely;
    lonely.remote = Qpn(1);
    lonely.peer = 3;
    lonely.source = source(4_KiB, 1);
    nics[0]->add_queue_pair(std::move(lonely));
  }

  std::string outcome() const {
    std::uint64_t broken = 0;
    for (const auto& c : checkers) broken += c->count();
    return fmt::format(
        "{} and {} bytes completed, tap {}, end {}, {} reads, {} writes, {} bytes, {} live, {} "
        "broken",
        nics[0]->queue_pair(0).progress().completed_bytes,
        nics[1]->queue_pair(0).progress().completed_bytes, taps.made->seen.read(), end.got,
        bus.reads, bus.writes, bus.bytes, context.pool.live(), broken);
  }

  fabric::sim_context context;
  bus_and_memory bus;
  sink end;
  TapFactory taps;
  std::vector<std::unique_ptr<rnic::rnic>> nics;
  std::vector<std::unique_ptr<rnic::base_protocol_checker<>>> checkers;
  std::unique_ptr<const programs::ProgramFactory> program;
  std::unique_ptr<tofino::tofino_switch> chip;
  std::unique_ptr<fabric::module_joint> joint;

 private:
  static std::unique_ptr<traffic::TrafficSource> source(Bytes bytes, std::uint32_t count) {
    return std::make_unique<traffic::ConstantSource>(
        traffic::ConstantSource::Config{.bytes = bytes, .count = count});
  }
  void stream(unsigned from, unsigned to) {
    rnic::QueuePairConfig sends, receives;
    sends.remote = Qpn(rnic::rnic::first_qpn + static_cast<std::uint32_t>(nics[to]->queue_pairs()));
    sends.peer = to;
    sends.source = source(64_KiB, 8);
    receives.remote =
        Qpn(rnic::rnic::first_qpn + static_cast<std::uint32_t>(nics[from]->queue_pairs()));
    receives.peer = from;
    nics[from]->add_queue_pair(std::move(sends));
    nics[to]->add_queue_pair(std::move(receives));
  }
};

using Move = std::function<void(Own&)>;
std::string after(const Move& move, const fabric::time_config& time = {}) {
  return test::in_child([&] {
    Own own(time);
    move(own);
    return own.outcome();
  });
}
constexpr Picoseconds end_of_run{90'000'000};
void whole(Own& own) { own.context.clock.run_to(end_of_run); }

TEST(OwnProgram, IsTheSameHoweverItIsMoved) {
  const std::string expected = after(whole);
  EXPECT_TRUE(expected.starts_with("524288 and 524288 bytes completed, tap ")) << expected;
  EXPECT_TRUE(expected.ends_with(" 0 broken")) << expected;
  // One packet of 4 KiB, and again after its timeouts.
  EXPECT_EQ(expected.find("end 0"), std::string::npos) << expected;
  EXPECT_EQ(after([](Own& own) {
              for (Picoseconds t = 0_ps; t < end_of_run; t += 900_ns) own.context.clock.run_to(t);
              whole(own);
            }),
            expected);
  EXPECT_EQ(after(whole, {.window = 20_ns}), expected);
  EXPECT_EQ(after(whole, {.mode = fabric::scheduling::exact_wake}), expected);
  const auto by_start = [](double us) { sc_core::sc_start(us, sc_core::SC_US); };
  EXPECT_EQ(after([&](Own&) { by_start(90); }), expected);
  EXPECT_EQ(after([&](Own& own) {
              own.context.clock.run_to(1_us);
              for (int i = 0; i < 89; ++i) by_start(1);
            }),
            expected);
}

// Reports of a user's module are SystemC's business: those below an error change nothing, an error
// ends the call that moves the program, with its own text.
TEST(OwnProgram, ReportsOfItsModulesAreSystemcs) {
  const auto saying = [](sc_core::sc_severity severity) {
    return test::in_child([&] {
      // In the place of the tests' own, to which a warning is a failure.
      sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
      for (const auto quiet : {sc_core::SC_INFO, sc_core::SC_WARNING})
        sc_core::sc_report_handler::set_actions(quiet, sc_core::SC_DO_NOTHING);
      Own own({}, [severity] {
        sc_core::sc_report_handler::report(severity, "tap", "the fifth", __FILE__, __LINE__);
      });
      try {
        whole(own);
      } catch (const std::exception& e) {
        return std::string("caught: ") + e.what();
      }
      return own.outcome();
    });
  };
  const std::string expected = after(whole);
  EXPECT_EQ(saying(sc_core::SC_INFO), expected);
  EXPECT_EQ(saying(sc_core::SC_WARNING), expected);
  const std::string error = saying(sc_core::SC_ERROR);
  EXPECT_TRUE(error.starts_with("caught: ")) << error;
  EXPECT_NE(error.find("tap: the fifth"), std::string::npos) << error;
}

}  // namespace
}  // namespace horae::own_program_test
