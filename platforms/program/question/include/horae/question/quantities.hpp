// Quantities that can be measured, and readings where a publication leaves one open.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::question {

/// How published numbers are read where the publication leaves it open.
struct Readings {
  enum class Rate { l1, l2 };  ///< bytes with preamble and gap, or frames with FCS
  enum class Ratio {
    unique,
    payload
  };                                  ///< packets sent first over all sent, in bytes with
                                      ///< headers; or payload received over frames sent
  enum class Nacks { sender, both };  ///< a rate per sender, or of all senders together
  Rate rate = Rate::l1;
  Ratio ratio = Ratio::unique;
  Nacks nacks = Nacks::sender;

  friend bool operator==(const Readings&, const Readings&) = default;
};

/// "rate=l2" and the like, applied. InputError naming what there is.
void select_reading(Readings& readings, const std::string& text);

/// Each reading of `readings` as "rate=l1".
std::vector<std::string> reading_texts(const Readings& readings);

/// Every reading as it is by default, and every one turned: a quantity that is the same result
/// under both does not depend on any.
const std::array<Readings, 2>& both_ways();

/// The readings that differ from these in one.
std::vector<std::pair<std::string, Readings>> flipped(const Readings& readings);

/// The texts and readings of `flipped` that read a number of these quantities otherwise. A question
/// whose numbers are unambiguous has none.
std::vector<std::pair<std::string, Readings>> open_readings(
    const Readings& readings, const std::vector<std::string>& quantities);

/// Between which values a quantity lies, whatever is measured.
struct ValueRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// A quantity of the list; anything with a dot in its name is a result of a run by that name.
struct MeasuredQuantity {
  std::string_view name;
  std::string_view unit;
  double resolution;  ///< half of the last digit the packet-spraying paper gives of such a number
  ValueRange range;
  std::string_view doc;
};
const std::vector<MeasuredQuantity>& quantities();

/// Null for a result named in full.
const MeasuredQuantity* find_quantity(const std::string& name);
/// The same, and for a result named in full the quantity that it is under some reading.
const MeasuredQuantity* quantity_behind(const std::string& name);

/// The result of a run that holds `quantity` under `readings`.
std::string metric_of(const std::string& quantity, const Readings& readings);
/// Whether both are the same result, however the publication is read.
bool same_quantity(const std::string& a, const std::string& b);

/// That of the quantity behind a name; of other results by their unit: a share is at most 1, and
/// nothing that a run gives is below zero.
ValueRange range_of(const std::string& quantity, const std::string& unit);

/// InputError unless it is a quantity of the list or may be a result's name.
void check_quantity(const Located<std::string>& quantity);

}  // namespace horae::question
