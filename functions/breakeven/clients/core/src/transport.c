#include "connection.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

static int64_t ended(int *end) {
    *end = CLOSED;
    return -1;
}

static int64_t failed(struct connection *c, int error, int *end) {
    c->error = error;
    *end = FAILED;
    return -1;
}

/* Why a call on the socket did nothing. */
static int64_t nothing(struct connection *c, int *end) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return 0;
    return failed(c, errno, end);
}

/* Why a call on the TLS connection did nothing. */
static int64_t tls_nothing(struct connection *c, int64_t status, int *end) {
    if (status == TLS_LATER)
        return 0;
    return status == TLS_CLOSED ? ended(end) : failed(c, c->tls->error, end);
}

static int64_t tls_put(struct connection *c, const uint8_t *bytes, int64_t count, int *end) {
    int64_t written = tls_write(c->tls, bytes, count);
    return written > 0 ? written : tls_nothing(c, written, end);
}

/* Record by record, as long as there are some that have been read from the socket. An end behind them is the next
 * call's: OpenSSL tells it once. */
static int64_t tls_get(struct connection *c, uint8_t *bytes, int64_t count, int *end) {
    int64_t got = 0;
    while (got < count && (got == 0 || tls_pending(c->tls))) {
        int64_t more = tls_read(c->tls, bytes + got, count - got);
        if (more <= 0) {
            int found = OVER;
            tls_nothing(c, more, &found);
            if (got == 0)
                *end = found;
            else
                c->next_end = found;
            break;
        }
        got += more;
    }
    return got;
}

int64_t put(struct connection *c, const uint8_t *bytes, int64_t count, int *end) {
    if (c->tls != NULL)
        return tls_put(c, bytes, count, end);
    ssize_t written = send(c->fd, bytes, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL);
    return written >= 0 ? written : nothing(c, end);
}

int64_t get(struct connection *c, uint8_t *bytes, int64_t count, int *end) {
    if (c->next_end != OVER) {
        *end = (int)c->next_end;
        return -1;
    }
    if (c->tls != NULL)
        return tls_get(c, bytes, count, end);
    ssize_t got = recv(c->fd, bytes, (size_t)count, MSG_DONTWAIT);
    if (got == 0)
        return ended(end);
    return got > 0 ? got : nothing(c, end);
}

int has_pending(const struct connection *c) { return c->tls != NULL && tls_pending(c->tls) > 0; }
