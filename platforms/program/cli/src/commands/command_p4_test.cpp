#include "command_p4_test.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "horae/cli/command.hpp"
#include "horae/config/plugins.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4prog/entries.hpp"
#include "horae/p4prog/stf.hpp"
#include "horae/results/exit_code.hpp"
#include "p4_source.hpp"

namespace horae::cli {
namespace {

struct TestOptions {
  std::string file;
  P4Source source;
  std::vector<std::string> entries;
  P4Scripts scripts;
  std::string compiled;
  bool json = false, trace = false;
  std::string uninitialised = "zero";
  std::uint64_t seed = 1;
};

std::string test_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) throw InputError(file + ": cannot be read");
  return out.str();
}

std::string hex_of(const p4prog::Bytes8& bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

/// Prints what each packet of a case did.
class PassPrinter final : public p4prog::StfObserver {
 public:
  explicit PassPrinter(const p4lang::Program& program) : program_(program) {}
  void packet(std::size_t line, unsigned port, const p4prog::Bytes8& bytes,
              const std::vector<p4prog::P4Switch::Pass>& passes,
              const std::vector<p4prog::P4Switch::Output>& outputs) override {
    fmt::print("line {}: port {}, {} bytes\n", line, port, bytes.size());
    print(passes, outputs);
  }
  void generated(std::size_t line, const std::vector<p4prog::P4Switch::Pass>& passes,
                 const std::vector<p4prog::P4Switch::Output>& outputs) override {
    fmt::print("line {}: packet generator\n", line);
    print(passes, outputs);
  }

 private:
  void print(const std::vector<p4prog::P4Switch::Pass>& passes,
             const std::vector<p4prog::P4Switch::Output>& outputs) const {
    for (const auto& pass : passes) {
      fmt::print("  {} of pipe {}, port {}: {} bytes parsed{}, {} instructions, {}\n",
                 dataplane::gress_name(pass.gress), pass.pipe, pass.port, pass.parsed_bytes,
                 pass.error == 0 ? "" : " (" + program_.errors.at(pass.error) + ")",
                 pass.instructions, pass.outcome);
    }
    for (const auto& out : outputs)
      fmt::print("  out of port {}: {}\n", out.port, hex_of(out.bytes));
  }

  const p4lang::Program& program_;
};

nlohmann::ordered_json head(const TestOptions& o) {
  return {{"schema", 1}, {"case", o.file}, {"source", o.source.file}, {"target", o.source.target}};
}

void print_result(const TestOptions& o, const p4prog::StfResult& result,
                  const std::vector<std::string>& warnings) {
  if (o.json) {
    auto faults = nlohmann::ordered_json::array();
    for (const auto& f : result.faults)
      faults.push_back({{"line", f.line}, {"message", f.message}});
    return print_json(head(o), {{"verdict", result.met() ? "met" : "not met"},
                                {"packets", result.packets},
                                {"expectations", result.expected},
                                {"faults", faults},
                                {"warnings", warnings}});
  }
  for (const auto& f : result.faults)
    fmt::print("{}:{}: {}\n", o.file, f.line, printable(f.message, std::string_view::npos));
  fmt::print("{} packets, {} expectations: {}\n", result.packets, result.expected,
             result.met() ? "met" : fmt::format("{} faults", result.faults.size()));
}

int test(const TestOptions& o) {
  const std::string text = test_text(o.file);
  const p4lang::Program program = p4lang::compile(o.source.file, o.source.options());
  auto options = p4prog::SwitchOptions::of(o.source.is_tofino2());
  options.watch_unwritten = true;
  options.random_unwritten = o.uninitialised == "random";
  options.seed = o.seed;
  if (!o.compiled.empty()) {
    options.compiled = &config::load_p4_program({o.compiled, {}});
    options.watch_unwritten = false;  // what is watched runs by instructions
  }
  p4prog::P4Switch chip(program, options);
  for (const std::string& file : o.entries)
    p4prog::Entries::load(file).apply(chip.control_plane(), chip.manager());
  o.scripts.apply(o.source, program, chip);
  PassPrinter printer(program);
  const auto result = p4prog::run_stf(chip, o.file, text, o.trace && !o.json ? &printer : nullptr);
  const auto warnings = chip.take_warnings();
  for (const std::string& line : warnings)
    fmt::print(stderr, "horae: warning: {}\n", printable(line, std::string_view::npos));
  print_result(o, result, warnings);
  return result.met() ? results::exit_done : results::exit_failed;
}

}  // namespace

P4Command add_p4_test(CLI::App& p4) {
  const auto o = std::make_shared<TestOptions>();
  CLI::App* command = add_command(
      p4, "test", "Run a test case: entries, packets in, packets expected (STF).",
      "Exit code: 0 all is as expected, 1 some is not, 2 the program or the case is refused.\n"
      "Example: horae p4 test mine.stf --source mine.p4 -I include --target tofino2");
  command->add_option("case", o->file, "test case: packets to send and to expect")
      ->required()
      ->type_name("CASE.stf");
  add_p4_source(*command, o->source, "--source");
  command
      ->add_option("--entries", o->entries,
                   "entries before the case begins (TOML, or CSV); may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--control", o->scripts.files,
                   "script for the vendor's bfrt_python, run behind the entries; may be repeated")
      ->type_name("SCRIPT.py")
      ->allow_extra_args(false);
  add_hostname(*command, o->scripts.hostname);
  command
      ->add_option("--compiled", o->compiled,
                   "the program as a library, from what horae p4 compile prints; reads before a "
                   "write are not looked for")
      ->type_name("LIB.so");
  command->add_flag("--trace", o->trace, "also print what each packet does, pass by pass");
  command
      ->add_option("--uninitialised", o->uninitialised,
                   "what fields and variables are that the program does not write")
      ->check(CLI::IsMember({"zero", "random"}))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "seed of the random numbers")->capture_default_str();
  add_json(*command, o->json, "prints JSON in place of text");
  return {command, [o] { return unless_refused(head(*o), o->json, [&] { return test(*o); }); }};
}

}  // namespace horae::cli
