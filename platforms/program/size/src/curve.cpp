#include "horae/size/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/results/progress.hpp"

namespace horae::size {
namespace {

Axis read_axis(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError(fmt::format("--over {}: expected KEY=A,B,C", text));
  Axis axis{text.substr(0, equals), {}};
  for (std::size_t from = equals + 1; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    if (comma == from) throw InputError(fmt::format("--over {}: an empty value", text));
    axis.values.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return axis;
}

}  // namespace

SizeCurve trace_curve(const SizeRequest& request, const std::string& key,
                      const std::vector<std::string>& over, bool progress) {
  results::Progress line(progress);
  SizeCurve curve{request.file, key, {}, {}};
  std::size_t n = 1;
  for (const auto& text : over) {
    Axis axis = read_axis(text);
    const auto same = [&](const Axis& other) { return other.key == axis.key; };
    if (axis.key == key || std::any_of(curve.axes.begin(), curve.axes.end(), same)) {
      throw InputError(fmt::format("--over {}: the key is {} already; expected another", axis.key,
                                   axis.key == key ? "that of --most" : "that of another --over"));
    }
    curve.axes.push_back(std::move(axis));
    n *= curve.axes.back().values.size();
  }
  for (std::size_t i = 0; i < n; ++i) {
    SizeRequest at = request;
    SizeCurve::Point point;
    point.at.resize(curve.axes.size());
    std::size_t rest = i;
    for (std::size_t a = curve.axes.size(); a-- > 0;) {
      const auto& axis = curve.axes[a];
      point.at[a] = axis.values[rest % axis.values.size()];
      rest /= axis.values.size();
      at.overrides.push_back(axis.key + "=" + point.at[a]);
    }
    line.update(static_cast<double>(i) / static_cast<double>(n),
                fmt::format("point {} of {}", i + 1, n));
    size_designs(at);  // a value that the file refuses is the user's error, not a limit
    point.limit = find_limit(at, key);
    curve.points.push_back(std::move(point));
  }
  return curve;
}

nlohmann::ordered_json curve_json(const SizeCurve& curve) {
  using nlohmann::ordered_json;
  ordered_json out = {{"schema", 1}, {"file", curve.file}, {"most", curve.key}};
  out["axes"] = ordered_json::array();
  for (const auto& axis : curve.axes)
    out["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  out["points"] = ordered_json::array();
  for (const auto& p : curve.points) {
    ordered_json point = ordered_json::object();
    for (std::size_t a = 0; a < curve.axes.size(); ++a) point["at"][curve.axes[a].key] = p.at[a];
    point["value"] = p.limit.value;
    point["binding"] = p.limit.binding;
    point["object"] = p.limit.object;
    point["why"] = p.limit.why;
    out["points"].push_back(std::move(point));
  }
  return out;
}

std::string curve_text(const SizeCurve& curve) {
  std::string out = fmt::format("largest {} that fits\n\n", curve.key);
  std::string header;
  for (const auto& axis : curve.axes) header += fmt::format("  {:>24}", axis.key);
  std::size_t widest = 7;
  for (const auto& p : curve.points) widest = std::max(widest, p.limit.binding.size());
  out += fmt::format("{}  {:>10}  {:<{}}  {}\n", header, "most", "binding", widest, "one more");
  for (const auto& p : curve.points) {
    for (const auto& at : p.at) out += fmt::format("  {:>24}", at);
    out += fmt::format("  {:>10}  {:<{}}  {}\n", p.limit.value, p.limit.binding, widest,
                       p.limit.object.empty() ? p.limit.why : p.limit.object + ": " + p.limit.why);
  }
  return out +
         "\nbinding: twice as much of any of these in a stage would let one more in (found by "
         "trying);\nstages: the chain of dependent objects is what is too long\n";
}

}  // namespace horae::size
