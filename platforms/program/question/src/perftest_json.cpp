// perftest's JSON output (--out_json): test_info and results. Releases differ in whether names and
// texts are quoted and whether a comma follows the last of them; both are read.
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "measured_rows.hpp"

namespace horae::question {
namespace {

/// Every number and text of a document as it is written, by its path: "results.BW_average".
class Leaves : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::map<std::string, std::string> found;
  std::string message;  ///< of what is wrong
  std::size_t at = 0;   ///< bytes read until then

  bool null() override { return leaf("null"); }
  bool boolean(bool b) override { return leaf(b ? "true" : "false"); }
  bool number_integer(std::int64_t n) override { return leaf(fmt::format("{}", n)); }
  bool number_unsigned(std::uint64_t n) override { return leaf(fmt::format("{}", n)); }
  bool number_float(double, const std::string& text) override { return leaf(text); }
  bool string(std::string& text) override { return leaf(text); }
  bool binary(nlohmann::json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    levels_.back().name = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    message = error.what();
    at = position;
    return false;
  }

 private:
  struct Level {
    bool array;
    std::size_t next = 0;
    std::string name;
  };

  std::string path() const {
    std::string out;
    for (const auto& l : levels_) {
      if (!out.empty()) out += '.';
      out += l.array ? fmt::format("{}", l.next) : l.name;
    }
    return out;
  }
  bool leaf(const std::string& text) {
    found[path()] = text;
    return step();
  }
  bool open(bool array) {
    levels_.push_back({array, 0, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return step();
  }
  bool step() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().next;
    return true;
  }

  std::vector<Level> levels_;
};

/// Bare words in quotes, commas before a closing bracket left out.
std::string quoted(std::string_view text) {
  std::string out;
  bool inside = false;
  const auto is_word = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    if (!inside && is_word(c)) {
      std::size_t end = i;
      while (end < text.size() &&
             std::string_view(",:{}[]\n\r\"").find(text[end]) == std::string_view::npos)
        ++end;
      std::size_t last = end;
      while (std::isspace(static_cast<unsigned char>(text[last - 1])) != 0) --last;
      out += fmt::format("\"{}\"", text.substr(i, last - i));
      i = end - 1;
      continue;
    }
    if (!inside && c == ',') {
      const std::size_t next = text.find_first_not_of(" \t\r\n", i + 1);
      if (next == std::string_view::npos || text[next] == '}' || text[next] == ']') continue;
    }
    out += c;
  }
  return out;
}

Location place(std::string_view text, std::size_t bytes, const std::string& name) {
  Location at{name, 1, 1, {}};
  for (std::size_t i = 0; i + 1 < bytes && i < text.size(); ++i) {
    at.column = text[i] == '\n' ? 1 : at.column + 1;
    at.line += text[i] == '\n' ? 1 : 0;
  }
  return at;
}

/// The values of a perftest document by their path.
std::map<std::string, std::string> leaves_of(std::string_view text, const std::string& name) {
  Leaves strict;
  if (nlohmann::json::sax_parse(text, &strict)) return strict.found;
  Leaves loose;
  if (nlohmann::json::sax_parse(quoted(text), &loose)) return loose.found;
  throw input_error(place(text, strict.at, name),
                    "not JSON, nor what perftest writes with --out_json");
}

}  // namespace

std::vector<PerftestRow> perftest_json_rows(std::string_view text, const std::string& name) {
  const auto leaves = leaves_of(text, name);
  const Location where{name, 0, 0, {}};
  const auto find = [&](const std::string& path) -> const std::string* {
    const auto it = leaves.find(path);
    return it == leaves.end() ? nullptr : &it->second;
  };
  const auto need = [&](const std::string& path) -> const std::string& {
    if (const auto* found = find(path)) return *found;
    throw input_error(where, fmt::format("no '{}': expected what perftest writes with --out_json "
                                         "(test_info, results)",
                                         path));
  };
  const auto whole = [&](const std::string& path) {
    const std::string& t = need(path);
    return printed_whole(std::string_view(t).substr(0, t.find('[')), where, path);
  };
  const std::string& test = need("test_info.test");
  const std::string_view verb = perftest_verb(test);
  const bool latency = test.find("Latency") != std::string::npos;
  if (verb.empty() || (!latency && test.find("BW") == std::string::npos)) {
    throw input_error(where, fmt::format("test_info.test: '{}' is not modelled; expected BW of "
                                         "RDMA_Write, RDMA_Read, Send or Atomic (ib_write_bw and "
                                         "others), or Latency of them",
                                         test));
  }
  PerftestRow now;
  now.where = where;
  if (const auto* type = find("test_info.Connection_type"))
    now.service = perftest_service(*type, where, "test_info.Connection_type");
  now.verb = verb;
  now.halved = latency && is_halved(verb);
  now.queue_pairs = whole("test_info.Number_of_qps");
  if (find("test_info.TX_depth") != nullptr) now.depth = whole("test_info.TX_depth");
  if (find("test_info.Mtu") != nullptr) now.mtu = whole("test_info.Mtu");
  if (find("test_info.RX_depth") != nullptr) now.receive_depth = whole("test_info.RX_depth");
  if (find("test_info.Outstand_reads") != nullptr) now.reads = whole("test_info.Outstand_reads");
  std::vector<PerftestRow> rows;
  const auto add = [&](const std::string& results) {
    const auto number = [&](const char* key) {
      return PrintedNumber::parse(need(results + key), where, results + key);
    };
    now.bytes = whole(results + ".MsgSize");
    if (latency) {
      now.latency = number(now.halved ? ".t_avg" : ".t_typical");
    } else {
      now.average = number(".BW_average");
      now.rate = number(".MsgRate");
    }
    rows.push_back(now);
  };
  if (find("results.0.MsgSize") == nullptr) add("results");
  for (std::size_t i = 0; find(fmt::format("results.{}.MsgSize", i)) != nullptr; ++i)
    add(fmt::format("results.{}", i));
  return rows;
}

}  // namespace horae::question
