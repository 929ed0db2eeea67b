/* The document that answers ReceiveMessage. */
#ifndef BREAKEVEN_SQS_MESSAGE_H
#define BREAKEVEN_SQS_MESSAGE_H

#include "sqs_call.h"

/* A message's members. Texts are as they stand between their quotes, with nothing in them that is escaped and no
 * character beyond ASCII; `at` is NULL where there is no such member. */
struct message {
    struct body text, handle;
    int64_t receives; /* how often it was received, this time included; 1 where nobody says */
};

/* How many messages the document has: 0 or 1; -1 where it has more, or is not as it always is. */
int read_message(const struct body *document, struct message *message);

#endif
