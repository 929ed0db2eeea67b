/* One call of SQS: a prepared HTTP request that is signed for its document, and its answer.
 *
 * Source of the signature: "Create a signed AWS API request", IAM User Guide; see sqs/signing.py.
 */
#ifndef BREAKEVEN_SQS_CALL_H
#define BREAKEVEN_SQS_CALL_H

#include <stdint.h>

#include "connection.h"

/* OpenSSL's functions, and what they keep in between: SHA256_CTX, which has 112 bytes and may be copied */
struct sha256 {
    int (*init)(void *context);
    int (*update)(void *context, const void *bytes, uint64_t count);
    int (*final)(uint8_t *digest, void *context);
};

struct digested {
    uint64_t context[16];
};

/* A request is: its head, which ends where the signature goes; the signature; the rest of the headers; the document.
 * What of the signature is the same for all requests of a second is digested once. */
struct call {
    const struct sha256 *sha256;
    int64_t head_size;
    int64_t begun_size; /* of the document, bytes that are the same in all, and digested in `begun` */
    struct digested begun, canonical, inner, outer;
};

enum { SIGNATURE = 64 };

/* canonical and to_sign: what comes before the document's digest, and before that of the canonical request.
 * key: of 32 bytes; begun: of the document. */
void call_renewed(struct call *call, const uint8_t *canonical, int64_t canonical_size, const uint8_t *to_sign,
                  int64_t to_sign_size, const uint8_t *key, const uint8_t *begun, int64_t begun_size);

/* Put the signature for that document into a request. */
void sign(const struct call *call, uint8_t *request, const uint8_t *document, int64_t size);

struct body {
    const uint8_t *at;
    int64_t size;
};

enum answer { PART = 0, WHOLE = 1, OTHER = -1 };

/* An answer of status 200 and known length, after which the connection stays: whole, or a part of one so far.
 * OTHER: anything else. */
enum answer read_answer(const struct connection *c, struct body *body);

/* Has nobody said anything on an idle connection? OVER, or why not; UNUSUAL where somebody has. */
int is_quiet(struct connection *c);

#endif
