// Test cases of users: a script of entries, packets and what is expected (STF).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "horae/p4prog/p4_switch.hpp"

namespace horae::p4prog {

/// An expectation that was not met, or a packet that nobody expected.
struct StfFault {
  std::size_t line = 0;  ///< of the case
  std::string message;   ///< one line: port, what was expected, what came
};

struct StfResult {
  std::size_t packets = 0;   ///< sent
  std::size_t expected = 0;  ///< expectations: packets, counters, registers
  std::vector<StfFault> faults;
  bool met() const { return faults.empty(); }
};

/// Told of each packet of a case after it went through; for traces.
class StfObserver {
 public:
  virtual ~StfObserver() = default;
  virtual void packet(std::size_t line, unsigned port, const Bytes8& bytes,
                      const std::vector<P4Switch::Pass>& passes,
                      const std::vector<P4Switch::Output>& outputs) = 0;
  /// For packets that the generator made.
  virtual void generated(std::size_t line, const std::vector<P4Switch::Pass>& passes,
                         const std::vector<P4Switch::Output>& outputs) = 0;
};

/// Runs the script `text` of file `name` on `chip`. InputError, with file, line and column, for a
/// command that is none or not supported.
///
///   packet PORT HEX...                 goes in
///   expect PORT HEX... [$]             comes out, in the order of the port; * is any digit, and a
///                                      byte may be its bits behind a dot (.0001***1); what follows
///                                      the given bytes is free unless $ ends them
///   expect PORT                        any packet comes out there, in its order, and more may
///   no_packet                          nothing else came out so far
///   add TABLE [PRIORITY] FIELD:VALUE... ACTION([PARAMETER:VALUE, ...]) [= NAME]
///   add PROFILE MEMBER ACTION([PARAMETER:VALUE, ...])
///   selector SELECTOR GROUP add MEMBER...
///   ghost run QUEUE:DEPTH...           a pass of the ghost thread for each
///   pktgen APP [PIPE]                  the timer of an application of the packet generator fires
///   port_down PORT                     and what waits for this is triggered
///   setdefault TABLE ACTION([PARAMETER:VALUE, ...])
///   remove all                         entries
///   wait                               compares what came out with what was expected
///   check_counter NAME(INDEX or $NAME) [packets|bytes OPERATOR NUMBER]
///   check_register NAME(INDEX) [lo|hi] OPERATOR NUMBER
///   mirroring_add SESSION PORT
///   mc_mgrp_create GROUP
///   mc_node_create RID PORT...         numbered from 0
///   mc_node_associate GROUP NODE
///   setenv NAME TEXT                   $NAME stands for it from then on
///   $(for NAME in $(seq FIRST LAST); do COMMAND; done)   COMMAND with printf of the shell, or
///   plain
///
/// Values are those of NamedValue with `script`; a number to compare with may be octal (017).
/// Commands of one line stand between semicolons. A backslash at the end of a line goes on with the
/// next. An entry of a table with a selector may name its group as the vendor's scripts do:
/// ACTION(meter_addr:ADDRESS, meter_pfe:0x800000, action_addr:ADDRESS of the member that its
/// members count from); with meter_pfe:0 a member.
///
/// A packet is sent when its line is read, a microsecond after the one before.
StfResult run_stf(P4Switch& chip, const std::string& name, const std::string& text,
                  StfObserver* observer = nullptr);

}  // namespace horae::p4prog
