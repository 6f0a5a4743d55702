#include "horae/question/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/unpacked_file.hpp"
#include "horae/params/schema.hpp"
#include "measured_rows.hpp"

namespace horae::question {
namespace {

/// Largest unpacked size of a tool's file: some packed bytes can be millions of them.
struct SizeLimit {
  std::size_t mebibytes;
  std::string_view of;
};
/// Counters every second for weeks; a thousand runs of perftest.
constexpr SizeLimit counters_limit = {256, "counters over time"};
constexpr SizeLimit perftest_limit = {4, "perftest's output"};

/// Unpacked where it is packed.
std::string text_of_file(const std::string& path, const SizeLimit& limit) {
  if (std::filesystem::is_directory(path))
    throw InputError(fmt::format("{}: is a folder; expected a file", path));
  UnpackedFile file(path);
  std::string text;
  std::vector<char> piece(1 << 16);
  while (const std::size_t n = file.read(piece)) {
    text.append(piece.data(), n);
    if (text.size() <= limit.mebibytes << 20) continue;
    throw InputError(fmt::format("{}: more than {} MiB{}; expected {}, which is less", path,
                                 limit.mebibytes,
                                 file.packing().empty() ? "" : " once it is unpacked", limit.of));
  }
  if (!file.problem().empty())
    throw InputError(fmt::format("{}: cannot be read: {}", path, file.problem()));
  if (text.empty()) throw InputError(fmt::format("{}: cannot be read, or is empty", path));
  return text;
}

/// If the name says that the file was packed, it is taken off.
std::string extension_of(const std::filesystem::path& path) {
  const std::string last = path.extension().string();
  return last == ".gz" || last == ".zst" ? path.stem().extension().string() : last;
}

}  // namespace

const Schema<ImportSpec>& ImportSpec::schema() {
  static const Schema<ImportSpec> s =
      Schema<ImportSpec>("import", "Measurements as a tool wrote them.")
          .required("file", &ImportSpec::file,
                    {.doc = "beside this file: perftest's output as text or JSON (.txt, .log, "
                            ".out, .json), or counters over time (.csv)"})
          .required("id", &ImportSpec::id, {.doc = "begins the names of what it gives"})
          .field("set", &ImportSpec::set,
                 {.doc = "overrides of its conditions, before those that the file says"})
          .field("reaction", &ImportSpec::reaction,
                 {.doc = "congestion control is on: a [[reaction]] applies"})
          .field("tolerance", &ImportSpec::tolerance,
                 {.doc = "of every value, a share of it", .min = 0, .max = 1})
          .field("tolerance_why", &ImportSpec::tolerance_why,
                 {.doc = "reason for a tolerance of that size"})
          .choice(
              "use", &ImportSpec::use, {{"fit", Use::fit}, {"predict", Use::predict}},
              {.doc =
                   "points are chosen by it, or it is predicted from those that the others choose"})
          .field("from", &ImportSpec::from, {.doc = "counters: the window begins, s"})
          .field("to", &ImportSpec::to, {.doc = "counters: the window ends, s"})
          .field("message", &ImportSpec::message,
                 {.doc = "counters: size of a WRITE request, for rx_write_requests"})
          .field("source", &ImportSpec::source, {.doc = "who measured it, and where"});
  return s;
}

PrintedNumber PrintedNumber::parse(std::string_view text, const Location& where,
                                   std::string_view what) {
  PrintedNumber n;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, n.value, std::chars_format::fixed);
  if (error != std::errc() || rest != end || !std::isfinite(n.value) || n.value < 0)
    throw input_error(where, fmt::format("{}: expected a number, found '{}'", what, text));
  const auto point = text.find('.');
  const auto decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point - 1);
  n.rounding = 0.5 * std::pow(10.0, -decimals);
  return n;
}

std::uint64_t printed_whole(std::string_view text, const Location& where, std::string_view what) {
  std::uint64_t n = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc() || rest != end)
    throw input_error(where, fmt::format("{}: expected a whole number, found '{}'", what, text));
  return n;
}

ObservationSpec imported(const ImportSpec& import, const std::string& condition,
                         const std::string& id, const Location& where) {
  ObservationSpec o;
  o.id = {id, where};
  o.condition = {condition, where};
  o.value_where = where;
  o.use = import.use;
  o.source = import.source.empty() ? where.text() : import.source;
  o.tolerance_why = import.tolerance_why.empty()
                        ? fmt::format("{:g} % of the value, what is not said otherwise",
                                      import.tolerance.value * 100)
                        : import.tolerance_why;
  return o;
}

bool is_measured(const std::string& path) {
  constexpr std::array<std::string_view, 5> tools = {".json", ".csv", ".txt", ".log", ".out"};
  const std::string extension = extension_of(path);
  return std::find(tools.begin(), tools.end(), extension) != tools.end();
}

ObservationsFile read_measured(const std::string& path, const ImportSpec& import) {
  const std::string extension = extension_of(path);
  const std::string text =
      text_of_file(path, extension == ".csv" ? counters_limit : perftest_limit);
  ObservationsFile file = extension == ".csv" ? counter_observations(text, path, import)
                          : extension == ".json"
                              ? perftest_observations(perftest_json_rows(text, path), import)
                              : perftest_observations(perftest_text_rows(text, path), import);
  file.of_tool = true;
  file.title = fmt::format("measured: {}", std::filesystem::path(path).filename().string());
  file.source = import.source.empty() ? path : import.source;
  return file;
}

}  // namespace horae::question
