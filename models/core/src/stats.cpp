#include "horae/core/stats.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace horae {

// ---- Histogram ----

void Histogram::refuse(std::int64_t value, std::int64_t weight) {
  throw ModelError(
      fmt::format("histogram: value {} with weight {}, expected none negative", value, weight));
}

void Histogram::require_samples() const {
  if (count_ == 0) throw ModelError("histogram: no samples, expected at least one");
}

void Histogram::merge(const Histogram& other) {
  if (bins_.size() < other.bins_.size()) bins_.resize(other.bins_.size());
  for (std::size_t i = 0; i < other.bins_.size(); ++i) bins_[i] += other.bins_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::vector<std::int64_t> Histogram::parts() const {
  std::vector<std::int64_t> out = {static_cast<std::int64_t>(sum_ >> 63),
                                   static_cast<std::int64_t>(sum_ & ((detail::Wide{1} << 63) - 1)),
                                   min_, max_};
  int i = 0;
  for (const std::int64_t n : bins_) {
    if (n != 0) {
      out.push_back(i);
      out.push_back(n);
    }
    ++i;
  }
  return out;
}

Histogram Histogram::of_parts(const std::vector<std::int64_t>& parts) {
  Histogram h;
  h.sum_ = (static_cast<detail::Wide>(parts.at(0)) << 63) + static_cast<detail::Wide>(parts.at(1));
  h.min_ = parts.at(2);
  h.max_ = parts.at(3);
  for (std::size_t i = 4; i + 1 < parts.size(); i += 2) {
    const auto bin = static_cast<std::size_t>(parts[i]);  // they rise
    h.bins_.resize(bin + 1);
    h.bins_[bin] = parts[i + 1];
    h.count_ += parts[i + 1];
  }
  return h;
}

double Histogram::mean() const {
  require_samples();
  return static_cast<double>(static_cast<long double>(sum_) / static_cast<long double>(count_));
}

std::int64_t Histogram::min() const {
  require_samples();
  return min_;
}

std::int64_t Histogram::max() const {
  require_samples();
  return max_;
}

std::int64_t Histogram::percentile(double q) const {
  require_samples();
  if (!(q >= 0 && q <= 1)) {
    throw ModelError(fmt::format("histogram: percentile {}, expected 0 to 1", q));
  }
  // 0.07 x 100 is a little more than 7 in floating point and must not become rank 8.
  constexpr long double slack = 1e-12L;
  const long double exact = static_cast<long double>(q) * static_cast<long double>(count_);
  const auto rank = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(exact * (1 - slack))), 1, count_);
  if (rank == 1) return min_;
  if (rank == count_) return max_;
  std::int64_t below = 0;
  std::size_t i = 0;
  while ((below += bins_[i]) < rank) ++i;
  return std::clamp(detail::LogLinearAxis::value(static_cast<int>(i)), min_, max_);
}

// ---- TimeWeighted ----

detail::SignedWide TimeWeighted::integral_to(Picoseconds t) const {
  if (t < last_) {
    throw ModelError(
        fmt::format("gauge: time {} ps before the last change at {} ps", t.count(), last_.count()));
  }
  return integral_ + static_cast<detail::SignedWide>(current_) * (t - last_).count();
}

void TimeWeighted::advance(Picoseconds t) {
  integral_ = integral_to(t);
  last_ = t;
}

void TimeWeighted::update(Picoseconds t, std::int64_t value) {
  advance(t);
  current_ = value;
  max_ = std::max(max_, value);
}

void TimeWeighted::reset(Picoseconds t) {
  advance(t);
  start_ = t;
  integral_ = 0;
  max_ = current_;
}

double TimeWeighted::mean(Picoseconds t) const {
  const detail::SignedWide integral = integral_to(t);
  if (t == start_) return static_cast<double>(current_);
  return static_cast<double>(static_cast<long double>(integral) /
                             static_cast<long double>((t - start_).count()));
}

// ---- StatTree ----

StatKind stat_kind(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('.') + 1);  // npos + 1 is 0
  if (name.starts_with("most_") || name.starts_with("longest")) return StatKind::maximum;
  return name == "waiting" ? StatKind::state : StatKind::count;
}

std::string StatTree::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

StatTree::Entry* StatTree::find(std::string_view name) {
  const auto it = std::ranges::find(entries_, name, &Entry::name);
  return it == entries_.end() ? nullptr : &*it;
}

