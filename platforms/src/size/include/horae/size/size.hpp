// What designs cost: the work of `horae size`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/dataplane/ledger.hpp"
#include "horae/flows/nic_fit.hpp"
#include "horae/programs/program.hpp"

namespace horae::size {

/// What to price: the programs of a platform, or an objects file.
struct SizeRequest {
  std::string file;
  bool objects = false;                         ///< `file` is an objects file
  std::vector<std::string> overrides;           ///< KEY=VALUE, as for `horae run`
  std::optional<std::string> chip;              ///< in place of the chip that the file names
  std::optional<dataplane::Resource> relieved;  ///< as if each stage had twice as much of it
};

/// A known value beside ours.
struct Comparison {
  std::string id;  ///< of the published figure, or the object (empty: the design)
  std::string quantity;
  double reference = 0;
  std::optional<double> ours;
  std::string unit;
  std::string source;
  std::string note;  ///< why they differ, or what ours is made of
  bool must_agree = false;
  bool agrees() const { return ours && *ours == reference; }
};

/// One design with its price.
struct SizedDesign {
  dataplane::Ledger ledger;
  unsigned copies = 1;  ///< pipelines that each have this
  std::vector<programs::StateAccount> accounts;
  std::vector<Comparison> comparisons;
  bool expected_refusal = false;  ///< the file says that it is not to fit
};

/// Prices the programs that the request names; none for a platform of NICs. InputError for a bad
/// file.
std::vector<SizedDesign> size_designs(const SizeRequest& request);
/// Whether nothing is refused but what the file expects to be.
bool all_fit(const std::vector<SizedDesign>& designs);

/// A parameter that can be changed, as an override's key, with its value.
struct Adjustable {
  std::string key;
  std::int64_t value = 0;
  std::int64_t least = 1;
  std::int64_t most = 0;
  std::string object;  ///< of an objects file: whose it is
};
/// Whole-number parameters of the designs of a request.
std::vector<Adjustable> adjustables(const SizeRequest& request);

/// A change of parameters with which everything fits.
struct Remedy {
  std::vector<std::pair<Adjustable, std::int64_t>> changes;  ///< parameter and its new value
};
/// Finds changes by trying them, so many at most: of one parameter, the nearest value that fits; if
/// there is none, of two.
std::vector<Remedy> find_remedies(const SizeRequest& request);

/// The largest value of a parameter with which everything fits, and what one more would lack.
struct Limit {
  std::int64_t value = 0;  ///< 0: not even the least fits
  std::string binding;     ///< resource, or "stages"
  std::string object;      ///< that lacks it
  std::string why;
};
/// InputError when `key` is no whole-number parameter.
Limit find_limit(const SizeRequest& request, const std::string& key);

/// `horae size --json`. `by_stage`: also what each object has in each stage.
nlohmann::ordered_json size_json(const SizeRequest& request,
                                 const std::vector<SizedDesign>& designs,
                                 const std::vector<Remedy>& remedies,
                                 const std::vector<flows::SizedNic>& nics, bool by_stage = false);
/// The designs as text.
std::string size_text(const std::vector<SizedDesign>& designs, const std::vector<Remedy>& remedies,
                      bool by_stage);
/// Comparisons of many designs in one table.
std::string comparison_text(const std::vector<SizedDesign>& designs);

}  // namespace horae::size
