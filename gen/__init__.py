# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The generator: rdma-core's headers and a little lore in, C and documentation out."""
