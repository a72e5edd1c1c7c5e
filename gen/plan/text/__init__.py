# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Pools of names and texts, and where words of the documentation come from."""
