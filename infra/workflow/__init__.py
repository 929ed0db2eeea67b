"""The state machine: runs, rounds, legs, cases, queries."""
