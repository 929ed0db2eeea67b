/* Sends one producer's messages on a schedule, or as fast as the window allows, and reads their confirms.
 *
 * Messages are rows of prepared frames that differ in their stamps alone. Tags are a channel's delivery tags;
 * a message's sequence is its tag plus `shift`.
 */
#include "connection.h"

#include <string.h>

/* what to do once `most` are sent */
enum when_sent {
    READ_ON = 0,   /* read until the time is over */
    COME_BACK = 1, /* there is more to send, which the columns have no room for: FULL */
    ANSWERED = 2   /* that was all: come back when all of it is answered */
};

struct flight {
    int64_t due_ns;  /* when it was to be sent */
    int64_t sent_ns; /* when it was; -1 once it is answered */
};

struct sending {
    struct connection c;
    /* the prepared rows: c.out holds `rows` of them */
    int64_t row_size, rows, stamp_at;
    uint64_t base;     /* of the stamp's number: the producer in its place */
    uint8_t tag[8];    /* the case's four characters; behind them the producer's highest eight bits */
    int64_t confirms;  /* 0: a message is answered as soon as it is written */
    const uint8_t *confirm; /* how an ack's frame begins: 11 bytes */
    /* what is to be sent */
    const int64_t *due_ns; /* NULL: at once */
    int64_t most;          /* messages to send in this call; entries of due_ns */
    int64_t when_sent;     /* enum when_sent */
    int64_t window;        /* messages without an answer, at most */
    int64_t together_ns;   /* what is due within this time of each other is sent together */
    /* where it stands */
    int64_t next_tag, oldest_tag, in_flight, shift;
    int64_t room_since_ns; /* when the window last began to have room */
    int64_t blocked_ns;    /* in this call: messages were due and the window was full */
    struct flight *flights; /* by tag, modulo the ring's size, which is a power of two */
    int64_t mask;
    /* when each message was to be sent, by sequence modulo keep: for whoever measures end to end */
    int64_t *times, *newest;
    int64_t keep;
    /* what happened in this call: columns, one entry a message */
    int64_t sent, answered, columns;
    int64_t *could_ns, *handed_ns;
    int64_t *sequence, *answer_due_ns, *answer_sent_ns, *answer_ns;
};

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void stamp(const struct sending *s, uint8_t *at, int64_t sequence) {
    uint64_t low = s->base + (uint64_t)sequence;
    /* nine bytes, big-endian: the number has 72 bits, and the producer's highest eight come first */
    uint8_t number[9];
    number[0] = s->tag[4];
    put_big_endian(number + 1, low);
    memcpy(at, s->tag, 4);
    for (int group = 0; group < 3; group++) {
        const uint8_t *three = number + 3 * group;
        uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
        for (int place = 0; place < 4; place++)
            at[4 + 4 * group + place] = (uint8_t)alphabet[bits >> (18 - 6 * place) & 63];
    }
}

static void answer(struct sending *s, int64_t tag, int64_t at_ns) {
    struct flight *flight = &s->flights[tag & s->mask];
    int64_t place = s->answered++;
    s->sequence[place] = tag + s->shift;
    s->answer_due_ns[place] = flight->due_ns;
    s->answer_sent_ns[place] = flight->sent_ns;
    s->answer_ns[place] = at_ns;
    flight->sent_ns = -1;
    s->in_flight--;
}

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

