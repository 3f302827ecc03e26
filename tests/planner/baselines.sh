#!/bin/sh
# SPDX-License-Identifier: MIT
# The baselines of perseus plan against naive ones of random programs, many of whose threads start light; all that
# `make check-baselines COUNT=` has is more of them.
. tests/lib.sh
exits 0 "spread, pack and os are the naive ones, whatever the kind of plan" python3 tests/planner/baselines.py "$T" "${BASELINES_COUNT:-40}"
says "^[0-9]+ models, [0-9]{2,} with threads that start light; [0-9]+ baselines compared, 0 differ" "and their times"
cat "$T/out" | sed 's/^/# /'
finish
