# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Headers to facts, by libclang."""
