// A NIC as a file: values that are the defaults of a profile, and how far the uncertain ones may
// lie off.
#pragma once

#include <string>
#include <vector>

#include "horae/params/located.hpp"
#include "horae/params/section.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// Range of a value that is not known exactly; ends included.
struct NicRange {
  Located<std::string> key;   ///< of an rnic profile, such as "sram.total"
  Located<std::string> low;   ///< as `--set` takes it
  Located<std::string> high;  ///< likewise
  std::string source;
  static const Schema<NicRange>& schema();
};

struct NicSpec {
  std::string name;
  std::string description;
  Section nic;      ///< keys of an rnic profile
  Section sources;  ///< parameter: where its value comes from; of those without a range
  std::vector<NicRange> ranges;

  /// Where the value of a parameter comes from; empty when the file does not say.
  std::string source_of(const std::string& key) const;
  /// The NIC without a profile around it.
  RnicConfig config() const;

  static const Schema<NicSpec>& schema();
  /// Reads and checks a NIC file: ranges and sources are of parameters, and values lie
  /// inside their ranges.
  static NicSpec read(const Section& section);
  /// The NIC of that name among those shipped (compiled in from platforms/nics), or, when `spec`
  /// ends in ".toml", the file, relative to the file that `where` is in. InputError.
  static NicSpec find(const Located<std::string>& spec);
  static const std::vector<std::string>& shipped();
};

/// An rnic profile: its own keys over those of its `spec`, if it names one. Keys in `also_known`
/// are left alone.
RnicConfig read_rnic(const Section& section, const std::vector<std::string>& also_known = {});

}  // namespace horae::rnic
