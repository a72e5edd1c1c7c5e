# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Structures: the tables that describe them, those of libverbsx itself, their defaults, and the table of kinds."""
