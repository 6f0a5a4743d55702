// A NIC whose host memory is a target of a user's own: who calls it, what it may do, and that
// nothing else changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "horae/rnic/base_protocol_checker.hpp"
#include "nic_parts.hpp"
#include "users_memory.hpp"

namespace horae::test::users_target_test {
namespace {

using fabric::scheduling;
using fabric::sim_context;
using rnic::HostCalls;
using rnic::HostModel;
using Payload = tlm::tlm_generic_payload;
using Checker = rnic::base_protocol_checker<>;

constexpr scheduling both[] = {scheduling::windowed, scheduling::exact_wake};
constexpr HostCalls kinds[] = {HostCalls::blocking, HostCalls::non_blocking};

RnicConfig behind_pcie(HostCalls calls = HostCalls::blocking) {
  RnicConfig config = odd_latencies();
  config.host = HostModel::pcie;
  config.memory.calls = calls;
  return config;
}

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
    return counted(std::array{nics.a.get(), nics.b.get()});
  }
  double value(const Nic& nic, const std::string& name) const {
    StatTree tree;
    nic.statistics(tree);
    double found = -1;
    tree.for_each([&](const std::string& n, double value, const std::string&) {
      if (n == name) found = value;
    });
    return found;
  }

  sim_context context;
  NicPair nics;
};

/// The outcome of a pair whose first NIC has that memory.
template <class Memory, class... Args>
std::string with(scheduling mode, HostCalls calls, Args... args) {
  return in_child([&] {
    Pair pair(mode, behind_pcie(calls));
    Memory memory("memory", args...);
    pair.nics.a->host()->memory.bind(memory.socket);
    return pair.outcome();
  });
}

TEST(UsersTarget, IsCalledAtItsOwnTimeFromAThreadAndKeepsTheRules) {
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
                EXPECT_TRUE(memory.in_time);
                EXPECT_GT(memory.accesses, 1000u);
                EXPECT_EQ(memory.accesses, a.calls() + b.calls());
                EXPECT_EQ(a.count() + b.count(), 0u);
                EXPECT_EQ(a.open() + b.open(), 0u);
              }),
              "accepted");
  }
}

TEST(UsersTarget, FourPhasesKeepTheRulesAndAnswersMayOvertakeEachOther) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Pair pair(mode, behind_pcie(HostCalls::non_blocking));
                // From 40 to 280 ns.
                phased_memory memory("memory", [](std::uint64_t address) {
                  return ns(40 + 80 * static_cast<double>(address / 512 % 4));
                });
                Checker a("check_a"), b("check_b");
                pair.nics.a->host()->memory.bind(a.target_socket);
                pair.nics.b->host()->memory.bind(b.target_socket);
                a.initiator_socket.bind(memory.socket);
                b.initiator_socket.bind(memory.socket);
                pair.outcome();
                EXPECT_GT(memory.requests, 1000u);
                EXPECT_GT(memory.overtaken, 100u);
                EXPECT_EQ(a.count() + b.count(), 0u);
                EXPECT_EQ(a.open() + b.open(), 0u);
                EXPECT_EQ(pair.nics.b->counters().delivered_bytes, 8u * 64 * 1024);
                EXPECT_EQ(pair.value(*pair.nics.a, "host_errors"), 0);
              }),
              "accepted");
  }
}

// The same access times, however the target makes them: one that waits, and one that says how long
// it takes.
TEST(UsersTarget, ResultsDoNotDependOnHowATargetTakesItsTime) {
  const auto blocking = HostCalls::blocking;
  const std::string says = with<users_memory>(scheduling::windowed, blocking, users_memory::good);
  for (const scheduling mode : both) {
    EXPECT_EQ(with<users_memory>(mode, blocking, users_memory::good), says);
    EXPECT_EQ(with<users_memory>(mode, blocking, users_memory::waits), says);
  }
}

