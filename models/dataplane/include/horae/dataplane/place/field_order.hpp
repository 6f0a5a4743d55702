// Dependencies that the fields of a list show: who reads what another wrote before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// The fields that an object names.
struct NamedFields {
  std::set<std::string> reads;  ///< over the crossbar
  std::set<std::string> uses;   ///< in its actions
  std::set<std::string> writes;
};
NamedFields fields_of(const DesignObject& object);

/// `object` reads or writes a field that `on`, before it in the program, writes or reads, and no
/// chain of dependencies puts it behind.
struct FieldOrder {
  std::string object;
  std::string on;
  DependencyKind kind = DependencyKind::match;
  std::string field;
};

/// All such pairs; of what belongs to a table, that table stands for it. In the order of the
/// program: of the lines of an objects file, else of the list. Objects of which a condition lets
/// only one run (ConditionSpec::guards_not) have no order. What fields an object's action reads is
/// known where it says so (DesignObject::uses).
std::vector<FieldOrder> undeclared_orders(const Design& design);

/// Makes dependencies of them.
void declare(Design& design, const std::vector<FieldOrder>& orders);

}  // namespace horae::dataplane
