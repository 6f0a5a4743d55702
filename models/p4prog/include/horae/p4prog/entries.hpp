// Entries: a control plane's words to a program before the first packet, from files (TOML and CSV)
// and scripts.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/p4prog/control_plane.hpp"
#include "horae/p4prog/manager_tables.hpp"
#include "horae/params/location.hpp"

namespace horae::p4prog {

/// A text and where it was given.
struct PlacedText {
  std::string text;
  Location where;
};

/// A port of the platform that the program knows by another number.
struct PortName {
  std::uint32_t switch_port = 0;  ///< of the platform's device, from 0
  std::uint32_t number = 0;       ///< as the program has it: pipe << 7 | lane
  Location where;
};

/// The lines of a file in their order. Values are those of NamedValue.
///
/// TOML, all tables may be repeated or absent:
///
///     [[entry]]      table, match = { KEY = VALUE }, priority, ttl, action, data = { NAME = VALUE
///     }
///                    or, of a table with a profile, member or group in place of action and data
///     [[member]]     profile, member, action, data  of an action profile
///     [[selection]]  selector, group, members       a selector's group; a member twice counts
///     twice
///     [[default]]    table, action, data
///     [[register]]   name, index, value or value = [LOW, HIGH]
///     [[counter]]    name, index, packets, bytes
///     [[meter]]      name, index, committed, committed_burst, peak, peak_burst   rates and bytes
///     [[low_pass]]   name, index, kind = "sample" or "rate", rising, falling, out_shift
///     [[early_drop]] name, index, the average as before, least, most, most_percent
///     [[parameter]]  name, value                    of a RegisterParam
///     [[value_set]]  name, values = [VALUE, ..]     a member: a value for each of its fields
///     [[group]]      number, copies = [{ port, rid, exclusion }, ..]    multicast
///     [[exclusion]]  number, ports = [PORT, ..]     that a level2_exclusion_id leaves out
///     [[mirror]]     session, port, most_bytes
///     [[packet_buffer]]    offset, bytes = "HEX"    of the packet generators
///     [[packet_generator]] app, trigger, timer, value, mask, ports, batches, packets, batch_gap,
///                          packet_gap, offset, length, port, increments_port, last_port, pipes
///     [[port_metadata]] port, parser, data          what parsers find in front of its packets
///     [[port]]       switch_port, number
///
/// CSV, for files of many entries: a line of column names (table, match, priority, action, data, in
/// any order; priority and data may be absent), then a line for each entry. `match` and `data` are
/// KEY=VALUE with ; between them. `match` is "default" for a default action. Cells may be quoted.
class Entries {
 public:
  /// By the end of its name: .csv or TOML. InputError, with its place, for a file that cannot be
  /// read or is malformed.
  static Entries load(const std::string& path);
  static Entries parse_toml(std::string_view text, const std::string& name);
  static Entries parse_csv(std::string_view text, const std::string& name);
  /// Work of a script at a time of its own (one of `steps` of the answer of
  /// platforms/program/control): rows by kind, each with its place in the script.
  static Entries of_script(const nlohmann::ordered_json& step);

  /// Puts everything where it belongs. InputError with its place: what was found, what was
  /// expected, the nearest name. `now`: from when on entries are there.
  void apply(ControlPlane& control, ManagerTables& manager, Picoseconds now = {}) const;
  /// Only what is of packet generators. InputError with its place.
  void apply(GeneratorTable& generator) const;
  /// Ports that may trigger a generator again, by number: set by scripts.
  const std::vector<unsigned>& ports_up_again() const { return ports_up_again_; }
  const std::vector<PortName>& ports() const { return ports_; }
  std::size_t size() const { return lines_.size(); }  ///< entries and defaults

 private:
  friend class EntriesToml;
  friend class EntriesCsv;
  friend class EntriesScript;
  struct Item {
    std::string name;
    PlacedText value;
  };
  /// A cell of a register or counter, a parameter or a member of a value set.
  struct Cell {
    enum class Of : std::uint8_t { reg, counter, parameter, value_set };
    Of of = Of::reg;
    PlacedText name;
    std::uint64_t index = 0;
    Location index_at;
    std::vector<PlacedText> values;
  };
  /// Setting of a meter, an Lpf or a Wred.
  struct Filter {
    PlacedText name;
    std::uint64_t index = 0;
    Location index_at;
    std::variant<dataplane::MeterRates, dataplane::LowPassSetting, dataplane::EarlyDropSetting>
        setting;
  };
  struct Line {
    Location where;
    PlacedText table;
    bool is_default = false;
    std::vector<Item> match;
    std::optional<std::int64_t> priority;
    std::optional<Picoseconds> ttl;
    Location ttl_at;
    PlacedText action;
    std::vector<Item> data;
    std::optional<Reference> to;  ///< in place of the action
    Location to_at;
    // Cells and settings of its direct objects, without an index, which is the entry's place.
    std::vector<Cell> cells;
    std::vector<Filter> filters;
  };
  struct Member {
    PlacedText profile;
    std::uint64_t member = 0;
    Location member_at;
    PlacedText action;
    std::vector<Item> data;
    Location where;
  };
  struct Selection {
    PlacedText selector;
    std::uint64_t group = 0;
    std::vector<std::uint64_t> members;
    Location where;
  };
  struct Group {
    unsigned number = 0;
    std::vector<Replica> copies;
    Location where;
  };
  struct Exclusion {
    unsigned number = 0;
    std::set<unsigned> ports;
    Location where;
  };
  struct Session {
    unsigned number = 0;
    MirrorSession session;
    Location where;
  };
  struct PortData {
    PlacedText parser;
    unsigned port = 0;
    std::vector<Item> data;
    Location where;
  };
  struct BufferPart {
    std::size_t offset = 0;
    std::vector<std::uint8_t> bytes;
    Location where;
  };
  struct Generator {
    unsigned number = 0;
    GeneratorApp app;
    Location where;
  };
  void apply_port_data(const PortData& data, ControlPlane& control, ManagerTables& manager) const;
  static void apply_line(const Line& line, ControlPlane& control, Picoseconds now);
  static void apply_idle(const Line& line, ControlPlane& control, Picoseconds now);
  static void apply_direct(const Line& line, ControlPlane& control);
  static void apply_cell(const Cell& cell, ControlPlane& control);
  static void apply_filter(const Filter& filter, ControlPlane& control);

  bool anew_ = false;  ///< groups and sessions may be there already
  // These go first: entries, groups, sessions; tables that lose the program's own entries.
  std::vector<Line> removed_;
  std::vector<unsigned> removed_groups_, removed_sessions_;
  std::vector<GeneratorTable::Key> removed_generators_;
  std::vector<std::string> cleared_;
  std::vector<Line> lines_;
  std::vector<Member> members_;
  std::vector<Selection> selections_;
  std::vector<Cell> cells_;
  std::vector<Filter> filters_;
  std::vector<Group> groups_;
  std::vector<Exclusion> exclusions_;
  std::vector<Session> sessions_;
  std::vector<BufferPart> buffer_parts_;
  std::vector<Generator> generators_;
  std::vector<unsigned> ports_up_again_;
  std::vector<PortData> port_data_;
  std::vector<PortName> ports_;
};

/// A step of a script: its work at a time of its clock.
struct ControlStep {
  Picoseconds at{};
  Entries entries;
};

}  // namespace horae::p4prog
