/* Ordering engines: what a receiving NIC remembers of packets that arrived out of order, for all of its connections,
   and what it answers. The models are those of `nic.ordering` in a platform. Calls for one engine are made by one
   thread at a time. */
#ifndef HORAE_FACADE_ORDERING_H
#define HORAE_FACADE_ORDERING_H

#include <stdint.h>

#include "horae/facade/facade.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct horae_ordering horae_ordering;

/* What became of a packet. */
enum {
  HORAE_IN_ORDER = 0,     /* it was the expected one */
  HORAE_OUT_OF_ORDER = 1, /* it is remembered */
  HORAE_DUPLICATE = 2,    /* it had arrived before */
  HORAE_REJECTED = 3      /* it cannot be remembered and must come again */
};

/* Why a packet was rejected. */
enum {
  HORAE_NOT_REJECTED = 0,
  HORAE_REACH = 1,      /* further ahead than the bitmap can grow, or than it can reach now */
  HORAE_NO_BLOCK = 2,   /* no free bitmap block */
  HORAE_NO_METADATA = 3 /* no room for the state of one more connection */
};

/* An answer. A pointer to it may be one to as many uint32_t: SystemVerilog has it as an array. */
typedef struct horae_ordering_answer {
  uint32_t tracking;  /* HORAE_IN_ORDER, ... */
  uint32_t rejection; /* HORAE_NOT_REJECTED, ... */
  uint32_t advanced;  /* packets by which the expected PSN advanced */
  uint32_t expected;  /* the first PSN that is missing now */
  uint32_t completed; /* 1: everything up to the packet marked last has arrived */
  /* What the hardware does for the packet, in memory accesses of the engine's own width. */
  uint32_t words_read;
  uint32_t words_written;
  uint32_t searched;  /* positions of allocation maps looked at */
  uint32_t allocated; /* blocks taken, those of metadata included */
  uint32_t released;  /* blocks given back */
  /* Clocks from the one after the request to the one of the answer, of the hardware in models/rtl/eunomia with
     one word per access; 0 of engines that have none. */
  uint32_t clocks_registers; /* its memory is registers */
  uint32_t clocks_block_ram; /* its memory is a block RAM */
} horae_ordering_answer;

/* Bytes in use on the chip. */
typedef struct horae_ordering_bytes {
  uint64_t fixed;    /* what every open connection has, whether it reorders or not */
  uint64_t bitmap;   /* bits of packets */
  uint64_t metadata; /* what else a connection that reorders has */
} horae_ordering_bytes;

/* An engine with these settings: KEY=VALUE, separated by blanks, with the keys of `nic.ordering`
   ("engine=eunomia blocks=64 bits=96"; `horae list parameters` has them). NULL where they are refused. */
horae_ordering* horae_ordering_create(const char* settings);
/* NULL does nothing. */
void horae_ordering_destroy(horae_ordering* engine);

/* A data packet arrived. `connection` and the PSNs have 24 bits. A connection is opened by its first packet; `head` is
   the first PSN of the connection. `last`, 1 or 0: the connection's last packet. HORAE_OK, HORAE_REFUSED,
   HORAE_BROKEN; `answer` is written with the first only. */
int horae_ordering_packet(horae_ordering* engine, uint32_t connection, uint32_t psn, uint32_t head, int last,
                          horae_ordering_answer* answer);
/* The connection ended: all it holds is given back. One that is not open changes nothing. */
int horae_ordering_close(horae_ordering* engine, uint32_t connection);

/* What is in use now. */
int horae_ordering_memory(const horae_ordering* engine, horae_ordering_bytes* bytes);
/* The most bytes it can ever use with so many connections (at most 2^24), and what the chip provides. */
int horae_ordering_provided(const horae_ordering* engine, uint32_t connections, uint64_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
