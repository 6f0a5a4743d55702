#include "horae/dataplane/price/ledgers.hpp"

#include <algorithm>

namespace horae::dataplane {

Ledger Ledgers::of(const Design& design, const ChipSpec& chip) {
  auto it = std::find_if(known_.begin(), known_.end(), [&](const Known& k) {
    return k.chip == chip && k.objects == design.objects && k.fields == design.fields &&
           k.parser == design.parser && k.value_sets == design.value_sets &&
           k.checksums == design.checksums;
  });
  if (it == known_.end()) {
    known_.push_back({design.objects, design.fields, design.parser, design.value_sets,
                      design.checksums, chip, make_ledger(design, chip, place(design, chip))});
    it = known_.end() - 1;
  }
  Ledger ledger = it->ledger;
  ledger.name = design.name;
  return ledger;
}

}  // namespace horae::dataplane
