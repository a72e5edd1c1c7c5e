# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Numbers, structures, types in JSON and versions that compiled programs go by: gen/abi."""
