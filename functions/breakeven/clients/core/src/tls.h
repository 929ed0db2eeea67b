/* A TLS connection of OpenSSL's, by its public functions alone. What they answer is read here, beside the call: their
 * errors are kept by thread, and errno is nobody's for long. */
#ifndef BREAKEVEN_TLS_H
#define BREAKEVEN_TLS_H

#include <stdint.h>

/* what a call returns that is no count of bytes */
enum tls_status { TLS_LATER = 0, TLS_CLOSED = -1, TLS_FAILED = -2 };

struct tls {
    void *ssl; /* OpenSSL's object of the connection; NULL once it is freed */
    int (*handshake)(void *ssl);
    int (*read)(void *ssl, void *bytes, int count);
    int (*write)(void *ssl, const void *bytes, int count);
    int (*has_pending)(const void *ssl);
    int (*get_error)(const void *ssl, int returned);
    unsigned long (*peek_error)(void);
    void (*clear_errors)(void);
    uint64_t reason; /* after TLS_FAILED: OpenSSL's code of what is wrong; 0 where only errno says it */
    int32_t error;   /* after TLS_FAILED: an errno */
    int32_t wants;   /* after TLS_LATER: what the socket must be ready for, as SSL_get_error has it */
    int64_t drained; /* the last read found nothing more: only the socket can say that there is */
};

/* Each does what it can without waiting: the number of bytes (1 for a whole handshake), or a status. `count` is
 * positive. */
int64_t tls_handshake(struct tls *tls);
int64_t tls_read(struct tls *tls, uint8_t *bytes, int64_t count);
int64_t tls_write(struct tls *tls, const uint8_t *bytes, int64_t count);

/* May there be something to read that the socket says nothing of any more? OpenSSL reads ahead: all that has come. */
int64_t tls_pending(const struct tls *tls);

#endif
