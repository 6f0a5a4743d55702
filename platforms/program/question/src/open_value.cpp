#include "horae/question/open_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "horae/config/effective.hpp"
#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::question {
namespace {

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <class Q>
std::optional<double> parse_as(const std::string& text) {
  const auto parsed = parse_quantity<Q>(text);
  if (!parsed) return std::nullopt;
  return static_cast<double>(parsed.value->count());
}

/// Every dotted key of a configuration.
void collect_keys(const nlohmann::ordered_json& at, const std::string& prefix,
                  std::vector<std::string>& keys) {
  for (const auto& [name, value] : at.items()) {
    const std::string key = at.is_array()    ? fmt::format("{}[{}]", prefix, name)
                            : prefix.empty() ? name
                                             : prefix + "." + name;
    if (value.is_structured()) {
      collect_keys(value, key, keys);
    } else {
      keys.push_back(key);
    }
  }
}

/// The value in effect under a key; InputError where there is none.
const nlohmann::ordered_json& value_of(const nlohmann::ordered_json& effective,
                                       const Located<std::string>& key) {
  if (const auto* now = config::find_value(effective, key.value)) return *now;
  std::vector<std::string> keys;
  collect_keys(effective, "", keys);
  const std::string near = nearest_name(key.value, keys);
  throw input_error(key.where,
                    fmt::format("'{}' names no value of the platform{}", key.value,
                                near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

}  // namespace

OpenValue::OpenValue(const ParameterSpec& spec, const nlohmann::ordered_json& effective)
    : spec_(&spec) {
  const auto* now = &value_of(effective, spec.key);
  for (const auto& other : spec.also) value_of(effective, other);
  const std::string& low = spec.low.value;
  if (spec.choice()) {
    kind_ = Kind::choice;
    return;
  }
  if (now->is_number_float()) {
    kind_ = Kind::number;
  } else if (now->is_number()) {
    kind_ = Kind::integer;
  } else if (now->is_string() && parse_as<Picoseconds>(*now)) {
    kind_ = Kind::time;
  } else if (now->is_string() && parse_as<Bytes>(*now)) {
    kind_ = Kind::bytes;
  } else if (now->is_string() && parse_as<BitRate>(*now)) {
    kind_ = Kind::rate;
  } else if (now->is_string() && parse_as<Hertz>(*now)) {
    kind_ = Kind::frequency;
  } else {
    throw input_error(
        spec.key.where,
        fmt::format("'{}' is {}: only numbers and quantities have a range", key(), now->dump()));
  }
  low_ = parse(spec.low, "low");
  high_ = parse(spec.high, "high");
  if (!(low_ < high_)) {
    throw input_error(spec.high.where, fmt::format("'{}': high = {} is not above low = {}", key(),
                                                   spec.high.value, low));
  }
  if (spec.scale == Scale::log && !(low_ > 0)) {
    throw input_error(spec.low.where,
                      fmt::format("'{}': low = {}, but a log scale begins above zero", key(), low));
  }
}

double OpenValue::parse(const Located<std::string>& text, std::string_view bound) const {
  std::optional<double> value;
  std::string_view expected;
  switch (kind_) {
    case Kind::time:
      value = parse_as<Picoseconds>(text), expected = quantity_expectation<Picoseconds>();
      break;
    case Kind::bytes:
      value = parse_as<Bytes>(text), expected = quantity_expectation<Bytes>();
      break;
    case Kind::rate:
      value = parse_as<BitRate>(text), expected = quantity_expectation<BitRate>();
      break;
    case Kind::frequency:
      value = parse_as<Hertz>(text), expected = quantity_expectation<Hertz>();
      break;
    case Kind::integer:
      value = parse_number(text), expected = "a whole number in quotes";
      if (value && *value != std::floor(*value)) value.reset();
      break;
    case Kind::number:
    case Kind::choice:
      value = parse_number(text), expected = "a number in quotes";
      break;
  }
  if (value) return *value;
  throw input_error(text.where, fmt::format("{} of '{}': expected {}, found '{}'", bound, key(),
                                            expected, printable(text.value)));
}

double OpenValue::rounded(double value) const {
  constexpr double digits = 4;
  if (value != 0) {
    const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
    const bool whole = kind_ != Kind::number;
    const double unit = whole ? std::max(1.0, std::round(step)) : step;
    value = std::round(value / unit) * unit;
  }
  return std::clamp(value, low_, high_);
}

std::string OpenValue::print(double value) const {
  const auto count = static_cast<std::int64_t>(std::llround(value));
  switch (kind_) {
    case Kind::time:
      return to_text(Picoseconds(count));
    case Kind::bytes:
      return to_text(Bytes(count));
    case Kind::rate:
      return to_text(BitRate(count));
    case Kind::frequency:
      return to_text(Hertz(count));
    case Kind::integer:
      return fmt::format("{}", count);
    case Kind::number:
    case Kind::choice:
      break;
  }
  const std::string text = fmt::format("{:.4g}", value);
  // An override without a point would be a whole number.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string OpenValue::text(double position) const {
  position = std::clamp(position, 0.0, 1.0);
  if (kind_ == Kind::choice) {
    const std::size_t n = spec_->values.size();
    const auto at = static_cast<std::size_t>(position * static_cast<double>(n));
    return spec_->values[std::min(at, n - 1)];
  }
  const double value = spec_->scale == Scale::log
                           ? low_ * std::exp(position * std::log(high_ / low_))
                           : low_ + position * (high_ - low_);
  return print(rounded(value));
}

double OpenValue::position(const std::string& text) const {
  if (kind_ == Kind::choice) {
    const auto at = std::find_if(spec_->values.begin(), spec_->values.end(),
                                 [&](const auto& v) { return v.value == text; });
    return (static_cast<double>(at - spec_->values.begin()) + 0.5) /
           static_cast<double>(spec_->values.size());
  }
  const double value = parse({text, {}}, "value");
  const double at = spec_->scale == Scale::log ? std::log(value / low_) / std::log(high_ / low_)
                                               : (value - low_) / (high_ - low_);
  return std::clamp(at, 0.0, 1.0);
}

}  // namespace horae::question