// A target that knows non-blocking transport alone. An early return ends the request when it ends
// the access, so accesses come one after the other. simple_target_socket, which converts blocking
// calls, does so likewise, but for TLM_COMPLETED, which it passes on as a delay.
TEST(UsersTarget, WithNonBlockingTransportAloneIsServedByBothKindsOfCalls) {
  using Answer = brief_memory::Answer;
  const auto blocking = HostCalls::blocking, non_blocking = HostCalls::non_blocking;
  const std::string one_by_one =
      with<brief_memory>(scheduling::windowed, blocking, Answer::response);
  const std::string together =
      with<users_memory>(scheduling::windowed, blocking, users_memory::good);
  EXPECT_NE(one_by_one, together);
  for (const scheduling mode : both) {
    EXPECT_EQ(with<brief_memory>(mode, blocking, Answer::response), one_by_one);
    EXPECT_EQ(with<brief_memory>(mode, non_blocking, Answer::response), one_by_one);
    EXPECT_EQ(with<brief_memory>(mode, non_blocking, Answer::completed), one_by_one);
    EXPECT_EQ(with<brief_memory>(mode, blocking, Answer::completed), together);
  }
}

TEST(UsersTarget, ResultsOfFourPhasesDoNotDependOnScheduling) {
  const auto run = [](scheduling mode) {
    return with<phased_memory>(mode, HostCalls::non_blocking);
  };
  EXPECT_EQ(run(scheduling::windowed), run(scheduling::exact_wake));
}

// A request ends with its early answer, so accesses come one after the other.
TEST(UsersTarget, EarlyReturnsKeepTheRules) {
  for (const scheduling mode : both) {
    for (const auto answer : {brief_memory::Answer::completed, brief_memory::Answer::response}) {
      EXPECT_EQ(outcome_in_child([&] {
                  Pair pair(mode, behind_pcie(HostCalls::non_blocking));
                  brief_memory memory("memory", answer);
                  Checker check("check");
                  pair.nics.a->host()->memory.bind(check.target_socket);
                  check.initiator_socket.bind(memory.socket);
                  pair.outcome();
                  EXPECT_GT(check.calls(), 512u);
                  EXPECT_EQ(check.count() + check.open(), 0u);
                  const bool response = answer == brief_memory::Answer::response;
                  EXPECT_EQ(memory.ends, response ? check.calls() / 2 : 0u);
                }),
                "accepted");
    }
  }
}

TEST(UsersTarget, ManyAccessesAreUnderWayAtOnce) {
  EXPECT_EQ(outcome_in_child([&] {
              Pair pair(scheduling::windowed);
              users_memory memory("memory", users_memory::waits);
              pair.nics.a->host()->memory.bind(memory.socket);
              pair.outcome();
              EXPECT_GT(memory.most_at_once, 4);
              EXPECT_LE(memory.most_at_once, 128);
            }),
            "accepted");
}

// A read is asked for when a tag is free.
TEST(UsersTarget, TagsBoundReadsUnderWay) {
  const auto at_once = [](std::uint32_t tags) {
    return in_child([&] {
      RnicConfig config = behind_pcie();
      config.pcie.tags = tags;
      Pair pair(scheduling::windowed, config);
      users_memory memory("memory", users_memory::waits);
      pair.nics.a->host()->memory.bind(memory.socket);
      pair.outcome();
      return std::to_string(memory.most_at_once);
    });
  };
  // Writes have no tags: one of a CQE may be beside them.
  EXPECT_LE(std::stoi(at_once(1)), 2);
  EXPECT_LE(std::stoi(at_once(4)), 5);
  EXPECT_GE(std::stoi(at_once(4)), 4);
}

