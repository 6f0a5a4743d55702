#include "horae/views/vcd_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "horae/core/error.hpp"

namespace horae::views {
namespace {

/// Printable characters from '!' to '~' (IEEE 1364-2001, 18.2.1: identifier codes).
std::string code_of(std::size_t n) {
  constexpr std::size_t first = '!', count = '~' - '!' + 1;
  std::string code;
  do {
    code += static_cast<char>(first + n % count);
    n /= count;
  } while (n > 0);
  return code;
}

std::string legal(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "_" + name;
  return name;
}

/// Scopes as a tree, in the order of their first variables.
struct Scope {
  std::vector<std::string> order;
  std::map<std::string, Scope> inner;
  std::vector<std::size_t> variables;
};

void declare(std::ostream& out, const Scope& scope, const std::vector<VcdVariable>& variables,
             const std::vector<std::string>& codes) {
  std::set<std::string> used;
  for (const std::size_t v : scope.variables) {
    std::string name = legal(variables[v].name);
    while (!used.insert(name).second) name += "_";
    out << fmt::format(
        "$var wire {} {} {} $end\n", variables[v].bits, codes[v],
        variables[v].bits == 1 ? name : fmt::format("{} [{}:0]", name, variables[v].bits - 1));
  }
  for (const auto& name : scope.order) {
    std::string unique = legal(name);
    while (!used.insert(unique).second) unique += "_";
    out << fmt::format("$scope module {} $end\n", unique);
    declare(out, scope.inner.at(name), variables, codes);
    out << "$upscope $end\n";
  }
}

}  // namespace

VcdWriter::VcdWriter(std::ostream& out, const std::vector<VcdVariable>& variables,
                     const std::vector<std::int64_t>& initial, Picoseconds start,
                     const std::string& comment)
    : out_(out), shown_(initial), current_(initial), time_(start) {
  Scope top;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    codes_.push_back(code_of(v));
    bits_.push_back(variables[v].bits);
    Scope* scope = &top;
    for (const auto& name : variables[v].scope) {
      if (!scope->inner.contains(name)) scope->order.push_back(name);
      scope = &scope->inner[name];
    }
    scope->variables.push_back(v);
  }
  if (!comment.empty()) out_ << fmt::format("$comment {} $end\n", comment);
  out_ << "$timescale 1ps $end\n";
  declare(out_, top, variables, codes_);
  out_ << fmt::format("$enddefinitions $end\n#{}\n$dumpvars\n", start.count());
  for (std::size_t v = 0; v < variables.size(); ++v) write_value(v, initial[v]);
  out_ << "$end\n";
}

void VcdWriter::change(Picoseconds at, std::size_t variable, std::int64_t value) {
  if (at < time_) throw ModelError("a waveform's time went back");
  if (at > time_) {
    write_time();
    time_ = at;
  }
  current_[variable] = value;
  touched_.push_back(variable);
}

void VcdWriter::write_time() {
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  bool any = false;
  for (const std::size_t v : touched_) {
    if (current_[v] == shown_[v]) continue;
    if (!any) out_ << fmt::format("#{}\n", time_.count());
    any = true;
    shown_[v] = current_[v];
    write_value(v, current_[v]);
  }
  touched_.clear();
}

void VcdWriter::finish(Picoseconds end) {
  write_time();
  if (end > time_) out_ << fmt::format("#{}\n", end.count());
}

void VcdWriter::write_value(std::size_t variable, std::int64_t value) {
  if (bits_[variable] == 1) {
    out_ << (value != 0 ? '1' : '0') << codes_[variable] << '\n';
    return;
  }
  out_ << fmt::format("b{:b} {}\n", static_cast<std::uint64_t>(value), codes_[variable]);
}

}  // namespace horae::views
