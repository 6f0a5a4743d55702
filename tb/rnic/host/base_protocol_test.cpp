// The checker of the base protocol: silent where the rules are kept, and a finding for each rule
// that an initiator or a target breaks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "forked.hpp"
#include "horae/rnic/base_protocol_checker.hpp"
#include "horae/rnic/host_memory.hpp"

namespace horae::test::base_protocol_test {
namespace {

using Payload = tlm::tlm_generic_payload;
using Phase = tlm::tlm_phase;
using Sync = tlm::tlm_sync_enum;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;
using Checker = rnic::base_protocol_checker<>;

sc_time ns(double t) { return {t, sc_core::SC_NS}; }

struct Note : tlm::tlm_extension<Note> {
  tlm_extension_base* clone() const override { return new Note; }
  void copy_from(const tlm_extension_base&) override {}
};

/// Keeps nothing: payloads of these tests live longer than they are used.
struct Keeper : tlm::tlm_mm_interface {
  void free(Payload*) override {}
};

/// A read of 64 bytes, as the rules want it; with `keeper` managed and acquired.
struct Access : Payload {
  explicit Access(Keeper* keeper = nullptr, tlm::tlm_command command = tlm::TLM_READ_COMMAND) {
    set_command(command);
    set_address(0x1000);
    set_data_ptr(bytes.data());
    set_data_length(static_cast<unsigned>(bytes.size()));
    set_streaming_width(static_cast<unsigned>(bytes.size()));
    if (keeper == nullptr) return;
    set_mm(keeper);
    acquire();
  }
  std::array<unsigned char, 64> bytes{};
  std::array<unsigned char, 2> enables{TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
};

class initiator : public sc_core::sc_module {
 public:
  explicit initiator(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_nb_transport_bw(this, &initiator::called_back);
    SC_HAS_PROCESS(initiator);
    SC_THREAD(run);
    SC_METHOD(step);
  }
  tlm_utils::simple_initiator_socket<initiator> socket{"socket"};
  std::function<void()> thread, method;
  std::function<Sync(Payload&, Phase&, sc_time&)> bw = [](Payload&, Phase&, sc_time&) {
    return tlm::TLM_ACCEPTED;
  };

 private:
  void run() {
    if (thread) thread();
  }
  void step() {
    if (method) method();
  }
  Sync called_back(Payload& p, Phase& phase, sc_time& t) { return bw(p, phase, t); }
};

/// Does what a test says; by default what the rules want.
class target : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  explicit target(sc_core::sc_module_name name) : sc_module(name) {
    socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  }
  tlm::tlm_target_socket<> socket{"socket"};
  std::function<void(Payload&, sc_time&)> b = [](Payload& p, sc_time& t) {
    t += ns(10);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  };
  std::function<Sync(Payload&, Phase&, sc_time&)> nb = [](Payload&, Phase&, sc_time&) {
    return tlm::TLM_ACCEPTED;
  };
  std::function<bool(Payload&, tlm::tlm_dmi&)> dmi = [](Payload&, tlm::tlm_dmi&) { return false; };
  std::function<unsigned(Payload&)> dbg = [](Payload& p) { return p.get_data_length(); };

 private:
  void b_transport(Payload& p, sc_time& t) override { b(p, t); }
  Sync nb_transport_fw(Payload& p, Phase& phase, sc_time& t) override { return nb(p, phase, t); }
  bool get_direct_mem_ptr(Payload& p, tlm::tlm_dmi& d) override { return dmi(p, d); }
  unsigned transport_dbg(Payload& p) override { return dbg(p); }
};

/// An initiator and a target with the checker between them.
struct Bench {
  Bench() {
    from.socket.bind(checker.target_socket);
    checker.initiator_socket.bind(to.socket);
  }
  void b(Payload& p, sc_time t = SC_ZERO_TIME) { from.socket->b_transport(p, t); }
  Sync fw(Payload& p, Phase phase, sc_time t = SC_ZERO_TIME) {
    return from.socket->nb_transport_fw(p, phase, t);
  }
  Sync bw(Payload& p, Phase phase, sc_time t = SC_ZERO_TIME) {
    return to.socket->nb_transport_bw(p, phase, t);
  }
  /// A response with its status.
  Sync respond(Payload& p, sc_time t = SC_ZERO_TIME) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return bw(p, tlm::BEGIN_RESP, t);
  }