// The NIC's own memory, bound as a user's would be: the same messages and bytes, and the last is
// done at the same time but for who is first on the link.
TEST(UsersTarget, ThatTakesWhatTheNicsOwnTakesEndsAtTheSameTime) {
  const auto run = [](scheduling mode, bool bound) {
    return std::stoll(in_child([&] {
      Pair pair(mode);
      std::vector<std::unique_ptr<rnic::host_memory>> memories;
      for (Nic* nic : {pair.nics.a.get(), pair.nics.b.get()}) {
        if (!bound) continue;
        memories.push_back(std::make_unique<rnic::host_memory>(
            sc_core::sc_gen_unique_name("memory"), nic->config().memory,
            nic->host()->time_to_target(), 1, nic->config().memory.path));
        nic->host()->memory.bind(memories.back()->socket);
      }
      pair.outcome();
      EXPECT_EQ(pair.nics.b->counters().delivered_bytes, 8u * 64 * 1024);
      return std::to_string(pair.nics.a->queue_pair(0).progress().last_completion.count());
    }));
  };
  const long long own = run(scheduling::windowed, false);
  for (const scheduling mode : both) {
    EXPECT_EQ(run(mode, false), own);
    EXPECT_NEAR(static_cast<double>(run(mode, true)), static_cast<double>(own), 20'000.0);
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

TEST(UsersTarget, ThatNeverAnswersLeavesTheRunWithNothingToDo) {
  for (const scheduling mode : both) {
    for (const HostCalls calls : kinds) {
      EXPECT_EQ(outcome_in_child([&] {
                  RnicConfig config = behind_pcie(calls);
                  config.reliability.rto = 10_ms;
                  Pair pair(mode, config);
                  brief_memory memory("memory", brief_memory::Answer::never);
                  pair.nics.a->host()->memory.bind(memory.socket);
                  EXPECT_EQ(pair.context.clock.run_to(1_ms), fabric::run_end::idle);
                  EXPECT_FALSE(pair.nics.a->finished());
                  const auto lines = pair.nics.a->describe_queues();
                  EXPECT_NE(std::find(lines.begin(), lines.end(),
                                      "a0: host memory has not answered 1 accesses"),
                            lines.end());
                }),
                "accepted");
    }
  }
}

// While the target works, the run has something to do, even if no device has.
TEST(UsersTarget, ThatTakesLongIsWaitedFor) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Pair pair(mode);
                users_memory memory("memory", [](Payload& p, sc_time& delay) {
                  sc_core::wait(delay + sc_time(50, sc_core::SC_US));
                  delay = sc_core::SC_ZERO_TIME;
                  p.set_response_status(tlm::TLM_OK_RESPONSE);
                });
                pair.nics.a->host()->memory.bind(memory.socket);
                EXPECT_EQ(pair.context.clock.run_to(40_us), fabric::run_end::reached);
                EXPECT_FALSE(pair.context.clock.idle());
                EXPECT_NE(pair.context.clock.run_to(5_ms), fabric::run_end::paused);
                EXPECT_TRUE(pair.nics.a->finished());
              }),
              "accepted");
  }
}

// A read that the target refuses is an error of its queue pair. Others go on.
TEST(UsersTarget, ThatAnswersWithAnErrorEndsItsQueuePairInError) {
  for (const scheduling mode : both) {
    for (const int good_ones : {0, 1, 5}) {
      EXPECT_EQ(outcome_in_child([&] {
                  Pair pair(mode);
                  connect_queue_pairs(*pair.nics.b, *pair.nics.a, {.a_to_b = messages(4_KiB, 3)});
                  int reads = 0;
                  users_memory memory("memory", [&](Payload& p, sc_time& delay) {
                    users_memory::good(p, delay);
                    if (p.is_read() && reads++ >= good_ones)
                      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
                  });
                  pair.nics.a->host()->memory.bind(memory.socket);
                  run_on(pair.context, 1_ms);
                  const Nic& a = *pair.nics.a;
                  EXPECT_TRUE(a.queue_pair(0).in_error());
                  EXPECT_EQ(pair.value(a, "queue_pairs_in_error"), 1);
                  EXPECT_EQ(pair.value(a, "messages_failed"), 8);
                  EXPECT_GE(pair.value(a, "host_errors"), 1);
                  EXPECT_TRUE(a.finished());
                  EXPECT_TRUE(pair.nics.b->finished());
                  EXPECT_EQ(pair.value(*pair.nics.b, "messages_completed"), 3);
                  EXPECT_EQ(pair.context.pool.live(), 0u);
                }),
                "accepted");
    }
  }
}

