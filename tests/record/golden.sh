#!/bin/sh
# SPDX-License-Identifier: MIT
# Golden records: runs that older recorders wrote (tests/record/golden/) are
# read as on the day they were made.  A record is never made anew because the
# reader has changed; golden/make.sh says how they came about.
. tests/lib.sh
golden=tests/record/golden

# status NAME: with what report ends
status() { case $1 in *-killed) echo 4 ;; *) echo 0 ;; esac; }

n=0
for answer in $golden/*.json; do
	name=$(basename "$answer" .json)
	it "$name unpacks" tar -C "$T" -xzf "$golden/$name.tar.gz"
	(cd "$T" && perseus report --json "$name" >"$name.json" 2>"$name.err")
	found=$?
	if [ $found = "$(status "$name")" ]; then ok "$name is read"; else not_ok "$name is read" "status $found: $(cat "$T/$name.err")"; fi
	it "... with the same answer as ever" python3 $golden/same.py "$answer" "$T/$name.json"
	case $name in
	*-sharing)
		exits 0 "... and so are its lines" perseus conflicts "$T/$name"
		says '^share-[0-9]+ false-sharing together\.left/right ' "... with the object that two threads fought for" ;;
	*-threads)
		exits 0 "... and its phases" perseus analyze -o "$T/$name.yaml" "$T/$name"
		says 'consumer' "... by thread" "$T/$name.yaml"
		perseus waits "$T/$name" >"$T/out" 2>"$T/err"
		says '^wait-[0-9]+ condition ready ' "... and who waited for what" ;;
	1.0-killed) ;;
	*-killed)
		perseus report "$T/$name" >"$T/out" 2>"$T/err"
		says 'main was in nested .* -> end_here .* -> kill ' "... and the calls in which it was killed" ;;
	*-pipes)
		exits 0 "... and its trace" perseus report --trace "$T/$name"
		says ' pipes -> read$' "... with its calls" ;;
	1.0-timing) ;;
	*-timing)
		exits 0 "... and its paths" perseus report --folded "$T/$name"
		says '^main;calls;long_block;spin [0-9]+$' "... from root to leaf" ;;
	esac
	n=$((n + 1))
done
if [ $n -ge 5 ]; then ok "no golden record is missing"; else not_ok "no golden record is missing" "$n found"; fi

# One size too large is too much: the comparison must see it.
sed '0,/"calls": [0-9]*/s//"calls": 12345678/' "$golden/1.0-timing.json" >"$T/other.json"
exits 1 "another number of calls is noticed" python3 $golden/same.py "$T/other.json" "$T/1.0-timing.json"
says 'calls was 12345678' "... and named"
sed '0,/"name": "[a-z_]*"/s//"name": "nobody"/' "$golden/1.0-timing.json" >"$T/other.json"
exits 1 "another name is noticed" python3 $golden/same.py "$T/other.json" "$T/1.0-timing.json"

# The old format has no checksums, and nothing in the new reader asks for them.
# spoil NAME: a bit of tsc_end
spoil() { printf '\001' | dd of="$(echo "$T/$1"/*.prec)" bs=1 seek=72 conv=notrunc 2>/dev/null; }
spoil 1.0-timing
exits 0 "a spoiled old record is read as far as it goes" perseus report "$T/1.0-timing"
for answer in $golden/1.[1-9]*-timing.json; do
	name=$(basename "$answer" .json)
	[ -e "$answer" ] || continue
	spoil "$name"
	exits 4 "a spoiled $name is noticed" perseus report "$T/$name"
	says 'the header has a wrong checksum' "... and what is wrong is named"
done
finish
