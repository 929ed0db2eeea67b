"""The native AMQP 0-9-1 client: frames encoded once and patched, whole batches read and written at a time.

``encoding`` writes, ``reader`` (with ``shape`` and ``content``) reads, ``link`` holds the socket, and
``sender``, ``receiver`` and ``client`` are the protocols of ``clients.base`` on top. Why it is built so, and
what else was measured: docs/decisions/0008-amqp-client.md.
"""
