# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The functions, and what their parameters can hold."""
