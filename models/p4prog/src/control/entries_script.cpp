// Rows that a script left, as entries.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "horae/p4prog/entries.hpp"

namespace horae::p4prog {

using nlohmann::ordered_json;

class EntriesScript {
 public:
  static Entries read(const ordered_json& step) {
    const ordered_json& rows = step.at("rows");
    Entries out;
    out.anew_ = step.at("ps") > 0;
    const auto removed = [&](const char* kind, auto&& take) {
      if (!step.at("removed").contains(kind)) return;
      for (const auto& row : step.at("removed").at(kind)) take(row);
    };
    removed("entries", [&](const auto& row) { out.removed_.push_back(line(row, false)); });
    removed("groups", [&](const auto& row) { out.removed_groups_.push_back(row.at("number")); });
    removed("mirrors",
            [&](const auto& row) { out.removed_sessions_.push_back(row.at("session")); });
    removed("generators", [&](const auto& row) {
      const Entries::Generator g = generator(row);
      out.removed_generators_.push_back(GeneratorTable::key_of(g.number, g.app));
    });
    out.cleared_ = rows.at("clears").get<std::vector<std::string>>();
    for (const auto& row : rows.at("defaults")) out.lines_.push_back(line(row, true));
    for (const auto& row : rows.at("entries")) out.lines_.push_back(line(row, false));
    for (const auto& row : rows.at("members"))
      out.members_.push_back({text(row, "profile"), row.at("member"), place(row),
                              text(row, "action"), items(row, "data"), place(row)});
    for (const auto& row : rows.at("selections"))
      out.selections_.push_back(
          {text(row, "selector"), row.at("group"), row.at("members"), place(row)});
    for (const char* kind : {"registers", "counters"}) {
      for (const auto& row : rows.at(kind)) out.cells_.push_back(cell(kind, row));
    }
    for (const char* kind : {"meters", "low_passes", "early_drops"}) {
      for (const auto& row : rows.at(kind)) out.filters_.push_back(filter(kind, row));
    }
    for (const auto& row : rows.at("parameters"))
      out.cells_.push_back(
          {Entries::Cell::Of::parameter, text(row, "name"), 0, place(row), {text(row, "value")}});
    for (const auto& row : rows.at("value_sets")) {
      Entries::Cell c{Entries::Cell::Of::value_set, text(row, "name"), 0, place(row), {}};
      for (const std::string value : row.at("values")) c.values.push_back({value, place(row)});
      out.cells_.push_back(std::move(c));
    }
    for (const auto& row : rows.at("groups")) {
      Entries::Group g{row.at("number"), {}, place(row)};
      for (const auto& copy : row.at("copies")) {
        Replica& to = g.copies.emplace_back(Replica{.port = copy.at(0), .rid = copy.at(1)});
        if (!copy.at(2).is_null()) to.exclusion = copy.at(2).template get<unsigned>();
      }
      out.groups_.push_back(std::move(g));
    }
    for (const auto& row : rows.at("exclusions"))
      out.exclusions_.push_back({row.at("number"), row.at("ports"), place(row)});
    for (const auto& row : rows.at("mirrors"))
      out.sessions_.push_back(
          {row.at("session"), {row.at("port"), row.at("most_bytes")}, place(row)});
    for (const auto& row : rows.at("packet_buffers"))
      out.buffer_parts_.push_back({row.at("offset"), row.at("bytes"), place(row)});
    for (const auto& row : rows.at("generators")) out.generators_.push_back(generator(row));
    for (const auto& row : rows.at("ports_up_again")) out.ports_up_again_.push_back(row.at("port"));
    for (const auto& row : rows.at("port_metadata"))
      out.port_data_.push_back(
          {text(row, "parser"), row.at("port"), items(row, "data"), place(row)});
    return out;
  }

 private:
  static Location place(const ordered_json& row) {
    const ordered_json& at = row.at("at");
    return {at.at(0), at.at(1), at.at(2), {}};
  }
  static PlacedText text(const ordered_json& row, const char* key) {
    return {row.at(key), place(row)};
  }
  static std::vector<Entries::Item> items(const ordered_json& row, const char* key) {
    std::vector<Entries::Item> out;
    for (const auto& pair : row.at(key)) out.push_back({pair.at(0), {pair.at(1), place(row)}});
    return out;
  }

