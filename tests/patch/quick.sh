#!/bin/sh
# SPDX-License-Identifier: MIT
# Some patches applied, built and tried; all of them: make check-patches.
. tests/lib.sh
[ "$(nproc)" -ge 2 ] || { skip "patches" "one core only"; finish; exit; }
exec tests/patch/all --quick g-unnamed g-array-used m-deref m-number x-vector x-new x-outside x-nested x-pair x-placement-fixed x-inner-base m-both-ways x-virtual-base
