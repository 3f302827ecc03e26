#!/bin/sh
# SPDX-License-Identifier: MIT
# GLib (Meson, half a million lines of C; shared libraries, hidden symbols,
# dlopen of modules, threads, fork and exec): its own quick tests give the same
# results without the runtime and with every probe live, and the record of its
# threaded programs makes sense.
#
# FOREIGN_SUITES names Meson test suites (default: the quick ones of all parts).
. tests/lib.sh
. tests/foreign/common.sh
have "GLib behaves the same" meson ninja msgfmt || { finish; exit; }
package glib2.0 || { finish; exit; }
source_tree=$tree
for v in plain probed; do rm -rf "$W/glib2.0.$v"; mkdir -p "$W/glib2.0.$v"; done
build glib2.0 "CFLAGS=\"\$F\" CXXFLAGS=\"\$F\" meson setup . $source_tree --buildtype=plain -Dlibmount=disabled -Dselinux=disabled \
	-Dlibelf=disabled -Dnls=disabled && ninja -j\$jobs" || { finish; exit; }

# Name and result of every case, and what the TAP programs among them say of each subtest.
results() {
	sed -n -E 's/.*"name": "([^"]*)".*"result": "([^"]*)".*/\2 \1/p' "$1/meson-logs/testlog.json" | sort
}
suite() {
	dir=$1
	shift
	rm -f "$dir"/meson-logs/testlog.*
	(cd "$dir" && "$@" meson test --no-rebuild --num-processes "$jobs" --timeout-multiplier 4 \
		${FOREIGN_SUITES:+--suite "$FOREIGN_SUITES"} --no-suite slow --no-suite flaky) >"$dir.test.log" 2>&1
	results "$dir"
}
count() { cut -d' ' -f1 "$T/sum.$1" | sort | uniq -c | awk '{ printf "%s%d %s", n++ ? ", " : "", $1, $2 }'; }

# A case that differs is tried alone, three times each way, before it counts:
# some depend on how busy the machine is.
again() {
	name=${2#*/ }
	for try in 1 2 3; do
		(cd "$1" && shift 2 && "$@" meson test --no-rebuild --timeout-multiplier 4 "$name") >"$T/again.log" 2>&1 && return 0
	done
	return 1
}
agree() {
	what=$1 dir=$2
	shift 2
	if [ ! -s "$T/sum.$what" ]; then
		not_ok "its tests give the same results ($what)" "no result: $(tail -n 5 "$dir.test.log")"
		return
	fi
	diff "$T/sum.plain" "$T/sum.$what" | sed -n 's/^> [A-Z]* //p; s/^< [A-Z]* //p' | sort -u >"$T/differ"
	bad=
	while read -r case; do
		if again "$W/glib2.0.plain" "$case" env && again "$dir" "$case" "$@"; then echo "# $case: differed once, the same when run alone"
		elif ! again "$W/glib2.0.plain" "$case" env && ! again "$dir" "$case" "$@"; then echo "# $case: fails in both when run alone"
		else bad="$bad$case; "; fi
	done <"$T/differ" 3>&1
	if [ -z "$bad" ]; then ok "its tests give the same results ($what: $(count "$what"))"
	else not_ok "its tests give the same results ($what)" "$bad"; fi
}

suite "$W/glib2.0.plain" env >"$T/sum.plain"
echo "# plain: $(count plain)"
suite "$W/glib2.0.probed" env >"$T/sum.dormant"
agree dormant "$W/glib2.0.probed" env
for v in timing sharing; do
	rm -rf "$W/run.$v" "$W/again.$v"
	suite "$W/glib2.0.probed" perseus record -q --purpose=$v -o "$W/run.$v" -- >"$T/sum.$v"
	agree $v "$W/glib2.0.probed" sh -c 'rm -rf "$1"; v=$2 d=$1; shift 2; exec perseus record -q --purpose=$v -o "$d" -- "$@"' sh "$W/again.$v" $v
done

export G_TEST_SRCDIR="$source_tree/glib/tests"
for program in thread thread-pool asyncqueue mutex; do
	same glib2.0 "$program, recorded by itself" 'G_TEST_BUILDDIR=$BIN/glib/tests $wrap $BIN/glib/tests/'"$program"' --tap | sed "s/seed:.*//; /^# m[axin]* perf/d"'
	recorded glib2.0 "$program"
	run=$(ls -d "$T"/out.timing/perseus.data/*-[0-9]* 2>/dev/null | head -1)
	it "the report of $program knows the library's functions" sh -c 'perseus report "$1" --calls 100 | grep -Eq " g_[a-z_]+ \("' sh "$run"
	it "the report of $program knows its threads" sh -c 'perseus report "$1" | grep -Eq ", ([2-9]|[0-9][0-9,]+) threads( in |,)"' sh "$run"
done
finish
