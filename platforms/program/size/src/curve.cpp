#include "horae/size/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/price/priced.hpp"
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

/// `most`: the key of --most; empty: none.
std::vector<Axis> read_axes(const std::vector<std::string>& over, const std::string& most) {
  std::vector<Axis> axes;
  for (const auto& text : over) {
    Axis axis = read_axis(text);
    const auto same = [&](const Axis& other) { return other.key == axis.key; };
    if (axis.key == most || std::any_of(axes.begin(), axes.end(), same)) {
      throw InputError(fmt::format("--over {}: the key is {} already; expected another", axis.key,
                                   axis.key == most ? "that of --most" : "that of another --over"));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// Calls `f` with the values of each point, the last axis fastest, and the request with them.
template <class F>
void each_point(const SizeRequest& request, const std::vector<Axis>& axes, bool progress,
                const F& f) {
  results::Progress line(progress);
  std::size_t n = 1;
  for (const auto& axis : axes) n *= axis.values.size();
  for (std::size_t i = 0; i < n; ++i) {
    SizeRequest changed = request;
    std::vector<std::string> at(axes.size());
    std::size_t rest = i;
    for (std::size_t a = axes.size(); a-- > 0;) {
      at[a] = axes[a].values[rest % axes[a].values.size()];
      rest /= axes[a].values.size();
      changed.overrides.push_back(axes[a].key + "=" + at[a]);
    }
    line.update(static_cast<double>(i) / static_cast<double>(n),
                fmt::format("point {} of {}", i + 1, n));
    f(std::move(at), changed);
  }
}

nlohmann::ordered_json axes_json(const std::vector<Axis>& axes) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& axis : axes) out.push_back({{"key", axis.key}, {"values", axis.values}});
  return out;
}

nlohmann::ordered_json at_json(const std::vector<Axis>& axes, const std::vector<std::string>& at) {
  auto out = nlohmann::ordered_json::object();
  for (std::size_t a = 0; a < axes.size(); ++a) out[axes[a].key] = at[a];
  return out;
}

}  // namespace

SizeCurve trace_curve(const SizeRequest& request, const std::string& key,
                      const std::vector<std::string>& over, bool progress) {
  SizeCurve curve{request.file, key, read_axes(over, key), {}};
  each_point(request, curve.axes, progress, [&](std::vector<std::string> at, const auto& changed) {
    size_designs(changed);  // a value that the file refuses is the user's error, not a limit
    curve.points.push_back({std::move(at), find_limit(changed, key)});
  });
  return curve;
}

PriceTable price_over(const SizeRequest& request, const std::vector<std::string>& over,
                      bool progress) {
  PriceTable table{request.file, read_axes(over, ""), {}};
  SizeRequest beside = request;
  beside.beside = true;
  each_point(beside, table.axes, progress, [&](std::vector<std::string> at, const auto& changed) {
    table.points.push_back({std::move(at), size_designs(changed)});
  });
  return table;
}

nlohmann::ordered_json curve_json(const SizeCurve& curve) {
  using nlohmann::ordered_json;
  ordered_json out = {{"schema", 1}, {"file", curve.file}, {"most", curve.key}};
  out["axes"] = axes_json(curve.axes);
  out["points"] = ordered_json::array();
  for (const auto& p : curve.points) {
    ordered_json point = ordered_json::object();
    if (!curve.axes.empty()) point["at"] = at_json(curve.axes, p.at);
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

nlohmann::ordered_json price_table_json(const PriceTable& table) {
  using nlohmann::ordered_json;
  ordered_json out = {{"schema", 1}, {"file", table.file}, {"axes", axes_json(table.axes)}};
  out["points"] = ordered_json::array();
  for (const auto& p : table.points) {
    ordered_json point = {{"at", at_json(table.axes, p.at)}, {"fits", all_fit(p.designs)}};
    point["pipelines"] = ordered_json::array();
    for (const auto& d : p.designs)
      point["pipelines"].push_back(
          dataplane::priced_json({d.ledger, d.undeclared, d.beside}, d.copies, false));
    out["points"].push_back(std::move(point));
  }
  return out;
}

std::string price_table_text(const PriceTable& table) {
  using dataplane::Resource;
  constexpr Resource shown[] = {Resource::sram, Resource::map_ram, Resource::tcam,
                                Resource::stateful_alu, Resource::statistics_alu};
  std::string out;
  for (const auto& axis : table.axes) out += fmt::format("  {:>16}", axis.key);
  out += fmt::format("  {:>6}  {:>5}  {:>8}", "stages", "least", "compiler");
  for (const Resource r : shown) out += fmt::format("  {:>14}", resource_name(r));
  out += "  pipeline\n";
  for (const auto& p : table.points) {
    for (const auto& d : p.designs) {
      for (const auto& at : p.at) out += fmt::format("  {:>16}", at);
      out += fmt::format("  {:>6}  {:>5}  {:>8}", d.ledger.stages_used(), d.beside->least,
                         d.beside->as_compiler.stages_used());
      for (const Resource r : shown) out += fmt::format("  {:>14}", d.ledger.total[r]);
      out += "  " + d.ledger.name;
      if (!d.ledger.refused.empty()) {
        const auto& r = d.ledger.refused.front();
        out += fmt::format("  does not fit: {}: {}", r.object, r.why);
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace horae::size
