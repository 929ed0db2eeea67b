/* One connection's socket and buffers, shared by the sending and the receiving half of the core.
 *
 * All memory is the caller's; nothing here allocates. Instants are CLOCK_MONOTONIC nanoseconds, as Python's
 * time.monotonic_ns. structs.py reads the layout of every struct off these files.
 */
#ifndef BREAKEVEN_CONNECTION_H
#define BREAKEVEN_CONNECTION_H

#include <stdint.h>

#include "tls.h"

/* why a call came back */
enum end {
    OVER = 0,    /* the time it was given is over, or all that it was to do is done */
    FULL = 1,    /* the columns have no room for what may come next */
    UNUSUAL = 2, /* what is first in the buffer is for the general path */
    CLOSED = 3,  /* the peer has closed the connection */
    FAILED = 4   /* `error` has the errno */
};

struct connection {
    int32_t fd;
    int32_t error;
    struct tls *tls;  /* NULL: bytes go over fd as they are */
    int64_t next_end; /* of a read, where the one before has found it behind what it read; or OVER */
    uint8_t *in; /* bytes read and not dealt with are in[0 .. in_end) */
    int64_t in_size, in_end;
    uint8_t *out; /* bytes to write are out[out_from .. out_end) */
    int64_t out_size, out_from, out_end;
    int64_t read_ns, wrote_ns; /* when bytes last came, and last went */
    /* a busy connection is read once in read_every_ns; see coalescing.py */
    int64_t read_every_ns, judged_over_ns;
    int64_t busy_from;      /* messages in judged_over_ns; 0: this connection is never busy */
    int64_t busy;           /* whether it is now */
    int64_t gather_from;    /* messages in judged_over_ns from which on acks wait for each other; 0: they never do */
    int64_t gathers;        /* whether they do now */
    int64_t count, since_ns; /* messages since */
};

/* How many of `count` bytes were written, or read into `bytes`, without waiting. 0: none just now; -1: CLOSED or
 * FAILED is in *end, and the errno in c->error. */
int64_t put(struct connection *c, const uint8_t *bytes, int64_t count, int *end);
int64_t get(struct connection *c, uint8_t *bytes, int64_t count, int *end);

/* Is there something to read for which the socket has nothing to tell any more? */
int has_pending(const struct connection *c);

int64_t now_ns(void);
int unsent(const struct connection *c);

/* Write what can be written without waiting. OVER (whether or not all went) or FAILED. */
int write_some(struct connection *c);

/* Wait until wake_ns, at the latest, for something to read or room to write; write, then read once. A busy
 * connection that is to wake within read_every_ns anyway is read then.
 * OVER, CLOSED, FAILED; UNUSUAL where one frame fills the whole buffer. */
int exchange(struct connection *c, int64_t wake_ns);

/* Note messages, or answers to messages, that were read just now. */
void took(struct connection *c, int64_t count);

/* The first `used` bytes are dealt with. */
void consumed(struct connection *c, int64_t used);

/* How many bytes of a heartbeat frame begin `bytes`: all 8, or 0; -1 where more bytes have to tell. */
int heartbeat(const uint8_t *bytes, int64_t count);

uint64_t big_endian(const uint8_t *bytes);
void put_big_endian(uint8_t *bytes, uint64_t number);

#endif