  Keeper keeper;
  initiator from{"from"};
  target to{"to"};
  Checker checker{"checker"};
};

/// The rules that are broken when `work` is what the initiator's thread does, in order, and how
/// many transactions are left.
std::string findings(const std::function<void(Bench&)>& prepare,
                     const std::function<void(Bench&)>& work) {
  return in_child([&] {
    sc_core::sc_report_handler::set_actions(Checker::report_type, sc_core::SC_DO_NOTHING);
    Bench bench;
    if (prepare) prepare(bench);
    if (work) bench.from.thread = [&] { work(bench); };
    sc_core::sc_start(sc_time(1, sc_core::SC_US));
    EXPECT_GT(bench.checker.calls(), 0u);
    std::string text;
    for (const auto& broken : bench.checker.broken()) text += broken.rule + " ";
    if (bench.checker.open() > 0) text += fmt::format("{} open", bench.checker.open());
    return text;
  });
}

/// An access by blocking transport, with an initiator that gets it wrong.
std::string of_access(const std::function<void(Access&)>& spoil) {
  return findings({}, [&](Bench& bench) {
    Access access;
    spoil(access);
    bench.b(access);
  });
}

TEST(BaseProtocol, AnAccessAsTheRulesWantItIsSilent) {
  EXPECT_EQ(of_access([](Access&) {}), "");
  EXPECT_EQ(of_access([](Access& a) {
              a.set_command(tlm::TLM_WRITE_COMMAND);
              a.set_byte_enable_ptr(a.enables.data());
              a.set_byte_enable_length(2);
              a.set_streaming_width(8);
            }),
            "");
  EXPECT_EQ(of_access([](Access& a) {
              a.set_command(tlm::TLM_IGNORE_COMMAND);
              a.set_data_ptr(nullptr);
            }),
            "");
}

TEST(BaseProtocol, AttributesThatAnInitiatorGetsWrong) {
  EXPECT_EQ(of_access([](Access& a) { a.set_command(static_cast<tlm::tlm_command>(77)); }),
            "14.9 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_data_ptr(nullptr); }), "14.11 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_data_length(0); }), "14.12 ");
  EXPECT_EQ(of_access([](Access& a) {
              a.enables[1] = 0x80;
              a.set_byte_enable_ptr(a.enables.data());
              a.set_byte_enable_length(2);
            }),
            "14.13 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_byte_enable_ptr(a.enables.data()); }), "14.14 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_streaming_width(0); }), "14.15 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_dmi_allowed(true); }), "14.16 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_response_status(tlm::TLM_OK_RESPONSE); }), "14.17 ");
  EXPECT_EQ(of_access([](Access& a) { a.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED); }), "14.8 ");
}

TEST(BaseProtocol, BlockingTransportFromAMethodProcess) {
  EXPECT_EQ(findings(
                [](Bench& bench) {
                  bench.from.method = [&bench] {
                    Access access;
                    bench.b(access);
                  };
                },
                {}),
            "11.1.1.4 ");
}

TEST(BaseProtocol, APayloadThatIsStillInUse) {
  const auto slow = [](Bench& bench) {
    bench.to.b = [](Payload& p, sc_time& t) {
      sc_core::wait(ns(50));
      t += ns(10);
      p.set_response_status(tlm::TLM_OK_RESPONSE);
    };
  };
  EXPECT_EQ(findings(slow,
                     [](Bench& bench) {
                       Access access;
                       sc_core::sc_spawn([&] { bench.b(access); });
                       sc_core::wait(ns(10));
                       bench.b(access);
                       sc_core::wait(ns(100));
                     }),
            "14.5 ");
  // Two of two processes at once are as they should be.
  EXPECT_EQ(findings(slow,
                     [](Bench& bench) {
                       Access one, two;
                       sc_core::sc_spawn([&] { bench.b(one); });
                       bench.b(two);
                       sc_core::wait(ns(100));
                     }),
            "");
}

/// A write by blocking transport with byte enables, with a target that gets it wrong.
std::string of_answer(const std::function<void(Payload&, sc_time&)>& answer, bool managed = false) {
  return findings([&](Bench& bench) { bench.to.b = answer; },
                  [&](Bench& bench) {
                    Access access(managed ? &bench.keeper : nullptr, tlm::TLM_WRITE_COMMAND);
                    access.set_byte_enable_ptr(access.enables.data());
                    access.set_byte_enable_length(2);
                    bench.b(access, ns(100));
                    access.set_extension(static_cast<Note*>(nullptr));
                    access.set_mm(nullptr);
                  });
}

