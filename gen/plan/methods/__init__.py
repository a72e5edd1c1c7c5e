# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Functions of objects: calls, options, views, and the data path."""
