// The tables of an objects file for what a packet carries and what the parser does: [[field]],
// [[state]], [[value_set]] and [[checksum]].
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
          .required("bits", &T::bits, {.doc = "width of the field, bits", .min = 1, .max = 4096})
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
          .required("name", &T::name, {.doc = "name of the parser state"})
          .field("extracts", &T::extracts, {.doc = "headers that it extracts"})
          .field("next", &T::next, {.doc = "states that may follow"})
          .field(
              "rows", &T::rows,
              {.doc =
                   "rows of the TCAM, without those of value sets; 0: one for each of `next` that "
                   "no value set leads to, one at least",
               .max = 65536});
  return s;
}

const Schema<ValueSetSpec>& value_set_schema() {
  using T = ValueSetSpec;
  static const Schema<T> s =
      of_gress<T>("value_set", "Values that the control plane has a parser's state compare with.")
          .required("name", &T::name, {.doc = "name of the value set"})
          .required("key_bits", &T::key_bits,
                    {.doc = "width of what is compared, bits", .min = 1, .max = 1024})
          .required("entries", &T::entries,
                    {.doc = "values with masks: rows of the TCAM in each of `states`",
                     .min = 1,
                     .max = 1 << 20})
          .field("states", &T::states,
                 {.doc = "states that compare with it; none: one that is not listed"})
          .field("next", &T::next, {.doc = "state that follows where a value is in the set"});
  return s;
}

const Schema<ChecksumSpec>& checksum_schema() {
  using T = ChecksumSpec;
  static const Schema<T> s =
      of_gress<T>("checksum", "An Internet checksum (RFC 1071), in a unit of the hardware.")
          .required("name", &T::name, {.doc = "name of the checksum"})
          .choice("does", &T::use,
                  {{"verify", ChecksumUse::verify},
                   {"residual", ChecksumUse::residual},
                   {"update", ChecksumUse::update}},
                  {.doc = "verify a header, or keep the sum of the rest of the packet (residual), "
                          "in the parser; update in the deparser",
                   .required = true})
          .field("over", &T::over, {.doc = "fields that are summed"})
          .field("over_bits", &T::bits,
                 {.doc = "their widths; none: as the [[field]] tables say", .min = 1, .max = 4096})
          .field("states", &T::states,
                 {.doc = "states that sum; in no common one, checksums share a unit; none: not "
                         "known"})
          .field("zeros_as_ones", &T::zeros_as_ones,
                 {.doc = "an update of 0 is sent as 0xffff (UDP)"});
  return s;
}

}  // namespace horae::dataplane
