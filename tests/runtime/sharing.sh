#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines that threads share: found, distinguished, and not invented.
. tests/lib.sh
. tests/runtime/common
build sharing
export PERSEUS_PURPOSE=sharing

# mask THREAD KEY: of the line the program names
line() { sed -n 's/line=\([0-9a-f]*\).*/\1/p' "$T/out" | head -1; }
mask() { get "^line thread=$1 line=$(line) " "$2"; }

# The threads take turns of ten accesses, so the number of transfers is known.
record sharing false 20000 turns
is "false sharing: the program ends as ever" 0 $status
is "false sharing: each thread writes its own eight bytes" "00000000000000ff 000000000000ff00" \
  "$(for t in 1 2; do mask $t write; done | sort | tr '\n' ' ' | sed 's/ $//')"
above "... the line changes hands twice a turn" 3990 "$(( $(mask 1 misses) + $(mask 2 misses) ))"
is "... and not more often" 1 "$(( $(mask 1 misses) + $(mask 2 misses) <= 4000 ))"
is "... always out of the other's hands" "$(mask 1 misses) 2" "$(mask 1 from) $(mask 1 peer)"
above "windows saw accesses of both" 10 "$(mask 1 watched)"

record sharing padded 20000 turns
is "padded: no line is shared" 0 "$(grep -c "^line .*line=$(line | cut -c1-8)" "$T/rec")"
is "... though both threads' probes were awake" 2 "$(grep -c '^slow thread=[12] count=[1-9]' "$T/rec")"

record sharing true 20000 turns
is "true sharing: the masks overlap" "00000000000000ff 00000000000000ff" "$(mask 1 write) $(mask 2 write)"

record sharing reader 20000 turns
is "a reader and a writer: who reads writes nothing" "0000000000000000 000000000000ff00" \
  "$(get "^line .*line=$(line) .*kind=0 " write) $(get "^line .*line=$(line) .*kind=0 " read)"
is "... the writer takes copies away, the reader takes from a writer" "0 0" \
  "$(get "^line .*line=$(line) .*kind=1 " from) $(get "^line .*line=$(line) .*kind=0 " inval)"

record sharing readers 20000 turns
is "two readers share no line" 0 "$(grep -c "^line .*line=$(line) " "$T/rec")"

record sharing serial 2000
is "threads one after the other hand over once each" 1 \
  "$(grep "^line .*line=$(line) " "$T/rec" | tr ' ' '\n' | sed -n 's/^misses=//p' | awk '{n += $1} END {print (n <= 60)}')"

is "... and those that come into the bit of an ended one find its lines at hand" 1 \
  "$(grep -c "^line thread=[0-9]* line=$(line) " "$T/rec" | awk '{print ($1 >= 15 && $1 <= 22)}')"

# fewer turns than make a storm, so that each is counted
record sharing split 2000
next=$(sed -n 's/.* next=//p' "$T/out")
is "an access over two lines is an access to both, with the bytes of each" "f000000000000000 000000000000000f" \
  "$(get "^line .*line=$(line) site=3 " write) $(get "^line .*line=$next site=3 " write)"
is "... and takes both from the other thread" "2 2" \
  "$(get "^line .*line=$(line) site=3 " peer) $(get "^line .*line=$next site=3 " peer)"
above "... each time" 3990 "$(get '^line .* site=3 ' misses | awk '{n += $1} END {print n + 0}')"
is "... and ends well" 0 $status

record sharing crowd 3000
is "forty threads share 21 bits: nothing breaks" "0 41" "$status $(get '^header' threads)"

record sharing atomic 3000000
is "a storm of transfers ends well" 0 $status

record sharing passed 20000 turns
above "more lines than the tables hold: some give way" 1000 "$(get '^header' passed_lines)"
above "... and the one that is fought for finds room" 3000 \
  "$(( $(get "^line .* line=$(line) site=0 " misses) + $(get "^line .* line=$(line) site=1 " misses) ))"

record sharing tags 1
is "threads race for lines: no tag says more than the directory" 0 "$(sed -n 's/.*wrong=//p' "$T/out")"
above "... and there are tags" 10 "$(sed -n 's/.*tags=\([0-9]*\).*/\1/p' "$T/out")"

record sharing notes
is "a long-lived block is noted" 1 "$(get '^note .*address=abc000 ' bytes | grep -c 4096)"
is "two hundred thousand short-lived ones fit" "0 1" \
  "$(get '^header' lost_notes) $(( $(grep -c '^note ' "$T/rec") < 20000 ))"

record sharing blocks 2000 turns
fought=$(printf '%x' $((0x$(line) << 6)))
is "one that was fought for is noted, and its end" 2 "$(grep -c "^note .*address=$fought .*live=1" "$T/rec")"
is "long-lived ones that nobody else saw leave none" "0 1" \
  "$(get '^header' lost_notes) $(( $(grep -c '^note .*bytes=40 live=1' "$T/rec") < 4000 ))"
is "... and take no more room than lived at once" 1 "$(( $(grep -c '^note ' "$T/rec") < 26000 ))"
record sharing million
is "a million that live at once are noted" "0 1000000 1" \
  "$(get '^header' lost_notes) $(grep -c '^note .*live=1' "$T/rec") $(grep -c '^note .*site=1 .*live=1' "$T/rec")"

unset PERSEUS_PURPOSE
record sharing false 20000
is "in a timing run memory probes are dormant" "0 0" "$(grep -c '^line ' "$T/rec") $(grep -c '^slow .*count=[1-9]' "$T/rec")"
finish
