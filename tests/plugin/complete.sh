#!/bin/sh
# SPDX-License-Identifier: MIT
# No call is lost and none is counted twice, whatever the optimiser made of it
# and however it ends: programs that count their own calls (programs/made.h) are
# compared with the record, caller by callee, with timing that backs off.
. tests/lib.sh
. tests/plugin/helpers
gcc -w -O1 -I. -Iinclude tests/runtime/readrec.c -o "$T/readrec" || exit 1
STATIC_RT="-Wl,-u,__prs_attach,-u,__prs_detach $O/lib/libperseus-rt.a -lpthread"

# Names that made.h cannot spell: lambdas, templates, the kinds of constructors.
plain_names() { sed -E 's/_ZZ4main[A-Za-z]*UliE[^ ]*/lambda/; s/_ZZ4main[A-Za-z]*UlvE[^ ]*/worker/; s/_Z5shapeI[^ ]*/shape/; s/(_ZN5guard[CD])[1-5]/\12/'; }

# counted PROGRAM RUN: "caller callee count" from the record and the site table
counted() {
	sites "$1" | awk -F'\t' '
		$1 == "U" { unit = $3; sub(/^0+/, "", unit); split("", fn) }
		$1 == "N" { fn[$2] = $3 }
		$1 == "C" { print "site", unit, $2, fn[$5], $6 }' >"$T/key"
	for f in "$2"/*.prec; do "$T/readrec" "$f" | sed "s,^,$f ,"; done | awk '
		function key(s) { sub(/^[^=]*=/, "", s); return s }
		FILENAME != "-" { name[$2 " " $3] = $4 " " $5; next }
		$2 == "unit" { n++; id[n] = key($3); first[n] = key($5); calls[n] = key($6); file[n] = $1; next }
		$2 == "total" { k = $1 " " key($3) " " key($4); total[k] = key($5); seen[k]; next }
		$2 == "call" { k = $1 " " key($3) " " key($4); sum[k] += key($7); seen[k]; next }
		END {
			for (k in seen) {
				split(k, p, " ")
				for (u = 1; u <= n; u++)
					if (file[u] == p[1] && p[3] >= first[u] && p[3] < first[u] + calls[u]) {
						w = name[id[u] " " (p[3] - first[u])]
						made[w == "" ? "? ?" : w] += k in total ? total[k] : sum[k]
					}
			}
			for (w in made) print w, made[w]
		}' "$T/key" - | plain_names | awk '{ n[$1 " " $2] += $3 } END { for (k in n) print k, n[k] }' | sort
}

# exact TEXT PROGRAM COMMAND...: run it recorded and compare
exact() {
	text=$1 program=$2
	shift 2
	rm -rf "$T/run"
	exits 0 "$text: runs" perseus record -q -o "$T/run" "$@"
	gather "$program"
	compare "$text" "$T/want" "$T/got"
}

# gather PROGRAM: what the last run announced, and what it recorded
gather() {
	grep -E '^[^ ]+ [^ ]+ [0-9]+$' "$T/out" | sort >"$T/want"
	counted "$1" "$T/run" >"$T/got"
}

# compare TEXT WANT GOT: announced pairs are exact; what the program announces as a
# callee is called from nowhere else
compare() {
	awk '
		NR == FNR { want[$1 " " $2] = $3; callee[$2]; next }
		($1 " " $2) in want { if (want[$1 " " $2] != $3) print $1, "->", $2 ": made", want[$1 " " $2] ", counted", $3; delete want[$1 " " $2]; next }
		$2 in callee && $2 !~ /^(indirect|printf|exit)$/ || $1 == "?" { print $1, "->", $2 ": not announced, counted", $3 }
		END { for (k in want) print k ": made", want[k] ", counted nowhere" }' "$2" "$3" >"$T/wrong"
	it "$1: every call is counted, once, at its place" sh -c "cat '$T/wrong'; test -s '$2' && ! test -s '$T/wrong'"
}
# backed TEXT: most calls of the hot site were not timed, so the back-off was at work
backed() {
	for f in "$T"/run/*.prec; do "$T/readrec" "$f"; done | awk '
		/^call .* count=/ { for (i = 1; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] } if (v["count"] > 200000 && v["timed"] * 20 < v["count"] && v["period"] > 1) hit = 1 }
		END { exit !hit }'
}
# at_work TEXT PROGRAM: ... in one of five runs: a call that stands in line for a core looks like a long one, and is timed
at_work() {
	n=0
	until backed; do
		n=$((n + 1))
		[ $n -lt 5 ] || { skip "$1: with the back-off at work" "machine busy: in five runs calls looked long"; return; }
		exact "$1: once more" "$2" "$2"
	done
	ok "$1: with the back-off at work"
}
both() {
	probed gcc $1 $2 $here/programs/counts.c -o "$T/counts" -lpthread
	exact "C $*" "$T/counts" "$T/counts"
	at_work "C $*" "$T/counts"
	probed g++ -std=c++17 $1 $2 $here/programs/counts.cc -o "$T/countscc" -lpthread
	exact "C++ $*" "$T/countscc" "$T/countscc"
}

if [ -n "$FULL" ]; then
	for o in -O0 -Og -O1 -O2 -O3 -Os; do
		for m in "" -flto -no-pie "-fnon-call-exceptions" "-fno-omit-frame-pointer" "-funroll-all-loops" -fprofile-arcs; do
			both "$o" "$m"
		done
	done
else
	for o in -O0 -O1 "-O2 -flto" -O3 -Os; do both "$o"; done
fi

# The product's own figures: functions of the report, and sites that were hit.
probed gcc -O2 $here/programs/counts.c -o "$T/counts" -lpthread
rm -rf "$T/run"
perseus record -q -o "$T/run" "$T/counts" 2>"$T/err" | awk '{ n[$2] += $3 } END { for (f in n) if (f != "indirect") print f, n[f] }' >"$T/want"
perseus report "$T/run" --json --calls 1000 >"$T/report.json"
python3 - "$T/report.json" "$T/want" >"$T/wrong" 2>&1 <<'E'
import json, sys
got = {}
for f in json.load(open(sys.argv[1]))["functions"]:
    got[f["assembler_name"]] = got.get(f["assembler_name"], 0) + f["calls"]
want = dict((l.split()[0], int(l.split()[1])) for l in open(sys.argv[2]))
# By pointer: half to each.  Calls that are not timed go to the target of the last
# timed one, so that only the sum is exact.
for n in (want, got):
    n["leaf or hot"] = n.pop("leaf") + n.pop("hot")
want["leaf or hot"] += 1001
for name, n in sorted(want.items()):
    if name not in ("printf", "made_print") and got.get(name) != n:
        print(name, "made", n, "reported", got.get(name))
print("compared", len(want))
E
it "perseus report shows as many calls of each function" sh -c "cat '$T/wrong'; grep -q '^compared [2-9][0-9]' '$T/wrong' && test \$(wc -l <'$T/wrong') = 1"

# The negative twin: the comparison notices a single call too few, too many, or elsewhere.
rm -rf "$T/run"
perseus record -q -o "$T/run" "$T/counts" >"$T/out" 2>"$T/err"
gather "$T/counts"
it_fails() { (compare x "$1" "$T/got") | grep -q '^not ok'; }
awk '$2 == "longjmp" { $3++ } 1' "$T/want" >"$T/more"
it "a call too few would be seen" it_fails "$T/more"
awk '$1 == "on_alarm" { $3-- } 1' "$T/want" >"$T/less"
it "a call too many would be seen" it_fails "$T/less"
awk '$1 != "partial"' "$T/want" >"$T/gone"
it "a call at a place where none was made would be seen" it_fails "$T/gone"
finish
