#include "horae/params/value_field.hpp"

namespace horae::detail {

template std::unique_ptr<const FieldKind> plain_field<bool>(PlainRule<CoreOf<bool>>);
template std::unique_ptr<const FieldKind> plain_field<std::uint8_t>(
    PlainRule<CoreOf<std::uint8_t>>);
template std::unique_ptr<const FieldKind> plain_field<std::uint16_t>(
    PlainRule<CoreOf<std::uint16_t>>);
template std::unique_ptr<const FieldKind> plain_field<std::uint32_t>(
    PlainRule<CoreOf<std::uint32_t>>);
template std::unique_ptr<const FieldKind> plain_field<std::uint64_t>(
    PlainRule<CoreOf<std::uint64_t>>);
template std::unique_ptr<const FieldKind> plain_field<std::int32_t>(
    PlainRule<CoreOf<std::int32_t>>);
template std::unique_ptr<const FieldKind> plain_field<std::int64_t>(
    PlainRule<CoreOf<std::int64_t>>);
template std::unique_ptr<const FieldKind> plain_field<double>(PlainRule<CoreOf<double>>);
template std::unique_ptr<const FieldKind> plain_field<std::string>(PlainRule<CoreOf<std::string>>);
template std::unique_ptr<const FieldKind> plain_field<Picoseconds>(PlainRule<CoreOf<Picoseconds>>);
template std::unique_ptr<const FieldKind> plain_field<Bytes>(PlainRule<CoreOf<Bytes>>);
template std::unique_ptr<const FieldKind> plain_field<BitRate>(PlainRule<CoreOf<BitRate>>);
template std::unique_ptr<const FieldKind> plain_field<Hertz>(PlainRule<CoreOf<Hertz>>);
template std::unique_ptr<const FieldKind> plain_field<Cycles>(PlainRule<CoreOf<Cycles>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<bool>>(
    PlainRule<CoreOf<std::optional<bool>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<std::uint32_t>>(
    PlainRule<CoreOf<std::optional<std::uint32_t>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<std::uint64_t>>(
    PlainRule<CoreOf<std::optional<std::uint64_t>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<double>>(
    PlainRule<CoreOf<std::optional<double>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<std::string>>(
    PlainRule<CoreOf<std::optional<std::string>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<Picoseconds>>(
    PlainRule<CoreOf<std::optional<Picoseconds>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<Bytes>>(
    PlainRule<CoreOf<std::optional<Bytes>>>);
template std::unique_ptr<const FieldKind> plain_field<std::optional<BitRate>>(
    PlainRule<CoreOf<std::optional<BitRate>>>);
template std::unique_ptr<const FieldKind> plain_field<Located<std::string>>(
    PlainRule<CoreOf<Located<std::string>>>);
template std::unique_ptr<const FieldKind> plain_field<Located<double>>(
    PlainRule<CoreOf<Located<double>>>);
template std::unique_ptr<const FieldKind> plain_field<Located<std::uint32_t>>(
    PlainRule<CoreOf<Located<std::uint32_t>>>);
template std::unique_ptr<const FieldKind> plain_field<Located<Picoseconds>>(
    PlainRule<CoreOf<Located<Picoseconds>>>);
template std::unique_ptr<const FieldKind> plain_field<Located<Bytes>>(
    PlainRule<CoreOf<Located<Bytes>>>);
template std::unique_ptr<const FieldKind> plain_field<std::vector<std::string>>(
    PlainRule<CoreOf<std::vector<std::string>>>);
template std::unique_ptr<const FieldKind> plain_field<std::vector<Located<std::string>>>(
    PlainRule<CoreOf<std::vector<Located<std::string>>>>);

}  // namespace horae::detail
