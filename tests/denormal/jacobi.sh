#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals of a relaxation are counted exactly, whatever the optimisation, the language or the number of threads.
. tests/lib.sh

P=tests/denormal/programs
native=$(echo 'int main(void){return __builtin_cpu_supports("avx2") ? 0 : 1;}' | gcc -o "$T/avx2" -x c - && "$T/avx2" && echo -march=native)

# build MODE COMPILER ARGUMENTS...: $T/plain and $T/prog, the second with probes
build() {
  mode=$1
  shift
  "$@" -g -o "$T/plain" -lm -lpthread && "$@" -g -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:$mode -o "$T/prog" -lm -lpthread
}
# run ARGUMENTS...: both; the counts are in $T/facts
run() {
  rm -rf "$T/run"
  mkdir "$T/run"
  "$T/plain" "$@" >"$T/want"
  echo "status $?" >>"$T/want"
  PERSEUS_RUN_DIR=$T/run LD_PRELOAD=$O/lib/libperseus-denormal.so "$T/prog" "$@" >"$T/got"
  echo "status $?" >>"$T/got"
  : >"$T/facts"
  for f in "$T"/run/*.pden; do [ ! -e "$f" ] || python3 tests/denormal/counts.py "$f" >>"$T/facts"; done
}
# each KIND ROLE: that count of the sites of a kind that have any, in the order of the source, on one line
each() { awk -v kind="$1" -v role="$2=" '$1 == "site" && $3 == kind { for (i = 4; i <= NF; i++) if (index($i, role) == 1) { v = substr($i, length(role) + 1); if (v > 0) printf "%s%s", s, v; s = s && v == 0 ? s : " " } }' "$T/facts" | sed 's/^ *//'; }
total() { each "$1" "$2" | awk '{ for (i = 1; i <= NF; i++) s += $i } END { printf "%.0f", s }'; }
arrays() { sed -n 's/^array .* load=\([0-9]*\) store=\([0-9]*\)$/\1\/\2/p' "$T/facts" | sort -n | tr '\n' ' '; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', got '$3'"; fi; }
as_plain() { if cmp -s "$T/want" "$T/got"; then ok "$1: output, flags and status are those of the plain build"; else not_ok "$1" "$(diff "$T/want" "$T/got")"; fi; }

# The published counts; all births lie in one sweep.
truth() {
  as_plain "$1"
  same "$1: 4,477,168 loads for each of four operands" "4477168 4477168 4477168 4477168" "$(each load result)"
  same "$1: results" "4306412 4252566 4216460 / 4477184" "$(each add result) / $(each mul result)"
  same "$1: stores, births" "4477184 / 1532 / 0" "$(each store result) / $(total mul birth) / $(total add birth)"
  same "$1: arrays" "8914864/2228716 8993808/2248468 " "$(arrays)"
}

for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -flto"; do
  build full gcc $o $P/jacobi.c && run
  truth "C $o"
done
run 512 768 0 4
truth "four threads"
run 512 64
same "all births are in sweep 64" "1532" "$(total mul birth)"
run 512 63
same "... and none before" "0" "$(total mul birth)"
run 512 100
same "after 100 sweeps there are 219,852 stores" 219852 "$(total store result)"
run 512 768 0.1
same "without denormals there are none" "" "$(grep -E '=[1-9]' "$T/facts" | sed 's/type=1//' | grep -E '=[1-9]')"
build full g++ -O2 -x c++ $P/jacobi.c && run
truth "C++"
for o in -O0 -O3; do
  for how in loops whole; do
    build full gfortran $o $P/jacobi.f90 && run $how
    as_plain "Fortran $o, $how"
    same "Fortran $o, $how: loads, stores, births" "17908672 4477184 1532" \
      "$(($(total load result) - 32)) $(total store result) $(total mul birth)"
  done
done
for o in -O0 -O3; do
  build results gcc $o $P/jacobi.c && run
  as_plain "results $o"
  same "results $o: those that are stored, and no others" "4477184//" "$(each mul result)/$(each load result)/$(each add result)"
done
finish