/* Read all acks that are in the buffer. OVER, or UNUSUAL where something else comes first. */
static int read_confirms(struct sending *s) {
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

/* How many messages may be sent now. */
static int64_t due(const struct sending *s, int64_t now) {
    if (s->due_ns == NULL)
        return s->most - s->sent;
    int64_t count = 0;
    while (s->sent + count < s->most && count < s->rows && s->due_ns[s->sent + count] <= now)
        count++;
    return count;
}

static int send_rows(struct sending *s, int64_t count, int64_t now) {
    int64_t first = s->next_tag + s->shift;
    if (s->times != NULL)
        *s->newest = first + count - 1; /* first, so that nobody trusts a place about to be overwritten */
    for (int64_t at = 0; at < count; at++) {
        int64_t sequence = first + at, tag = s->next_tag + at, place = s->sent + at;
        int64_t due_ns = s->due_ns ? s->due_ns[place] : now;
        stamp(s, s->c.out + at * s->row_size + s->stamp_at, sequence);
        s->could_ns[place] = due_ns > s->room_since_ns ? due_ns : s->room_since_ns;
        s->handed_ns[place] = now;
        s->flights[tag & s->mask] = (struct flight){.due_ns = due_ns, .sent_ns = now};
        if (s->times != NULL)
            s->times[sequence % s->keep] = due_ns;
    }
    s->next_tag += count;
    s->sent += count;
    s->in_flight += count;
    s->c.out_from = 0;
    s->c.out_end = count * s->row_size;
    return write_some(&s->c);
}

/* Without confirms: what is written has its answer, which is that there is none. */
static void written(struct sending *s) {
    int64_t now = now_ns();
    for (; s->oldest_tag < s->next_tag; s->oldest_tag++)
        answer(s, s->oldest_tag, now);
}

static int64_t lesser(int64_t one, int64_t other) { return one < other ? one : other; }

/* When there is next something to send, as far as the schedule says. */
static int64_t next_due(const struct sending *s, int64_t now, int64_t until_ns) {
    if (s->in_flight >= s->window || s->sent >= s->most || unsent(&s->c))
        return until_ns;
    if (s->due_ns == NULL)
        return now;
    int64_t next_ns = s->due_ns[s->sent];
    if (s->sent + 1 < s->most && s->due_ns[s->sent + 1] <= now + s->together_ns)
        next_ns = now + s->together_ns;
    return lesser(next_ns, until_ns);
}

static void note_blocked(struct sending *s, int64_t now, int64_t *since_ns, int blocked) {
    if (*since_ns >= 0)
        s->blocked_ns += now - *since_ns;
    *since_ns = blocked ? now : -1;
}

/* No room in the columns: what is unanswered now still has some, while the rest of a write goes. */
static int full(const struct sending *s) {
    return s->columns - s->answered < 2 * s->window || (s->when_sent == COME_BACK && s->sent >= s->most);
}

static int all_done(const struct sending *s) {
    return s->when_sent == ANSWERED && s->sent >= s->most && s->in_flight == 0;
}

/* Send and read until until_ns. What a write could not take has until late_ns to go on. */
int32_t sending_run(struct sending *s, int64_t until_ns, int64_t late_ns) {
    int64_t blocked_since_ns = -1;
    int end = OVER;
    s->sent = s->answered = s->blocked_ns = 0;
    for (;;) {
        int64_t now = now_ns();
        int64_t room = s->window - s->in_flight;
        int64_t count = now < until_ns && !unsent(&s->c) && !full(s) ? due(s, now) : 0;
        note_blocked(s, now, &blocked_since_ns, count > 0 && room <= 0 && s->due_ns != NULL);
        count = lesser(lesser(count, room), s->rows);
        if (count > 0) {
            if ((end = send_rows(s, count, now)) != OVER)
                break;
            continue; /* what is due by now may have no room any more */
        }
        if (!s->confirms && !unsent(&s->c))
            written(s);
        int over = now >= until_ns || full(s) || all_done(s);
        if (over && (!unsent(&s->c) || now >= late_ns)) {
            end = full(s) ? FULL : OVER;
            break;
        }
        int was_full = s->in_flight >= s->window;
        int64_t wake_ns = over ? late_ns : next_due(s, now, until_ns);
        if ((end = exchange(&s->c, wake_ns)) != OVER || (end = read_confirms(s)) != OVER)
            break;
        if (was_full && s->in_flight < s->window)
            s->room_since_ns = now_ns();
    }
    note_blocked(s, now_ns(), &blocked_since_ns, 0);
    return end;
}

int64_t sending_size(void) { return sizeof(struct sending); }
