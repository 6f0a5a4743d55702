// The objects of a gress while they are made: names, places, notes.
#pragma once

#include <string>
#include <vector>

#include "gress_design.hpp"

namespace horae::p4price {

/// Names of the fields that are used, each once.
std::vector<std::string> fields_of(const std::vector<Use>& uses);
/// Bits that are used, those of one name once.
std::uint32_t bits_of(const std::vector<Use>& uses);

class ObjectList {
 public:
  ObjectList(const p4lang::Program& program, dataplane::Gress gress, PipeDesign& out)
      : program_(program), gress_(gress), out_(out) {}

  /// A new object; the gresses may have one of a name each. Its name.
  std::string add(std::string name, dataplane::ObjectSpec spec, const p4lang::Place& place);
  dataplane::DesignObject& at(const std::string& name);
  void note(const std::string& object, std::string text, const p4lang::Place& place);

  /// Adds the fields that a piece writes and reads in its actions to an object's.
  void take_fields(const std::string& name, const Piece& piece);

  /// The name of an extern object as the design has it.
  std::string name_of(std::uint32_t object) const;
  const std::string& pipe() const { return out_.pipe; }

 private:
  const p4lang::Program& program_;
  dataplane::Gress gress_;
  PipeDesign& out_;
};

}  // namespace horae::p4price
