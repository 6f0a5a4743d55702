#include "horae/dataplane/design_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"

namespace horae::dataplane {
namespace {

/// What every object of the file may say beside its own shape.
struct Common {
  Located<std::string> name;
  Gress gress = Gress::ingress;
  std::vector<std::string> after;
  std::vector<std::string> after_action;
  std::vector<std::string> after_read;
  std::vector<std::string> after_control;
  std::vector<std::string> after_anti;
  Section expect;
  std::string deviation;
};

const Schema<RegisterSpec>& register_schema() {
  using T = RegisterSpec;
  static const Schema<T> s =
      Schema<T>("register", "A register array.")
          .field("width", &T::width, {.doc = "bits of a word", .min = 1, .max = 128})
          .field("pair", &T::pair, {.doc = "two words in a cell"})
          .required("entries", &T::entries, {.doc = "cells", .min = 1, .max = 1ull << 40})
          .field(
              "pieces", &T::pieces,
              {.doc = "arrays it is cut into, each with an ALU, a spare and an access of its own",
               .min = 1,
               .max = 1024})
          .choice("index", &T::index, {{"field", IndexSource::field}, {"hash", IndexSource::hash}},
                  {.doc = "where the index comes from"})
          .field("index_bits", &T::index_bits,
                 {.doc = "bits read for the index; 0: the index itself, or 104 (a five-tuple) for "
                         "a hash",
                  .max = 1024})
          .field("accesses", &T::accesses,
                 {.doc = "tables it is accessed from", .min = 1, .max = 16})
          .field("reads", &T::reads, {.doc = "names of the fields read, shared within a stage"});
  return s;
}

template <bool ternary>
const Schema<MatchSpec>& match_schema() {
  using T = MatchSpec;
  static const Schema<T> s =
      Schema<T>(ternary ? "ternary" : "exact",
                ternary ? "A ternary match table." : "An exact match table.")
          .required("key_bits", &T::key_bits, {.doc = "bits of the key", .min = 1, .max = 1024})
          .required("entries", &T::entries, {.doc = "entries", .min = 1, .max = 1ull << 32})
          .field("data_bits", &T::data_bits, {.doc = "action data of an entry", .max = 1024})
          .field("actions", &T::actions,
                 {.doc = "actions of hits; a miss does nothing", .min = 1, .max = 16})
          .choice("counter", &T::counter,
                  {{"none", DirectCounter::none},
                   {"packets", DirectCounter::packets},
                   {"packets_and_bytes", DirectCounter::packets_and_bytes}},
                  {.doc = "a counter per entry"})
          .field("meter", &T::meter, {.doc = "a meter per entry"})
          .field("reads", &T::reads, {.doc = "names of the fields of the key"});
  return s;
}

const Schema<CounterSpec>& counter_schema() {
  using T = CounterSpec;
  static const Schema<T> s =
      Schema<T>("counter", "A counter array.")
          .required("entries", &T::entries, {.doc = "counters", .min = 1, .max = 1ull << 32})
          .field("width", &T::width,
                 {.doc = "32: packets or bytes; 64: packets and bytes", .min = 32, .max = 64})
          .field("table", &T::table, {.doc = "table whose action counts; none: one of its own"});
  return s;
}

const Schema<MeterSpec>& meter_schema() {
  using T = MeterSpec;
  static const Schema<T> s =
      Schema<T>("meter", "A meter array.")
          .required("entries", &T::entries, {.doc = "meters", .min = 1, .max = 1ull << 32})
          .field("table", &T::table, {.doc = "table whose action meters; none: one of its own"});
  return s;
}

const Schema<ConditionSpec>& condition_schema() {
  using T = ConditionSpec;
  static const Schema<T> s =
      Schema<T>("condition", "A condition, for a gateway.")
          .choice("kind", &T::kind,
                  {{"eq", ConditionKind::eq},
                   {"ne", ConditionKind::ne},
                   {"lt", ConditionKind::lt},
                   {"bit", ConditionKind::bit},
                   {"valid", ConditionKind::valid},
                   {"field_eq", ConditionKind::field_eq},
                   {"field_lt", ConditionKind::field_lt},
                   {"subtract_sign", ConditionKind::subtract_sign}},
                  {.doc = "what is compared", .required = true})
          .field("bits", &T::bits, {.doc = "bits of each field", .min = 1, .max = 1024})
          .field("terms", &T::terms, {.doc = "comparisons", .min = 1, .max = 64})
          .choice("join", &T::join, {{"and", Join::all}, {"or", Join::any}},
                  {.doc = "how they are joined"})
          .field("constant", &T::constant, {.doc = "for lt: compared with"})
          .field("guards", &T::guards, {.doc = "objects that run only when it holds"})
          .field("reads", &T::reads, {.doc = "names of the fields compared"});
  return s;
}

const Schema<ActionSpec>& action_schema() {
  using T = ActionSpec;
  static const Schema<T> s =
      Schema<T>("action", "A keyless action.")
          .field("instructions", &T::instructions,
                 {.doc = "VLIW instructions, one colour each", .min = 1, .max = 64})
          .field("writes", &T::writes, {.doc = "names of the fields written"});
  return s;
}

const Schema<HashSpec>& hash_schema() {
  using T = HashSpec;
  static const Schema<T> s =
      Schema<T>("hash", "A hash into a field.")
          .field("input_bits", &T::input_bits, {.doc = "bits hashed", .min = 1, .max = 1024})
          .field("output_bits", &T::output_bits, {.doc = "bits of the hash", .min = 1, .max = 64})
          .field("reads", &T::reads, {.doc = "names of the fields hashed"});
  return s;
}

const Schema<RandomSpec>& random_schema() {
  using T = RandomSpec;
  static const Schema<T> s =
      Schema<T>("random", "Random bits into a field.")
          .field("bits", &T::bits, {.doc = "random bits", .min = 1, .max = 32});
  return s;
}

const Schema<MirrorSpec>& mirror_schema() {
  static const Schema<MirrorSpec> s("mirror", "A request to copy the packet.");
  return s;
}
const Schema<RecirculateSpec>& recirculate_schema() {
  static const Schema<RecirculateSpec> s("recirculate", "A recirculation request.");
  return s;
}

const Schema<Common>& common_schema() {
  using E = Common;
  static const Schema<E> s =
      Schema<E>("object", "What every object may say.")
          .required("name", &E::name, {.doc = "name of the object"})
          .choice("gress", &E::gress, {{"ingress", Gress::ingress}, {"egress", Gress::egress}},
                  {.doc = "which gress runs it"})
          .field(
              "after", &E::after,
              {.doc = "objects whose results it matches, indexes or tests by; for an action, whose "
                      "fields it writes"})
          .field("after_action", &E::after_action, {.doc = "objects whose fields it writes, too"})
          .field("after_read", &E::after_read, {.doc = "objects whose results its action reads"})
          .field("after_control", &E::after_control,
                 {.doc = "objects that decide whether it runs; the same stage will do"})
          .field("after_anti", &E::after_anti,
                 {.doc = "objects that read what it overwrites; the same stage will do"})
          .open("expect", &E::expect, {.doc = "known amounts, to be shown beside ours"})
          .field("deviation", &E::deviation, {.doc = "why ours differs from what is expected"});
  return s;
}

/// The [expect] table of an object, or of the whole design.
void read_expectations(const Section& expect, bool whole, const std::string& object,
                       const std::string& deviation, DesignCase& out) {
  std::vector<std::string> valid = {"placed"};
  for (const Resource r : all_resources) valid.emplace_back(resource_name(r));
  if (whole) {
    for (const char* extra :
         {"stages", "ingress_stages", "egress_stages", "ingress_cycles", "egress_cycles"})
      valid.emplace_back(extra);
  }
  const auto json = expect.exists() ? expect.to_json() : nlohmann::ordered_json::object();
  for (const auto& [key, value] : json.items()) {
    if (std::find(valid.begin(), valid.end(), key) == valid.end()) {
      throw expect.error(
          key, fmt::format("'{}' is no amount of {}{}", key, whole ? "a design" : "an object",
                           suggestion(key, valid)));
    }
    if (!value.is_number()) throw expect.error(key, fmt::format("{}: expected a number", key));
    out.expected.push_back({object, key, value.get<double>(), deviation, expect.where(key)});
  }
}

/// Reads one object: what is common and what is its kind's own, each refusing nothing of the other.
template <class Shape>
void read_object(const Section& section, const Schema<Shape>& shape_schema, bool ternary,
                 DesignCase& out) {
  const auto shared = section.read<Common>(common_schema(), shape_schema.field_names());
  auto shape = section.read<Shape>(shape_schema, common_schema().field_names());
  if constexpr (std::is_same_v<Shape, MatchSpec>) shape.ternary = ternary;
  if constexpr (std::is_same_v<Shape, CounterSpec>) {
    if (shape.width != 32 && shape.width != 64)
      throw section.error("width", fmt::format("width = {}: expected 32 or 64", shape.width));
  }
  if constexpr (std::is_same_v<Shape, ConditionSpec>) {
    if (shape.kind == ConditionKind::lt && shape.bits < 64 && shape.constant >> shape.bits != 0) {
      throw section.error("constant", fmt::format("constant = {} is beyond a field of {} bits",
                                                  shape.constant, shape.bits));
    }
  }
  if constexpr (requires { shape.writes; }) {
    const std::set<std::string> fields(shape.writes.begin(), shape.writes.end());
    if (fields.size() != shape.writes.size())
      throw section.error("writes", "writes names a field twice");
  }
  if constexpr (requires { shape.reads; }) {
    const std::set<std::string> fields(shape.reads.begin(), shape.reads.end());
    if (fields.size() != shape.reads.size())
      throw section.error("reads", "reads names a field twice");
  }
  (void)ternary;
  if (shared.name.value.empty()) throw section.error("name", "name is empty");

  DesignObject object{shared.name, shared.gress, std::move(shape), {}, shared.name.where};
  const bool keyless = !reads_crossbar(object.spec);
  const auto depend = [&](const std::vector<std::string>& names, DependencyKind kind) {
    for (const auto& n : names) object.after.push_back({n, kind});
  };
  depend(shared.after, keyless ? DependencyKind::action : DependencyKind::match);
  depend(shared.after_action, DependencyKind::action);
  depend(shared.after_read, DependencyKind::read_after_write);
  depend(shared.after_control, DependencyKind::control);
  depend(shared.after_anti, DependencyKind::anti);

  read_expectations(shared.expect, false, object.name, shared.deviation, out);
  out.design.objects.push_back(std::move(object));
}

const std::vector<std::string> object_kinds = {"register", "exact",     "ternary",    "counter",
                                               "meter",    "condition", "action",     "hash",
                                               "random",   "mirror",    "recirculate"};

void read_objects(const Section& section, DesignCase& out) {
  for (const auto& key : section.keys()) {
    if (std::find(object_kinds.begin(), object_kinds.end(), key) == object_kinds.end()) continue;
    for (const auto& s : section.children(key)) {
      if (key == "register")
        read_object(s, register_schema(), false, out);
      else if (key == "exact")
        read_object(s, match_schema<false>(), false, out);
      else if (key == "ternary")
        read_object(s, match_schema<true>(), true, out);
      else if (key == "counter")
        read_object(s, counter_schema(), false, out);
      else if (key == "meter")
        read_object(s, meter_schema(), false, out);
      else if (key == "condition")
        read_object(s, condition_schema(), false, out);
      else if (key == "action")
        read_object(s, action_schema(), false, out);
      else if (key == "hash")
        read_object(s, hash_schema(), false, out);
      else if (key == "random")
        read_object(s, random_schema(), false, out);
      else if (key == "mirror")
        read_object(s, mirror_schema(), false, out);
      else
        read_object(s, recirculate_schema(), false, out);
    }
  }
}

struct Header {
  Located<std::string> chip{"tofino2", {}};
  std::string name;
  std::string source;
  Section expect;
  std::string deviation;

