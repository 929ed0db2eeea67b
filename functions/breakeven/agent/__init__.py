"""The agents beside a lane's nodes, which carry out faults and sample hosts, wherever these are.

On a node of EC2 it runs alone: of this project with ``breakeven.errors`` only, on the Python and the boto3
of the node's Debian. Nothing here may import anything else that those lack.
"""

#: raised with each kind of fault that agents learn. An image that was made elsewhere says by a tag which its
#: agents know: 1, those of a broker's process and its alarms; 2, those of its network, too
VERSION = 2
