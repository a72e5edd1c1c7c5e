# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""When something is there: which releases have an item, when a field is valid, which transitions a state lets."""
