#include "p4_source.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "horae/control/scripts.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4lang/shipped_p4.hpp"
#include "horae/p4prog/script_view.hpp"
#include "horae/results/exit_code.hpp"

namespace horae::cli {

p4lang::Options P4Source::options() const {
  p4lang::Options out;
  out.include_folders = include_folders;
  out.defines = defines;
  out.target = is_tofino2() ? p4lang::Target::tofino2 : p4lang::Target::tofino;
  out.shipped = p4lang::shipped_p4;
  return out;
}

nlohmann::ordered_json p4_view(const P4Source& source, const p4lang::Program& program,
                               p4prog::P4Switch& chip) {
  return p4prog::script_view(program, chip.control_plane(),
                             std::filesystem::path(source.file).stem().string(),
                             source.is_tofino2(), chip.options().pipes);
}

void P4Scripts::apply(const P4Source& source, const p4lang::Program& program,
                      p4prog::P4Switch& chip) const {
  if (files.empty()) return;
  std::vector<Located<std::string>> scripts;
  for (const std::string& file : files) scripts.push_back({file, {}});
  for (const auto& step :
       control::run_for_entries(p4_view(source, program, chip), scripts, hostname))
    step.entries.apply(chip.control_plane(), chip.manager());
}

void add_hostname(CLI::App& command, std::string& hostname) {
  command
      .add_option("--hostname", hostname,
                  "what scripts are told that this host is called (default: its own name)")
      ->type_name("NAME");
}

void add_p4_source(CLI::App& command, P4Source& source, const char* name) {
  command.add_option(name, source.file, "P4-16 program for TNA or T2NA")
      ->required()
      ->type_name("FILE.p4");
  command
      .add_option("-I", source.include_folders,
                  "folder for #include, before what is shipped; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("-D", source.defines, "defines a macro; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command.add_option("--target", source.target, "chip: tofino (default) or tofino2")
      ->type_name("CHIP")
      ->check(CLI::IsMember({"tofino", "tofino2"}));
}

void print_json(nlohmann::ordered_json out, const nlohmann::ordered_json& rest) {
  out.update(rest);
  fmt::print("{}\n", out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int unless_refused(const nlohmann::ordered_json& head, bool json,
                   const std::function<int()>& body) {
  std::vector<std::string> reasons;
  try {
    return body();
  } catch (const p4lang::ProgramError& e) {
    for (const auto& f : e.faults()) reasons.push_back(f.text());
  } catch (const InputError& e) {
    reasons.emplace_back(e.what());
  }
  for (const auto& reason : reasons)
    fmt::print(stderr, "horae: {}\n", printable(reason, std::string_view::npos));
  if (json) print_json(head, {{"verdict", "refused"}, {"reasons", reasons}});
  return results::exit_bad_input;
}

}  // namespace horae::cli
