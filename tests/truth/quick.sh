#!/bin/sh
# SPDX-License-Identifier: MIT
# A part of tests/truth: some programs of known truth with their repaired twins, recorded
# once, and some that are generated.  `make check-truth` and `make check-sharing-random` try all.
. tests/lib.sh
. tests/truth/driver.inc
[ "$(nproc)" -ge 2 ] || { skip "programs of known truth" "one core only"; finish; }
export O

part tests/truth/run-known --runs 1 globals-apart globals-met globals-met-twin units units-twin heap2 heap3 heap3-twin partner partner-twin \
	memset library library-twin vector vector-twin
part tests/truth/run-random 1 2 5 6 7 13 5049 20038 20047 30040 71059
finish
