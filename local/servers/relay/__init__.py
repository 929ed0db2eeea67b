"""Relay between the clients of a case and the nodes of its cluster, which makes their network a bad one."""
