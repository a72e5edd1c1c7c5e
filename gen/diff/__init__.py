# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What differs between two releases, and what that means to callers."""
