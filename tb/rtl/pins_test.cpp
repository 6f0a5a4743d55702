// Eunomia's hardware on SystemC pins, driven by TLM transactions; and the protocol checker.
#include "pins.hpp"

#include <gtest/gtest.h>

#include "horae/policy/ordering/eunomia.hpp"
#include "horae/rtl/ordering.hpp"
#include "tlm_to_pins.hpp"
#include "traffic.hpp"

namespace horae::pins_test {
namespace {

using sc_core::sc_start;
using sc_core::sc_time;

// Longer than any request takes with the small variant.
constexpr std::uint32_t bound = 400;

/// Random requests, each as a transaction, each answer compared with the model's.
class driver : public sc_core::sc_module,
               public tlm::tlm_bw_transport_if<tb::ordering_protocol_types> {
 public:
  tlm::tlm_initiator_socket<32, tb::ordering_protocol_types> socket{"socket"};

  SC_HAS_PROCESS(driver);
  driver(const sc_core::sc_module_name& name, tb::PinSignals& signals,
         const rtl::EunomiaVariant& variant, std::uint32_t requests)
      : sc_module(name),
        s_(signals),
        model_(rtl::config_of(variant.shape).parameters),
        traffic_(1, variant.shape.connections, variant.shape.cap_bits),
        requests_(requests) {
    socket.bind(*this);
    SC_THREAD(run);
  }

  bool finished = false;
  std::uint32_t rejected = 0;
  sc_time last_answer;

  tlm::tlm_sync_enum nb_transport_bw(tb::OrderingTransaction&, tlm::tlm_phase&, sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  void run() {
    for (int i = 0; i < 4; ++i) wait(s_.clk.posedge_event());
    s_.reset.write(false);
    wait(s_.clk.posedge_event());
    for (std::uint32_t i = 0; i < requests_; ++i) request();
    finished = true;
    last_answer = sc_core::sc_time_stamp();
    sc_core::sc_stop();
  }

  void request() {
    std::uint32_t closed = 0;
    const auto packet = traffic_.next(closed);
    tb::OrderingTransaction t;
    if (packet) {
      t.request = {packet->connection, packet->psn.value(), packet->head.value(), packet->last,
                   false};
    } else {
      t.request.connection = closed;
      t.request.close = true;
    }
    sc_time delay;
    socket->b_transport(t, delay);
    if (!packet) return model_.close(closed);
    const policy::OrderingAnswer answer = model_.on_packet(*packet);
    traffic_.answered(packet->connection, answer);
    rejected += answer.tracking == policy::Tracking::rejected;
    ASSERT_EQ(t.response.tracking, static_cast<std::uint32_t>(answer.tracking));
    ASSERT_EQ(t.response.rejection, static_cast<std::uint32_t>(answer.rejection));
    ASSERT_EQ(t.response.advanced, answer.advanced);
    ASSERT_EQ(t.response.expected, answer.expected.value());
    ASSERT_EQ(t.response.completed, answer.completed);
  }

  tb::PinSignals& s_;
  policy::EunomiaEngine model_;
  tb::OrderingTraffic traffic_;
  std::uint32_t requests_;
};

void run_pins(const std::string& variant_name, std::uint32_t most_stall) {
  const auto& variant = rtl::find_eunomia_variant(variant_name);
  constexpr std::uint32_t requests = 5000;
  tb::PinSignals signals;
  tb::eunomia_pins hardware("hardware", variant);
  hardware.bind(signals);
  tb::pin_checker checker("checker", signals, bound);
  tb::tlm_to_pins adapter("adapter", signals, 7, most_stall);
  driver initiator("initiator", signals, variant, requests);
  initiator.socket.bind(adapter.socket);
  sc_start(sc_time(10, sc_core::SC_MS));
  EXPECT_TRUE(initiator.finished);
  EXPECT_EQ(checker.requests(), requests);
  EXPECT_EQ(checker.responses(), requests);
  EXPECT_GT(initiator.rejected, 100u);
  for (const auto& v : checker.violations()) ADD_FAILURE() << v;
  if (most_stall > 0) {
    EXPECT_GT(checker.waits(), requests / 10);
  }
}

TEST(Pins, AnswersAreTheModels) { run_pins("small", 0); }
TEST(Pins, AnswersAreTheModelsWithStalls) { run_pins("small", 6); }
TEST(Pins, BlockRamWithStalls) { run_pins("small_ram", 3); }

/// Wires without hardware, moved by hand; each test breaks one rule.
struct Wires {
  tb::PinSignals s;
  tb::pin_checker checker{"checker", s, 20};

  Wires() {
    clock();
    s.reset.write(false);
    s.request_ready.write(sc_dt::SC_LOGIC_1);
    s.response_valid.write(sc_dt::SC_LOGIC_0);
    clock();
  }
  void clock(int n = 1) { sc_start(n * s.clk.period()); }
  void request() {
    s.request_valid.write(true);
    clock();
    s.request_valid.write(false);
    s.request_ready.write(sc_dt::SC_LOGIC_0);
  }
  std::string fault() const {
    if (checker.violations().size() != 1) {
      return std::to_string(checker.violations().size()) + " violations";
    }
    const std::string& v = checker.violations().front();
    return v.substr(v.find(": ") + 2);
  }
};

TEST(PinChecker, SaysNothingOfGoodWires) {
  Wires w;
  w.request();
  w.s.response_valid.write(sc_dt::SC_LOGIC_1);
  w.clock(3);
  w.s.response_ready.write(true);
  w.clock();
  w.s.response_valid.write(sc_dt::SC_LOGIC_0);
  w.clock(3);
  EXPECT_TRUE(w.checker.violations().empty());
  EXPECT_EQ(w.checker.requests(), 1u);
  EXPECT_EQ(w.checker.responses(), 1u);
}

TEST(PinChecker, ARequestMayNotGoAway) {
  Wires w;
  w.s.request_ready.write(sc_dt::SC_LOGIC_0);
  w.s.request_valid.write(true);
  w.clock();
  w.s.request_valid.write(false);
  w.clock();
  EXPECT_EQ(w.fault(), "request_valid fell before request_ready");
}

TEST(PinChecker, ARequestMayNotChange) {
  Wires w;
  w.s.request_ready.write(sc_dt::SC_LOGIC_0);
  w.s.request_valid.write(true);
  w.clock();
  w.s.request.write({.connection = 1, .psn = 5, .head = 0, .last = false, .close = false});
  w.clock();
  EXPECT_EQ(w.fault(), "the request changed before request_ready");
}

TEST(PinChecker, AResponseMayNotGoAway) {
  Wires w;
  w.request();
  w.s.response_valid.write(sc_dt::SC_LOGIC_1);
  w.clock();
  w.s.response_valid.write(sc_dt::SC_LOGIC_0);
  w.clock();
  EXPECT_EQ(w.fault(), "response_valid fell before response_ready");
}

TEST(PinChecker, AResponseMayNotChange) {
  Wires w;
  w.request();
  w.s.response_valid.write(sc_dt::SC_LOGIC_1);
  w.clock();
  w.s.response.write(
      {.tracking = 1, .rejection = 0, .advanced = 0, .expected = 0, .completed = false});
  w.clock();
  EXPECT_EQ(w.fault(), "the response changed before response_ready");
}

TEST(PinChecker, AResponseNeedsARequest) {
  Wires w;
  w.s.response_valid.write(sc_dt::SC_LOGIC_1);
  w.clock();
  EXPECT_EQ(w.fault(), "a response without a request");
}

TEST(PinChecker, AResponseMustComeInTime) {
  Wires w;
  w.request();
  w.clock(19);
  EXPECT_TRUE(w.checker.violations().empty());
  w.clock(5);
  EXPECT_EQ(w.fault(), "no response in time");
}

TEST(PinChecker, NothingIsUnknownAfterReset) {
  Wires w;
  w.s.request_ready.write(sc_dt::SC_LOGIC_X);
  w.clock();
  EXPECT_EQ(w.fault(), "request_ready is unknown");
}

}  // namespace
}  // namespace horae::pins_test
