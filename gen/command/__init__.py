# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The command line: commands, their arguments, and what each asks for as a plan."""
