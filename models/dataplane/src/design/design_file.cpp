#include "horae/dataplane/design/design_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "copies.hpp"
#include "design_schemas.hpp"
#include "design_shapes.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/dataplane/price/pipeline_amounts.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"

namespace horae::dataplane {
namespace {

/// Keys of every object of the file beside its own shape.
struct Common {
  Located<std::string> name;
  Gress gress = Gress::ingress;
  std::vector<std::string> after;
  std::vector<std::string> after_action;
  std::vector<std::string> after_read;
  std::vector<std::string> after_control;
  std::vector<std::string> after_anti;
  std::vector<std::string> sets;
  std::vector<std::string> uses;
  std::vector<std::string> apart;
  std::uint32_t copies = 1;
  Section expect;
  std::string deviation;
};

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
          .field("sets", &E::sets,
                 {.doc = "fields that its result or its actions write, beside `writes`"})
          .field("uses", &E::uses, {.doc = "fields that its actions read"})
          .field("apart", &E::apart,
                 {.doc = "objects that write parts of a container that it writes too; the "
                         "compiler's placement puts them in other stages"})
          .field("copies", &E::copies,
                 {.doc = "objects of this shape, NAME[0] and so on; others name them all at once",
                  .min = 1,
                  .max = 1024})
          .open("expect", &E::expect, {.doc = "known amounts, to be shown beside ours"})
          .field("deviation", &E::deviation, {.doc = "why ours differs from what is expected"});
  return s;
}

/// A case while it is read.
struct ReadCase {
  DesignCase result = {};
  Copies copies = {};
  Pairs pairs = {};
};

/// A name is one cell of the tables that are printed.
void check_name(const Section& section, const std::string& name) {
  if (name.empty()) throw section.error("name", "name is empty");
  if (const auto shown = printable(name, std::string::npos); shown != name) {
    throw section.error("name", fmt::format("name = \"{}\" has a character that cannot be printed "
                                            "in one line",
                                            printable(name)));
  }
}

/// Takes "[i]" from names; `object` goes with those that had it, copy by copy.
void take_pairs(const std::string& object, std::vector<std::string>& names, Pairs& pairs) {
  for (auto& name : names) {
    if (take_pair(name)) pairs[object].insert(name);
  }
}

/// The [expect] table of an object, or of the whole design.
void read_expectations(const Section& expect, bool whole, const std::string& object,
                       const std::string& deviation, DesignCase& out) {
  if (!expect.exists()) return;
  std::vector<std::string> valid = {"placed"};
  if (whole) valid = pipeline_amount_names(), valid.emplace_back("placed");
  for (const Resource r : all_resources) valid.emplace_back(resource_name(r));
  if (whole) {
    for (const char* extra :
         {"stages", "ingress_stages", "egress_stages", "ingress_cycles", "egress_cycles"})
      valid.emplace_back(extra);
  }
  const auto json = expect.to_json();
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

template <class Shape>
void check_fields(const Section& section, const Shape& shape) {
  if constexpr (requires { shape.writes; } && !std::is_same_v<Shape, MatchSpec>) {
    const std::set<std::string> fields(shape.writes.begin(), shape.writes.end());
    if (fields.size() != shape.writes.size())
      throw section.error("writes", "writes names a field twice");
  }
  if constexpr (requires { shape.reads; }) {
    const std::set<std::string> fields(shape.reads.begin(), shape.reads.end());
    if (fields.size() != shape.reads.size())
      throw section.error("reads", "reads names a field twice");
  }
}

/// Reads one object: what is common and what is its kind's own, each refusing nothing of the other.
template <class Shape>
void read_object(const Section& section, const Schema<Shape>& shape_schema, const Shape& defaults,
                 ReadCase& out) {
  const auto shared = section.read<Common>(common_schema(), shape_schema.field_names());
  auto shape = shape_schema.read_over(defaults, section, common_schema().field_names());
  if constexpr (requires { check_shape(section, shape); }) check_shape(section, shape);
  check_fields(section, shape);
  check_name(section, shared.name.value);

  DesignObject object{shared.name,       shared.gress, std::move(shape), {},
                      shared.name.where, shared.sets,  shared.uses,      shared.apart};
  take_pairs(object.name, object.apart, out.pairs);
  const bool keyless = !reads_crossbar(object.spec);
  const auto depend = [&](std::vector<std::string> names, DependencyKind kind) {
    take_pairs(object.name, names, out.pairs);
    for (auto& n : names) object.after.push_back({std::move(n), kind});
  };
  if (auto* condition = std::get_if<ConditionSpec>(&object.spec)) {
    take_pairs(object.name, condition->guards, out.pairs);
    take_pairs(object.name, condition->guards_not, out.pairs);
  }
  depend(shared.after, keyless ? DependencyKind::action : DependencyKind::match);
  depend(shared.after_action, DependencyKind::action);
  depend(shared.after_read, DependencyKind::read_after_write);
  depend(shared.after_control, DependencyKind::control);
  depend(shared.after_anti, DependencyKind::anti);

  read_expectations(shared.expect, false, object.name, shared.deviation, out.result);
  if (section.has("copies")) out.copies[object.name] = shared.copies;
  out.result.design.objects.push_back(std::move(object));
}

template <MatchKind kind>
void read_match(const Section& section, ReadCase& out) {
  MatchSpec shape;
  shape.kind = kind;
  shape.ternary = kind == MatchKind::ternary;
  read_object(section, match_schema(kind), shape, out);
}

template <class Shape, const Schema<Shape>& (*schema)()>
void read_kind(const Section& section, ReadCase& out) {
  read_object(section, schema(), Shape{}, out);
}

/// An array of its own size, or as large as its table.
template <class Shape, const Schema<Shape>& (*schema)(bool)>
void read_array(const Section& section, ReadCase& out) {
  const bool direct =
      section.has("direct") && section.to_json().value("direct", nlohmann::ordered_json()) == true;
  if (direct && section.has("entries")) {
    throw section.error("entries",
                        "entries: what is direct has a cell for each entry of its table");
  }
  read_object(section, schema(direct), Shape{}, out);
}

void read_field(const Section& section, ReadCase& out) {
  auto field = section.read<HeaderField>(field_schema());
  check_name(section, field.name);
  field.where = section.where("name");
  out.result.design.fields.push_back(std::move(field));
}

void read_state(const Section& section, ReadCase& out) {
  auto state = section.read<ParserState>(state_schema());
  check_name(section, state.name);
  state.where = section.where("name");
  out.result.design.parser.push_back(std::move(state));
}

void read_value_set(const Section& section, ReadCase& out) {
  auto set = section.read<ValueSetSpec>(value_set_schema());
  check_name(section, set.name);
  set.where = section.where("name");
  out.result.design.value_sets.push_back(std::move(set));
}

void read_checksum(const Section& section, ReadCase& out) {
  auto checksum = section.read<ChecksumSpec>(checksum_schema());
  check_name(section, checksum.name);
  checksum.where = section.where("name");
  out.result.design.checksums.push_back(std::move(checksum));
}

struct Kind {
  const char* name;
  void (*read)(const Section&, ReadCase&);
};
constexpr Kind kinds[] = {
    {"register", read_array<RegisterSpec, register_schema>},
    {"exact", read_match<MatchKind::exact>},
    {"ternary", read_match<MatchKind::ternary>},
    {"lpm", read_match<MatchKind::lpm>},
    {"range", read_match<MatchKind::range>},
    {"atcam", read_match<MatchKind::atcam>},
    {"alpm", read_match<MatchKind::alpm>},
    {"counter", read_array<CounterSpec, counter_schema>},
    {"meter", read_array<MeterSpec, meter_schema>},
    {"profile", read_kind<ProfileSpec, profile_schema>},
    {"selector", read_kind<SelectorSpec, selector_schema>},
    {"condition", read_kind<ConditionSpec, condition_schema>},
    {"action", read_kind<ActionSpec, action_schema>},
    {"hash", read_kind<HashSpec, hash_schema>},
    {"random", read_kind<RandomSpec, random_schema>},
    {"mirror", read_kind<MirrorSpec, mirror_schema>},
    {"recirculate", read_kind<RecirculateSpec, recirculate_schema>},
    {"field", read_field},
    {"state", read_state},
    {"value_set", read_value_set},
    {"checksum", read_checksum},
};

void read_objects(const Section& section, ReadCase& out) {
  for (const auto& key : section.keys()) {
    for (const auto& kind : kinds) {
      if (key != kind.name) continue;
      for (const auto& s : section.children(key)) kind.read(s, out);
    }
  }
}

/// Where a design's dependencies come from.
enum class OrderSource : std::uint8_t { declared, derived, complete };

struct Header {
  Located<std::string> chip{"tofino2", {}};
  OrderSource order = OrderSource::declared;
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
            .choice("order", &Header::order,
                    {{"declared", OrderSource::declared},
                     {"derived", OrderSource::derived},
                     {"complete", OrderSource::complete}},
                    {.doc = "dependencies: as declared, with a warning of those that `reads` and "
                            "`writes` of earlier lines show besides; with these; or as declared "
                            "and no others"})
            .field("source", &Header::source, {.doc = "where the expected values come from"})
            .open("expect", &Header::expect, {.doc = "known values of the whole design"})
            .field("deviation", &Header::deviation,
                   {.doc = "why ours differs from what is expected"});
    return s;
  }
};

DesignCase read_case(const Section& section, const std::string& name, const Header& defaults) {
  auto known = design_file_kinds();
  known.push_back("design");
  auto header = section.read<Header>(known);
  ReadCase read;
  DesignCase& out = read.result;
  out.where = section.where();
  out.chip = section.has("chip") ? header.chip : defaults.chip;
  if (!section.has("chip") && out.chip.where.file.empty()) out.chip.where = section.where();
  out.source = section.has("source") ? header.source : defaults.source;
  out.design.name = header.name.empty() ? name : header.name;
  read_expectations(header.expect, true, "", header.deviation, out);
  read_objects(section, read);
  out.design.check();
  const OrderSource order = section.has("order") ? header.order : defaults.order;
  out.complete = order == OrderSource::complete;
  if (!out.complete) {
    auto orders = undeclared_orders(out.design);
    if (order == OrderSource::derived) {
      declare(out.design, orders);
      // A field of each copy is written and read by copies of one number.
      for (auto& o : orders) {
        if (take_pair(o.field)) read.pairs[o.object].insert(o.on);
      }
      out.design.check();
    } else {
      out.undeclared = std::move(orders);
    }
  }
  make_copies(out.design, read.copies, read.pairs);
  return std::move(read.result);
}

}  // namespace

std::vector<std::string> design_file_kinds() {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return names;
}

DesignFile read_design_file(const Document& document) {
  return read_design_tables(document.root());
}

DesignFile read_design_tables(const Section& root) {
  DesignFile file;
  auto known = design_file_kinds();
  known.push_back("design");
  const auto defaults = root.read<Header>(known);
  const bool single = std::any_of(std::begin(kinds), std::end(kinds),
                                  [&](const Kind& kind) { return root.has(kind.name); });
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
  add(register_schema(false));
  for (const auto kind : {MatchKind::exact, MatchKind::ternary, MatchKind::lpm, MatchKind::range,
                          MatchKind::atcam, MatchKind::alpm})
    add(match_schema(kind));
  add(counter_schema(false));
  add(meter_schema(false));
  add(profile_schema());
  add(selector_schema());
  add(condition_schema());
  add(action_schema());
  add(hash_schema());
  add(random_schema());
  add(mirror_schema());
  add(recirculate_schema());
  add(field_schema());
  add(state_schema());
  add(value_set_schema());
  add(checksum_schema());
  return out;
}

}  // namespace horae::dataplane
