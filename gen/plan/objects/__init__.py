# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The kinds of objects: how each is made, what its handle keeps, and which have headers of their own."""