  static const Schema<Header>& schema() {
    static const Schema<Header> s =
        Schema<Header>("design", "A list of objects.")
            .field("chip", &Header::chip,
                   {.doc = "a shipped chip's name, or a chip file (.toml) beside this one"})
            .field("name", &Header::name, {.doc = "name of the design"})
            .field("source", &Header::source, {.doc = "where the expected values come from"})
            .open("expect", &Header::expect, {.doc = "known values of the whole design"})
            .field("deviation", &Header::deviation,
                   {.doc = "why ours differs from what is expected"});
    return s;
  }
};

DesignCase read_case(const Section& section, const std::string& name, const Header& defaults) {
  auto known = object_kinds;
  known.push_back("design");
  auto header = section.read<Header>(known);
  DesignCase out;
  out.chip = section.has("chip") ? header.chip : defaults.chip;
  if (!section.has("chip") && out.chip.where.file.empty()) out.chip.where = section.where();
  out.source = section.has("source") ? header.source : defaults.source;
  out.design.name = header.name.empty() ? name : header.name;
  read_expectations(header.expect, true, "", header.deviation, out);
  read_objects(section, out);
  out.design.check();
  return out;
}

}  // namespace

DesignFile read_design_file(const Document& document) {
  const Section root = document.root();
  DesignFile file;
  auto known = object_kinds;
  known.push_back("design");
  const auto defaults = root.read<Header>(known);
  const bool single = std::any_of(object_kinds.begin(), object_kinds.end(),
                                  [&](const std::string& kind) { return root.has(kind); });
  if (!single && root.has("design") && root.children("design").empty())
    throw root.error("design", "design is an empty list");
  if (single || !root.has("design"))
    file.cases.push_back(read_case(root, "design", defaults));
  else if (root.has("expect"))
    throw root.error("expect",
                     "expect stands at the top, but the designs are in [[design]] tables");
  std::set<std::string> names;
  for (const auto& c : file.cases) names.insert(c.design.name);
  for (const auto& section : root.children("design")) {
    file.cases.push_back(
        read_case(section, fmt::format("design {}", file.cases.size() + 1), defaults));
    const auto& name = file.cases.back().design.name;
    if (!names.insert(name).second)
      throw section.error("name", fmt::format("'{}' is declared twice", name));
  }
  return file;
}

std::vector<std::pair<std::string, std::vector<ParamInfo>>> describe_design_file() {
  std::vector<std::pair<std::string, std::vector<ParamInfo>>> out;
  const auto add = [&](const auto& schema) { out.emplace_back(schema.name(), schema.describe()); };
  add(Header::schema());
  add(common_schema());
  add(register_schema());
  add(match_schema<false>());
  add(match_schema<true>());
  add(counter_schema());
  add(meter_schema());
  add(condition_schema());
  add(action_schema());
  add(hash_schema());
  add(random_schema());
  add(mirror_schema());
  add(recirculate_schema());
  return out;
}

}  // namespace horae::dataplane
