#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormal profiling: time of numeric kernels with probes over that of the plain build in the same run.
. tests/bench/lib.sh

lib=$O/lib/libperseus-denormal.so
load_note
builds="scalar sse"
grep -qw avx512f /proc/cpuinfo && builds="$builds avx512"
flags_of() {
  case $1 in
  scalar) echo "-O2 -fno-tree-vectorize" ;;
  sse) echo "-O3" ;;
  avx512) echo "-O3 -march=native -mprefer-vector-width=512" ;;
  esac
}

for b in $builds; do
  # shellcheck disable=SC2046
  gcc $(flags_of $b) -o "$T/$b-plain" tests/bench/denormal.c -lm || exit 3
  for m in results full origin; do
    gcc $(flags_of $b) $(plugin_flags denormal:$m) -o "$T/$b-$m" tests/bench/denormal.c -lm || exit 3
  done
done

# took PROGRAM KERNEL DATA: ns
took() {
  rm -rf "$T/run"
  mkdir "$T/run"
  PERSEUS_RUN_DIR=$T/run LD_PRELOAD=$lib "$@"
}

# One line a measurement: build mode data kernel ratio
for k in $("$T/scalar-plain"); do
  for b in $builds; do
    for data in denormal heavy clean; do
      for i in 1 2 3; do
        plain=$("$T/$b-plain" $k $data)
        for m in results full origin; do echo "$b $m $data $k $plain $(took "$T/$b-$m" $k $data)"; done
      done
    done
  done
done | awk '{ key = $1 " " $2 " " $3 " " $4; if (!(key in p) || $5 < p[key]) p[key] = $5; if (!(key in q) || $6 < q[key]) q[key] = $6 }
  END { for (k in p) printf "%s %.3f\n", k, q[k] / p[k] }' | sort >"$T/ratios"
[ -z "$V" ] || cat "$T/ratios"

# ratios NAME GOAL PATTERN: median and largest of the ratios whose line matches
ratios() {
  grep -E "$3" "$T/ratios" | awk '{ print $5 }' >"$T/some"
  [ -s "$T/some" ] || return
  figure "$1" "$(median <"$T/some")" "$2" "$(wc -l <"$T/some") kernels and programs"
  figure "$1.max" "$(sort -g "$T/some" | tail -1)" "" "$(grep -E "$3" "$T/ratios" | sort -k5 -g | tail -1 | cut -d' ' -f1,4)"
}
ratios denormal.results.vector 1.3 "^(sse|avx512) results denormal"
ratios denormal.results.scalar 1.6 "^scalar results denormal"
ratios denormal.full.avx512 3 "^avx512 full denormal"
ratios denormal.full.other 6 "^(scalar|sse) full denormal"
ratios denormal.full.heavy "" "full heavy"
ratios denormal.origin 4.5 "origin denormal"
ratios denormal.origin.heavy "" "origin heavy"
ratios denormal.origin.clean "" "origin clean"
ratios denormal.clean 1.15 "results clean"
ratios denormal.clean.full 1.15 "full clean"
if command -v valgrind >/dev/null; then
  plain=$("$T/scalar-plain" jacobi clean)
  under=$(valgrind --tool=none -q "$T/scalar-plain" jacobi clean 2>"$T/err")
  figure denormal.peer.valgrind "$(awk -v a="$under" -v b="$plain" 'BEGIN { if (a > 0) printf "%.1f", a / b }')" "" \
    "jacobi scalar under valgrind --tool=none, which tools like DART begin with"
else
  echo "note: valgrind is not installed, so the peer is not measured"
fi
finish_bench