/// The same, but for what `spoil` does.
std::string of_spoilt(const std::function<void(Payload&)>& spoil, bool managed = false) {
  return of_answer(
      [&](Payload& p, sc_time&) {
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        spoil(p);
      },
      managed);
}

TEST(BaseProtocol, WhatATargetMayNotChange) {
  static std::array<unsigned char, 64> others{};
  static Keeper keeper;
  static Note note;
  EXPECT_EQ(of_spoilt([](Payload&) {}), "");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_address(7); }), "");  // an interconnect may
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_dmi_allowed(true); }), "");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_command(tlm::TLM_READ_COMMAND); }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_data_length(32); }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_streaming_width(8); }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_data_ptr(others.data()); }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.get_data_ptr()[63] = 1; }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_byte_enable_ptr(nullptr); }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_byte_enable_length(1); }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.get_byte_enable_ptr()[0] = 0; }), "14.7 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_extension(&note); }), "14.21 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_extension(&note); }, true), "");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.set_mm(&keeper); }), "14.5 ");
  EXPECT_EQ(of_spoilt([](Payload& p) { p.release(); }, true), "14.5 ");
}

TEST(BaseProtocol, AnswersOfBlockingTransport) {
  EXPECT_EQ(of_answer([](Payload&, sc_time&) {}), "14.17 ");
  const auto at = [](double time, double wait) {
    return of_answer([=](Payload& p, sc_time& t) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      sc_core::wait(ns(wait));
      t = ns(time);
    });
  };
  EXPECT_EQ(at(100, 0), "");
  EXPECT_EQ(at(99, 0), "11.1.3 ");
  EXPECT_EQ(at(0, 100), "");  // waited for it
  EXPECT_EQ(at(0, 99), "11.1.3 ");
}

/// A transaction by non-blocking transport, which the target takes at once.
std::string of_steps(const std::function<void(Bench&, Access&)>& steps) {
  return findings({}, [&](Bench& bench) {
    static Keeper keeper;
    static Access access(&keeper);
    bench.fw(access, tlm::BEGIN_REQ);
    sc_core::wait(ns(10));
    steps(bench, access);
  });
}

TEST(BaseProtocol, FourPhasesAreSilent) {
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              bench.bw(a, tlm::END_REQ, ns(5));
              bench.respond(a, ns(20));
              bench.fw(a, tlm::END_RESP, ns(20));
            }),
            "");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {  // BEGIN_RESP ends the request
              bench.respond(a);
              bench.fw(a, tlm::END_RESP);
            }),
            "");
  EXPECT_EQ(of_steps([](Bench&, Access&) {}), "1 open");
}

TEST(BaseProtocol, PhasesThatDoNotFollow) {
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) { bench.fw(a, tlm::END_RESP); }), "15.2.4 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) { bench.fw(a, tlm::END_REQ); }), "15.2.4 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) { bench.bw(a, tlm::BEGIN_REQ); }),
            "15.2.4 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) { bench.bw(a, tlm::UNINITIALIZED_PHASE); }),
            "15.2.4 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              bench.bw(a, tlm::END_REQ);
              bench.bw(a, tlm::END_REQ);
            }),
            "15.2.4 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              bench.respond(a);
              bench.respond(a);
            }),
            "15.2.4 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) { bench.fw(a, tlm::BEGIN_REQ); }), "14.5 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) { bench.bw(a, tlm::BEGIN_RESP); }),
            "14.17 1 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access&) {
              Access other;
              bench.bw(other, tlm::END_REQ);
            }),
            "15.2.4 1 open");
}

DECLARE_EXTENDED_PHASE(of_somebody);

TEST(BaseProtocol, PhasesOfOthersAreIgnored) {
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              bench.fw(a, of_somebody);
              bench.bw(a, of_somebody);
              bench.respond(a);
              bench.fw(a, tlm::END_RESP);
            }),
            "");
}

TEST(BaseProtocol, ATransactionDoesNotGoBackInTime) {
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              bench.bw(a, tlm::END_REQ, ns(30));
              bench.respond(a, ns(20));
            }),
            "15.2.7 1 open");
}

