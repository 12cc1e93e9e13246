#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A session that records every event is made, started, stopped and deleted, and each of the kernel's allocations and
# copies for that fails once, as in fail_nth: hooks that were attached by then are taken away again.
# On kernels with fault injection only.
# timeout: 3000
# long
. tests/functional/lib.sh
. tests/leaks.sh
. tests/fail_nth.sh

fail_each "${with_every_event[@]}"
