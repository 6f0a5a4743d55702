// Stateful ALUs of users, whose hardware descriptions lie outside the tree (scripts/rtl).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/dataplane/objects/register_alu.hpp"
#include "horae/rtl/register_top.hpp"

namespace horae::rtl {

/// A block as its horae_rtl.toml describes it.
struct RegisterBlock {
  std::string_view name;
  std::string_view model;   ///< what it implements: "register=path_psn_max_array actions=a,b"
  std::uint32_t cells = 0;  ///< words of the cell that it has pins for
  std::uint32_t words = 0;  ///< and of words that an action gives
  std::uint32_t flags = 0;  ///< and of flags
  Served<RegisterInputs, RegisterOutputs>::Make make = nullptr;
};

/// Those that were built.
const std::vector<RegisterBlock>& register_blocks();

/// The block of that name. An InputError where there is none, or where it is of another register;
/// `actions`: the register's, in their order; empty: not known yet.
const RegisterBlock& find_register_block(const std::string& name, const std::string& register_name,
                                         const std::vector<std::string>& actions = {});

/// The ALU of one register by hardware. It takes clocks, which the pipeline does not wait for: an
/// ALU of a chip has one. What it has no pin for is the model's.
class RegisterRtl final : public dataplane::RegisterAlu {
 public:
  /// `both`: compared with the model at every access. At the first difference model.txt and rtl.txt
  /// (the latest accesses, and what each left and gave) and waveform.vcd (the last thousand clocks)
  /// are written to `folder`, and a ModelError says what differed.
  RegisterRtl(const RegisterBlock& block, std::string register_name, bool both, std::string folder);

  dataplane::stateful::AluOutcome run(unsigned action, const dataplane::stateful::AluInput& in,
                                      const dataplane::stateful::AluOutcome& model) override;

  bool both() const { return both_; }
  /// So far; where both run, each left and gave the same.
  std::uint64_t accesses() const { return accesses_; }

 private:
  void compare(unsigned action, const dataplane::stateful::AluInput& in,
               const dataplane::stateful::AluOutcome& model,
               const dataplane::stateful::AluOutcome& rtl);
  [[noreturn]] void report(const std::string& difference) const;

  const RegisterBlock& block_;
  std::string register_;
  bool both_;
  std::string folder_;
  Served<RegisterInputs, RegisterOutputs> hardware_;
  std::uint64_t accesses_ = 0;
  std::deque<std::string> model_;  ///< what it said to the latest accesses
};

}  // namespace horae::rtl
