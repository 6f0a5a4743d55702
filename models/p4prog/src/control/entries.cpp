#include "horae/p4prog/entries.hpp"

#include <fmt/format.h>

#include <istream>
#include <iterator>

#include "horae/core/error.hpp"
#include "horae/core/unpacked_file.hpp"

namespace horae::p4prog {

namespace {

/// Work of the control plane: its messages get a place.
template <class F>
void placed(const Location& where, F&& work) {
  try {
    work();
  } catch (const InputError& e) {
    throw input_error(where, e.what());
  }
}

std::string text_of(const std::string& path) {
  UnpackedBuffer bytes(path);
  std::istream in(&bytes);
  in.exceptions(std::ios::badbit);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Items>
std::vector<NamedValue> plain(const Items& items) {
  std::vector<NamedValue> out;
  for (const auto& item : items) out.push_back({item.name, item.value.text});
  return out;
}

}  // namespace

Entries Entries::load(const std::string& path) {
  const std::string text = text_of(path);
  return path.ends_with(".csv") ? parse_csv(text, path) : parse_toml(text, path);
}

void Entries::apply(ControlPlane& control, ManagerTables& manager, Picoseconds now) const {
  for (const Line& line : removed_)
    placed(line.where, [&] { control.remove(line.table.text, line.priority, plain(line.match)); });
  for (const unsigned group : removed_groups_) manager.groups.erase(group);
  for (const unsigned session : removed_sessions_) manager.sessions.erase(session);
  for (const Member& m : members_)
    placed(m.member_at,
           [&] { control.set_member(m.profile.text, m.member, m.action.text, plain(m.data)); });
  for (const Selection& s : selections_)
    placed(s.where, [&] { control.add_to_group(s.selector.text, s.group, s.members); });
  for (const std::string& table : cleared_) control.clear_table(table);
  for (const Line& line : lines_) apply_line(line, control, now);
  for (const Cell& cell : cells_) apply_cell(cell, control);
  for (const Filter& filter : filters_) apply_filter(filter, control);
  for (const Group& group : groups_) {
    if (anew_)
      manager.groups[group.number] = group.copies;
    else if (!manager.groups.emplace(group.number, group.copies).second)
      throw input_error(group.where,
                        fmt::format("group {} again; expected each once", group.number));
  }
  for (const Exclusion& exclusion : exclusions_) {
    if (anew_)
      manager.exclusions[exclusion.number] = exclusion.ports;
    else if (!manager.exclusions.emplace(exclusion.number, exclusion.ports).second)
      throw input_error(exclusion.where,
                        fmt::format("exclusion {} again; expected each once", exclusion.number));
  }
  for (const Session& session : sessions_) {
    if (anew_)
      manager.sessions[session.number] = session.session;
    else if (!manager.sessions.emplace(session.number, session.session).second)
      throw input_error(session.where,
                        fmt::format("session {} again; expected each once", session.number));
  }
  for (const PortData& data : port_data_) apply_port_data(data, control, manager);
  apply(manager.generator);
}

void Entries::apply(GeneratorTable& generator) const {
  for (const auto& key : removed_generators_) generator.apps.erase(key);
  for (const BufferPart& part : buffer_parts_)
    placed(part.where, [&] { generator.write(part.offset, part.bytes); });
  for (const Generator& g : generators_) {
    if (!anew_ && generator.apps.contains(GeneratorTable::key_of(g.number, g.app)))
      throw input_error(g.where,
                        fmt::format("packet generator {} again; expected each once", g.number));
    placed(g.where, [&] { generator.set(g.number, g.app); });
  }
}

void Entries::apply_port_data(const PortData& data, ControlPlane& control,
                              ManagerTables& manager) const {
  placed(data.parser.where, [&] { control.port_metadata(data.parser.text, {}); });
  for (const Item& d : data.data)
    placed(d.value.where, [&] {
      control.port_metadata(data.parser.text, {{d.name, d.value.text}});
    });
  auto bytes = control.port_metadata(data.parser.text, plain(data.data));
  if (anew_)
    manager.port_metadata[data.port] = std::move(bytes);
  else if (!manager.port_metadata.emplace(data.port, std::move(bytes)).second)
    throw input_error(data.where,
                      fmt::format("metadata of port {} again; expected each once", data.port));
}

/// Names and values one by one, so that what is wrong has its own place; then all of it.
void Entries::apply_line(const Line& line, ControlPlane& control, Picoseconds now) {
  const std::string& table = line.table.text;
  placed(line.table.where, [&] { control.check_table(table); });
  for (const Item& key : line.match)
    placed(key.value.where, [&] { control.check_key(table, {key.name, key.value.text}); });
  if (line.to) {
    placed(line.to_at, [&] { control.add(table, line.priority, plain(line.match), *line.to); });
    apply_idle(line, control, now);
    return apply_direct(line, control);
  }
  placed(line.action.where, [&] { control.check_action(table, line.action.text); });
  for (const Item& d : line.data)
    placed(d.value.where, [&] {
      control.check_parameter(table, line.action.text, {d.name, d.value.text});
    });
  placed(line.where, [&] {
    if (line.is_default)
      control.set_default(table, line.action.text, plain(line.data));
    else
      control.add(table, line.priority, plain(line.match), line.action.text, plain(line.data));
  });
  apply_idle(line, control, now);
  apply_direct(line, control);
}

void Entries::apply_idle(const Line& line, ControlPlane& control, Picoseconds now) {
  if (line.is_default) return;
  placed(line.ttl ? line.ttl_at : line.where, [&] {
    control.set_idle_time(line.table.text, line.priority, plain(line.match),
                          line.ttl.value_or(Picoseconds{}), now);
  });
}

void Entries::apply_direct(const Line& line, ControlPlane& control) {
  if (line.cells.empty() && line.filters.empty()) return;
  const std::uint64_t place = control.place_of(line.table.text, line.priority, plain(line.match));
  for (Cell cell : line.cells) {
    cell.index = place;
    apply_cell(cell, control);
  }
  for (Filter filter : line.filters) {
    filter.index = place;
    apply_filter(filter, control);
  }
}

void Entries::apply_filter(const Filter& filter, ControlPlane& control) {
  struct Apply {
    const Filter& filter;
    ControlPlane& control;
    void operator()(const dataplane::MeterRates& rates) const {
      placed(filter.name.where, [&] { control.check_meter(filter.name.text); });
      placed(filter.index_at, [&] { control.set_meter(filter.name.text, filter.index, rates); });
    }
    void operator()(const dataplane::LowPassSetting& setting) const {
      placed(filter.name.where, [&] { control.check_low_pass(filter.name.text); });
      placed(filter.index_at,
             [&] { control.set_low_pass(filter.name.text, filter.index, setting); });
    }
    void operator()(const dataplane::EarlyDropSetting& setting) const {
      placed(filter.name.where, [&] { control.check_early_drop(filter.name.text); });
      placed(filter.index_at,
             [&] { control.set_early_drop(filter.name.text, filter.index, setting); });
    }
  };
  std::visit(Apply{filter, control}, filter.setting);
}

void Entries::apply_cell(const Cell& cell, ControlPlane& control) {
  std::vector<std::string> texts;
  for (const PlacedText& v : cell.values) texts.push_back(v.text);
  const auto number = [&](std::size_t i) {
    std::uint64_t out = 0;
    placed(cell.values[i].where, [&] { out = number_of(texts[i], 64).at(0); });
    return out;
  };
  switch (cell.of) {
    case Cell::Of::reg: {
      std::vector<std::uint64_t> words;
      for (std::size_t i = 0; i < texts.size(); ++i) words.push_back(number(i));
      placed(cell.name.where, [&] { control.check_register(cell.name.text); });
      placed(cell.index_at, [&] { control.read_register(cell.name.text, cell.index); });
      placed(cell.values.front().where,
             [&] { control.write_register(cell.name.text, cell.index, words); });
      return;
    }
    case Cell::Of::counter: {
      const ControlPlane::Count count{number(0), number(1)};
      placed(cell.name.where, [&] { control.check_counter(cell.name.text); });
      placed(cell.index_at, [&] { control.write_counter(cell.name.text, cell.index, count); });
      return;
    }
    case Cell::Of::parameter:
      return placed(cell.name.where, [&] { control.set_parameter(cell.name.text, texts); });
    case Cell::Of::value_set:
      placed(cell.name.where, [&] { control.add_to_value_set(cell.name.text, texts); });
  }
}

}  // namespace horae::p4prog
