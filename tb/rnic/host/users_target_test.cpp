// A NIC whose host memory is a target of a user's own: who calls it, what a target may not do, and
// that nothing else changes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "horae/rnic/base_protocol_checker.hpp"
#include "nic_parts.hpp"

namespace horae::test::users_target_test {
namespace {

using fabric::scheduling;
using fabric::sim_context;
using rnic::HostModel;
using sc_core::sc_time;
using Payload = tlm::tlm_generic_payload;
using Checker = rnic::base_protocol_checker<>;

constexpr scheduling both[] = {scheduling::windowed, scheduling::exact_wake};

sc_time ns(double t) { return {t, sc_core::SC_NS}; }

RnicConfig behind_pcie() {
  RnicConfig config = odd_latencies();
  config.host = HostModel::pcie;
  return config;
}

/// A user's memory, as one writes it: 80 ns for each access.
class users_memory : public sc_core::sc_module {
 public:
  using Act = std::function<void(Payload&, sc_time&)>;
  explicit users_memory(sc_core::sc_module_name name, Act act = good)
      : sc_module(name), act_(std::move(act)) {
    socket.register_b_transport(this, &users_memory::b_transport);
  }
  tlm_utils::multi_passthrough_target_socket<users_memory> socket{"socket"};
  std::uint64_t accesses = 0;
  bool from_threads = true;

  static void good(Payload& p, sc_time& delay) {
    delay += ns(80);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }

 private:
  void b_transport(int, Payload& p, sc_time& delay) {
    ++accesses;
    const auto process = sc_core::sc_get_current_process_handle();
    from_threads &= process.proc_kind() == sc_core::SC_THREAD_PROC_;
    act_(p, delay);
  }
  Act act_;
};

/// One that knows non-blocking transport alone.
class phased_memory : public sc_core::sc_module {
 public:
  enum class Answer { completed, response, later, never };
  phased_memory(sc_core::sc_module_name name, Answer answer) : sc_module(name), answer_(answer) {
    socket.register_nb_transport_fw(this, &phased_memory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<phased_memory> socket{"socket"};

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& p, tlm::tlm_phase& phase, sc_time& t) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (answer_ == Answer::never) return tlm::TLM_ACCEPTED;
    if (answer_ == Answer::completed) {
      t += ns(80);
      return tlm::TLM_COMPLETED;
    }
    if (answer_ == Answer::response) {
      phase = tlm::BEGIN_RESP;
      t += ns(80);
      return tlm::TLM_UPDATED;
    }
    sc_core::sc_spawn([this, &p] {
      sc_core::wait(ns(80));
      tlm::tlm_phase back = tlm::BEGIN_RESP;
      sc_time none;
      socket->nb_transport_bw(p, back, none);
    });
    return tlm::TLM_ACCEPTED;
  }
  Answer answer_;
};

/// Two NICs, eight messages from the first; memory of the first is what `bind` binds.
struct Pair {
  explicit Pair(scheduling mode, RnicConfig config = behind_pcie())
      : context({.mode = mode}), nics(context, config) {
    connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = messages(64_KiB, 8)});
  }
  /// Times at which all is done, and all that was counted.
  std::string outcome() {
    run_on(context, 1_ms);
    EXPECT_TRUE(nics.a->finished());
    std::string text;
    for (Nic* nic : {nics.a.get(), nics.b.get()}) {
      StatTree tree;
      nic->statistics(tree);
      tree.for_each([&](const std::string& name, double value, const std::string&) {
        text += fmt::format("{} {}\n", name, value);
      });
    }
    return text;
  }

  sim_context context;
  NicPair nics;
};

std::string process_kind(const char* name) {
  const auto* process = sc_core::sc_find_object(name);
  return process == nullptr ? "none" : process->kind();
}

