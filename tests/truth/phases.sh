#!/bin/sh
# SPDX-License-Identifier: MIT
# Phases of the conflicts of some generated programs, whose stages are known: none is wrong;
# `make check-phases` tries many, and beside other load.
. tests/lib.sh
. tests/truth/driver.inc
[ "$(nproc)" -ge 2 ] || { skip "phases of programs with known stages" "one core only"; finish; }
export O

part tests/truth/run-phases 2 3 18
finish
