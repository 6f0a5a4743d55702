#include "design_schemas.hpp"

namespace horae::dataplane {
namespace {

template <bool direct>
const Schema<RegisterSpec>& register_schema_of() {
  using T = RegisterSpec;
  static const Schema<T> s = [] {
    auto array =
        Schema<T>("register", "A register array.")
            .field("width", &T::width, {.doc = "bits of a word", .min = 1, .max = 128})
            .field("pair", &T::pair, {.doc = "two words in a cell"})
            .field(
                "pieces", &T::pieces,
                {.doc = "arrays it is cut into, each with an ALU, a spare and an access of its own",
                 .min = 1,
                 .max = most_pieces})
            .choice("index", &T::index,
                    {{"field", IndexSource::field},
                     {"hash", IndexSource::hash},
                     {"data", IndexSource::data},
                     {"constant", IndexSource::constant}},
                    {.doc = "where the index comes from; data: the entry of its table"})
            .field(
                "index_bits", &T::index_bits,
                {.doc = "bits read for the index; 0: the index itself, or 104 (a five-tuple) for "
                        "a hash",
                 .max = 1024})
            .field("accesses", &T::accesses,
                   {.doc = "tables it is accessed from", .min = 1, .max = 16})
            .field("reads", &T::reads, {.doc = "names of the fields read, shared within a stage"})
            .field("table", &T::table,
                   {.doc = "match table whose actions access it; none: its own"})
            .field("direct", &T::direct,
                   {.doc = "a cell for each entry that the table's RAMs hold"});
    if constexpr (!direct)
      array.required("entries", &T::entries,
                     {.doc = "cells of the register array", .min = 1, .max = 1ull << 40});
    return array;
  }();
  return s;
}

template <bool direct>
const Schema<CounterSpec>& counter_schema_of() {
  using T = CounterSpec;
  static const Schema<T> s = [] {
    auto array =
        Schema<T>("counter", "A counter array.")
            .field("width", &T::width, {.doc = "bits, 32 or 64", .min = 32, .max = 64})
            .choice("counts", &T::kind,
                    {{"by_width", CounterKind::by_width},
                     {"one", CounterKind::one},
                     {"packets_and_bytes", CounterKind::packets_and_bytes}},
                    {.doc = "one: packets or bytes; by_width: one in 32 bits, both in 64"})
            .field("table", &T::table, {.doc = "table whose action counts; none: one of its own"})
            .field("direct", &T::direct,
                   {.doc = "a counter for each entry that the table's RAMs hold"});
    if constexpr (!direct)
      array.required("entries", &T::entries,
                     {.doc = "counters in the array", .min = 1, .max = 1ull << 32});
    return array;
  }();
  return s;
}

template <bool direct>
const Schema<MeterSpec>& meter_schema_of() {
  using T = MeterSpec;
  static const Schema<T> s = [] {
    auto array =
        Schema<T>("meter", "A meter array.")
            .choice(
                "kind", &T::kind,
                {{"meter", MeterKind::meter}, {"lpf", MeterKind::lpf}, {"wred", MeterKind::wred}},
                {.doc = "two rates with colours, a low-pass filter, or early detection"})
            .field("table", &T::table, {.doc = "table whose action meters; none: one of its own"})
            .field("direct", &T::direct,
                   {.doc = "a meter for each entry that the table's RAMs hold"});
    if constexpr (!direct)
      array.required("entries", &T::entries,
                     {.doc = "meters in the array", .min = 1, .max = 1ull << 32});
    return array;
  }();
  return s;
}

}  // namespace

const Schema<RegisterSpec>& register_schema(bool direct) {
  return direct ? register_schema_of<true>() : register_schema_of<false>();
}

const Schema<CounterSpec>& counter_schema(bool direct) {
  return direct ? counter_schema_of<true>() : counter_schema_of<false>();
}

const Schema<MeterSpec>& meter_schema(bool direct) {
  return direct ? meter_schema_of<true>() : meter_schema_of<false>();
}

const Schema<ProfileSpec>& profile_schema() {
  using T = ProfileSpec;
  static const Schema<T> s =
      Schema<T>("profile", "Action data that a table's entries point at.")
          .required("entries", &T::entries,
                    {.doc = "members that the profile can hold", .min = 1, .max = 1ull << 32})
          .required("data_bits", &T::data_bits,
                    {.doc = "action data of a member", .min = 1, .max = 1024})
          .required("table", &T::table, {.doc = "match table whose entries point at it"});
  return s;
}

const Schema<SelectorSpec>& selector_schema() {
  using T = SelectorSpec;
  static const Schema<T> s =
      Schema<T>("selector", "Groups of which a hash of the packet chooses a member.")
          .required("groups", &T::groups,
                    {.doc = "groups that the selector can hold", .min = 1, .max = 1 << 24})
          .required("group_size", &T::group_size,
                    {.doc = "members of the largest group", .min = 1, .max = 119040})
          .field("input_bits", &T::input_bits,
                 {.doc = "width of what is hashed, bits", .min = 1, .max = 1024})
          .field("resilient", &T::resilient, {.doc = "members keep their packets when others go"})
          .required("table", &T::table, {.doc = "match table whose entries point at it"})
          .field("reads", &T::reads, {.doc = "names of the fields hashed"});
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
                  {.doc = "kind of comparison that the condition makes", .required = true})
          .field("bits", &T::bits, {.doc = "bits of each field", .min = 1, .max = 1024})
          .field("terms", &T::terms,
                 {.doc = "number of comparisons in the condition", .min = 1, .max = 64})
          .choice("join", &T::join, {{"and", Join::all}, {"or", Join::any}},
                  {.doc = "how they are joined"})
          .field("constant", &T::constant, {.doc = "for lt: compared with"})
          .field("guards", &T::guards, {.doc = "objects that run only when it holds"})
          .field("guards_not", &T::guards_not, {.doc = "objects that run only when it does not"})
          .field("reads", &T::reads, {.doc = "names of the fields compared"});
  return s;
}

const Schema<ActionSpec>& action_schema() {
  using T = ActionSpec;
  static const Schema<T> s =
      Schema<T>("action", "A keyless action.")
          .field("instructions", &T::instructions,
                 {.doc = "VLIW instructions, one colour each", .min = 1, .max = 64})
          .field("writes", &T::writes, {.doc = "names of the fields written"})
          .field("data_bits", &T::data_bits,
                 {.doc = "constants that no instruction holds, bits of their containers",
                  .max = 1024});
  return s;
}

const Schema<HashSpec>& hash_schema() {
  using T = HashSpec;
  static const Schema<T> s =
      Schema<T>("hash", "A hash into a field.")
          .field("input_bits", &T::input_bits,
                 {.doc = "width of what is hashed, bits", .min = 1, .max = 1024})
          .field("output_bits", &T::output_bits, {.doc = "bits of the hash", .min = 1, .max = 64})
          .field("reads", &T::reads, {.doc = "names of the fields hashed"});
  return s;
}

const Schema<RandomSpec>& random_schema() {
  using T = RandomSpec;
  static const Schema<T> s =
      Schema<T>("random", "Random bits into a field.")
          .field("bits", &T::bits,
                 {.doc = "width of the random number, bits", .min = 1, .max = 32});
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

}  // namespace horae::dataplane
