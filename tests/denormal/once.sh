#!/bin/sh
# SPDX-License-Identifier: MIT
# What two passes of the plugin follow, from outside of a loop into it, has its birth, and is said to have been denormal as often as it was, not twice as often.
. tests/lib.sh
. tests/denormal/common.inc

line=$(grep -n 'y = y \* 0.999f' $P/once.c | cut -d: -f1)
for o in -O0 -O1 -O2 -O3; do
  build origin gcc -ffp-contract=off $o $P/once.c && run 1e-37
  as_plain "$o"
  tell
  # It follows itself: the first is not one that follows.
  n=$(($(cut -d' ' -f1 "$T/want" | head -1) - 1))
  same "$o: the number was denormal as often as the program counts" "$n" "$(told state | sed -n "s/^$line \([0-9]*\) .*/\1/p" | sort -n | head -1)"
  same "$o: all that was stored goes back to the one birth" "$line:6450 / 0 0 0 0 / 0" "$(told born) / $(told unknown) / $(told lost)"
  run 1
  tell
  same "$o: the twin has no such state" "" "$(told state)"
done
finish
