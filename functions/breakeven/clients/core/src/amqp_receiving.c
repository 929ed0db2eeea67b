/* Takes one consumer's pushed messages in hand and acknowledges each by itself, several together, or none.
 *
 * Only messages of one shape (see shape.py), with a stamp of this case: whatever else comes is the general
 * path's, and is not acknowledged here.
 */
#include "connection.h"
#include "stamps.h"

#include <string.h>

enum { ACK = 21, TAG_AT = 11, END = 0xCE };

struct receiving {
    struct connection c;
    /* the shape: head, delivery tag, redelivered, before, body's frames up to the stamp, stamp, rest, end */
    const uint8_t *head, *before, *after;
    int64_t head_size, before_size, after_size, size;
    uint8_t tag[8]; /* the case's four characters */
    int64_t producers; /* stamps of the case hold a smaller number */
    uint8_t ack[24]; /* the frame of an ack; its tag is at TAG_AT */
    int64_t ack_every; /* messages that one settles: all up to its tag where they are several; 0: nothing is settled */
    int64_t unacked; /* messages in hand that are to be */
    uint8_t newest[8]; /* the tag of the last of them */
    /* acks that wait for others, so that one write has them all: bytes from the beginning of c.out, which has nothing
     * else meanwhile, since when, and how long at most; see coalescing.py */
    int64_t held, held_since_ns, hold_ns;
    /* what happened in this call: columns, one entry a message */
    int64_t count, columns;
    uint64_t *tags;
    uint8_t *redelivered, *stamps;
    int64_t *in_hand_ns;
};

/* Does what is in the buffer agree with the shape, as far as there are bytes of it? */
static int agrees(const uint8_t *bytes, int64_t count, const uint8_t *piece, int64_t at, int64_t size) {
    int64_t known = count - at < size ? count - at : size;
    return known <= 0 || memcmp(bytes + at, piece, (size_t)known) == 0;
}

/* An ack, which is held until it is released. */
static void acknowledge(struct receiving *r) {
    uint8_t *ack = r->c.out + r->c.out_end + r->held;
    memcpy(ack, r->ack, ACK);
    memcpy(ack + TAG_AT, r->newest, 8);
    if (r->held == 0)
        r->held_since_ns = r->c.read_ns;
    r->held += ACK;
    r->unacked = 0;
}

static void release(struct receiving *r) {
    r->c.out_end += r->held;
    r->held = 0;
}

/* Until when what is held may wait: not at all on a connection that is read once in a while, whose messages have
 * come together, or that has not written all that it was to write. */
static int64_t held_until(const struct receiving *r) {
    return r->c.gathers && !r->c.busy && !unsent(&r->c) ? r->held_since_ns + r->hold_ns : 0;
}

static void take(struct receiving *r, const uint8_t *message, const uint8_t *stamp) {
    int64_t place = r->count++;
    if (r->ack_every) {
        memcpy(r->newest, message + r->head_size, 8);
        if (++r->unacked >= r->ack_every)
            acknowledge(r);
    }
    r->tags[place] = big_endian(message + r->head_size);
    r->redelivered[place] = message[r->head_size + 8];
    memcpy(r->stamps + STAMP * place, stamp, STAMP);
    r->in_hand_ns[place] = r->c.read_ns;
}

/* Take all whole messages that are in the buffer. OVER, or UNUSUAL where something else comes first; FULL. */
static int take_all(struct receiving *r) {
    const uint8_t *in = r->c.in;
    int64_t at = 0, end = r->c.in_end, before = r->count;
    int64_t before_at = r->head_size + 9, after_at = before_at + r->before_size;
    int64_t stamp_at = after_at + r->after_size;
    int found = OVER;
    while (at < end) {
        const uint8_t *message = in + at;
        int64_t count = end - at;
        int beat = heartbeat(message, count);
        if (beat < 0)
            break;
        if (beat > 0) {
            at += beat;
            continue;
        }
        if (!agrees(message, count, r->head, 0, r->head_size) ||
            !agrees(message, count, r->before, before_at, r->before_size) ||
            !agrees(message, count, r->after, after_at, r->after_size)) {
            found = UNUSUAL;
            break;
        }
        if (count < r->size)
            break;
        if (message[before_at - 1] > 1 || message[r->size - 1] != END || !is_ours(message + stamp_at, r->tag, r->producers)) {
            found = UNUSUAL;
            break;
        }
        if (r->count == r->columns || r->c.out_end + r->held + 2 * ACK > r->c.out_size) { /* a last one always has room */
            found = FULL;
            break;
        }
        take(r, message, message + stamp_at);
        at += r->size;
    }
    consumed(&r->c, at);
    took(&r->c, r->count - before);
    return found;
}

/* Receive, and acknowledge as ack_every says, until until_ns. What a write could not take has up to late_ns to go on. */
int32_t receiving_run(struct receiving *r, int64_t until_ns, int64_t late_ns) {
    int end = OVER;
    r->count = 0;
    for (;;) {
        int taken = take_all(r);
        int64_t now = now_ns();
        int over = taken != OVER || now >= until_ns;
        /* what waits for company is settled where none came, and before the general path has its say */
        if (over && r->unacked && (r->count == 0 || taken == UNUSUAL))
            acknowledge(r);
        if (over || now >= held_until(r))
            release(r);
        if ((end = write_some(&r->c)) != OVER)
            break;
        if (over && (!unsent(&r->c) || now >= late_ns)) {
            end = taken;
            break;
        }
        if (over) { /* acknowledge what is in hand before anything else */
            if ((end = exchange(&r->c, late_ns)) != OVER)
                break;
            continue;
        }
        if ((end = exchange(&r->c, r->held && held_until(r) < until_ns ? held_until(r) : until_ns)) != OVER)
            break;
    }
    release(r); /* to the general path, as all that is unwritten */
    return end;
}

int64_t receiving_size(void) { return sizeof(struct receiving); }
