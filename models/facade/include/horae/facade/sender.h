/* Senders: the TX path of one connection. What a NIC's transport makes of messages (which packets, in which order),
   what it sends again after a NAK or a timeout, and which messages an acknowledgement completes. The models are the
   transports of a platform's NICs. Calls for one sender are made by one thread at a time. */
#ifndef HORAE_FACADE_SENDER_H
#define HORAE_FACADE_SENDER_H

#include <stdint.h>

#include "horae/facade/facade.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct horae_sender horae_sender;

/* Why a packet is sent. */
enum {
  HORAE_SEND_FRESH = 0,    /* for the first time */
  HORAE_SEND_EXPECTED = 1, /* again: the PSN that a NAK asked for */
  HORAE_SEND_LAST = 2,     /* again: the last packet sent, which goes with it (rnic_sr) */
  HORAE_SEND_REWIND = 3,   /* again: after going back to the PSN of a NAK (go_back_n), or a hole (irn) */
  HORAE_SEND_TIMEOUT = 4   /* again: after a timeout */
};

/* A packet of an RDMA WRITE. A pointer to it may be one to as many uint32_t: SystemVerilog has it as an array. */
typedef struct horae_sender_packet {
  uint32_t psn;
  uint32_t opcode;      /* of the BTH (IBTA vol. 1, 9.2.1) */
  uint32_t payload;     /* bytes, without padding */
  uint32_t ack_request; /* A bit of the BTH */
  uint32_t kind;        /* HORAE_SEND_FRESH, ... */
  uint32_t message;     /* number of its message, from 0, modulo 2^32 */
  uint32_t left;        /* packets of its message from this one on */
} horae_sender_packet;

/* A time that does not come. */
#define HORAE_NEVER UINT64_MAX

/* A sender with these settings: KEY=VALUE, separated by blanks, with the keys `transport`, `mtu` and `reliability.*`
   of a NIC ("transport=go_back_n mtu=1KiB reliability.window=64"; `horae list parameters` has them). `first_psn` has
   24 bits. NULL where they are refused, and for transports whose acknowledgements report single packets (spray_sr). */
horae_sender* horae_sender_create(const char* settings, uint32_t first_psn);
/* NULL does nothing. */
void horae_sender_destroy(horae_sender* sender);

/* An RDMA WRITE of 1 to 2^31 bytes is posted. Times are in ps and never decrease. */
int horae_sender_post(horae_sender* sender, uint64_t bytes);
/* 1: there is a packet to send; 0: there is none, as all is sent, or the window is closed; 0 of NULL. */
int horae_sender_can_send(const horae_sender* sender);
/* Takes the next packet at `now`. HORAE_REFUSED where there is none. */
int horae_sender_next(horae_sender* sender, uint64_t now, horae_sender_packet* packet);

/* An ACK with this PSN in its BTH arrived: everything up to it is acknowledged. `completed`: messages that are
   acknowledged whole by it. One that says nothing new changes nothing. */
int horae_sender_ack(horae_sender* sender, uint32_t psn, uint64_t now, uint32_t* completed);
/* Likewise a NAK (PSN sequence error): everything before its PSN is acknowledged, and what it asks for is sent again. */
int horae_sender_nak(horae_sender* sender, uint32_t psn, uint64_t now, uint32_t* completed);
/* The acknowledgement told of next also says that this packet has arrived, out of order (irn). Others ignore it. */
int horae_sender_received(horae_sender* sender, uint32_t psn);

/* When its retransmission timer runs out, or HORAE_NEVER. */
int horae_sender_deadline(const horae_sender* sender, uint64_t* at);
/* It ran out: HORAE_REFUSED before the deadline. `gave_up`, 1: it was one more than its retries
   (reliability.retry_count), and nothing is sent any more. */
int horae_sender_timeout(horae_sender* sender, uint64_t now, uint32_t* gave_up);

#ifdef __cplusplus
}
#endif

#endif
