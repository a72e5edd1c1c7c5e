# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Runs tests as `python3 -m unittest` does, and keeps what Python compiles for them, also where PYTHONDONTWRITEBYTECODE is set:

    python3 -X pycache_prefix=DIR -m tests.gen.run tests.gen.test_merge

More than half of the time of most is that of compiling tests and generator. Processes that they start do as users' do.
"""

import sys
import unittest

sys.dont_write_bytecode = False

if __name__ == "__main__":
    unittest.main(None)
