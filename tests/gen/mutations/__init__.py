# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Changes that a release of rdma-core could bring, applied to copies of the newest headers, and whether all that
follows holds: python3 -m tests.gen.mutations --help."""

from . import (brought, calls, changed, enums, moved, named, objects, parameters, removed, spelled,  # noqa: F401  each registers its classes
               structs, upstream)
