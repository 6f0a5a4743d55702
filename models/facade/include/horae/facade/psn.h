/* Packet sequence numbers: 24-bit serial arithmetic (IBTA vol. 1, 9.7.2; RFC 1982 with 24 bits). Two of them
   compare by the shorter way round. Of arguments the low 24 bits count; no function fails. */
#ifndef HORAE_FACADE_PSN_H
#define HORAE_FACADE_PSN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The PSN `packets` after `psn`, or before it where that is negative. */
uint32_t horae_psn_add(uint32_t psn, int32_t packets);
/* From `from` to `to` in packets: -2^23 to 2^23 - 1. */
int32_t horae_psn_distance(uint32_t from, uint32_t to);
/* Whether `a` comes earlier than `b`: 1 or 0. Exactly 2^23 apart, neither does. */
int horae_psn_before(uint32_t a, uint32_t b);
/* Whether `a` comes later than `b`: 1 or 0. */
int horae_psn_after(uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif

#endif
