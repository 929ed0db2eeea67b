#include "stamps.h"

#include <string.h>

#include "connection.h"

enum { PRODUCER_END = 7 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void write_stamp(uint8_t *at, const uint8_t *tag, uint64_t number) {
    /* nine bytes, big-endian: the number has 72 bits, and the producer's highest eight come first */
    uint8_t bytes[9];
    bytes[0] = tag[CASE];
    put_big_endian(bytes + 1, number);
    memcpy(at, tag, CASE);
    for (int group = 0; group < 3; group++) {
        const uint8_t *three = bytes + 3 * group;
        uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
        for (int place = 0; place < 4; place++)
            at[CASE + 4 * group + place] = (uint8_t)alphabet[bits >> (18 - 6 * place) & 63];
    }
}

/* A character's place in the alphabet of base64url; -1 where it has none. */
static int place(uint8_t c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

int is_ours(const uint8_t *stamp, const uint8_t *tag, int64_t producers) {
    int64_t producer = 0;
    if (memcmp(stamp, tag, CASE) != 0)
        return 0;
    for (int at = CASE; at < STAMP; at++) {
        int found = place(stamp[at]);
        if (found < 0)
            return 0;
        if (at < PRODUCER_END)
            producer = producer << 6 | found;
    }
    return producer < producers;
}
