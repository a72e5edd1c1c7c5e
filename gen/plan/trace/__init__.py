# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Calls while they are made: how they are traced, what stands for each, and what objects are asked for when they are printed."""
