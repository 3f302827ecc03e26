#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormal counts: exact over threads, forks and kills; arrays are told apart; nothing without a run directory.
. tests/lib.sh

lib=$O/lib/libperseus-denormal.so
for p in denormal denormal-read; do gcc -g -O1 -fPIE -Iinclude -o "$T/$p" tests/runtime/$p.c -lpthread; done

# Runs in a folder of its own; the facts of each file come to $T/facts.
count() {
  rm -rf "$T/run"
  mkdir "$T/run"
  PERSEUS_RUN_DIR=$T/run LD_PRELOAD=$lib "$@" >"$T/out" 2>"$T/err"
  status=$?
  : >"$T/facts"
  for f in "$T"/run/*.pden; do [ ! -e "$f" ] || "$T/denormal-read" "$f" >>"$T/facts" || echo damaged >>"$T/facts"; done
}
fact() { tr ' ' '\n' <"$T/facts" | sed -n "s/^$1=//p" | sort -n | tr '\n' ' ' | sed 's/ $//'; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', got '$3'"; fi; }

count "$T/denormal" threads 10000
same "10,000 threads, one after the other, are counted exactly" "0 1000000 10000" "$status $(fact even) $(fact threads)"
same "... in the tables of 64" "64 0" "$(fact items) $(fact lost)"
count "$T/denormal" many
same "100,000 slots have a counter each" "2499950000 2500000000" "$(fact even) $(fact odd)"
count "$T/denormal" fork
same "a child counts into a file of its own, from 0" "5 11" "$(fact even)"
count "$T/denormal" kill
same "what was counted before a kill is there" "137 1234 0" "$status $(fact odd) $(fact closed)"
count "$T/denormal" arrays
same "two arrays of one loop are told apart" "1500 1500" "$(fact first) $(fact second)"
same "a variable and the stack are objects" "1 1" "$(fact static) $(fact stack)"
same "10,000 blocks of one allocation are at most 32 objects, all ended" "34 34 10004" "$(fact heap) $(fact ended) $(fact blocks)"
count "$T/denormal" small
same "a small block is its page, and what lies beside it is not" "120 12 2 0" "$(fact in_heap) $(fact in_page) $(fact heap) $(fact lost)"
count "$T/denormal" neighbours
same "variables of one page are told apart by their symbols" "127 3" "$(fact in_static) $(fact static)"
gcc -g -O1 -fPIE -rdynamic -s -Iinclude -o "$T/stripped" tests/runtime/denormal.c -lpthread
count "$T/stripped" neighbours
same "... and one that has none is the rest of its page" "7 20 3" "$(fact first) $(fact second) $(fact static)"
count "$T/denormal" flush
same "flush-to-zero is noted" "1" "$(fact ftz)"
count "$T/denormal" many
same "... and only where it is on" "0" "$(fact ftz)"
count sh -c "ulimit -v 65536; '$T/denormal' many"
same "with little address space the program goes on" "0 done" "$status $(cat "$T/out")"
count sh -c "ulimit -f 64; '$T/denormal' many"
same "a file that may not grow does not stop it" "0 done" "$status $(cat "$T/out")"
count true
same "a program without such code leaves no file" "" "$(ls "$T/run")"
mkdir "$T/none"
(cd "$T/none" && LD_PRELOAD=$lib "$T/denormal" fork >/dev/null)
same "without a run directory nothing is written" "0 " "$? $(ls -A "$T/none")"
same "without the library the program is as it was" done "$("$T/denormal" arrays)"
finish