// Writes are posted: nobody tells the NIC.
TEST(UsersTarget, ThatRefusesWritesIsCounted) {
  for (const scheduling mode : both) {
    EXPECT_EQ(outcome_in_child([&] {
                Pair pair(mode);
                users_memory memory("memory", [&](Payload& p, sc_time& delay) {
                  users_memory::good(p, delay);
                  if (p.is_write()) p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
                });
                pair.nics.b->host()->memory.bind(memory.socket);
                pair.outcome();
                EXPECT_EQ(pair.value(*pair.nics.b, "host_errors"), 512);
                EXPECT_EQ(pair.value(*pair.nics.a, "messages_completed"), 8);
              }),
              "accepted");
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

TEST(UsersTarget, ThatAnswersTwiceIsALine) {
  for (const scheduling mode : both) {
    EXPECT_EQ(line_of(outcome_in_child([&] {
                Pair pair(mode, behind_pcie(HostCalls::non_blocking));
                struct twice : sc_core::sc_module {
                  explicit twice(sc_core::sc_module_name name) : sc_module(name) {
                    socket.register_nb_transport_fw(this, &twice::nb);
                  }
                  tlm_utils::multi_passthrough_target_socket<twice> socket{"socket"};
                  tlm::tlm_sync_enum nb(int, Payload& p, tlm::tlm_phase&, sc_time&) {
                    sc_core::sc_spawn([this, &p] {
                      for (int i = 0; i < 2; ++i) {
                        sc_core::wait(ns(80));
                        tlm::tlm_phase phase = tlm::END_REQ;
                        sc_time none;
                        socket[0]->nb_transport_bw(p, phase, none);
                      }
                    });
                    return tlm::TLM_ACCEPTED;
                  }
                } memory("memory");
                pair.nics.a->host()->memory.bind(memory.socket);
                pair.context.clock.run_to(1_ms);
              })),
              "a0.host: the target at `memory` ends a request that is over: a read of 512 bytes at "
              "0x100000000");
  }
}

/// Bytes from address 0 on; others are refused.
users_memory::Act memory_of(std::uint64_t bytes) {
  return [bytes](Payload& p, sc_time& delay) {
    users_memory::good(p, delay);
    if (p.get_address() + p.get_data_length() > bytes)
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
}

TEST(UsersTarget, OfOneGibibyteAtZeroHoldsAllThatANicAccesses) {
  const auto errors = [](std::optional<Bytes> size, Bytes base) {
    return in_child([&] {
      RnicConfig config = behind_pcie();
      config.memory.size = size;
      config.memory.base = base;
      Pair pair(scheduling::windowed, config);
      users_memory a("memory_a", memory_of(1u << 30)), b("memory_b", memory_of(1u << 30));
      pair.nics.a->host()->memory.bind(a.socket);
      pair.nics.b->host()->memory.bind(b.socket);
      pair.outcome();
      EXPECT_GE(a.least, static_cast<std::uint64_t>(base.count()));
      return fmt::format("{} {}", pair.value(*pair.nics.a, "host_errors"),
                         pair.value(*pair.nics.b, "host_errors"));
    });
  };
  EXPECT_EQ(errors(1024_MiB, 0_B), "0 0");
  EXPECT_EQ(errors(16_MiB, 512_MiB), "0 0");
  EXPECT_EQ(errors(std::nullopt, 0_B).substr(0, 2), "1 ");
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
