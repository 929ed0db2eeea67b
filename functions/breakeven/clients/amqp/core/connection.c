#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_NS 1000000000

int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

int unsent(const struct connection *c) { return c->out_from < c->out_end; }

static int failed(struct connection *c) {
    c->error = errno;
    return FAILED;
}

static int not_now(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int write_some(struct connection *c) {
    while (unsent(c)) {
        ssize_t sent = send(c->fd, c->out + c->out_from, (size_t)(c->out_end - c->out_from),
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0)
            return not_now() ? OVER : failed(c);
        c->out_from += sent;
        c->wrote_ns = now_ns();
    }
    c->out_from = c->out_end = 0;
    return OVER;
}

static int read_once(struct connection *c) {
    if (c->in_end == c->in_size)
        return UNUSUAL;
    ssize_t got = recv(c->fd, c->in + c->in_end, (size_t)(c->in_size - c->in_end), MSG_DONTWAIT);
    if (got == 0)
        return CLOSED;
    if (got < 0)
        return not_now() ? OVER : failed(c);
    c->in_end += got;
    c->read_ns = now_ns();
    return OVER;
}

/* What came meanwhile is one wake-up and one read. */
static void rest(const struct connection *c, int64_t wake_ns) {
    int64_t until_ns = c->read_ns + c->read_every_ns;
    if (until_ns > wake_ns)
        until_ns = wake_ns;
    if (until_ns <= now_ns())
        return;
    struct timespec until = {.tv_sec = until_ns / SECOND_NS, .tv_nsec = until_ns % SECOND_NS};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int exchange(struct connection *c, int64_t wake_ns) {
    if (c->busy && !unsent(c))
        rest(c, wake_ns);
    int64_t left_ns = wake_ns - now_ns();
    if (left_ns < 0)
        left_ns = 0;
    struct timespec left = {.tv_sec = left_ns / SECOND_NS, .tv_nsec = left_ns % SECOND_NS};
    struct pollfd watched = {.fd = c->fd, .events = (short)(unsent(c) ? POLLIN | POLLOUT : POLLIN)};
    int ready = ppoll(&watched, 1, &left, NULL);
    if (ready < 0)
        return not_now() ? OVER : failed(c);
    if (ready == 0)
        return OVER;
    if (unsent(c)) {
        int written = write_some(c);
        if (written != OVER)
            return written;
    }
    return watched.revents & ~POLLOUT ? read_once(c) : OVER;
}

void took(struct connection *c, int64_t count) {
    c->count += count;
    int64_t elapsed_ns = c->read_ns - c->since_ns;
    if (elapsed_ns < c->judged_over_ns)
        return;
    c->busy = c->busy_from > 0 && c->count * c->judged_over_ns >= c->busy_from * elapsed_ns;
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
