// Fills a program's tables: by the names of the program, as texts of users say it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

/// A field of a key and what it must match, or a parameter of an action and its value.
///
/// Values: 12, 0x1f, 0b101; with * for digits that do not matter; value/length of a prefix;
/// value&&&mask; low..high of a range (also low->high); an IPv4, IPv6 or MAC address; true, false;
/// a member of an enumeration.
struct NamedValue {
  std::string name;  ///< empty: by position
  std::string value;
  /// As test scripts of the vendor have it: ones may be more than the field has bits, and a name
  /// without the slice that a key takes means the whole field, of which the slice takes its bits.
  bool script = false;
};

/// A member of a table's profile or a group of its selector.
struct Reference {
  enum class To : std::uint8_t { member, group };
  To to = To::member;
  std::uint64_t number = 0;
  std::uint64_t first = 0;  ///< of a group: its members count from this one of the profile on
};

/// All copies of a program on a switch have the same entries. Names may leave out what is before a
/// dot as long as one thing is meant. InputError, without a place, for a name or a value that is
/// none: what was found, what was expected, the nearest name.
class ControlPlane {
 public:
  /// Both gresses of all pipes; what the program fixes is put into the tables.
  explicit ControlPlane(const p4lang::Program& program, std::vector<Machine*> machines);

  void add(std::string_view table, std::optional<std::int64_t> priority,
           const std::vector<NamedValue>& keys, std::string_view action,
           const std::vector<NamedValue>& data);
  /// Likewise, of a table with an action profile: the entry names a member or a group.
  void add(std::string_view table, std::optional<std::int64_t> priority,
           const std::vector<NamedValue>& keys, const Reference& to);
  /// Takes an entry out, if there is such a one.
  void remove(std::string_view table, std::optional<std::int64_t> priority,
              const std::vector<NamedValue>& keys);
  void set_default(std::string_view table, std::string_view action,
                   const std::vector<NamedValue>& data);

  /// Whether an action profile is named so.
  bool has_profile(std::string_view name) const;
  /// A member of a profile, or of a selector that has its own; replaces what was there.
  void set_member(std::string_view profile, std::uint64_t member, std::string_view action,
                  const std::vector<NamedValue>& data);
  /// More members of a selector's group, all alive; the same member may be there several times.
  void add_to_group(std::string_view selector, std::uint64_t group,
                    const std::vector<std::uint64_t>& members);
  /// By how much the addresses of two groups that follow each other differ, as the chip's tables
  /// have them: 128 times the words of a group, rounded up to a power of two.
  std::uint64_t group_address_step(std::string_view table);
  /// Likewise of two members: two to the number of low bits by which the chip tells how wide action
  /// data is, one for up to 8 bits and one more for each doubling, at most five (bf-p4c,
  /// action_table.cpp).
  std::uint64_t member_address_step(std::string_view table);

  // Each is an InputError of its own where add() or set_default() would refuse: for messages that
  // name one place.
  void check_table(std::string_view table) { tables(table); }
  void check_key(std::string_view table, const NamedValue& key);
  void check_action(std::string_view table, std::string_view action);
  void check_parameter(std::string_view table, std::string_view action, const NamedValue& value);
  void check_register(std::string_view name) const { extern_named(name, "Register"); }
  void check_counter(std::string_view name) const { extern_named(name, "Counter"); }
  void check_meter(std::string_view name) const { extern_named(name, "Meter"); }
  void check_low_pass(std::string_view name) const { extern_named(name, "Lpf"); }
  void check_early_drop(std::string_view name) const { extern_named(name, "Wred"); }

  /// Removes all entries that the program does not fix.
  void clear_tables();
  /// Likewise of one table.
  void clear_table(std::string_view table);

  /// The words of a cell, one or two; in the first pipe.
  std::vector<std::uint64_t> read_register(std::string_view name, std::uint64_t index);
  void write_register(std::string_view name, std::uint64_t index,
                      const std::vector<std::uint64_t>& words);
  struct Count {
    std::uint64_t packets = 0, bytes = 0;
  };
  /// Over all pipes.
  Count read_counter(std::string_view name, std::uint64_t index);
  /// In the first pipe that has it; all others count on from zero.
  void write_counter(std::string_view name, std::uint64_t index, const Count& count);
  /// How long an entry may go without a packet, from `now` on, in all pipes; zero: for ever.
  /// InputError: the table has no idle_timeout.
  void set_idle_time(std::string_view table, std::optional<std::int64_t> priority,
                     const std::vector<NamedValue>& keys, Picoseconds time, Picoseconds now);
  /// Notifications of idle entries until `now`, over all pipes, each of which tells of its own.
  std::uint64_t idle_notifications(std::string_view table, Picoseconds now);
  /// The place of an entry, as the index of a direct counter.
  std::uint64_t place_of(std::string_view table, std::optional<std::int64_t> priority,
                         const std::vector<NamedValue>& keys);
  // Sets a meter or filter by its index, in all pipes; it begins anew.
  void set_meter(std::string_view name, std::uint64_t index, const dataplane::MeterRates& rates);
  void set_low_pass(std::string_view name, std::uint64_t index,
                    const dataplane::LowPassSetting& setting);
  void set_early_drop(std::string_view name, std::uint64_t index,
                      const dataplane::EarlyDropSetting& setting);
  /// Bytes that parsers find in front of packets of a port (port_metadata_unpack), by the fields of
  /// its type. `parser`: the one of the parsers that has it; empty: the only one.
  std::vector<std::uint8_t> port_metadata(std::string_view parser,
                                          const std::vector<NamedValue>& fields) const;
  void add_to_value_set(std::string_view name, const std::vector<std::string>& values);
  void set_parameter(std::string_view name, const std::vector<std::string>& values);

  std::vector<std::string> table_names() const;

 private:
  void load_constants(Machine& machine);
  const std::vector<TableObject*>& tables(std::string_view name);
  std::vector<dataplane::FieldPattern> patterns(const TableObject& table,
                                                const std::vector<NamedValue>& keys) const;
  dataplane::ActionCall call(const TableObject& table, std::string_view action,
                             const std::vector<NamedValue>& data) const;
  /// InputError: there is none.
  std::uint32_t extern_named(std::string_view name, std::string_view type) const;

  const p4lang::Program& program_;
  std::vector<Machine*> machines_;
  std::map<std::string, std::vector<TableObject*>, std::less<>> found_;  ///< by names as given
};

/// The one of `names` that is meant by `name`: the name itself, or the only one that ends with it
/// behind a dot. InputError otherwise, beginning with `what`.
std::size_t find_name(std::string_view what, std::string_view name,
                      const std::vector<std::string>& names);

/// A pattern of so many bits, as text says it. InputError.
dataplane::FieldPattern pattern_of(const std::string& text, const dataplane::MatchField& field,
                                   bool script = false);
/// A number of so many bits in words, as text says it. InputError.
std::vector<std::uint64_t> number_of(const std::string& text, std::uint32_t bits,
                                     const p4lang::Type* type = nullptr, bool script = false);

}  // namespace horae::p4prog
