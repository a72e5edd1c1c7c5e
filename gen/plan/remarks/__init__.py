# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What is to be said of a plan: what it took for granted, and what it has nothing for."""
