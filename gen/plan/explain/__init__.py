# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What explains: meanings, why a call failed, lines of logs, events."""
