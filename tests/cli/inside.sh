#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that meet inside of one member: room around an array of numbers parts
# none of them, so none is offered; of an array of structs it is, and helps.
. tests/lib.sh
S=$(pwd)/tests/cli
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "threads inside of one member" "one core only"; finish; exit; }
cp -r "$S/conflicts" src && cp -r src plain && cd src || exit 1
C="gcc -std=gnu11 -O1 -Wall -Wextra -Werror -fplugin=$PLUGIN"

it "the program builds" $C -o ../inside inside.c -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o run ./inside"
exits 0 "false sharing is found" perseus conflicts --all ../run
cp "$T/out" ../shown
# What stands under the finding of $1.
section() { awk -v o="$1" '/^share-/ { on = $2 == "false-sharing" && $3 ~ o } /^[0-9]/ { on = 0 } on' ../shown >../part; }
for o in tallies one tally nest; do
	section "^$o[.[]"
	says "^share-[0-9]{6} false-sharing $o[.[]" "$o: it is there" ../part
	says '^    no pad    threads meet inside of member `(hits|egg\.w)\[2\]` of struct (tally|nest): its elements of 8 bytes' "... with why no room helps" ../part
	says 'local-copy .*local variable; store it at the end$' "... and a local copy as remedy" ../part
	silent ' pad +\+| reorder | split |--patch' "... but nothing that moves data" ../part
	silent '^    (ABI|layout) ' "... nor a word of an ABI" ../part
done
# The twins: other structs of an array meet, or the elements have members.
section '^slots'
says '^    remedy    pad +\+[1-9][0-9]* bytes.*--patch share-' "elements of an array of structs can be moved apart" ../part
says '^    ABI +size and offsets of the type change' "... which changes their size" ../part
section '^deeps'
says 'pad .*--patch share-' "so can structs inside of a struct" ../part
silent 'no pad' "... and nothing denies it" ../part

exits 0 "a patch of all" perseus conflicts --all --patch=../fix.diff ../run
says '^# share-[0-9]+ tallies.*: not changed: threads meet inside of member `hits\[2\]`' "it says the same" ../fix.diff
says '^#   by hand: let each thread work on a copy of its own' "... with what to do by hand" ../fix.diff
silent '^[-+].*(hits|tallies|w\[2\])' "... and leaves those alone" ../fix.diff
silent 'from ([0-9]+) to \1 bytes' "nothing grows to the size it has" ../fix.diff
it "patch -p1 takes it" patch -p1 -i ../fix.diff
it "the patched program builds" $C -o ../fixed inside.c -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o run2 ./fixed"
perseus conflicts --all ../run2 >../shown
says 'false-sharing tallies.*hits' "what was refused is still there" ../shown
silent '^share-[0-9]+ false-sharing .*(slots|deeps)' "what was changed is gone" ../shown
finish
