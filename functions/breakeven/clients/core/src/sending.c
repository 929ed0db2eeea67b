/* Sends one producer's messages on a schedule, or as fast as the window allows, and reads their answers.
 *
 * Messages are prepared rows that differ in their stamps, and in what follows from them. Tags count them: they
 * are an AMQP channel's delivery tags; a message's sequence is its tag plus `shift`.
 */
#include "sending.h"

#include "stamps.h"

#include <stddef.h>

void answer(struct sending *s, int64_t tag, int64_t at_ns) {
    struct flight *flight = &s->flights[tag & s->mask];
    int64_t place = s->answered++;
    s->sequence[place] = tag + s->shift;
    s->answer_due_ns[place] = flight->due_ns;
    s->answer_sent_ns[place] = flight->sent_ns;
    s->answer_ns[place] = at_ns;
    flight->sent_ns = -1;
    s->in_flight--;
}

static int64_t lesser(int64_t one, int64_t other) { return one < other ? one : other; }

/* How many more may be without an answer. One that later answers overtake keeps its place in the ring. */
static int64_t room(const struct sending *s) {
    return lesser(s->window - s->in_flight, s->mask + 1 - (s->next_tag - s->oldest_tag));
}

/* When the next message is sent: once it is due, or with others that are due soon after it and can go along. */
static int64_t send_at(const struct sending *s) {
    int64_t due_ns = s->due_ns[s->sent], last_ns = due_ns + s->together_ns;
    int may = s->rows > 1 && room(s) > 1 && s->sent + 1 < s->most;
    return may && s->due_ns[s->sent + 1] <= last_ns ? last_ns : due_ns;
}

/* How many messages are to be sent now. */
static int64_t due(const struct sending *s, int64_t now) {
    if (s->due_ns == NULL)
        return s->most - s->sent;
    if (s->sent >= s->most || now < send_at(s))
        return 0;
    int64_t count = 0;
    while (s->sent + count < s->most && count < s->rows && s->due_ns[s->sent + count] <= now)
        count++;
    return count;
}

/* Make a prepared row that message's. */
static void make(const struct sending *s, uint8_t *row, int64_t sequence) {
    uint64_t number = s->base + (uint64_t)sequence;
    write_stamp(row + s->stamp_at, s->tag, number);
    for (int at = 0; at < 2 && s->again_at[at] > 0; at++)
        write_stamp(row + s->again_at[at], s->tag, number);
    if (s->call != NULL)
        sign(s->call, row, row + s->document_at, s->row_size - s->document_at);
}

static int send_rows(struct sending *s, int64_t count, int64_t now) {
    int64_t first = s->next_tag + s->shift;
    if (s->times != NULL)
        *s->newest = first + count - 1; /* first, so that nobody trusts a place about to be overwritten */
    for (int64_t at = 0; at < count; at++) {
        int64_t sequence = first + at, tag = s->next_tag + at, place = s->sent + at;
        int64_t due_ns = s->due_ns ? s->due_ns[place] : now;
        make(s, s->c.out + at * s->row_size, sequence);
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

/* When there is next something to send, as far as the schedule says. */
static int64_t next_due(const struct sending *s, int64_t now, int64_t until_ns) {
    if (room(s) <= 0 || s->sent >= s->most || unsent(&s->c))
        return until_ns;
    if (s->due_ns == NULL)
        return now;
    return lesser(send_at(s), until_ns);
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

static int read_answers(struct sending *s) { return s->call != NULL ? read_reply(s) : read_confirms(s); }

/* Send and read until until_ns. What a write could not take has until late_ns to go on. */
int32_t sending_run(struct sending *s, int64_t until_ns, int64_t late_ns) {
    int64_t blocked_since_ns = -1;
    int end = OVER, has_waited = 0;
    s->sent = s->answered = s->blocked_ns = 0;
    for (;;) {
        int64_t now = now_ns();
        int stuck = unsent(&s->c); /* the peer takes no more for now: that is no room, either */
        int64_t count = full(s) ? 0 : due(s, now);
        note_blocked(s, now, &blocked_since_ns, count > 0 && (stuck || room(s) <= 0) && s->due_ns != NULL);
        count = now < until_ns && !stuck ? lesser(lesser(count, room(s)), s->rows) : 0;
        if (count > 0) {
            if (s->call != NULL && (end = is_quiet(&s->c)) != OVER)
                break; /* the peer may close an idle connection, which costs no message */
            if ((end = send_rows(s, count, now)) != OVER)
                break;
            continue; /* what is due by now may have no room any more */
        }
        if (!s->confirms && !stuck)
            written(s);
        int over = now >= until_ns || full(s) || all_done(s);
        if (over && (!unsent(&s->c) || now >= late_ns)) {
            end = full(s) ? FULL : OVER;
            break;
        }
        int was_full = stuck || room(s) <= 0;
        /* first what came while nobody was here */
        int64_t wake_ns = over ? late_ns : has_waited ? next_due(s, now, until_ns) : now;
        has_waited = 1;
        if ((end = exchange(&s->c, wake_ns)) != OVER || (end = read_answers(s)) != OVER)
            break;
        if (was_full && !unsent(&s->c)) {
            if (!s->confirms)
                written(s);
            if (room(s) > 0)
                s->room_since_ns = now_ns();
        }
    }
    note_blocked(s, now_ns(), &blocked_since_ns, 0);
    return end;
}

int64_t sending_size(void) { return sizeof(struct sending); }
