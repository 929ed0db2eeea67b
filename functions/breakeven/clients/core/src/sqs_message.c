#include "sqs_message.h"

#include <string.h>

/* of objects and lists in each other; what is deeper is unusual */
enum { DEEPEST = 8 };

struct cursor {
    const uint8_t *at, *end;
};

/* A string of JSON, without its quotes. */
struct string {
    struct body bytes;
    int is_plain; /* nothing in it is escaped, and all of it is ASCII */
};

struct found {
    struct message *message;
    int messages;
};

/* What a member of an object is to be read by: 0 where it is not as it always is. */
typedef int member(struct cursor *c, const struct body *name, int depth, struct found *found);

static void skip_blank(struct cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n'))
        c->at++;
}

/* Is this character next? It is gone then. */
static int take(struct cursor *c, char wanted) {
    skip_blank(c);
    if (c->at == c->end || *c->at != (uint8_t)wanted)
        return 0;
    c->at++;
    return 1;
}

static int string(struct cursor *c, struct string *found) {
    if (!take(c, '"'))
        return 0;
    *found = (struct string){.bytes = {.at = c->at}, .is_plain = 1};
    for (; c->at < c->end && *c->at != '"'; c->at++) {
        if (*c->at < ' ')
            return 0;
        if (*c->at >= 0x80)
            found->is_plain = 0;
        if (*c->at == '\\') {
            found->is_plain = 0;
            if (++c->at == c->end)
                return 0;
        }
    }
    found->bytes.size = c->at - found->bytes.at;
    return take(c, '"');
}

static int plain(struct cursor *c, struct body *text) {
    struct string found;
    if (!string(c, &found) || !found.is_plain)
        return 0;
    *text = found.bytes;
    return 1;
}

static int is(const struct body *text, const char *wanted) {
    return text->size == (int64_t)strlen(wanted) && memcmp(text->at, wanted, (size_t)text->size) == 0;
}

static int object(struct cursor *c, int depth, member *read, struct found *found) {
    struct body name;
    if (depth > DEEPEST || !take(c, '{'))
        return 0;
    if (take(c, '}'))
        return 1;
    do {
        if (!plain(c, &name) || !take(c, ':') || !read(c, &name, depth, found))
            return 0;
    } while (take(c, ','));
    return take(c, '}');
}

static int skip(struct cursor *c, int depth);

static int skip_member(struct cursor *c, const struct body *name, int depth, struct found *found) {
    (void)name, (void)found;
    return skip(c, depth + 1);
}

static int skip_list(struct cursor *c, int depth) {
    if (depth > DEEPEST || !take(c, '['))
        return 0;
    if (take(c, ']'))
        return 1;
    do {
        if (!skip(c, depth + 1))
            return 0;
    } while (take(c, ','));
    return take(c, ']');
}

/* A number, or null, true, false: looked at only as far as its characters go. */
static int skip_word(struct cursor *c) {
    static const char characters[] = "+-.0123456789Eaeflnrstu";
    const uint8_t *from = c->at;
    while (c->at < c->end && *c->at != 0 && strchr(characters, *c->at) != NULL)
        c->at++;
    return c->at > from;
}

static int skip(struct cursor *c, int depth) {
    struct string text;
    skip_blank(c);
    if (c->at == c->end)
        return 0;
    switch (*c->at) {
    case '"':
        return string(c, &text);
    case '{':
        return object(c, depth, skip_member, NULL);
    case '[':
        return skip_list(c, depth);
    default:
        return skip_word(c);
    }
}

/* Of a message's Attributes. */
static int attribute(struct cursor *c, const struct body *name, int depth, struct found *found) {
    struct body digits;
    int64_t number = 0;
    if (!is(name, "ApproximateReceiveCount"))
        return skip(c, depth + 1);
    if (!plain(c, &digits) || digits.size < 1 || digits.size > 9)
        return 0;
    for (int64_t at = 0; at < digits.size; at++) {
        if (digits.at[at] < '0' || digits.at[at] > '9')
            return 0;
        number = 10 * number + (digits.at[at] - '0');
    }
    found->message->receives = number;
    return 1;
}

static int of_message(struct cursor *c, const struct body *name, int depth, struct found *found) {
    struct message *message = found->message;
    if (is(name, "Body"))
        return message->text.at == NULL && plain(c, &message->text);
    if (is(name, "ReceiptHandle"))
        return message->handle.at == NULL && plain(c, &message->handle);
    if (is(name, "Attributes"))
        return object(c, depth + 1, attribute, found);
    return skip(c, depth + 1);
}

static int of_document(struct cursor *c, const struct body *name, int depth, struct found *found) {
    if (!is(name, "Messages"))
        return skip(c, depth + 1);
    if (found->messages > 0 || !take(c, '['))
        return 0;
    if (take(c, ']'))
        return 1;
    found->messages = 1;
    return object(c, depth + 2, of_message, found) && take(c, ']');
}

int read_message(const struct body *document, struct message *message) {
    struct cursor cursor = {.at = document->at, .end = document->at + document->size};
    struct found found = {.message = message};
    *message = (struct message){.receives = 1};
    if (!object(&cursor, 0, of_document, &found))
        return -1;
    skip_blank(&cursor);
    if (cursor.at != cursor.end)
        return -1;
    if (found.messages > 0 && (message->text.at == NULL || message->handle.at == NULL))
        return -1;
    return found.messages;
}
