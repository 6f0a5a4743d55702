// Registers, counters, meters and filters of a gress: who uses them, what they are on the chip.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "object_list.hpp"

namespace horae::p4price {

class StatefulObjects {
 public:
  /// `pieces` outlive it and are as they stay.
  StatefulObjects(const p4lang::Program& program, const p4lang::Block& control,
                  const dataplane::ChipSpec& chip, const Sizes& sizes,
                  const std::vector<Piece>& pieces, ObjectList& objects);

  /// Adds what the actions of a table use, `host` its object. Registers that other tables use too,
  /// which the table accesses as an object beside it.
  std::vector<std::string> attach(std::size_t piece, const std::string& host);

  /// The name of what has been added; empty if it has not.
  std::string made(std::uint32_t index) const;
  /// Adds a register that keyless tables alone use, unless it has been.
  std::string keyless_register(std::uint32_t index);
  /// Adds a counter, meter, filter or RED array; `host` is empty where it is a table itself.
  std::string add_array(std::uint32_t index, const ExternUse& use, const std::string& host);

 private:
  struct User {
    std::size_t piece;
    std::vector<const ExternUse*> uses;
  };

  void find_users();
  std::uint64_t cells_of(std::uint32_t index) const;
  dataplane::ObjectSpec array_of(std::uint32_t index, const ExternUse& use,
                                 const std::string& host) const;
  dataplane::RegisterSpec register_spec(std::uint32_t index, const std::vector<User>& users);
  std::string add_register(std::uint32_t index, const std::vector<User>& users,
                           const std::string& host);
  std::string share_register(std::uint32_t index, const std::vector<User>& users,
                             std::size_t piece);

  const p4lang::Program& program_;
  const p4lang::Block& control_;
  const dataplane::ChipSpec& chip_;
  const Sizes& sizes_;
  const std::vector<Piece>& pieces_;
  ObjectList& objects_;
  std::map<std::uint32_t, std::vector<User>> users_;
  std::map<std::uint32_t, std::string> made_;
};

}  // namespace horae::p4price
