# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Files as they are read and written: text, TOML, JSON with its lines, and a folder that is written whole."""
