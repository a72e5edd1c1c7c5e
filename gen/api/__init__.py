# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What one release declares, as facts, and what all of them do, as one API; and what libverbsx's own headers declare."""
