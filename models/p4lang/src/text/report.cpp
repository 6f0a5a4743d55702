#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::p4lang {
namespace {

bool same(const Fault& a, const Fault& b) {
  return a.line == b.line && a.column == b.column && a.file == b.file && a.message == b.message;
}

bool has(const std::vector<Fault>& all, const Fault& one) {
  return std::any_of(all.begin(), all.end(), [&](const Fault& f) { return same(f, one); });
}

std::string summary(const std::vector<Fault>& faults) {
  const std::string first = faults.front().text();
  if (faults.size() == 1) return first;
  return fmt::format("{} (and {} more)", first, faults.size() - 1);
}

}  // namespace

std::string Fault::text() const {
  if (line == 0) return file.empty() ? message : fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

ProgramError::ProgramError(std::vector<Fault> faults)
    : InputError(summary(faults)), faults_(std::move(faults)) {}

Fault Report::at(const Place& where, std::string message) const {
  std::string file = where.file < files_.size() ? files_[where.file] : std::string();
  return {std::move(file), where.line, where.column, std::move(message)};
}

void Report::fault(const Place& where, std::string message) {
  Fault fault = at(where, std::move(message));
  if (!has(faults_, fault)) faults_.push_back(std::move(fault));
  if (faults_.size() >= most) throw Stop{};
}

void Report::refuse(const Place& where, std::string message) {
  fault(where, std::move(message));
  throw Skip{};
}

void Report::warn(const Place& where, std::string message) {
  Fault warning = at(where, std::move(message));
  if (!has(warnings_, warning)) warnings_.push_back(std::move(warning));
}

}  // namespace horae::p4lang
