# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What earlier runs read, compiled and rendered, and the second process: only time changes without these."""
