# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What headers do not say: the groups of headers, lore, its tables and checks, and remarks on what it lacks."""
