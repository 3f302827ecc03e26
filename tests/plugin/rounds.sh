#!/bin/sh
# SPDX-License-Identifier: MIT
# What the site table says of the work between two accesses: chains from turn to turn
# count, what runs beside them does not, and what has no known end is open.
. tests/lib.sh
. tests/plugin/helpers

cat >"$T/rounds.c" <<'X'
volatile long v[8];
extern void ext(void);
void plain(long n) { for (long i = 0; i < n; i++) v[1]++; }
void chain(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { x = x * 6364136223846793005ul + 1; v[1] = x; } }
void longer(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { x = x * 6364136223846793005ul + 1; x *= x | 1; x *= x | 3; v[1] = x; } }
void beside(long n) { unsigned long x = n, y = 1, z = 2; for (long i = 0; i < n; i++) { x = x * 6364136223846793005ul + 1; y = y * 6364136223846793007ul + 1; z *= 9; v[1] = x; } v[2] = y + z; }
void divides(long n, unsigned long d) { unsigned long x = n; for (long i = 0; i < n; i++) { x = x / d + n; v[1] = x; } }
void two(long n) { for (long i = 0; i < n; i++) { v[1] = i; v[5] = n; } }
void calls(long n) { for (long i = 0; i < n; i++) { ext(); v[1] = i; } }
void inner(long n, long m) { unsigned long y = 1; for (long i = 0; i < n; i++) { v[1] = i; long k = m; do __asm__ volatile("imulq $3, %0, %0" : "+r"(y)); while (--k); } }
void counted(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { v[1] = i; for (int k = 0; k < 100; k++) x = x * 6364136223846793005ul + 1; v[2] = x; } }
void down(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { v[1] = i; for (int k = 300; k > 0; k -= 3) x = x * 6364136223846793005ul + 1; v[2] = x; } }
void nested(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { v[1] = i; for (int k = 0; k < 10; k++) for (int m = 2; m < 42; m++) x = x * 6364136223846793005ul + 1; v[2] = x; } }
void leaves(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { v[1] = i; for (int k = 0; k < 100; k++) { x = x * 6364136223846793005ul + 1; if (x == 17) break; } v[2] = x; } }
void skips(long n) { unsigned long x = n; for (long i = 0; i < n; i++) { v[1] = i; for (int k = 0; k < 100;) { x = x * 6364136223846793005ul + 1; if (x & 64) k++; } v[2] = x; } }
void once(long i) { v[i] = i; }
X
# rounds: FUNCTION ROUND of each memory site
rounds() {
	sites "$T/rounds.o" | awk -F '\t' '$1 == "N" { name[$2] = $4 } $1 == "M" { print name[$5], $17 }' >"$T/rounds"
}
# least FUNCTION: the least cycles of its first access; of FUNCTION: all of it
of() { awk -v f="$1" '$1 == f { print $2; exit }' "$T/rounds"; }
least() { of "$1" | sed 's/-.*//'; }
below() { it "$1: $2 ($(of "$2")) is shorter than $3 ($(of "$3"))" test "$(least "$2")" -lt "$(least "$3")"; }
near() { it "$1: $2 ($(of "$2")) takes as long as $3 ($(of "$3"))" test "$(($(least "$2") / 50))" -eq "$(($(least "$3") / 50))"; }
open() { it "$1: $2 ($(of "$2")) is $4" sh -c 'case $1 in *+/*) test $2 = open ;; */*) test $2 = closed ;; *) false ;; esac' - "$(of "$2")" "$3"; }

for level in -O0 -O1 -O2 -O3; do
	it "$level: compiles" probed gcc $level -g -fno-tree-vectorize -c "$T/rounds.c" -o "$T/rounds.o"
	rounds
	it "$level: each access says something" sh -c '! grep -v "[0-9]-[0-9]*+*/[0-9]" "$1"' - "$T/rounds"
	below $level plain chain
	below $level chain longer
	below $level longer divides
	open $level chain closed "known to the end"
	open $level calls open "open, for its call"
	open $level inner open "open, for its inner loop"
	open $level counted closed "known to the end, with 100 turns inside"
	open $level down closed "known to the end, counted down"
	below $level divides counted
	below $level counted nested
	near $level counted down
	open $level leaves open "open, for its loop may end early"
	open $level skips open "open, for its loop counts now and then"
	open $level once open "open, with no loop round it"
	it "$level: both accesses of a turn count ($(of two))" sh -c 'test "${1#*/}" = 2' - "$(of two)"
done
it "a chain beside a chain takes no time of its own ($(of beside), $(of chain))" test "$(least beside)" -le $(($(least chain) + 1))
finish
