# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Plan to files, by the templates."""
