// Scripts of users' control planes, written for the vendor's bfrt_python, in a child process.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/p4prog/entries.hpp"
#include "horae/params/located.hpp"

namespace horae::control {

struct Scripts {
  std::vector<Located<std::string>> files;  ///< run in this order, in one state
  std::string hostname;                     ///< what scripts are told; empty: the machine's
  bool shown = false;                       ///< what they print goes to standard output
};

struct Answer {
  nlohmann::ordered_json rows;             ///< what is left in the end, by kind
  std::vector<p4prog::ControlStep> steps;  ///< the way to it, by the script's clock: from 0 on
  std::vector<std::string> notes;          ///< what did nothing, and what is modelled otherwise
};

/// Runs them with the tables of `view` (p4prog::script_view) as `bfrt`. Where they sleep, no time
/// passes but their own clock goes on. InputError: a script that cannot be read, that Python
/// refuses, or that ends by an exception, with the place of the line that ran last; ModelError:
/// there is no Python.
Answer run_scripts(const nlohmann::ordered_json& view, const Scripts& scripts);

/// Likewise, as entries. Notes are warnings on standard error, each once.
std::vector<p4prog::ControlStep> run_for_entries(const nlohmann::ordered_json& view,
                                                 const std::vector<Located<std::string>>& files,
                                                 const std::string& hostname);

}  // namespace horae::control
