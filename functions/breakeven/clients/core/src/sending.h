/* What sends one producer's messages: see sending.c. */
#ifndef BREAKEVEN_SENDING_H
#define BREAKEVEN_SENDING_H

#include "connection.h"
#include "sqs_call.h"

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
    /* of SQS: a row is a request, and one is sent at a time; NULL: rows are frames of AMQP */
    const struct call *call;
    int64_t document_at; /* in a request */
    int64_t again_at[2]; /* where its stamp stands once more, on a FIFO queue; 0: nowhere */
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

/* Note that the message in that tag was answered. */
void answer(struct sending *s, int64_t tag, int64_t at_ns);

/* Read the answers that are in the buffer. OVER, or UNUSUAL where something else comes first. */
int read_confirms(struct sending *s); /* of AMQP: all of them */
int read_reply(struct sending *s);    /* of SQS: the one that is to come */

#endif
