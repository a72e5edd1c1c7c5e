# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What may be wrong with all that the generator reads: tables of damages, made systematically, and what it has to say of each."""
