// Dependencies that the fields of a list show: who reads what another wrote before.
#pragma once

#include <string>
#include <vector>

#include "horae/dataplane/design.hpp"

namespace horae::dataplane {

/// `object` reads or writes a field that `on`, before it in the program, writes or reads, and no
/// chain of dependencies puts it behind.
struct FieldOrder {
  std::string object;
  std::string on;
  DependencyKind kind = DependencyKind::match;
  std::string field;
};

/// All such pairs, in the order of the program: of the lines of an objects file, else of the list.
/// Objects of which a condition lets only one run (ConditionSpec::guards_not) have no order. What
/// fields an object's action reads is not known, so `read_after_write` is never found.
std::vector<FieldOrder> undeclared_orders(const Design& design);

/// Makes dependencies of them.
void declare(Design& design, const std::vector<FieldOrder>& orders);

}  // namespace horae::dataplane