StatTree& StatTree::group(std::string_view name) {
  if (name.empty())
    throw ModelError(fmt::format("statistics: group without a name in '{}'", path_));
  if (Entry* entry = find(name)) {
    if (auto* group = std::get_if<std::unique_ptr<StatTree>>(&entry->content)) return **group;
    throw ModelError(fmt::format("statistics: '{}' is a result, not a group", path_of(name)));
  }
  std::unique_ptr<StatTree> group(new StatTree(path_of(name)));  // private constructor
  StatTree& made = *group;
  entries_.push_back({std::string(name), std::move(group)});
  return made;
}

StatTree& StatTree::add(std::string_view name, Number number, std::string_view unit,
                        std::optional<Picoseconds> window) {
  if (name.empty()) {
    throw ModelError(fmt::format("statistics: result without a name in '{}'", path_));
  }
  if (find(name) != nullptr) {
    throw ModelError(fmt::format("statistics: '{}' is there already", path_of(name)));
  }
  if (unit.empty()) {
    throw ModelError(fmt::format("statistics: '{}' without a unit", path_of(name)));
  }
  if (const auto* real = std::get_if<double>(&number); real != nullptr && !std::isfinite(*real)) {
    throw ModelError(
        fmt::format("statistics: '{}' is {}, expected a finite number", path_of(name), *real));
  }
  entries_.push_back({std::string(name), Leaf{number, std::string(unit), window}});
  return *this;
}

StatTree& StatTree::rate(std::string_view name, const Rate<Bytes>& rate) {
  // Exact where it is a whole number: a full link has the rate of its line, and no more.
  constexpr detail::SignedWide bits_per_byte = 8, picoseconds_per_second = 1'000'000'000'000;
  const detail::SignedWide window = rate.window().count();
  const auto all = rate.amount().count() * bits_per_byte * picoseconds_per_second;
  const double rest = static_cast<double>(all % window) / static_cast<double>(window);
  return add(name, Number(static_cast<double>(all / window) + rest), "bit/s", rate.window());
}

StatTree& StatTree::rate(std::string_view name, const Rate<Packets>& rate) {
  return add(name, Number(rate.per_second()), "packets/s", rate.window());
}

StatTree& StatTree::histogram(std::string_view name, const Histogram& h, std::string_view unit) {
  if (find(name) != nullptr) {
    throw ModelError(fmt::format("statistics: '{}' is there already", path_of(name)));
  }
  StatTree& g = group(name);
  g.value("count", h.count(), "samples");
  if (!h.empty()) {
    g.value("mean", h.mean(), unit).value("min", h.min(), unit).value("max", h.max(), unit);
    constexpr std::pair<std::string_view, double> percentiles[] = {
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};
    for (const auto& [label, q] : percentiles) g.value(label, h.percentile(q), unit);
  }
  return *this;
}

void StatTree::for_each(
    const std::function<void(const std::string&, double, const std::string&)>& visit) const {
  for (const auto& entry : entries_) {
    if (const auto* group = std::get_if<std::unique_ptr<StatTree>>(&entry.content)) {
      (*group)->for_each(visit);
      continue;
    }
    const Leaf& leaf = std::get<Leaf>(entry.content);
    const double number =
        std::visit([](auto exact) { return static_cast<double>(exact); }, leaf.number);
    visit(path_of(entry.name), number, leaf.unit);
  }
}

nlohmann::ordered_json StatTree::to_json() const {
  auto object = nlohmann::ordered_json::object();
  // A vector of members, which would copy all of them when it grows. Names are different already.
  auto& members = object.get_ref<nlohmann::ordered_json::object_t&>();
  members.reserve(entries_.size());
  for (const auto& entry : entries_) {
    auto& slot = members.emplace_back(entry.name, nullptr).second;
    if (const auto* group = std::get_if<std::unique_ptr<StatTree>>(&entry.content)) {
      slot = (*group)->to_json();
      continue;
    }
    const Leaf& leaf = std::get<Leaf>(entry.content);
    nlohmann::ordered_json::object_t parts;
    parts.reserve(leaf.window ? 3 : 2);
    std::visit([&parts](auto number) { parts.emplace_back("value", number); }, leaf.number);
    parts.emplace_back("unit", leaf.unit);
    if (leaf.window)
      parts.emplace_back("window",
                         nlohmann::ordered_json{{"value", leaf.window->count()}, {"unit", "ps"}});
    slot = std::move(parts);
  }
  return object;
}

}  // namespace horae
