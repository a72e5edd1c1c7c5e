# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What gen/abi promises, with one thing wrong: the file, what stands there instead of a text, and words of what is said."""

from __future__ import annotations

MASK = 'comp_mask = ["uint32_t", 0, 4]'
ROW = "must be [type, offset, size]"
WRONG: tuple[tuple[str, str, str, str], ...] = (
    ("abi/structs.toml", MASK, "comp_mask = 4", ROW), ("abi/structs.toml", MASK, 'comp_mask = ["uint32_t"]', ROW),
    ("abi/structs.toml", MASK, 'comp_mask = ["uint32_t", "0", 4]', ROW), ("abi/structs.toml", MASK, 'comp_mask = ["uint32_t", 0, 4.5]', ROW),
    ("abi/structs.toml", MASK, 'comp_mask = ["uint32_t", false, 4]', ROW), ("abi/structs.toml", "[vx_comp_channel_init]", "more = 1\n[vx_comp_channel_init]", "more: must be a table of fields"),
    ("abi/json.toml", ' = "', ' = 4 # "', "must be a type, as a text"), ("abi/json.toml", ' = "', ' = ["boolean"] # "', "must be a type, as a text"),
    ("abi/functions.toml", 'now = "', 'now = "x', "now: 'x"), ("abi/functions.toml", 'now = "', 'now = 4 # "', "now: must be a version such as 0.2"),
    ("abi/functions.toml", 'now = "', 'then = "', "then: this file has now, since alone"),
    ("abi/functions.toml", "[since]", "[sinse]", "sinse: this file has now, since alone\n  did you mean since?"),
    ("abi/functions.toml", "[since]\n", "[since]\nvx_more = [1]\n", "vx_more: must be a version such as 0.2"),
    ("abi/functions.toml", "[since]\n", '[since]\nvx_more = "new"\n', "vx_more: 'new': must be a version such as 0.2"),
    ("abi/functions.toml", "[since]\n", '[since]\nmore = "0.1"\n', "more: 'more': must be a function of libverbsx"),
    ("abi/functions.toml", "[since]\n", "[[since]]\n", "since: must be a table of functions"),
    ("abi/functions.toml", 'vx_ah_adopt = "0.1"', 'vx_ah_adopt = "0.9"', "vx_ah_adopt: is of 0.9, which is after 0.1, the version that is being worked on"),
    ("abi/functions.toml", 'vx_ah_adopt = "0.1"', 'vx_ah_adopt = "0.1.1"', "vx_ah_adopt: is of 0.1.1, which is after 0.1"),
    ("abi/ids.toml", "[enum]\n", "[zz]\na = 1\n[enum]\n", "zz: this file has enum, struct, kind alone"),
    ("abi/ids.toml", "[enum]\n", "enum = 3\n[zz]\n", "zz: this file has enum"),
    ("abi/ids.toml", "[struct]\n", "[[struct]]\n", "struct: must be a table of numbers"),
    ("abi/ids.toml", "[enum]\n", "[enum]\nnothing = 1.5\n", "enum nothing: has number 1.5"),
)
