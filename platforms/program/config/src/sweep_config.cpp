#include "horae/config/sweep_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"

namespace horae::config {

const Schema<SweepPoint>& SweepPoint::schema() {
  static const Schema<SweepPoint> s =
      Schema<SweepPoint>("point", "One run of a sweep.")
          .required("label", &SweepPoint::label, {.doc = "name of the point's row in the table"})
          .field("set", &SweepPoint::set, {.doc = "overrides, as for --set"});
  return s;
}

const Schema<ColumnSpec>& ColumnSpec::schema() {
  static const Schema<ColumnSpec> s =
      Schema<ColumnSpec>("column", "A column of the table.")
          .required("title", &ColumnSpec::title, {.doc = "heading of the column in the table"})
          .required("metric", &ColumnSpec::metric, {.doc = "name of a result"})
          .field("digits", &ColumnSpec::digits,
                 {.doc = "digits printed after the point", .max = 9});
  return s;
}

const Schema<PublishedSpec>& PublishedSpec::schema() {
  static const Schema<PublishedSpec> s =
      Schema<PublishedSpec>("published", "A published number beside a result.")
          .required("id", &PublishedSpec::id, {.doc = "stable name of the number"})
          .field("point", &PublishedSpec::point, {.doc = "label of the sweep point"})
          .required("metric", &PublishedSpec::metric, {.doc = "name of the result"})
          .required("value", &PublishedSpec::value, {.doc = "value as it was published"})
          .field("unit", &PublishedSpec::unit, {.doc = "unit of the published value"})
          .required("source", &PublishedSpec::source,
                    {.doc = "where it was published: paper, section, figure"});
  return s;
}

const Schema<SweepConfig>& SweepConfig::schema() {
  static const Schema<SweepConfig> s =
      Schema<SweepConfig>("sweep", "Several runs of the platform, in one table.")
          .field("title", &SweepConfig::title, {.doc = "heading of the table"})
          .field("label_title", &SweepConfig::label_title, {.doc = "heading of the first column"})
          .tables("point", &SweepConfig::points, SweepPoint::schema())
          .tables("column", &SweepConfig::columns, ColumnSpec::schema())
          .tables("published", &SweepConfig::published, PublishedSpec::schema());
  return s;
}

/// Refuses points that cannot be told apart, or found, in the sweep's table and in the folders of
/// its points.
void check_sweep(const SweepConfig& sweep) {
  std::vector<std::string> labels;
  std::set<std::string> folders;
  for (const auto& point : sweep.points) {
    const std::string& label = point.label;
    if (label.empty()) throw input_error(point.label.where, "a sweep point has an empty label");
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) {
      throw input_error(point.label.where, fmt::format("two sweep points are called '{}'", label));
    }
    if (!folders.insert(folder_name(label)).second) {
      throw input_error(point.label.where,
                        fmt::format("'{}' would share the result folder '{}' with another point",
                                    label, folder_name(label)));
    }
    labels.push_back(label);
  }
  std::set<std::string> titles = {sweep.label_title, "verdict"};
  for (const auto& column : sweep.columns) {
    if (!titles.insert(column.title.value).second) {
      throw input_error(column.title.where,
                        fmt::format("two columns are called '{}'", column.title.value));
    }
  }
  std::set<std::string> ids;
  for (const auto& p : sweep.published) {
    if (!ids.insert(p.id.value).second) {
      throw input_error(p.id.where,
                        fmt::format("two published numbers have the id '{}'", p.id.value));
    }
    if (p.point.value.empty() && !labels.empty()) {
      throw input_error(p.id.where, fmt::format("'{}' does not say at which sweep point; expected "
                                                "point = one of {}",
                                                p.id.value, fmt::join(labels, ", ")));
    }
    if (!p.point.value.empty() &&
        std::find(labels.begin(), labels.end(), p.point.value) == labels.end()) {
      throw input_error(p.point.where,
                        fmt::format("'{}' is compared at sweep point '{}', which does "
                                    "not exist{}",
                                    p.id.value, p.point.value, suggestion(p.point.value, labels)));
    }
  }
}

}  // namespace horae::config
