// Calls at their own times: in which order, from which processes, and beside calls that wait.
#include "horae/fabric/call_queue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "horae/fabric/packet_link.hpp"

namespace horae::fabric::call_queue_test {
namespace {

Picoseconds now() { return from_sc_time(sc_core::sc_time_stamp()); }

/// Writes down when it is called; waits as long as it is told to.
class caller final : public call_queue::caller {
 public:
  explicit caller(std::function<void(std::uint32_t)> act) : act_(std::move(act)) {}
  std::vector<std::string> calls;

 private:
  void call(std::uint32_t number) override {
    EXPECT_EQ(sc_core::sc_get_current_process_handle().proc_kind(), sc_core::SC_THREAD_PROC_);
    calls.push_back(fmt::format("{} at {}", number, now().count()));
    act_(number);
  }
  std::function<void(std::uint32_t)> act_;
};

/// Adds calls before time starts, and runs.
std::vector<std::string> calls_of(const std::function<void(call_queue&, caller&)>& add,
                                  const std::function<void(std::uint32_t)>& act) {
  call_queue queue;
  caller who(act);
  queue.begin();
  queue.begin();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  add(queue, who);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  return who.calls;
}

TEST(CallQueue, CallsComeAtTheirTimesInTheOrderOfDevicesAndSerialNumbers) {
  const auto calls = calls_of(
      [](call_queue& q, caller& who) {
        q.add(Picoseconds(300), 0, 1, who, 5);
        q.add(Picoseconds(200), 1, 1, who, 4);
        q.add(Picoseconds(200), 0, 9, who, 3);
        q.add(Picoseconds(200), 0, 2, who, 2);
        q.add(Picoseconds(100), 7, 7, who, 1);
      },
      [](std::uint32_t) {});
  EXPECT_EQ(calls,
            (std::vector<std::string>{"1 at 100", "2 at 200", "3 at 200", "4 at 200", "5 at 300"}));
}

TEST(CallQueue, ACallThatWaitsHoldsNoOther) {
  const auto calls = calls_of(
      [](call_queue& q, caller& who) {
        for (std::uint32_t i = 0; i < 20; ++i) q.add(Picoseconds(100), 0, i, who, i);
        q.add(Picoseconds(200), 0, 0, who, 20);
      },
      [](std::uint32_t number) {
        if (number % 2 == 0) sc_core::wait(sc_core::sc_time(150, sc_core::SC_PS));
      });
  ASSERT_EQ(calls.size(), 21u);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(calls[i], fmt::format("{} at 100", i));
  EXPECT_EQ(calls[20], "20 at 200");
}

// Those of one time that wait come in delta cycles of their own.
TEST(CallQueue, CallsOfOneTimeThatWaitComeOneAfterTheOther) {
  std::vector<std::uint64_t> deltas;
  calls_of(
      [](call_queue& q, caller& who) {
        for (std::uint32_t i = 0; i < 3; ++i) q.add(Picoseconds(100), 0, i, who, i);
      },
      [&](std::uint32_t) {
        deltas.push_back(sc_core::sc_delta_count());
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_NS));
      });
  ASSERT_EQ(deltas.size(), 3u);
  EXPECT_LT(deltas[0], deltas[1]);
  EXPECT_LT(deltas[1], deltas[2]);
}

TEST(CallQueue, ACallMayAddAnother) {
  call_queue* queue = nullptr;
  caller* self = nullptr;
  const auto calls = calls_of(
      [&](call_queue& q, caller& who) {
        queue = &q;
        self = &who;
        q.add(Picoseconds(100), 0, 1, who, 3);
      },
      [&](std::uint32_t number) {
        if (number > 0) queue->add(now() + Picoseconds(number - 1), 0, 1, *self, number - 1);
      });
  EXPECT_EQ(calls, (std::vector<std::string>{"3 at 100", "2 at 102", "1 at 103", "0 at 103"}));
}

}  // namespace
}  // namespace horae::fabric::call_queue_test
