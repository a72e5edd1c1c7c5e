# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Where headers come from, which release they are of, and which symbols go with them."""