TEST(BaseProtocol, OneRequestAndOneResponseAtATime) {
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              static Access other(&bench.keeper);
              bench.fw(other, tlm::BEGIN_REQ);
              bench.bw(a, tlm::END_REQ);
            }),
            "15.2.6 2 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              static Access other(&bench.keeper);
              bench.bw(a, tlm::END_REQ);
              bench.fw(other, tlm::BEGIN_REQ);
              bench.respond(a);
              bench.respond(other);
            }),
            "15.2.6 2 open");
  EXPECT_EQ(of_steps([](Bench& bench, Access& a) {
              static Access other(&bench.keeper);
              bench.bw(a, tlm::END_REQ);
              bench.fw(other, tlm::BEGIN_REQ);
              bench.respond(other);  // out of order is allowed
              bench.fw(other, tlm::END_RESP);
              bench.respond(a);
              bench.fw(a, tlm::END_RESP);
            }),
            "");
}

TEST(BaseProtocol, PayloadsOfNonBlockingTransportHaveAMemoryManager) {
  EXPECT_EQ(findings({},
                     [](Bench& bench) {
                       static Access access;
                       bench.fw(access, tlm::BEGIN_REQ);
                     }),
            "14.5 1 open");
  EXPECT_EQ(findings({},
                     [](Bench& bench) {
                       static Access access;
                       access.set_mm(&bench.keeper);
                       bench.fw(access, tlm::BEGIN_REQ);
                     }),
            "14.5 1 open");
}