TEST(UsersTarget, IsCalledFromAThreadAndKeepsTheRules) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Pair pair(mode);
                users_memory memory("memory");
                Checker a("check_a"), b("check_b");
                pair.nics.a->host()->memory.bind(a.target_socket);
                pair.nics.b->host()->memory.bind(b.target_socket);
                a.initiator_socket.bind(memory.socket);
                b.initiator_socket.bind(memory.socket);
                pair.outcome();
                EXPECT_TRUE(memory.from_threads);
                EXPECT_GT(memory.accesses, 1000u);
                EXPECT_EQ(memory.accesses, a.calls() + b.calls());
                EXPECT_EQ(a.count() + b.count(), 0u);
                EXPECT_EQ(a.open() + b.open(), 0u);
              }),
              "accepted");
  }
}

TEST(UsersTarget, WithoutOneDevicesKeepTheirMethodProcess) {
  const auto kinds = [](scheduling mode, bool bound) {
    return in_child([&] {
      Pair pair(mode);
      const auto memory = bound ? std::make_unique<users_memory>("memory") : nullptr;
      if (bound) pair.nics.a->host()->memory.bind(memory->socket);
      pair.outcome();
      return process_kind("clock.next_window") + " " + process_kind("clock.next_windows") + ", " +
             process_kind("a0.run_wake") + " " + process_kind("a0.run_wakes") + ", " +
             process_kind("b0.run_wake");
    });
  };
  EXPECT_EQ(kinds(scheduling::windowed, false), "sc_method_process none, none none, none");
  EXPECT_EQ(kinds(scheduling::windowed, true), "none sc_thread_process, none none, none");
  EXPECT_EQ(kinds(scheduling::exact_wake, false),
            "none none, sc_method_process none, sc_method_process");
  EXPECT_EQ(kinds(scheduling::exact_wake, true),
            "none none, none sc_thread_process, sc_method_process");
}

// The NIC's own memory, bound as a user's would be: a thread, a socket, and the same results, with
// the checker between them or not.
TEST(UsersTarget, ThatTakesWhatTheNicsOwnTakesChangesNothing) {
  const auto run = [](scheduling mode, bool bound, bool checked) {
    return in_child([&] {
      Pair pair(mode);
      std::vector<std::unique_ptr<rnic::host_memory>> memories;
      std::vector<std::unique_ptr<Checker>> checkers;
      for (Nic* nic : {pair.nics.a.get(), pair.nics.b.get()}) {
        if (!bound) continue;
        memories.push_back(std::make_unique<rnic::host_memory>(
            sc_core::sc_gen_unique_name("memory"), nic->config().memory,
            nic->host()->link().unloaded_read(64_B), 1));
        if (!checked) {
          nic->host()->memory.bind(memories.back()->socket);
          continue;
        }
        checkers.push_back(std::make_unique<Checker>(sc_core::sc_gen_unique_name("checker")));
        nic->host()->memory.bind(checkers.back()->target_socket);
        checkers.back()->initiator_socket.bind(memories.back()->socket);
      }
      return pair.outcome();
    });
  };
  const std::string own = run(scheduling::windowed, false, false);
  for (const scheduling mode : both) {
    EXPECT_EQ(run(mode, false, false), own);
    EXPECT_EQ(run(mode, true, false), own);
    EXPECT_EQ(run(mode, true, true), own);
  }
}

/// How a run ends with that memory; `by`: run_to() or sc_start() of the program.
std::string ends(scheduling mode, bool by_run_to, const users_memory::Act& act) {
  return outcome_in_child([&] {
    Pair pair(mode);
    users_memory memory("memory", act);
    pair.nics.a->host()->memory.bind(memory.socket);
    by_run_to ? static_cast<void>(pair.context.clock.run_to(1_ms))
              : sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  });
}

/// The first line of an sc_report without its type, or the line of a ModelError.
std::string line_of(const std::string& outcome) {
  std::string line = outcome.substr(0, outcome.find('\n'));
  for (const std::string start : {"ModelError: ", "sc_report: Error: /horae/model_error: "}) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "?? " + line;
}

constexpr const char* waits =
    "a0.host: the target at `memory` waits in b_transport for a read of 512 bytes at 0x100000000: "
    "expected it to return at once, and to add the time that it takes to the annotated delay";

