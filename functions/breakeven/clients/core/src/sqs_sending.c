/* Reads the answer of SendMessage. */
#define _GNU_SOURCE
#include "sending.h"

#include <string.h>

int read_reply(struct sending *s) {
    /* without it, whoever answered was not SQS */
    static const char stored[] = "\"MessageId\"";
    struct body body;
    if (s->c.in_end == 0)
        return OVER;
    enum answer found = s->in_flight > 0 ? read_answer(&s->c, &body) : OTHER;
    if (found == PART)
        return OVER;
    if (found == OTHER || memmem(body.at, (size_t)body.size, stored, sizeof stored - 1) == NULL)
        return UNUSUAL;
    consumed(&s->c, s->c.in_end);
    answer(s, s->oldest_tag++, s->c.read_ns);
    return OVER;
}
