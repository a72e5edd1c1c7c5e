# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Enumerators and their rows: of the headers' enums, and of places in mailboxes and MADs."""
