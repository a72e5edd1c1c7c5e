# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What describes the whole: api.json, the schema of what is printed, the reference pages and their pictures."""
