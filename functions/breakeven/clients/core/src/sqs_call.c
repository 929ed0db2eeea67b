#define _GNU_SOURCE
#include "sqs_call.h"

#include <string.h>
#include <strings.h>

enum { DIGEST = 32, BLOCK = 64, KEY = 32 };

static void in_hex(uint8_t *into, const uint8_t *digest) {
    static const char digits[] = "0123456789abcdef";
    for (int at = 0; at < DIGEST; at++) {
        into[2 * at] = (uint8_t)digits[digest[at] >> 4];
        into[2 * at + 1] = (uint8_t)digits[digest[at] & 15];
    }
}

/* The digest of what is digested already and these bytes. */
static void digest_of(const struct call *call, const struct digested *so_far, const uint8_t *bytes, int64_t count,
                      uint8_t *digest) {
    struct digested all = *so_far;
    call->sha256->update(&all, bytes, (uint64_t)count);
    call->sha256->final(digest, &all);
}

static void begin(const struct call *call, struct digested *so_far, const uint8_t *bytes, int64_t count) {
    call->sha256->init(so_far);
    call->sha256->update(so_far, bytes, (uint64_t)count);
}

/* One of the two digests of an HMAC, as far as its key goes. */
static void begin_keyed(const struct call *call, struct digested *so_far, const uint8_t *key, uint8_t padding) {
    uint8_t block[BLOCK];
    memset(block, padding, BLOCK);
    for (int at = 0; at < KEY; at++)
        block[at] ^= key[at];
    begin(call, so_far, block, BLOCK);
}

void call_renewed(struct call *call, const uint8_t *canonical, int64_t canonical_size, const uint8_t *to_sign,
                  int64_t to_sign_size, const uint8_t *key, const uint8_t *begun, int64_t begun_size) {
    begin(call, &call->begun, begun, begun_size);
    call->begun_size = begun_size;
    begin(call, &call->canonical, canonical, canonical_size);
    begin_keyed(call, &call->inner, key, 0x36);
    call->sha256->update(&call->inner, to_sign, (uint64_t)to_sign_size);
    begin_keyed(call, &call->outer, key, 0x5C);
}

void sign(const struct call *call, uint8_t *request, const uint8_t *document, int64_t size) {
    uint8_t digest[DIGEST], hex[2 * DIGEST];
    digest_of(call, &call->begun, document + call->begun_size, size - call->begun_size, digest);
    in_hex(hex, digest);
    digest_of(call, &call->canonical, hex, sizeof hex, digest);
    in_hex(hex, digest);
    digest_of(call, &call->inner, hex, sizeof hex, digest);
    digest_of(call, &call->outer, digest, DIGEST, digest);
    in_hex(request + call->head_size, digest);
}

/* The value of a header's line, where it is of that name (in lower case, with its colon). */
static const char *value_of(const char *line, const char *end, const char *name) {
    size_t size = strlen(name);
    if ((size_t)(end - line) < size || strncasecmp(line, name, size) != 0)
        return NULL;
    line += size;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return line;
}

/* A length of at most nine digits; -1 where it is none. */
static int64_t length_of(const char *at, const char *end) {
    int64_t length = 0;
    if (at == end || end - at > 9)
        return -1;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return -1;
        length = 10 * length + (*at - '0');
    }
    return length;
}

/* The body's length by an answer's headers; -1 where these are not as always. */
static int64_t body_size(const char *at, const char *end) {
    static const char status[] = "HTTP/1.1 200 ", kept[] = "keep-alive";
    int64_t length = -1;
    if ((size_t)(end - at) < sizeof status - 1 || memcmp(at, status, sizeof status - 1) != 0)
        return -1;
    while (at < end) {
        const char *line_end = memmem(at, (size_t)(end - at), "\r\n", 2), *value;
        if (line_end == NULL)
            line_end = end;
        if ((value = value_of(at, line_end, "content-length:")) != NULL) {
            if (length >= 0 || (length = length_of(value, line_end)) < 0)
                return -1;
        } else if (value_of(at, line_end, "transfer-encoding:") != NULL) {
            return -1;
        } else if ((value = value_of(at, line_end, "connection:")) != NULL) {
            if (line_end - value != sizeof kept - 1 || strncasecmp(value, kept, sizeof kept - 1) != 0)
                return -1;
        }
        at = line_end == end ? end : line_end + 2;
    }
    return length;
}

enum answer read_answer(const struct connection *c, struct body *body) {
    const uint8_t *head_end = memmem(c->in, (size_t)c->in_end, "\r\n\r\n", 4);
    if (head_end == NULL)
        return PART;
    int64_t size = body_size((const char *)c->in, (const char *)head_end);
    int64_t there = c->in_end - (head_end + 4 - c->in);
    if (size < 0 || there > size)
        return OTHER;
    *body = (struct body){.at = head_end + 4, .size = size};
    return there == size ? WHOLE : PART;
}

int is_quiet(struct connection *c) {
    int end = OVER;
    if (c->in_end == c->in_size)
        return UNUSUAL;
    int64_t got = get(c, c->in + c->in_end, c->in_size - c->in_end, &end);
    if (got > 0) {
        c->in_end += got;
        return UNUSUAL;
    }
    return end;
}
