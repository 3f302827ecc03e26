#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal handler that leaves a loop takes with it what the loop had counted: that is said, with the function; no other way out is.
. tests/lib.sh
. tests/denormal/common.inc

# seen WAY: runs it, and reports; the doubt is in $T/trust
seen() {
  run "$1"
  as_plain "$o $1"
  rm -rf "$T/rec"
  perseus record -q --purpose=denormal -o "$T/rec" "$T/prog" "$1" >"$T/got"
  perseus denormals "$T/rec" >"$T/out" 2>"$T/err" || :
  perseus denormals --json "$T/rec" 2>"$T/err" | sed -n 's/.*"\(a signal handler[^"]*\)".*/\1/p' >"$T/trust"
}
doubt() {
  seen "$1"
  same "$o: $2" "a signal handler left $3: what the loop that it interrupted had counted is missing" "$(cat "$T/trust")"
}
none() {
  seen "$1"
  same "$o: twin: $2" "" "$(cat "$T/trust")"
}

for o in "-O2" "-O3" "-O2 -fPIC -pie" "-O2 -fno-inline -flto"; do
  build full g++ $o -fasynchronous-unwind-tables $P/left.cc
  doubt jump "a jump out of the loop" "halves() by a jump"
  doubt jumps "... three times" "halves() by a jump, 3 times"
  doubt throw "an exception" "halves() by an exception"
  doubt thread "the end of the thread" "halves() by ending the thread"
  doubt process "the end of the process" "halves() by ending the process"
  none back "a handler that returns, after a jump of its own"
  same "$o: ... and all is counted" 1024 "$(total load result)"
  none integers "a loop without counters, in the same unit"
  none after "a jump from behind the loop"
  same "$o: ... and all is counted" $((1024 + 2 * 64)) "$(total store result)"
done
seen jump
it "the report says it at the top" grep -q '^trust *limited' "$T/out"
finish
