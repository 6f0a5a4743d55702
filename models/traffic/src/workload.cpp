#include "horae/traffic/workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "horae/traffic/shipped_workloads.hpp"

namespace horae::traffic {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr unsigned probability_bits = 53;  // a double's, so that no point is rounded

std::string text_of(double probability) { return fmt::format("{}", probability); }

void check(const Section& section, const std::vector<SizePoint>& points) {
  if (points.size() < 2) {
    throw section.error("point", fmt::format("{} points; expected two or more", points.size()));
  }
  const auto tables = section.children("point");
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].size < points[i - 1].size) {
      throw tables[i].error("size", fmt::format("size = {} is below that of the point before, {}",
                                                points[i].size, points[i - 1].size));
    }
    if (points[i].probability.value <= points[i - 1].probability.value) {
      throw tables[i].error(
          "probability",
          fmt::format("probability = {} is not above that of the point before, {}",
                      text_of(points[i].probability), text_of(points[i - 1].probability)));
    }
  }
  const auto expect = [&](std::size_t i, const char* which, double value) {
    if (points[i].probability.value == value) return;
    throw tables[i].error("probability",
                          fmt::format("probability = {} of the {} point; expected {}",
                                      text_of(points[i].probability), which, text_of(value)));
  };
  if (points.back().size == 0) {
    throw tables.back().error("size", "size = 0 of the last point; expected 1 or more");
  }
  expect(0, "first", 0.0);
  expect(points.size() - 1, "last", 1.0);
}

}  // namespace

const Schema<SizePoint>& SizePoint::schema() {
  static const Schema<SizePoint> s =
      Schema<SizePoint>("point", "A point of a cumulative distribution.")
          .required("size", &SizePoint::size,
                    {.doc = "bytes", .min = 0, .max = std::int64_t{0x7fffffff}})
          .required(
              "probability", &SizePoint::probability,
              {.doc = "probability that a message has at most `bytes`", .min = 0.0, .max = 1.0});
  return s;
}

const Schema<WorkloadFile>& WorkloadFile::schema() {
  static const Schema<WorkloadFile> s =
      Schema<WorkloadFile>("workload file", "Sizes of messages, as a cumulative distribution.")
          .required("name", &WorkloadFile::name, {.doc = "name of the workload"})
          .required("description", &WorkloadFile::description, {.doc = "what was measured, where"})
          .required("source", &WorkloadFile::source, {.doc = "where the points come from"})
          .tables("point", &WorkloadFile::points, SizePoint::schema(),
                  {.doc = "from probability 0 to 1; straight lines between them"});
  return s;
}

SizeDistribution::SizeDistribution(WorkloadFile file) : file_(std::move(file)) {
  Wide twice_mean = 0;
  for (std::size_t i = 0; i < file_.points.size(); ++i) {
    // Times a power of two: exact.
    constexpr auto one = static_cast<double>(std::uint64_t{1} << probability_bits);
    thresholds_.push_back(static_cast<std::uint64_t>(file_.points[i].probability.value * one));
    if (i == 0) continue;
    twice_mean += static_cast<Wide>(thresholds_[i] - thresholds_[i - 1]) *
                  static_cast<std::uint64_t>(file_.points[i].size + file_.points[i - 1].size);
  }
  mean_q16_ = static_cast<std::int64_t>((twice_mean << 16) >> (probability_bits + 1));
}

SizeDistribution SizeDistribution::read(const Section& section) {
  auto file = section.read<WorkloadFile>();
  check(section, file.points);
  return SizeDistribution(std::move(file));
}

SizeDistribution SizeDistribution::find(const Located<std::string>& workload) {
  return read(find_document(workload, shipped_workloads, "workload", "workloads").root());
}

const std::vector<std::string>& SizeDistribution::shipped() {
  static const std::vector<std::string> names = names_of(shipped_workloads);
  return names;
}

Bytes SizeDistribution::draw(RandomStream& stream) const {
  const std::uint64_t high = stream.bits() >> 5;
  const std::uint64_t u = high << 26 | stream.bits() >> 6;  // 53 bits, as RandomStream::unit()
  const auto above = std::upper_bound(thresholds_.begin(), thresholds_.end(), u);
  const auto i = static_cast<std::size_t>(above - thresholds_.begin());
  const std::int64_t low = file_.points[i - 1].size;
  const auto width = static_cast<std::uint64_t>(file_.points[i].size - low);
  const auto within = static_cast<std::int64_t>(
      static_cast<Wide>(width) * (u - thresholds_[i - 1]) / (thresholds_[i] - thresholds_[i - 1]));
  return Bytes(std::max<std::int64_t>(1, low + within));
}

}  // namespace horae::traffic