/// A request that the target answers so at once.
std::string of_return(Sync result, Phase phase, sc_time more = SC_ZERO_TIME,
                      const std::function<void(Bench&, Payload&)>& meanwhile = {}) {
  return findings(
      [&](Bench& bench) {
        bench.to.nb = [&, result, phase, more](Payload& p, Phase& now, sc_time& t) {
          if (now != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
          if (meanwhile) meanwhile(bench, p);
          p.set_response_status(tlm::TLM_OK_RESPONSE);
          now = phase;
          t += more;
          return result;
        };
      },
      [](Bench& bench) {
        static Access access(&bench.keeper);
        bench.fw(access, tlm::BEGIN_REQ, ns(5));
      });
}

TEST(BaseProtocol, WhatATargetMayReturn) {
  EXPECT_EQ(of_return(tlm::TLM_ACCEPTED, tlm::BEGIN_REQ), "1 open");
  EXPECT_EQ(of_return(tlm::TLM_UPDATED, tlm::END_REQ, ns(1)), "1 open");
  EXPECT_EQ(of_return(tlm::TLM_UPDATED, tlm::BEGIN_RESP, ns(1)), "1 open");
  EXPECT_EQ(of_return(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, ns(1)), "");
  EXPECT_EQ(of_return(tlm::TLM_ACCEPTED, tlm::END_REQ), "11.1.2 1 open");
  EXPECT_EQ(of_return(tlm::TLM_ACCEPTED, tlm::BEGIN_REQ, ns(1)), "11.1.2 1 open");
  EXPECT_EQ(of_return(tlm::TLM_UPDATED, tlm::END_RESP), "15.2.4 1 open");
  EXPECT_EQ(of_return(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, ns(-1)), "15.2.7 ");
}

TEST(BaseProtocol, NonBlockingTransportDoesNotWaitAndDoesNotTurnRound) {
  EXPECT_EQ(of_return(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, SC_ZERO_TIME,
                      [](Bench&, Payload&) { sc_core::wait(SC_ZERO_TIME); }),
            "11.1.2 ");
  EXPECT_EQ(of_return(tlm::TLM_ACCEPTED, tlm::BEGIN_REQ, SC_ZERO_TIME,
                      [](Bench& bench, Payload& p) { bench.bw(p, tlm::END_REQ, ns(5)); }),
            "11.1.2 1 open");
}

/// An initiator that answers END_REQ or BEGIN_RESP so.
std::string of_reply(Phase to, Sync result, Phase phase) {
  return findings(
      [=](Bench& bench) {
        bench.from.bw = [=](Payload&, Phase& now, sc_time&) {
          if (now != to) return tlm::TLM_ACCEPTED;
          now = phase;
          return result;
        };
      },
      [=](Bench& bench) {
        static Access access(&bench.keeper);
        bench.fw(access, tlm::BEGIN_REQ);
        sc_core::wait(ns(10));
        if (to == tlm::END_REQ) bench.bw(access, tlm::END_REQ);
        if (to == tlm::BEGIN_RESP) bench.respond(access);
      });
}

TEST(BaseProtocol, WhatAnInitiatorMayReturn) {
  EXPECT_EQ(of_reply(tlm::END_REQ, tlm::TLM_ACCEPTED, tlm::END_REQ), "1 open");
  EXPECT_EQ(of_reply(tlm::END_REQ, tlm::TLM_UPDATED, tlm::END_REQ), "15.2.4 1 open");
  EXPECT_EQ(of_reply(tlm::END_REQ, tlm::TLM_COMPLETED, tlm::END_REQ), "15.2.4 1 open");
  EXPECT_EQ(of_reply(tlm::BEGIN_RESP, tlm::TLM_ACCEPTED, tlm::BEGIN_RESP), "1 open");
  EXPECT_EQ(of_reply(tlm::BEGIN_RESP, tlm::TLM_UPDATED, tlm::END_RESP), "");
  EXPECT_EQ(of_reply(tlm::BEGIN_RESP, tlm::TLM_COMPLETED, tlm::BEGIN_RESP), "");
  EXPECT_EQ(of_reply(tlm::BEGIN_RESP, tlm::TLM_UPDATED, tlm::BEGIN_REQ), "15.2.4 1 open");
}

/// A request for direct memory access that is answered so.
std::string of_dmi(const std::function<bool(Payload&, tlm::tlm_dmi&)>& answer,
                   tlm::tlm_command command = tlm::TLM_READ_COMMAND) {
  return findings([&](Bench& bench) { bench.to.dmi = answer; },
                  [&](Bench& bench) {
                    Access access(nullptr, command);
                    tlm::tlm_dmi dmi;
                    bench.from.socket->get_direct_mem_ptr(access, dmi);
                  });
}

TEST(BaseProtocol, DirectMemoryAccess) {
  static std::array<unsigned char, 64> memory{};
  const auto region = [](tlm::tlm_dmi& dmi, std::uint64_t first, std::uint64_t last) {
    dmi.set_dmi_ptr(memory.data());
    dmi.set_start_address(first);
    dmi.set_end_address(last);
    dmi.allow_read();
    return true;
  };
  EXPECT_EQ(of_dmi([](Payload&, tlm::tlm_dmi&) { return false; }), "");
  EXPECT_EQ(of_dmi([&](Payload&, tlm::tlm_dmi& d) { return region(d, 0x1000, 0x103f); }), "");
  EXPECT_EQ(of_dmi([&](Payload&, tlm::tlm_dmi& d) { return region(d, 0x2000, 0x203f); }), "11.2 ");
  EXPECT_EQ(of_dmi([&](Payload&, tlm::tlm_dmi& d) { return region(d, 0x1000, 0x0fff); }),
            "11.2 11.2 ");
  EXPECT_EQ(of_dmi([&](Payload&, tlm::tlm_dmi& d) { return region(d, 0x1000, 0x103f); },
                   tlm::TLM_WRITE_COMMAND),
            "11.2 ");
  EXPECT_EQ(of_dmi([&](Payload&, tlm::tlm_dmi& d) {
              region(d, 0x1000, 0x103f);
              d.set_dmi_ptr(nullptr);
              return true;
            }),
            "11.2 ");
  EXPECT_EQ(of_dmi([](Payload&, tlm::tlm_dmi&) {
              sc_core::wait(ns(1));
              return false;
            }),
            "11.2 ");
  EXPECT_EQ(of_dmi([](Payload&, tlm::tlm_dmi&) { return false; }, tlm::TLM_IGNORE_COMMAND),
            "11.2 ");
  const auto invalidated = [](std::uint64_t first, std::uint64_t last) {
    return findings({}, [=](Bench& b) { b.to.socket->invalidate_direct_mem_ptr(first, last); });
  };
  EXPECT_EQ(invalidated(0, 63), "");
  EXPECT_EQ(invalidated(63, 0), "11.2 ");
}

std::string of_debug(const std::function<unsigned(Payload&)>& answer) {
  return findings([&](Bench& bench) { bench.to.dbg = answer; },
                  [&](Bench& bench) {
                    Access access;
                    bench.from.socket->transport_dbg(access);
                  });
}

TEST(BaseProtocol, DebugTransport) {
  EXPECT_EQ(of_debug([](Payload&) { return 64u; }), "");
  EXPECT_EQ(of_debug([](Payload&) { return 65u; }), "11.3 ");
  EXPECT_EQ(of_debug([](Payload&) {
              sc_core::wait(ns(1));
              return 0u;
            }),
            "11.3 ");
  EXPECT_EQ(of_debug([](Payload& p) {
              p.set_data_length(8);
              return 8u;
            }),
            "14.7 ");
  EXPECT_EQ(findings({},
                     [](Bench& bench) {
                       Access access;
                       access.set_data_ptr(nullptr);
                       bench.from.socket->transport_dbg(access);
                     }),
            "11.3 ");
}

/// By SystemC's defaults what it finds is an error that ends the simulation, and names rule, module
/// and access.
TEST(BaseProtocol, WhatItFindsIsReported) {
  EXPECT_EQ(in_child([]() -> std::string {
              sc_core::sc_report_handler::set_handler(
                  [](const sc_core::sc_report& r, const sc_core::sc_actions& actions) {
                    sc_core::sc_report_handler::default_handler(r, actions & ~sc_core::SC_DISPLAY);
                  });
              Bench bench;
              bench.to.b = [](Payload&, sc_time&) {};
              bench.from.thread = [&] {
                Access access;
                bench.b(access);
              };
              try {
                sc_core::sc_start(ns(10));
              } catch (const sc_core::sc_report& r) {
                return fmt::format("{}: {}", r.get_msg_type(), r.get_msg());
              }
              return "nothing";
            }),
            "/horae/base_protocol: checker: IEEE 1666-2011, 14.17: the target set no response "
            "status for a read of 64 bytes at 0x1000");
}

/// Host memory as a target of others: every kind of call, right and wrong.
TEST(BaseProtocol, HostMemoryKeepsTheRules) {
  EXPECT_EQ(in_child([]() -> std::string {
              sc_core::sc_report_handler::set_actions(Checker::report_type, sc_core::SC_DO_NOTHING);
              initiator from("from");
              Checker checker("checker");
              rnic::host_memory memory("memory", {}, Picoseconds(0), 1);
              from.socket.bind(checker.target_socket);
              checker.initiator_socket.bind(memory.socket);
              from.thread = [&] {
                Keeper keeper;
                for (const auto command :
                     {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND, tlm::TLM_IGNORE_COMMAND}) {
                  for (const bool enables : {false, true}) {
                    for (const unsigned width : {64u, 8u}) {
                      const auto fresh = [&](Access& a) -> Access& {
                        if (enables) {
                          a.set_byte_enable_ptr(a.enables.data());
                          a.set_byte_enable_length(2);
                        }
                        a.set_streaming_width(width);
                        return a;
                      };
                      Access blocking(nullptr, command), debug(nullptr, command);
                      sc_time t = ns(3);
                      from.socket->b_transport(fresh(blocking), t);
                      from.socket->transport_dbg(fresh(debug));
                      tlm::tlm_dmi dmi;
                      Access direct(nullptr, command);
                      if (command != tlm::TLM_IGNORE_COMMAND)
                        from.socket->get_direct_mem_ptr(fresh(direct), dmi);
                      // simple_target_socket makes a blocking call of it.
                      Access phased(&keeper, command);
                      Phase phase = tlm::BEGIN_REQ;
                      sc_core::sc_event responded;
                      from.bw = [&](Payload&, Phase& p, sc_time&) {
                        if (p == tlm::BEGIN_RESP) responded.notify(ns(1));
                        return tlm::TLM_ACCEPTED;
                      };
                      from.socket->nb_transport_fw(fresh(phased), phase, t = SC_ZERO_TIME);
                      sc_core::wait(responded);
                      from.socket->nb_transport_fw(phased, phase = tlm::END_RESP, t = SC_ZERO_TIME);
                      sc_core::wait(ns(10));
                    }
                  }
                }
              };
              sc_core::sc_start(sc_time(100, sc_core::SC_US));
              std::string text;
              for (const auto& b : checker.broken()) text += b.rule + " " + b.what + "\n";
              return fmt::format("{} calls, {} open\n{}", checker.calls(), checker.open(), text);
            }),
            "68 calls, 0 open\n");
}

}  // namespace
}  // namespace horae::test::base_protocol_test
