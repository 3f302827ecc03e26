#!/bin/sh
# SPDX-License-Identifier: MIT
# The block log covers a run from its beginning to its end, however long.
. tests/lib.sh
. tests/runtime/common
build counters

record counters blocks 3000
is "a run whose long calls fit ends well" 0 $status
is "... and has them all" "3000 0" "$(grep -c '^log .* site=1 ' "$T/rec") $(get '^header' lost_blocks)"

record counters blocks 24000
is "one with more of them ends well" 0 $status
is "... each is logged or counted as not" 24000 "$(($(grep -c '^log .* site=1 ' "$T/rec") + $(get '^header' lost_blocks)))"
above "... the first ones are there" 16000 "$(grep -c '^log .* site=1 ' "$T/rec")"
above "... and some are not" 1 "$(get '^header' lost_blocks)"
get '^log .* site=1 ' end | awk -v from="$(get '^header' start)" -v to="$(get '^header' end)" \
  '{n[int(8 * ($1 - from) / (to - from))]++} END {for (i = 0; i < 8; i++) if (n[i]) c++; print c}' >"$T/eighths"
is "... but each eighth of the run has its part" 8 "$(cat "$T/eighths")"
is "... and the calls are exact" 24000 "$(calls 0 1)"
finish
