# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Numbers that rdma-core takes in few bits, to which an int of C would be cut without a word, and those that it takes as an int.

Exported functions take 32 bits without a sign instead, and so do init structures of a port. What does not fit never reaches rdma-core.
"""

NARROW = {"uint8_t": "UINT8_MAX", "uint16_t": "UINT16_MAX", "__be16": "UINT16_MAX"}
COUNT = "INT32_MAX"  # of an int that lore says is a count or a place
MOST = {"UINT8_MAX": 0xff, "UINT16_MAX": 0xffff, COUNT: 0x7fffffff}
WIDE = "uint32_t"
