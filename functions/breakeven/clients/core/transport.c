#include "connection.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <sys/socket.h>

/* of OpenSSL: what SSL_get_error answers, and how an error's reason is found in its code */
enum { WANT_READ = 2, WANT_WRITE = 3, SYSCALL = 5, ZERO_RETURN = 6 };
enum { REASON = 0x7FFFFF, UNEXPECTED_EOF = 294 };

/* Why a call on the socket, or of OpenSSL's that has called it, did nothing. */
static int64_t nothing(struct connection *c, int *end) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return 0;
    c->error = errno;
    *end = FAILED;
    return -1;
}

static int64_t ended(int *end) {
    *end = CLOSED;
    return -1;
}

/* Why OpenSSL returned what is no count of bytes. */
static int64_t tls_nothing(struct connection *c, int returned, int *end) {
    switch (c->tls->get_error(c->tls->ssl, returned)) {
    case WANT_READ:
    case WANT_WRITE:
        return 0;
    case ZERO_RETURN:
        return ended(end);
    case SYSCALL:
        return errno == 0 ? ended(end) : nothing(c, end);
    default:
        if ((c->tls->peek_error() & REASON) == UNEXPECTED_EOF)
            return ended(end);
        c->error = EPROTO;
        *end = FAILED;
        return -1;
    }
}

static int most(int64_t count) { return count > INT_MAX ? INT_MAX : (int)count; }

static int64_t tls_put(struct connection *c, const uint8_t *bytes, int64_t count, int *end) {
    errno = 0;
    c->tls->clear_errors();
    int written = c->tls->write(c->tls->ssl, bytes, most(count));
    return written > 0 ? written : tls_nothing(c, written, end);
}

/* Record by record, as long as there are some. An end behind them is the next call's: OpenSSL tells it once. */
static int64_t tls_get(struct connection *c, uint8_t *bytes, int64_t count, int *end) {
    int64_t got = 0;
    while (got < count) {
        errno = 0;
        c->tls->clear_errors();
        int more = c->tls->read(c->tls->ssl, bytes + got, most(count - got));
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

int has_pending(const struct connection *c) {
    return c->tls != NULL && c->tls->pending(c->tls->ssl) > 0;
}
