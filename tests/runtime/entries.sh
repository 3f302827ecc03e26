#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions with two bodies: those whose record is right are switched, others are left alone, and the record of the
# run says that there were some; a thread that calls meanwhile runs in one body or the other.
. tests/lib.sh
. tests/runtime/common
[ -z "$SAN" ] || { skip "entries" "code that is rewritten is not for sanitizers"; finish; }
build entries
"$T/entries" all >"$T/out"
is "without the runtime functions run in their plain bodies" "1 1 1 1" "$(cat "$T/out")"
record entries all
is "with it, in the others, but for those whose record is not right" "0 2 1 1 2" "$status $(cat "$T/out")"
is "... and it is said" 9 "$(get '^header' reason)"
record entries meet 20000000
is "a thread that calls meanwhile comes into one of both" "0 wrong=0 before=1 after=2" "$status $(cat "$T/out")"
finish
