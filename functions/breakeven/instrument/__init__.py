"""The instrument: a server of our own that does what it is programmed to, so that figures can be checked.

``program`` says what it shall do and ``latencies`` and ``fates`` to which messages; ``broker`` does it,
``amqp`` and ``sqs`` are its two protocols on one ``loop``, ``notes`` is what it really did, ``process``
starts it as a child and stops it. Why it is built so: docs/decisions/0009-instrument.md.
"""
