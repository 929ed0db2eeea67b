"""A connection's hot loop in C: waiting, writing, reading, and the parsing of what is always alike.

In ``src``, ``sending.c`` sends one producer's messages, whose answers ``amqp_confirms.c`` or
``sqs_sending.c`` reads; ``amqp_receiving.c`` and ``sqs_receiving.c`` take messages in hand. Beneath them are
``connection.c``, ``transport.c`` and ``tls.c``. ``setup/core.py`` compiles them, ``structs`` reads from them
what memory they work on, ``loading`` loads them. ``tls_context`` makes TLS connections, and ``outlet`` has
what a connection is reached by; ``memory`` and ``messages`` are what both protocols' clients lend.

This is the fast path. Where the core is not compiled, or cannot drive a connection (messages of several
frames or sizes), the general path does all, and the case says so; ``basic.get``, batches and processing times
are the general path's by design: docs/decisions/0018 and 0028.
"""
