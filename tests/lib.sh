# SPDX-License-Identifier: MIT
# Helpers for scenario scripts; source it from the repository root:
#   . tests/lib.sh
#   it "says what is tested" command args...      passes if the command succeeds
#   finish
# $T is a fresh scratch directory, removed at the end.  $O is the build tree.
: "${O:=$(pwd)/build}"
O=$(cd "$O" && pwd)
PATH=$O/bin:$PATH
T=$(mktemp -d "${TMPDIR:-/tmp}/perseus-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
tap_n=0
tap_bad=0
export LC_ALL=C NO_COLOR=1
# A build that a test starts is not a part of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL
PLUGIN=$O/lib/perseus.so
RUNTIME=$O/lib/libperseus-rt.so

ok() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1"; }
not_ok() { tap_n=$((tap_n + 1)); tap_bad=1; echo "not ok $tap_n - $1"; [ -z "$2" ] || echo "$2" | sed 's/^/# /'; }
skip() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1 # SKIP $2"; }

# it TEXT COMMAND...: run, output shown as a comment if it fails
it() {
	it_text=$1
	shift
	if "$@" >"$T/it.out" 2>&1; then ok "$it_text"; else not_ok "$it_text" "$* -> status $?: $(head -c 2000 "$T/it.out")"; fi
}

# exits STATUS TEXT COMMAND...: the command must end with STATUS; its output is in $T/out and $T/err
exits() {
	want=$1 it_text=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	if [ $got = "$want" ]; then ok "$it_text"; else not_ok "$it_text" "$* -> status $got, expected $want: $(head -c 2000 "$T/err")"; fi
}

# says PATTERN TEXT [FILE]: an extended regular expression in $T/out, $T/err, or FILE
says() {
	if cat "${3:-$T/out}" $([ -n "$3" ] || echo "$T/err") 2>/dev/null | grep -Eq -- "$1"; then ok "$2"
	else not_ok "$2" "no line matches '$1' in: $(cat "${3:-$T/out}" $([ -n "$3" ] || echo "$T/err") 2>/dev/null | head -c 2000)"; fi
}

# silent PATTERN TEXT [FILE]: the negative twin
silent() {
	if cat "${3:-$T/out}" $([ -n "$3" ] || echo "$T/err") 2>/dev/null | grep -Eq -- "$1"; then
		not_ok "$2" "a line matches '$1': $(grep -E -- "$1" "${3:-$T/out}" | head -3)"
	else ok "$2"; fi
}

# steady_prices PLATFORM: give shared lines a typical price, and none to threads of one core, so
# that a plan does not hang on how quiet the machine was while it was calibrated
steady_prices() {
	sed -E -i '/^ *(store|rmw|atomic|load): /{s/(alone_ps|same): [0-9]+/\1: 2000/g; s/(smt|cache|package|remote): [0-9]+/\1: 8600/g}' "$1"
}

finish() { echo "1..$tap_n"; exit $tap_bad; }
