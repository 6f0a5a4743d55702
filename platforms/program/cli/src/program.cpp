#include "horae/cli/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "horae/cli/command.hpp"
#include "horae/config/plugins.hpp"
#include "horae/control/scripts.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4chip/p4_program.hpp"
#include "horae/programs/plugin.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/version.hpp"
#include "horae/run/run.hpp"
#include "horae/size/size.hpp"
#include "horae/workload/nic_fit.hpp"

namespace horae::cli {
namespace {

/// "list", or "config show" of a command in a command; the program itself has none.
std::string name_of(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "";
  const std::string before = name_of(*app.get_parent());
  return before + (before.empty() ? "" : " ") + app.get_name();
}

bool is_hidden(const CLI::App& app) { return app.get_group().empty(); }

/// Words that CLI11 knows in `app` and that `word` may be a misspelling of: flags for a flag, else
/// commands.
std::vector<std::string> known_words(const CLI::App& app, const std::string& word) {
  std::vector<std::string> words;
  if (word.starts_with('-')) {
    for (const auto* option : app.get_options()) {
      for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      if (!is_hidden(*sub)) words.push_back(sub->get_name());
    }
  }
  return words;
}

void refuse_extras(const CLI::App& app) {
  const auto extras = app.remaining();
  if (extras.empty()) return;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const auto known = known_words(app, word);
  throw InputError(fmt::format("unexpected argument '{}'{}", word,
                               known.empty() ? fmt::format("; see horae {} --help", name_of(app))
                                             : suggestion(word, known)));
}

/// CLI11's complaint as one of ours.
InputError bad_arguments(const CLI::App& command, const CLI::ParseError& e) {
  if (dynamic_cast<const CLI::RequiredError*>(&e) != nullptr) {
    refuse_extras(command);  // what is missing may only be misspelt
    for (const auto* option : command.get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      const std::string flag = option->get_positional() ? "" : option->get_name() + " ";
      return InputError(fmt::format("missing argument: expected horae {} {}{}", name_of(command),
                                    flag, option->get_type_name()));
    }
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr) {
    for (const auto* option : command.get_options()) {
      const std::string name = option->get_name();
      if (!std::string_view(e.what()).starts_with(name + ":")) continue;
      return InputError(fmt::format("{0}: expected {0} {1}", name, option->get_type_name()));
    }
  }
  std::string message = e.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return InputError(message);
}

/// The innermost command of the command line, or `app` itself.
const CLI::App& parsed_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : parsed_command(*parsed.front());
}

void refuse_all_extras(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) refuse_all_extras(*sub);
  refuse_extras(app);
}

/// "run, size, explain, list or config".
std::string names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) {
    if (!is_hidden(*command.app)) names.push_back(command.app->get_name());
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

/// Reports that printed output was lost.
int output_lost(int error) {
  fmt::print(stderr, "horae: standard output: cannot be written: {}\n",
             std::strerror(error != 0 ? error : EIO));
  return results::exit_failed;
}

/// The words of the command line; `help [COMMAND]` is `[COMMAND] --help`.
std::vector<std::string> words_of(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  const auto commands = known_words(app, "");
  if (!words.empty() &&
      std::find(commands.begin(), commands.end(), words.front()) == commands.end()) {
    throw InputError(fmt::format("unexpected argument '{}'{}", words.front(),
                                 suggestion(words.front(), commands)));
  }
  words.emplace_back("--help");
  return words;
}

/// Programs of rooms above the room of programs; a batch comes here for each of its lines.
void add_programs() {
  static const bool once = [] {
    programs::add_program(p4chip::p4_entry({control::run_for_entries, config::load_p4_program}));
    return true;
  }();
  (void)once;
}

int dispatch(int argc, char** argv) {
  add_programs();
  CLI::App app{"Cycle-approximate SystemC models of a Tofino2 switch and an RDMA NIC."};
  app.set_version_flag("--version", results::version());
  app.allow_extras();
  app.get_formatter()->column_width(34);
  app.footer(
      "Example: horae run platforms/flow_list.toml\n"
      "horae help COMMAND has each command's options and examples.");

  const std::vector<Command> commands = {
      add_run(app),    add_size(app),  add_explain(app), add_replay(app),     add_list(app),
      add_config(app), add_batch(app), add_p4(app),      add_completion(app), add_complete(app),
  };

  try {
    app.name(argv[0]);
    auto words = words_of(app, argc, argv);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw bad_arguments(parsed_command(app), e);
  }
  refuse_all_extras(app);
  for (const auto& command : commands) {
    if (command.app->parsed()) return command.act();
  }
  throw InputError(fmt::format("expected a command: {} (see horae --help)", names_of(commands)));
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    errno = 0;
    const int code = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return output_lost(errno);
    return code;
  } catch (const InputError& e) {
    // One line, whatever a name in it holds.
    fmt::print(stderr, "horae: {}\n", printable(e.what(), std::string_view::npos));
    return results::exit_bad_input;
  } catch (const dataplane::DoesNotFit& e) {
    fmt::print(stderr, "horae: {} (see horae size)\n{}", e.what(), refusals_text(e.ledger.refused));
    return results::exit_does_not_fit;
  } catch (const workload::NicDoesNotFit& e) {
    fmt::print(stderr, "horae: {}", e.what());
    return results::exit_does_not_fit;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "horae: out of memory\n");
    return results::exit_failed;
  } catch (const std::exception& e) {
    if (std::ferror(stdout) != 0) return output_lost(errno);
    fmt::print(stderr, "horae: {}\n", printable(e.what(), std::string_view::npos));
    return results::exit_failed;
  } catch (...) {
    fmt::print(stderr, "horae: something was thrown that is no std::exception, by a plug-in\n");
    return results::exit_failed;
  }
}

}  // namespace horae::cli