TEST(UsersTarget, ThatWaitsIsALine) {
  const std::vector<users_memory::Act> waiting = {
      [](Payload& p, sc_time& delay) {
        sc_core::wait(delay + ns(80));
        delay = sc_core::SC_ZERO_TIME;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
      },
      [](Payload&, sc_time&) { sc_core::wait(sc_core::sc_event("never")); }};
  for (const auto& act : waiting) {
    for (const scheduling mode : both) {
      for (const bool by_run_to : {true, false}) {
        EXPECT_EQ(line_of(ends(mode, by_run_to, act)), waits);
      }
    }
  }
}

// A delta cycle is no time.
TEST(UsersTarget, ThatWaitsForNoTimeIsServed) {
  for (const scheduling mode : both) {
    EXPECT_EQ(ends(mode, true,
                   [](Payload& p, sc_time& delay) {
                     sc_core::wait(sc_core::SC_ZERO_TIME);
                     users_memory::good(p, delay);
                   }),
              "accepted");
  }
}

TEST(UsersTarget, WithNonBlockingTransportAloneIsALine) {
  using Answer = phased_memory::Answer;
  for (const Answer answer : {Answer::completed, Answer::response, Answer::later, Answer::never}) {
    for (const scheduling mode : both) {
      EXPECT_EQ(line_of(outcome_in_child([&] {
                  Pair pair(mode);
                  phased_memory memory("memory", answer);
                  pair.nics.a->host()->memory.bind(memory.socket);
                  pair.context.clock.run_to(1_ms);
                })),
                waits);
    }
  }
}

TEST(UsersTarget, ThatAnswersWithAnErrorIsALine) {
  for (const scheduling mode : both) {
    for (const bool by_run_to : {true, false}) {
      EXPECT_EQ(line_of(ends(mode, by_run_to,
                             [](Payload& p, sc_time&) {
                               p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
                             })),
                "a0.host: host memory answers TLM_ADDRESS_ERROR_RESPONSE to a read of 512 bytes at "
                "0x100000000");
    }
  }
}

// An exception or report of the target ends the run, and nothing that it left in the payload
// outlives it.
TEST(UsersTarget, ThatThrowsIsALine) {
  struct note : tlm::tlm_extension<note> {
    tlm_extension_base* clone() const override { return new note; }
    void copy_from(const tlm_extension_base&) override {}
  };
  const auto throwing = [](Payload& p, sc_time&) {
    note on_stack;
    p.set_extension(&on_stack);
    throw std::runtime_error("a fault of the target");
  };
  for (const scheduling mode : both) {
    try {
      ADD_FAILURE() << ends(mode, true, throwing);
    } catch (const ChildFailure& e) {
      EXPECT_STREQ(e.what(), "a fault of the target");  // run_to() throws it as it is
    }
    EXPECT_EQ(line_of(ends(mode, false, throwing)), "a0: a fault of the target");
  }
}

TEST(UsersTarget, APacketForAnUnknownQueuePairIsCounted) {
  for (const HostModel host : {HostModel::none, HostModel::pcie}) {
    for (const scheduling mode : both) {
      EXPECT_EQ(outcome_in_child([&] {
                  RnicConfig config = behind_pcie();
                  config.host = host;
                  config.sram.limited = host == HostModel::pcie;
                  sim_context context({.mode = mode});
                  NicPair nics(context, config);
                  // The first queue pair of a has none at its other end.
                  nics.a->add_queue_pair({.remote = Qpn(Nic::first_qpn + 7),
                                          .peer = 1,
                                          .first_send = {},
                                          .first_receive = {},
                                          .source = messages(1_KiB, 1)});
                  nics.b->add_queue_pair({.remote = Qpn(Nic::first_qpn + 1),
                                          .peer = 0,
                                          .first_send = {},
                                          .first_receive = {},
                                          .source = {}});
                  run_on(context, 100_us);
                  EXPECT_GE(context.pool.dropped(fabric::DropCause::unknown_qp), 1u);
                  EXPECT_EQ(context.pool.dropped(),
                            context.pool.dropped(fabric::DropCause::unknown_qp));
                  EXPECT_EQ(context.pool.created(), context.pool.dropped() + context.pool.live());
                }),
                "accepted");
    }
  }
}

}  // namespace
}  // namespace horae::test::users_target_test
