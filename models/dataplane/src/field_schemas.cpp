// The tables of an objects file for what a packet carries: [[field]] and [[state]].
#include "design_schemas.hpp"

namespace horae::dataplane {
namespace {

template <class T>
Schema<T> of_gress(std::string name, std::string doc) {
  return Schema<T>(std::move(name), std::move(doc))
      .choice("gress", &T::gress, {{"ingress", Gress::ingress}, {"egress", Gress::egress}},
              {.doc = "which gress has it"});
}

}  // namespace

const Schema<HeaderField>& field_schema() {
  using T = HeaderField;
  static const Schema<T> s =
      of_gress<T>("field", "A field of a header, or metadata: what containers hold.")
          .required("name", &T::name, {.doc = "name, for reads, writes, sets and uses of objects"})
          .required("bits", &T::bits, {.doc = "bits", .min = 1, .max = 4096})
          .field("header", &T::header,
                 {.doc = "its header, in which fields lie as they are listed; none: metadata. "
                         "\"$valid\": bits that say which headers a packet has; none listed: one "
                         "of each header"})
          .field("copies", &T::copies,
                 {.doc = "fields of this width, used alike", .min = 1, .max = 1024})
          .field("parsed", &T::parsed, {.doc = "metadata that the parser sets"})
          .field("deparsed", &T::deparsed, {.doc = "metadata that the deparser reads"})
          .field("stages", &T::stages,
                 {.doc = "first and last stage that it is needed in; none: those of the objects "
                         "that name it",
                  .max = 256});
  return s;
}

const Schema<ParserState>& state_schema() {
  using T = ParserState;
  static const Schema<T> s =
      of_gress<T>("state", "A state of the parser.")
          .required("name", &T::name, {.doc = "name"})
          .field("extracts", &T::extracts, {.doc = "headers that it extracts"})
          .field("next", &T::next, {.doc = "states that may follow"})
          .field(
              "rows", &T::rows,
              {.doc = "rows of the TCAM; 0: one for each of `next`, one at least", .max = 65536});
  return s;
}

}  // namespace horae::dataplane
