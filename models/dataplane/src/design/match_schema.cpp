// The schema of a match table, by its kind.
#include "design_schemas.hpp"

namespace horae::dataplane {
namespace {

const char* doc_of(MatchKind kind) {
  switch (kind) {
    case MatchKind::exact:
      return "An exact match table.";
    case MatchKind::ternary:
      return "A ternary match table.";
    case MatchKind::lpm:
      return "A longest-prefix table in TCAM.";
    case MatchKind::range:
      return "A ternary table that matches ranges.";
    case MatchKind::atcam:
      return "A ternary table in SRAM, searched in partitions.";
    case MatchKind::alpm:
      return "A longest-prefix table in SRAM behind a small TCAM.";
  }
  return "";
}

template <MatchKind kind>
const Schema<MatchSpec>& schema_of() {
  using T = MatchSpec;
  static const Schema<T> s = [] {
    T shape;
    shape.kind = kind;
    Schema<T> table(std::string(kind_name(shape)), doc_of(kind));
    table
        .required(
            "key_bits", &T::key_bits,
            {.doc = "bits of the key, without the index of a partition", .min = 1, .max = 1024})
        .required("entries", &T::entries,
                  {.doc = "entries that the table can hold", .min = 1, .max = 1ull << 32})
        .field("data_bits", &T::data_bits, {.doc = "action data of an entry", .max = 1024})
        .field("actions", &T::actions,
               {.doc = "number of actions that a hit can run", .min = 1, .max = 1024})
        .field("action_bits", &T::action_bits,
               {.doc = "in place of both: the action data of each action of a hit", .max = 1024})
        .field("no_ops", &T::no_ops,
               {.doc = "of these actions, those without instructions", .max = 1024})
        .choice("miss", &T::miss,
                {{"no_op", MissAction::no_op},
                 {"listed", MissAction::listed},
                 {"own", MissAction::own}},
                {.doc = "what a miss runs: nothing, an action of hits, or one of its own"})
        .field("writes", &T::writes,
               {.doc = "for each action, the names of the fields that it writes, between blanks"})
        .field("slot_bits", &T::slot_bits,
               {.doc = "action data with each value as wide as the container that it goes to; 0: "
                       "data_bits",
                .max = 1024})
        .field("narrow_bits", &T::narrow_bits,
               {.doc = "of data_bits, those that go to containers of 8 or 16 bits beside wider "
                       "ones; with slots of more than an entry's immediate data they are apart",
                .max = 1024})
        .choice("counter", &T::counter,
                {{"none", DirectCounter::none},
                 {"packets", DirectCounter::packets},
                 {"packets_and_bytes", DirectCounter::packets_and_bytes}},
                {.doc = "a counter per entry"})
        .field("meter", &T::meter, {.doc = "a meter per entry"})
        .field("idle_bits", &T::idle_bits,
               {.doc = "bits of an entry's idle timer: 1, 2, 3 or 6; 0: none", .max = 6})
        .field("constant", &T::constant, {.doc = "the program fixes the entries"})
        .field("reads", &T::reads, {.doc = "names of the fields of the key"});
    if constexpr (kind == MatchKind::range) {
      table
          .field("range_bits", &T::range_bits,
                 {.doc = "bits of the key that are matched as a range", .max = most_range_bits})
          .field("ranges", &T::ranges,
                 {.doc = "in place of range_bits: bits of each of several ranges",
                  .min = 1,
                  .max = most_range_bits})
          .field("range_containers", &T::range_containers,
                 {.doc = "of each range, bits of the container that holds it: 8, 16 or 32; none: "
                         "the smallest",
                  .min = 8,
                  .max = 32})
          .field("range_percent", &T::range_percent,
                 {.doc = "entries that are no prefixes, of a hundred", .max = 100});
    }
    if constexpr (kind == MatchKind::atcam || kind == MatchKind::alpm) {
      table
          .required("partitions", &T::partitions,
                    {.doc = "parts, of which an index chooses one", .min = 1, .max = 1 << 20})
          .field("masked_bits", &T::masked_bits,
                 {.doc = "bits of the key under a mask; 0: all", .max = 1024});
    }
    if constexpr (kind == MatchKind::alpm) {
      table.field("subtrees", &T::subtrees,
                  {.doc = "prefixes that lead to one partition", .min = 1, .max = 10});
    }
    return table;
  }();
  return s;
}

}  // namespace

const Schema<MatchSpec>& match_schema(MatchKind kind) {
  switch (kind) {
    case MatchKind::exact:
      return schema_of<MatchKind::exact>();
    case MatchKind::ternary:
      return schema_of<MatchKind::ternary>();
    case MatchKind::lpm:
      return schema_of<MatchKind::lpm>();
    case MatchKind::range:
      return schema_of<MatchKind::range>();
    case MatchKind::atcam:
      return schema_of<MatchKind::atcam>();
    case MatchKind::alpm:
      break;
  }
  return schema_of<MatchKind::alpm>();
}

}  // namespace horae::dataplane
