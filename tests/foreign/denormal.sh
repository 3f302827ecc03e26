#!/bin/sh
# SPDX-License-Identifier: MIT
# Numerical programs of others with denormal counters: output, exit status and FP flags are the plain build's, at all
# levels and in all modes; counts are those of -O0, where no loop has a gate.  Each has a twin whose numbers are not
# small, without births.
. tests/lib.sh
. tests/foreign/common.sh
. tests/denormal/common.inc

# orig NAME: the tarball of its authors, if it came though another file of the package did not, and is what the .dsc says
orig() {
  for dsc in "$src/$1"_*.dsc; do
    [ -e "$dsc" ] || continue
    awk '/^[^ ]/ { on = /^Checksums-Sha256:/ } on && $3 ~ /\.orig\.tar\.[a-z0-9]*$/ { print $1 "  " $3 }' "$dsc" >"$T/sums"
    (cd "$src" && sha256sum --quiet --strict -c "$T/sums") >/dev/null 2>&1 || continue
    sed "s,^[0-9a-f]*  ,$src/," "$T/sums"
  done
}

# sources NAME: $tree has what its authors released
sources() {
  tarball=$(scripts/get-source.sh "$1" "$src" 2>"$T/get.err" | grep -E '\.orig\.tar\.[a-z0-9]*$')
  [ -n "$tarball" ] || tarball=$(orig "$1")
  [ -n "$tarball" ] || { skip "$1 is counted" "$(tail -n 1 "$T/get.err")"; return 1; }
  tree=$W/$1
  mkdir -p "$tree" && tar xf "$tarball" -C "$tree" --strip-components=1
}

# counts: of the sites that have any; what GCC does to others (a division becomes a multiplication) hangs on the level
counts() { sed 's/ wrapped=[0-9]*//' "$T/facts" | grep -E '^site .*(birth|death|result|operand[0-9])=[1-9]' | sort; }

# level NAME MODE LEVEL SMALL LARGE COMPILER-ARGUMENTS...
level() {
  name=$1 m=$2 o=$3 small=$4 large=$5
  shift 5
  if ! build "$m" gcc $o -w -ffp-contract=off -I. "$@" "tests/foreign/numeric/$name.c"; then
    not_ok "$name $o $m builds"
    return
  fi
  # shellcheck disable=SC2086
  run $small
  as_plain "$name $o $m, small numbers"
  counts >"$T/sites"
  [ $o != -O0 ] || cp "$T/sites" "$T/wanted-$m"
  it "$name $o $m: counts are those of -O0" cmp "$T/wanted-$m" "$T/sites"
  # shellcheck disable=SC2086
  run $large
  as_plain "$name $o $m, large numbers"
  same "$name $o $m: large numbers have no births" "" "$(grep -E 'birth=[1-9]' "$T/facts")"
}

# numeric NAME SMALL LARGE COMPILER-ARGUMENTS...: arguments with which numbers are small, and are not
numeric() {
  name=$1 small=$2 large=$3
  shift 3
  for m in results full origin; do
    for o in -O0 -O2 -O3; do level $name $m $o "$small" "$large" "$@"; done
  done
  it "$name: small numbers have births" grep -Eq 'birth=[1-9]' "$T/wanted-full"
  it "$name: mode origin counts what mode full does" cmp "$T/wanted-full" "$T/wanted-origin"
  echo "# $name: $(grep -Eo 'birth=[0-9]+' "$T/wanted-full" | awk -F= '{ n += $2 } END { print n + 0 }') births"
}

if sources kissfft; then numeric kissfft 1e-36 1 -I"$tree" "$tree/kiss_fft.c"; fi
if sources libbs2b; then numeric libbs2b 60000 "60000 0.01" -I"$tree/src" "$tree/src/bs2b.c"; fi
if sources liblbfgs; then numeric liblbfgs 1e-157 1 -I"$tree/include" -I"$tree/lib" "$tree/lib/lbfgs.c"; fi
finish