  static Entries::Generator generator(const ordered_json& row) {
    Entries::Generator out{row.at("app"), {}, place(row)};
    GeneratorApp& app = out.app;
    const auto* const begin = std::begin(generator_triggers);
    app.trigger = static_cast<GeneratorApp::Trigger>(
        std::find(begin, std::end(generator_triggers), row.at("trigger").get<std::string>()) -
        begin);
    const auto time = [&](const char* key) { return Picoseconds(row.at(key).get<std::int64_t>()); };
    app.timer = time("timer");
    app.batch_gap = time("batch_gap");
    app.packet_gap = time("packet_gap");
    for (std::size_t i = 0; i < app.value.size(); ++i) {
      app.value[i] = row.at("value").at(i);
      app.mask[i] = row.at("mask").at(i);
    }
    app.batches = row.at("batches");
    app.packets = row.at("packets");
    app.offset = row.at("offset");
    app.length = row.at("length");
    app.increments_port = row.at("increments_port");
    const auto optional = [&](const char* key) {
      return row.at(key).is_null() ? std::optional<unsigned>() : row.at(key).get<unsigned>();
    };
    app.port = optional("port");
    app.last_port = optional("last_port");
    const auto set = [&](const char* key) -> std::optional<std::set<unsigned>> {
      if (row.at(key).is_null()) return std::nullopt;
      return row.at(key).get<std::set<unsigned>>();
    };
    app.ports = set("ports");
    app.pipes = set("pipes");
    return out;
  }
  static Entries::Line line(const ordered_json& row, bool is_default) {
    Entries::Line out;
    out.where = out.to_at = place(row);
    out.is_default = is_default;
    out.table = text(row, "table");
    if (!is_default) {
      out.match = items(row, "match");
      if (!row.at("priority").is_null()) out.priority = row.at("priority").get<std::int64_t>();
      if (row.contains("ttl")) out.ttl = Picoseconds(row.at("ttl").get<std::int64_t>());
      out.ttl_at = out.where;
      for (const auto& direct : row.at("direct")) {
        const std::string kind = direct.at(0);
        if (kind == "registers" || kind == "counters")
          out.cells.push_back(cell(kind, direct.at(1)));
        else
          out.filters.push_back(filter(kind, direct.at(1)));
      }
    }
    for (const char* key : {"group", "member"}) {
      if (!row.contains(key)) continue;
      out.to = Reference{*key == 'm' ? Reference::To::member : Reference::To::group, row.at(key)};
      return out;
    }
    out.action = text(row, "action");
    out.data = items(row, "data");
    return out;
  }
  static Entries::Cell cell(std::string_view kind, const ordered_json& row) {
    Entries::Cell out;
    out.of = kind == "registers" ? Entries::Cell::Of::reg : Entries::Cell::Of::counter;
    out.name = text(row, "name");
    out.index = row.at("index");
    out.index_at = place(row);
    if (kind == "registers") {
      for (const std::string value : row.at("values")) out.values.push_back({value, place(row)});
    } else {
      for (const char* key : {"packets", "bytes"})
        out.values.push_back({std::to_string(row.at(key).get<std::uint64_t>()), place(row)});
    }
    return out;
  }
  static Entries::Filter filter(std::string_view kind, const ordered_json& row) {
    Entries::Filter out;
    out.name = text(row, "name");
    out.index = row.at("index");
    out.index_at = place(row);
    if (kind == "meters") {
      const auto rate = [&](const char* key) { return BitRate(row.at(key).get<std::int64_t>()); };
      const auto burst = [&](const char* key) { return Bytes(row.at(key).get<std::int64_t>()); };
      out.setting = dataplane::MeterRates{rate("committed"), burst("committed_burst"), rate("peak"),
                                          burst("peak_burst")};
      return out;
    }
    dataplane::LowPassSetting average;
    average.rising = Picoseconds(row.at("rising").get<std::int64_t>());
    average.falling = Picoseconds(row.at("falling").get<std::int64_t>());
    if (kind == "low_passes") {
      average.rate = row.at("rate");
      average.out_shift = row.at("out_shift");
      out.setting = average;
    } else {
      out.setting = dataplane::EarlyDropSetting{average, row.at("least"), row.at("most"),
                                                row.at("most_percent")};
    }
    return out;
  }
};

Entries Entries::of_script(const ordered_json& step) { return EntriesScript::read(step); }

}  // namespace horae::p4prog
