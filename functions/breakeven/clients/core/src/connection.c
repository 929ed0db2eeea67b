#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000

int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

int unsent(const struct connection *c) { return c->out_from < c->out_end; }

int write_some(struct connection *c) {
    int end = OVER;
    while (unsent(c)) {
        int64_t written = put(c, c->out + c->out_from, c->out_end - c->out_from, &end);
        if (written <= 0)
            return end;
        c->out_from += written;
        c->wrote_ns = now_ns();
    }
    c->out_from = c->out_end = 0;
    return OVER;
}

static int read_once(struct connection *c) {
    int end = OVER;
    if (c->in_end == c->in_size)
        return UNUSUAL;
    int64_t got = get(c, c->in + c->in_end, c->in_size - c->in_end, &end);
    if (got <= 0)
        return end;
    c->in_end += got;
    c->read_ns = now_ns();
    return OVER;
}

static void sleep_until(int64_t until_ns) {
    struct timespec until = {.tv_sec = until_ns / SECOND_NS, .tv_nsec = until_ns % SECOND_NS};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Wait for the socket: what poll() says of it; 0: nothing yet, -1: FAILED. */
static int await(struct connection *c, int64_t wake_ns) {
    int64_t left_ns = wake_ns - now_ns();
    if (left_ns < 0)
        left_ns = 0;
    struct timespec left = {.tv_sec = left_ns / SECOND_NS, .tv_nsec = left_ns % SECOND_NS};
    struct pollfd watched = {.fd = c->fd, .events = (short)(unsent(c) ? POLLIN | POLLOUT : POLLIN)};
    int ready = ppoll(&watched, 1, &left, NULL);
    if (ready > 0)
        return watched.revents;
    if (ready == 0 || errno == EINTR)
        return 0;
    c->error = errno;
    return -1;
}

int exchange(struct connection *c, int64_t wake_ns) {
    if (c->busy && !unsent(c)) { /* what came meanwhile is one wake-up and one read */
        int64_t now = now_ns(), read_ns = c->read_ns + c->read_every_ns;
        if (wake_ns <= now + c->read_every_ns) {
            if (wake_ns > now)
                sleep_until(wake_ns);
            return read_once(c);
        }
        if (read_ns > now)
            sleep_until(read_ns);
    }
    int ready = has_pending(c) ? POLLIN : await(c, wake_ns);
    if (ready <= 0)
        return ready == 0 ? OVER : FAILED;
    if (unsent(c)) {
        int written = write_some(c);
        if (written != OVER)
            return written;
    }
    return ready & ~POLLOUT ? read_once(c) : OVER;
}

/* Were there so many messages in judged_over_ns, or more, in the time that is judged? */
static int reached(const struct connection *c, int64_t from, int64_t elapsed_ns) {
    return from > 0 && c->count * c->judged_over_ns >= from * elapsed_ns;
}

void took(struct connection *c, int64_t count) {
    c->count += count;
    int64_t elapsed_ns = c->read_ns - c->since_ns;
    if (elapsed_ns < c->judged_over_ns)
        return;
    c->busy = reached(c, c->busy_from, elapsed_ns);
    c->gathers = reached(c, c->gather_from, elapsed_ns);
    c->count = 0;
    c->since_ns = c->read_ns;
}

void consumed(struct connection *c, int64_t used) {
    if (used == 0)
        return;
    c->in_end -= used;
    memmove(c->in, c->in + used, (size_t)c->in_end);
}

int heartbeat(const uint8_t *bytes, int64_t count) {
    static const uint8_t frame[8] = {8, 0, 0, 0, 0, 0, 0, 0xCE};
    int64_t known = count < 8 ? count : 8;
    if (memcmp(bytes, frame, (size_t)known) != 0)
        return 0;
    return known == 8 ? 8 : -1;
}

uint64_t big_endian(const uint8_t *bytes) {
    uint64_t number = 0;
    for (int at = 0; at < 8; at++)
        number = number << 8 | bytes[at];
    return number;
}

void put_big_endian(uint8_t *bytes, uint64_t number) {
    for (int at = 7; at >= 0; at--, number >>= 8)
        bytes[at] = (uint8_t)number;
}
