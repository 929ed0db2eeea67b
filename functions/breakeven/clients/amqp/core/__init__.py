"""A connection's hot loop in C: waiting, writing, reading, and the parsing of what is always alike.

``connection.c``, ``sending.c`` and ``receiving.c`` do it, compiled by ``setup/core.py``; ``structs`` spells
their memory in Python, and ``loading`` loads them. Where the core is not compiled, or cannot drive a
connection (TLS, messages of several frames), the general path does all: docs/decisions/0018.
"""
