// Host memory as users write it, shared by tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "horae/fabric/packet_link.hpp"
#include "horae/rnic/rnic.hpp"

namespace horae::test {

using sc_core::sc_time;

inline sc_time ns(double t) { return {t, sc_core::SC_NS}; }

/// Loosely timed, for any number of initiators: 80 ns for each access, or what it is told to do.
class users_memory : public sc_core::sc_module {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Act = std::function<void(Payload&, sc_time&)>;
  explicit users_memory(sc_core::sc_module_name name, Act act = good)
      : sc_module(name), act_(std::move(act)) {
    socket.register_b_transport(this, &users_memory::b_transport);
  }
  tlm_utils::multi_passthrough_target_socket<users_memory> socket{"socket"};
  std::uint64_t accesses = 0;
  std::uint64_t least = ~std::uint64_t{0}, most = 0;  ///< addresses of bytes
  bool from_threads = true;
  bool in_time = true;  ///< called without an annotated delay
  int most_at_once = 0;

  static void good(Payload& p, sc_time& delay) {
    delay += ns(80);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  /// The same, but it lets the time go by.
  static void waits(Payload& p, sc_time& delay) {
    sc_core::wait(delay + ns(80));
    delay = sc_core::SC_ZERO_TIME;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }

 private:
  void b_transport(int, Payload& p, sc_time& delay) {
    ++accesses;
    least = std::min<std::uint64_t>(least, p.get_address());
    most = std::max<std::uint64_t>(most, p.get_address() + p.get_data_length() - 1);
    const auto process = sc_core::sc_get_current_process_handle();
    from_threads &= process.proc_kind() == sc_core::SC_THREAD_PROC_;
    in_time &= delay == sc_core::SC_ZERO_TIME;
    most_at_once = std::max(most_at_once, ++at_once_);
    act_(p, delay);
    --at_once_;
  }
  Act act_;
  int at_once_ = 0;
};

/// Knows non-blocking transport alone: each request is taken after 5 ns, and answered in four
/// phases after `latency` of its address.
class phased_memory : public sc_core::sc_module {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Latency = std::function<sc_time(std::uint64_t address)>;
  explicit phased_memory(
      sc_core::sc_module_name name, Latency latency = [](std::uint64_t) { return ns(80); })
      : sc_module(name), latency_(std::move(latency)) {
    socket.register_nb_transport_fw(this, &phased_memory::nb_transport_fw);
  }
  tlm_utils::multi_passthrough_target_socket<phased_memory> socket{"socket"};
  std::uint64_t requests = 0, overtaken = 0;  ///< answered after one that came later

 private:
  tlm::tlm_sync_enum nb_transport_fw(int from, Payload& p, tlm::tlm_phase& phase, sc_time& t) {
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    EXPECT_EQ(t, sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(p.has_mm());
    p.acquire();
    sc_core::sc_spawn([this, from, &p, number = requests++] { serve(from, p, number); });
    return tlm::TLM_ACCEPTED;
  }
  void serve(int from, Payload& p, std::uint64_t number) {
    sc_core::wait(ns(5));
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_time none;
    EXPECT_EQ(socket[from]->nb_transport_bw(p, phase, none), tlm::TLM_ACCEPTED);
    sc_core::wait(latency_(p.get_address()) - ns(5));
    overtaken += number < last_answered_ ? 1 : 0;
    last_answered_ = std::max(last_answered_, number);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = tlm::BEGIN_RESP;
    none = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(socket[from]->nb_transport_bw(p, phase, none), tlm::TLM_UPDATED);
    EXPECT_EQ(phase, tlm::END_RESP);
    p.release();
  }
  Latency latency_;
  std::uint64_t last_answered_ = 0;
};

/// Non-blocking transport with an early return, or none.
class brief_memory : public sc_core::sc_module {
 public:
  enum class Answer { completed, response, never };
  brief_memory(sc_core::sc_module_name name, Answer answer) : sc_module(name), answer_(answer) {
    socket.register_nb_transport_fw(this, &brief_memory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<brief_memory> socket{"socket"};
  std::uint64_t ends = 0;  ///< END_RESP

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_time& t) {
    if (phase == tlm::END_RESP) {
      ++ends;
      return tlm::TLM_COMPLETED;
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (answer_ == Answer::never) return tlm::TLM_ACCEPTED;
    t += ns(80);
    if (answer_ == Answer::completed) return tlm::TLM_COMPLETED;
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }
  Answer answer_;
};

/// All that NICs counted, a line each.
template <class Nics>
std::string counted(const Nics& nics) {
  std::string text;
  for (const auto* nic : nics) {
    StatTree tree;
    nic->statistics(tree);
    tree.for_each([&](const std::string& name, double value, const std::string&) {
      text += fmt::format("{} {}\n", name, value);
    });
  }
  return text;
}

}  // namespace horae::test
