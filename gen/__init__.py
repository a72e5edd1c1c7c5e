# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The generator of libverbsx: headers -> facts -> API -> plan -> templates -> generated/."""
