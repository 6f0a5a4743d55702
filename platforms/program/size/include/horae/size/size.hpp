// Prices of designs: the work of `horae size`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/dataplane/place/field_order.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/dataplane/price/priced.hpp"
#include "horae/programs/program.hpp"
#include "horae/programs/rehearsal.hpp"

namespace horae::size {

/// How a P4 source is read.
struct P4Reading {
  std::vector<std::string> include_folders;
  std::vector<std::string> defines;   ///< NAME or NAME=VALUE
  std::optional<std::string> target;  ///< "tofino" or "tofino2"; none: by what the source includes
};

/// The designs to price: the programs of a platform, an objects file, or a P4 source.
struct SizeRequest {
  std::string file;
  bool objects = false;                         ///< `file` is an objects file
  std::vector<std::string> overrides;           ///< KEY=VALUE, as for `horae run`
  std::optional<std::string> chip;              ///< in place of the chip that the file names
  std::optional<dataplane::Resource> relieved;  ///< as if each stage had twice as much of it
  bool beside = false;  ///< also what the stages stand beside (dataplane::Priced::Beside)
  /// Searches ask whether it fits (see all_fit); nothing else of the result is right then.
  dataplane::PlaceEffort effort = dataplane::PlaceEffort::whole;
  /// `file` is a P4 source. Its overrides are numbers that the source defines (#define, const) and
  /// sizes of tables and registers by name.
  std::optional<P4Reading> p4 = {};
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

/// Facts about a design that was made of P4 source.
struct SourceAccount {
  dataplane::Design design;
  std::vector<std::string> places;  ///< of each object: "file:line:column"
  std::vector<std::string> chain;   ///< the longest chain of dependencies, a sentence a link
  unsigned chain_stages = 0;        ///< that it takes
  struct Note {
    std::string object, text, place;
  };
  std::vector<Note> notes;  ///< approximations
};

/// One design with its price.
struct SizedDesign {
  dataplane::Ledger ledger;
  unsigned copies = 1;  ///< pipelines that each have this
  std::vector<programs::StateAccount> accounts;
  std::vector<Comparison> comparisons;
  bool expected_refusal = false;                  ///< the file says that it is not to fit
  std::vector<dataplane::FieldOrder> undeclared;  ///< by the fields of its objects
  std::optional<dataplane::Priced::Beside> beside = {};
  bool by_hand = true;  ///< not taken from a compiled program (order = "complete")
  std::optional<SourceAccount> source = {};
  std::optional<programs::Rehearsal> rehearsal = {};  ///< of a C++ program
};

/// Prices the programs that the request names; none for a platform of NICs. InputError for a bad
/// file.
std::vector<SizedDesign> size_designs(const SizeRequest& request);
/// Whether nothing is refused but what the file expects to be.
bool all_fit(const std::vector<SizedDesign>& designs);

}  // namespace horae::size
