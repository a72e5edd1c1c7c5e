# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What templates are told of objects, of their init structures and methods, and of work requests; what is planned from."""
