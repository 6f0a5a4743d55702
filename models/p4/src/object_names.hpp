// Which tables are one object, and what it is called (internal to the room).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "horae/p4/report.hpp"

namespace horae::p4 {

/// A table of the program over all stages that the compiler cut it into.
struct ProgramTable {
  const AssemblerTable* first = nullptr;  ///< its first piece: keys and size are of the whole
  std::vector<AssemblerAction> actions;
  std::vector<AssemblerTable::Reference> references;
  std::string default_action;
  std::uint32_t idle_bits = 0;
};

/// Entries of a report, found by the P4 names.
class NamedTables {
 public:
  explicit NamedTables(const CompilerReport& report);

  /// Nothing for a table that is not in the assembler file.
  const ProgramTable* table(const std::string& name, dataplane::Gress gress) const;
  /// An attached memory by its P4 name ("stateful", "counter", "meter", "selection", and "action"
  /// where it is a profile with a name of its own).
  const AssemblerTable* memory(const std::string& name) const;
  /// How a table refers to an attached memory.
  const AssemblerTable::Reference* reference(const ProgramTable& table,
                                             const std::string& memory) const;
  /// Bits of each field that a name reads over the crossbar, in its first stage: to match, or for
  /// everything else.
  std::map<std::string, std::uint32_t> reads(const std::string& name, bool match) const;
  /// Amounts of a purpose that begins so, over all stages.
  std::int64_t amount(const std::string& name, std::string_view purpose,
                      dataplane::Resource r) const;

 private:
  const CompilerReport& report_;
  std::map<std::pair<int, std::string>, ProgramTable> tables_;
  std::map<std::string, const AssemblerTable*> memories_;
  std::map<std::string, const AssemblerTable*> internal_;
};

}  // namespace horae::p4
