"""A connection's hot loop in C: waiting, writing, reading, and the parsing of what is always alike.

``sending.c`` and ``receiving.c`` do it on ``connection.c`` and ``transport.c``; ``setup/core.py`` compiles
them, ``structs`` spells their memory in Python, ``loading`` loads them, and ``outlet`` has what a connection
is reached by. Where the core is not compiled, or cannot drive a connection (messages of several frames,
``basic.get``), the general path does all: docs/decisions/0018.
"""
