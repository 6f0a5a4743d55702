#include "horae/facade/psn.h"

#include "horae/core/psn.hpp"

using horae::Psn;

uint32_t horae_psn_add(uint32_t psn, int32_t packets) { return (Psn(psn) + packets).value(); }
int32_t horae_psn_distance(uint32_t from, uint32_t to) { return Psn(to) - Psn(from); }
int horae_psn_before(uint32_t a, uint32_t b) { return Psn(a).before(Psn(b)); }
int horae_psn_after(uint32_t a, uint32_t b) { return Psn(a).after(Psn(b)); }
