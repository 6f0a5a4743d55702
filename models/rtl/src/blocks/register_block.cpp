#include "horae/rtl/register_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "answers.hpp"
#include "difference.hpp"
#include "horae/core/error.hpp"
#include "horae/rtl/block.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::rtl {

using dataplane::stateful::AluInput;
using dataplane::stateful::AluOutcome;

namespace {

/// The value of a setting in "register=a actions=b,c"; empty: it is not there.
std::string setting_of(const RegisterBlock& block, std::string_view key) {
  for (const std::string& word : settings_of(block.model)) {
    if (word.starts_with(std::string(key) + "=")) return word.substr(key.size() + 1);
  }
  return {};
}

std::string access_request(const RegisterInputs& in) {
  return fmt::format("action {} of cell {} {}, operands {} {}", in.action, in.cell[0], in.cell[1],
                     in.operands[0], in.operands[1]);
}

/// The part of an outcome that the block has pins for.
std::string outcome_text(const RegisterBlock& block, const RegisterOutputs& out) {
  std::string text = "cell";
  for (std::uint32_t i = 0; i < block.cells; ++i) text += fmt::format(" {}", out.cell[i]);
  for (std::uint32_t i = 0; i < block.words; ++i) text += fmt::format(" word {}", out.words[i]);
  for (std::uint32_t i = 0; i < block.flags; ++i) text += fmt::format(" flag {}", +out.flags[i]);
  return text;
}

std::uint64_t cut(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// How many of what there is both the block and the action have.
std::size_t shared(std::uint32_t pins, std::size_t there) {
  return std::min<std::size_t>(pins, there);
}

}  // namespace

const RegisterBlock& find_register_block(const std::string& name, const std::string& register_name,
                                         const std::vector<std::string>& actions) {
  if (!built_with_rtl()) {
    throw InputError(
        fmt::format("block = '{}': this program was built without RTL; expected level = 'model', "
                    "or scripts/build --rtl first",
                    name));
  }
  std::vector<std::string> names;
  for (const RegisterBlock& block : register_blocks()) {
    names.emplace_back(block.name);
    if (block.name != name) continue;
    const std::string ours = setting_of(block, "register");
    const std::string order = setting_of(block, "actions");
    const std::string theirs = fmt::format("{}", fmt::join(actions, ","));
    if (ours != register_name || (!actions.empty() && order != theirs)) {
      throw InputError(fmt::format("block = '{}' is \"{}\"; found register={}{}", name, block.model,
                                   register_name, actions.empty() ? "" : " actions=" + theirs));
    }
    return block;
  }
  throw InputError(not_built("block", name, names));
}

RegisterRtl::RegisterRtl(const RegisterBlock& block, std::string register_name, bool both,
                         std::string folder)
    : block_(block),
      register_(std::move(register_name)),
      both_(both),
      folder_(std::move(folder)),
      hardware_(block.make(0), block.make) {}

AluOutcome RegisterRtl::run(unsigned action, const AluInput& in, const AluOutcome& model) {
  RegisterInputs asked;
  asked.request_valid = true;
  asked.response_ready = true;
  asked.action = action;
  for (std::size_t i = 0; i < 2; ++i) {
    asked.cell[i] = cut(in.cell[i], in.width);
    asked.operands[i] = cut(in.operands[i], in.width);
  }
  ++accesses_;
  RegisterOutputs said;
  try {
    if (both_) {
      RegisterOutputs same;
      for (std::size_t i = 0; i < shared(2, model.cell.size()); ++i)
        same.cell[i] = cut(model.cell[i], in.width);
      for (std::size_t i = 0; i < shared(2, model.words.size()); ++i)
        same.words[i] = cut(model.words[i], in.width);
      for (std::size_t i = 0; i < shared(2, model.flags.size()); ++i)
        same.flags[i] = model.flags[i];
      model_.push_back(outcome_text(block_, same));
    }
    said = hardware_.serve(asked);
  } catch (const ModelError& e) {
    if (both_) report(e.what());
    throw;
  }
  AluOutcome out = model;
  for (std::size_t i = 0; i < shared(block_.cells, out.cell.size()); ++i)
    out.cell[i] = said.cell[i];
  for (std::size_t i = 0; i < shared(block_.words, out.words.size()); ++i)
    out.words[i] = said.words[i];
  for (std::size_t i = 0; i < shared(block_.flags, out.flags.size()); ++i)
    out.flags[i] = said.flags[i];
  if (both_) compare(action, in, model, out);
  return both_ ? model : out;
}

void RegisterRtl::compare(unsigned action, const AluInput& in, const AluOutcome& model,
                          const AluOutcome& rtl) {
  std::string found;
  const auto differ = [&](const char* what, std::uint64_t ours, std::uint64_t theirs) {
    if (found.empty() && ours != theirs)
      found = fmt::format("{} is {} in the model, {} in the RTL", what, ours, theirs);
  };
  for (std::size_t i = 0; i < model.cell.size(); ++i)
    differ("cell", cut(model.cell[i], in.width), cut(rtl.cell[i], in.width));
  for (std::size_t i = 0; i < model.words.size(); ++i)
    differ("word", cut(model.words[i], in.width), cut(rtl.words[i], in.width));
  for (std::size_t i = 0; i < model.flags.size(); ++i) differ("flag", model.flags[i], rtl.flags[i]);
  if (!found.empty()) {
    report(fmt::format("action {} of {}, cell {}, operand {}: {}", action, register_,
                       cut(in.cell[0], in.width), cut(in.operands[0], in.width), found));
  }
  while (model_.size() > hardware_.exchanges().size()) model_.pop_front();
}

void RegisterRtl::report(const std::string& difference) const {
  const std::size_t more = model_.size() - std::min(model_.size(), hardware_.exchanges().size());
  report_difference(
      hardware_, block_.name, accesses_, folder_, difference, access_request,
      [&](const RegisterOutputs& out) { return outcome_text(block_, out); },
      [&](std::size_t i) { return model_.at(more + i); });
}

}  // namespace horae::rtl
