/* Reads the acks of published messages. */
#include "sending.h"

#include <string.h>

static int waiting(const struct sending *s, int64_t tag) { return s->flights[tag & s->mask].sent_ns >= 0; }

/* An ack of one message or of all up to it. 0 where it is of a message that awaits none. */
static int confirmed(struct sending *s, uint64_t tag, int multiple) {
    if (tag < (uint64_t)s->oldest_tag || tag >= (uint64_t)s->next_tag || !waiting(s, (int64_t)tag))
        return 0;
    for (int64_t each = multiple ? s->oldest_tag : (int64_t)tag; each <= (int64_t)tag; each++)
        if (waiting(s, each))
            answer(s, each, s->c.read_ns);
    while (s->oldest_tag < s->next_tag && !waiting(s, s->oldest_tag))
        s->oldest_tag++;
    return 1;
}

enum { HEAD = 11, FRAME = 21, END = 0xCE };

int read_confirms(struct sending *s) {
    const uint8_t *in = s->c.in;
    int64_t at = 0, end = s->c.in_end, before = s->answered;
    int found = OVER;
    while (at < end) {
        const uint8_t *frame = in + at;
        int64_t count = end - at;
        int beat = heartbeat(frame, count);
        if (beat < 0)
            break;
        if (beat > 0) {
            at += beat;
            continue;
        }
        if (memcmp(frame, s->confirm, (size_t)(count < HEAD ? count : HEAD)) != 0) {
            found = UNUSUAL;
            break;
        }
        if (count < FRAME)
            break;
        if (frame[20] != END || frame[19] > 1 || !s->confirms ||
            !confirmed(s, big_endian(frame + HEAD), frame[19])) {
            found = UNUSUAL;
            break;
        }
        at += FRAME;
    }
    consumed(&s->c, at);
    took(&s->c, s->answered - before);
    return found;
}
