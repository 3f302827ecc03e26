#!/bin/sh
# SPDX-License-Identifier: MIT
# The rates of some generated programs, which count their own accesses, lie in the
# intervals that are told; `make check-rates` tries many.
. tests/lib.sh
. tests/truth/driver.inc
[ "$(nproc)" -ge 2 ] || { skip "rates of programs that count their accesses" "one core only"; finish; }
export O

part tests/truth/run-rates 201 219 221 225
part tests/truth/run-rates --staged 104 112 124
part tests/truth/run-rates --announced 1 5 6
finish
