/* The sixteen characters that a body starts with: see loadgen/ledger/stamp.py. */
#ifndef BREAKEVEN_STAMPS_H
#define BREAKEVEN_STAMPS_H

#include <stdint.h>

enum { STAMP = 16, CASE = 4 };

/* tag: the case's four characters; behind them the producer's highest eight bits.
 * number: the rest of the producer and the sequence. */
void write_stamp(uint8_t *at, const uint8_t *tag, uint64_t number);

/* Is it a stamp of the case with that tag, and of one of its producers? */
int is_ours(const uint8_t *stamp, const uint8_t *tag, int64_t producers);

#endif
