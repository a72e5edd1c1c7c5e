# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The tables against what the C compiler says of the same headers, in DWARF: a witness that is not libclang.

    python3 -m tests.oracle RELEASE FOLDER
"""
