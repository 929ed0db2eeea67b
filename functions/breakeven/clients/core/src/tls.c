#include "tls.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

/* of OpenSSL: what SSL_get_error answers, and how an error's reason is found in its code */
enum { WANT_READ = 2, WANT_WRITE = 3, SYSCALL = 5, ZERO_RETURN = 6 };
enum { REASON = 0x7FFFFF, UNEXPECTED_EOF = 294 };

static int64_t failed(struct tls *tls, int error, uint64_t reason) {
    tls->error = error;
    tls->reason = reason;
    return TLS_FAILED;
}

static int64_t later(struct tls *tls, int wants) {
    tls->wants = wants;
    return TLS_LATER;
}

/* May OpenSSL be called? Not once its object is freed, nor after an error of TLS itself, which stays the last word. It
 * is called after one of the socket's alone, though SSL_get_error(3) advises against it: what the peer said before it
 * went is still to be read once a write has failed. Python's ssl does the same. */
static int begin(struct tls *tls) {
    if (tls->ssl == NULL)
        failed(tls, EBADF, 0);
    if (tls->ssl == NULL || tls->reason != 0)
        return 0;
    tls->clear_errors();
    errno = 0;
    return 1;
}

/* What OpenSSL has returned, or why it is no count of bytes. */
static int64_t outcome(struct tls *tls, int returned) {
    int error = errno;
    if (returned > 0)
        return returned;
    int found = tls->get_error(tls->ssl, returned);
    if (found == WANT_READ || found == WANT_WRITE)
        return later(tls, found);
    unsigned long code = tls->peek_error();
    tls->clear_errors(); /* they are the thread's, where Python's ssl would take them for its own */
    switch (found) {
    case ZERO_RETURN:
        return TLS_CLOSED;
    case SYSCALL:
        if (error == 0)
            return TLS_CLOSED;
        if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR)
            return later(tls, WANT_READ);
        return failed(tls, error, 0);
    default:
        return (code & REASON) == UNEXPECTED_EOF ? TLS_CLOSED : failed(tls, EPROTO, code);
    }
}

static int most(int64_t count) { return count > INT_MAX ? INT_MAX : (int)count; }

int64_t tls_handshake(struct tls *tls) { return begin(tls) ? outcome(tls, tls->handshake(tls->ssl)) : TLS_FAILED; }

int64_t tls_read(struct tls *tls, uint8_t *bytes, int64_t count) {
    int64_t got = begin(tls) ? outcome(tls, tls->read(tls->ssl, bytes, most(count))) : TLS_FAILED;
    tls->drained = got <= 0; /* a part of a record is pending, too, and cannot be read */
    return got;
}

int64_t tls_write(struct tls *tls, const uint8_t *bytes, int64_t count) {
    return begin(tls) ? outcome(tls, tls->write(tls->ssl, bytes, most(count))) : TLS_FAILED;
}

int64_t tls_pending(const struct tls *tls) {
    return tls->ssl != NULL && !tls->drained && tls->has_pending(tls->ssl);
}

int64_t tls_size(void) { return sizeof(struct tls); }
