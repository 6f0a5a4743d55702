// The schemas of an objects file's tables (internal to the room).
#pragma once

#include "horae/dataplane/design/design.hpp"
#include "horae/params/schema.hpp"

namespace horae::dataplane {

/// `direct`: of an array with a cell for each entry of its table, which has no `entries`.
const Schema<RegisterSpec>& register_schema(bool direct);
const Schema<MatchSpec>& match_schema(MatchKind kind);
const Schema<CounterSpec>& counter_schema(bool direct);
const Schema<MeterSpec>& meter_schema(bool direct);
const Schema<ProfileSpec>& profile_schema();
const Schema<SelectorSpec>& selector_schema();
const Schema<ConditionSpec>& condition_schema();
const Schema<ActionSpec>& action_schema();
const Schema<HashSpec>& hash_schema();
const Schema<RandomSpec>& random_schema();
const Schema<MirrorSpec>& mirror_schema();
const Schema<RecirculateSpec>& recirculate_schema();
const Schema<HeaderField>& field_schema();
const Schema<ParserState>& state_schema();
const Schema<ValueSetSpec>& value_set_schema();
const Schema<ChecksumSpec>& checksum_schema();

}  // namespace horae::dataplane
