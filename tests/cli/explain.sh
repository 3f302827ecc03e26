#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus explain: a page for every kind of finding and every line of the doctor.
. tests/lib.sh
exits 0 "without a topic the pages are listed" perseus explain
cp "$T/out" "$T/list"
says "^  share +" "with their titles"
bad=
for topic in $(awk '{print $1}' "$T/list"); do perseus explain "$topic" >"$T/page" || bad="$bad $topic"; [ "$(wc -l <"$T/page")" -ge 4 ] || bad="$bad $topic"; done
it "every listed page is there ($bad)" test -z "$bad"
# Where no run was recorded: of one it would be a finding.
exits 0 "an evidence id leads to its kind" sh -c "cd '$T' && perseus explain share-001274"
says "^share: false sharing" "the page of share"
exits 0 "an exit code leads to the list of them" perseus explain 5
says "inconclusive" "which names it"
exits 2 "an evidence id with a letter in it is none" perseus explain share-00127x
exits 2 "an unknown topic is a usage error" perseus explain no-such-topic
says "^  share +" "that lists the pages" "$T/err"
# Each row of the doctor has a page.
perseus doctor >"$T/doctor" 2>/dev/null
rows=$(awk '/^[a-z]/ {print $1}' "$T/doctor" | grep -v '^Nothing' | sort -u)
missing=
for row in $rows; do perseus explain "doctor-$row" >/dev/null 2>&1 || missing="$missing $row"; done
it "every line of the doctor has a page (missing:$missing)" test -z "$missing"
# An id of a run: the finding itself, then its page.
cp tests/cli/names/threads.c "$T"
cd "$T" || exit 1
it "a program builds" gcc -O2 -g -pthread -fplugin="$PLUGIN" -o threads threads.c
it "and is recorded" perseus record -q ./threads
id=$(perseus waits --all | sed -n 's/^\(wait-[0-9]*\) join .*/\1/p' | head -1)
exits 0 "an id of the last run is explained" perseus explain "$id"
says "^$id join " "with the finding itself"
says "^    waits     main in main\(\) threads\.c:" "who waits, where"
says "^wait: " "and the page"
exits 0 "of a run by name" perseus explain "$id" --run=@last
exits 0 "... in any order" perseus explain --run @last "$id"
exits 0 "... and as in the other commands" perseus explain "$id" @last
says "^$id join " "with the finding"
exits 2 "two runs are one too many" perseus explain "$id" @last @last
exits 2 "an unknown option is none of its words" perseus explain --foo
exits 2 "an id that the run does not have is an error" perseus explain wait-000000
says "has no finding 'wait-000000'" "that says so"
finish
