/* Asks for one message at a time, takes it in hand, deletes it, and asks again.
 *
 * Only messages with a stamp of this case: whatever else comes is the general path's, and is not deleted here.
 */
#include "sqs_call.h"
#include "sqs_message.h"
#include "stamps.h"

#include <stdio.h>
#include <string.h>

enum state {
    IDLE = 0,
    ASKED = 1,
    IN_HAND = 2, /* a message is to be deleted */
    DELETING = 3
};

struct asking {
    struct connection c;
    const struct call *deletion;
    int64_t ask_size;    /* c.out begins with the ask, which is signed */
    int64_t deletion_at; /* behind it in c.out: the head of a deletion, and room for all of it */
    const uint8_t *before; /* a deletion's document up to the handle */
    int64_t before_size;
    int64_t comes_back; /* after an ask that came back empty: the pause before the next is the worker's */
    uint8_t tag[8];     /* the case's four characters */
    int64_t producers;  /* stamps of the case hold a smaller number */
    /* where it stands */
    int64_t state, asked_ns, called_ns;
    uint8_t *handle; /* of the message in hand */
    int64_t handle_size, handle_room;
    /* what happened in this call: columns */
    int64_t taken, settled, empty, columns;
    int64_t *taken_asked_ns, *in_hand_ns;
    uint8_t *redelivered, *stamps;
    int64_t *settled_asked_ns, *settled_called_ns, *replied_ns;
    int64_t *empty_asked_ns, *empty_answered_ns;
};

static int ask(struct asking *a) {
    a->asked_ns = now_ns();
    a->state = ASKED;
    a->c.out_from = 0;
    a->c.out_end = a->ask_size;
    return write_some(&a->c);
}

static int delete(struct asking *a) {
    uint8_t *request = a->c.out + a->deletion_at, *at = request + a->deletion->head_size + SIGNATURE, *document;
    int64_t size = a->before_size + a->handle_size + 2;
    a->called_ns = now_ns();
    at += sprintf((char *)at, "\r\nContent-Length: %lld\r\n\r\n", (long long)size);
    document = at;
    memcpy(at, a->before, (size_t)a->before_size);
    at += a->before_size;
    memcpy(at, a->handle, (size_t)a->handle_size);
    at += a->handle_size;
    *at++ = '"';
    *at++ = '}';
    sign(a->deletion, request, document, size);
    a->state = DELETING;
    a->c.out_from = a->deletion_at;
    a->c.out_end = at - a->c.out;
    return write_some(&a->c);
}

static int take(struct asking *a, const struct body *answer) {
    struct message message;
    int found = read_message(answer, &message);
    if (found < 0)
        return UNUSUAL;
    if (found == 0) {
        a->empty_asked_ns[a->empty] = a->asked_ns;
        a->empty_answered_ns[a->empty++] = a->c.read_ns;
        a->state = IDLE;
        return OVER;
    }
    if (message.text.size < STAMP || !is_ours(message.text.at, a->tag, a->producers) ||
        message.handle.size > a->handle_room)
        return UNUSUAL;
    memcpy(a->handle, message.handle.at, (size_t)message.handle.size);
    a->handle_size = message.handle.size;
    a->taken_asked_ns[a->taken] = a->asked_ns;
    a->in_hand_ns[a->taken] = a->c.read_ns;
    a->redelivered[a->taken] = message.receives > 1;
    memcpy(a->stamps + STAMP * a->taken++, message.text.at, STAMP);
    a->state = IN_HAND;
    return OVER;
}

static int deleted(struct asking *a) {
    a->settled_asked_ns[a->settled] = a->asked_ns;
    a->settled_called_ns[a->settled] = a->called_ns;
    a->replied_ns[a->settled++] = a->c.read_ns;
    a->state = IDLE;
    return OVER;
}

/* Read the answer that is to come. OVER, whether or not it is there; UNUSUAL where it is for the general path. */
static int listen(struct asking *a) {
    struct body body;
    if (a->c.in_end == 0)
        return OVER;
    enum answer found = read_answer(&a->c, &body);
    if (found == PART)
        return OVER;
    int end = found == OTHER ? UNUSUAL : a->state == ASKED ? take(a, &body) : deleted(a);
    if (end == OVER)
        consumed(&a->c, a->c.in_end);
    return end;
}

static int is_full(const struct asking *a) {
    return a->taken == a->columns || a->settled == a->columns || a->empty == a->columns;
}

/* Receive and delete until until_ns. A call that is under way has until late_ns, unless it is an ask that may wait:
 * that one is gone on with in the next call. */
int32_t asking_run(struct asking *a, int64_t until_ns, int64_t late_ns) {
    int end = OVER;
    a->taken = a->settled = a->empty = 0;
    for (;;) {
        if (a->state == IDLE && (now_ns() >= until_ns || (a->comes_back && a->empty > 0)))
            break;
        if (a->state == IDLE && is_full(a)) {
            end = FULL;
            break;
        }
        if (a->state == IDLE || a->state == IN_HAND) {
            if ((end = is_quiet(&a->c)) != OVER || (end = a->state == IDLE ? ask(a) : delete(a)) != OVER)
                break;
        }
        int64_t wake_ns = a->state == ASKED && !a->comes_back ? until_ns : late_ns;
        if (now_ns() >= wake_ns)
            break;
        if ((end = exchange(&a->c, wake_ns)) != OVER || (end = listen(a)) != OVER)
            break;
    }
    return end;
}

int64_t asking_size(void) { return sizeof(struct asking); }

int64_t call_size(void) { return sizeof(struct call); }
