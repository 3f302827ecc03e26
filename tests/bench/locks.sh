#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-locks: of make bench-plan only what is about locks.
. tests/bench/lib.sh
load_note
. tests/bench/plan-locks.sh
finish_bench
