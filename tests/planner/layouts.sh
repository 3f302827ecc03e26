#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan --layouts: what padding and placement bring alone and together, which layouts are taken, and that
# the checker, which shares no code with the planner, computes the same.
. tests/lib.sh
cat >"$T/four.yaml" <<'P'
perseus: platform
version: 1
name: "four"
cores:
  - {id: 0, package: 0, cache_group: 0, physical: 0, domain: 0, usable: true}
  - {id: 1, package: 0, cache_group: 0, physical: 1, domain: 0, usable: true}
  - {id: 2, package: 1, cache_group: 1, physical: 2, domain: 1, usable: true}
  - {id: 3, package: 1, cache_group: 1, physical: 3, domain: 1, usable: true}
steps:
  - {khz: 2600000}
energy_known: false
can_halt: false
slice_ns: 4000000
trigger_ns: 8
affinity_ns: 700
migrate_ns: {cache: 4000, remote: 9000}
price:
  atomic: {alone_ps: 2000, shared_ps: {cache: 9000, remote: 60000}}
P
# model A-B:RATE...: main and four threads of 0.1 s; A and B (1 to 4) meet at share-00000AB so many times in 1000 cycles
model() {
	awk -v list="$*" 'BEGIN {
		print "perseus: model\nversion: 2\nprogram: \"made\"\nbuild_id: \"00ff\"\nclock: \"made\"\nhz: 2600000000\nwall_ns: 400000000"
		print "outside: 0\nthreads:\n  - {index: 0, name: \"main\", ordinal: 0, plannable: true}"
		for (t = 1; t <= 4; t++)
			printf "  - {index: %d, name: \"w\", creator: 0, create_site: 0, ordinal: %d, plannable: true}\n", t, t - 1
		print "sites:\n  - {index: 0, id: \"0000000000000001\", instance: \"00000000\", unit: \"n.c\", function: \"f\", callee: \"pthread_create\", file: \"n.c\", line: 1}"
		printf "phases:\n  - {index: 0, name: \"phase-000001\", opened_by: start, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 0, cycles: 1000}"
		for (t = 1; t <= 4; t++)
			printf ", {thread: %d, cycles: 260000000, starts: true}", t
		print "]}"
		n = split(list, c, " ")
		if (n)
			print "conflicts:"
		for (i = 1; i <= n; i++) {
			split(c[i], v, "[-:]")
			side = "kind: atomic, accesses_per_kcycle: " v[3] "}"
			printf "  - {evidence: \"share-0000%s%s\", false_sharing: true, object: \"o\", a: {thread: %d, field: \"x\", %s, b: {thread: %d, field: \"y\", %s}\n", v[1], v[2], v[1], side, v[2], side
		}
	}' >"$T/model.yaml"
}
# layouts NAME:BYTES:ID...: a plan that proposes to align variables
layouts() {
	hash=0000000000000000000000000000000000000000000000000000000000000000
	cat <<-P
		perseus: plan
		version: 1
		program: "made"
		model_sha256: "$hash"
		platform_name: "four"
		platform_sha256: "$hash"
		n_cores: 4
		max_core_id: 3
		objective: time
		kind: start
		seed: 0
		method: "layouts"
		evaluations: 0
		baseline: "none"
		base_time_ns: 0
		time_ns: 0
		proven: false
		threads:
		  - {index: 0, name: "main", ordinal: 0}
		layouts:
	P
	for l in "$@"; do
		echo "$l" | awk -F: '{printf "  - {kind: variable, variable: \"%s\", file: \"n.c\", line: %d, align: 64, size: %d, size_after: %d, bytes: %d, evidence: \"%s\"}\n", $1, NR + length($1) + $2, 128 - $2, 128, $2, $3}'
	done
}
plan() { perseus plan "$T/model.yaml" -p "$T/four.yaml" -o "$T/plan.yaml" --layouts="$T/layouts.yaml" "$@"; }
check() { perseus plan check -m "$T/model.yaml" -p "$T/four.yaml" "$T/plan.yaml"; }
choice() { sed -n "/^choices:/,/^[a-bd-z]/p" "$T/plan.yaml" | awk -v k="$1" '/kind:/ {on = $3 == k} on && /time_ns:/ && !/bound/ {print $2}'; }

# Mates of the spread baseline sit in two packages; one layout is much, one little, one nothing.
model 1-2:20 3-4:2 1-4:0.00001
layouts hot:56:share-000012 warm:40:share-000034 cold:8:share-000014 >"$T/layouts.yaml"
exits 0 "layouts and placement are planned together" plan
says '^neither +[0-9]' "what neither of them takes is said"
says '^layouts .*-[0-9.]+ %  [+][0-9]+ bytes' "and layouts alone"
says '^placement .*-[0-9.]+ %' "and placement alone"
says '^both .*-[0-9.]+ %  [+][0-9]+ bytes' "and both"
says '^searched +each of 8 was searched' "all sets are decided"
says '^bytes .* with 0 bytes, .* with [0-9]+ bytes' "what each number of bytes buys is said"
says '^takes +hot .* 56 bytes, without it [0-9.]+ ms longer +.share-000012.' "what is worth its bytes is taken, with what it saves"
says '^leaves +share-000014: .*too little' "a finding that does not matter gets no layout"
says '^cache .*share-000012: not known, the platform has no sizes' "what is not known of caches is said"
it "both is no slower than each alone" test "$(choice both)" -le "$(choice placement)" -a "$(choice both)" -le "$(choice layouts)"
it "each alone is faster than neither" test "$(choice placement)" -lt "$(choice neither)" -a "$(choice layouts)" -lt "$(choice neither)"
it "the plan has the layouts" grep -q '^    variable: "hot"' "$T/plan.yaml"
it "and not what is not worth it" sh -c '! grep -q "variable: \"cold\"" "$1"' - "$T/plan.yaml"
it "its time is that of both" grep -qx "time_ns: $(choice both)" "$T/plan.yaml"
exits 0 "the checker confirms it" check
says '^choices: neither, layouts and both confirmed' "and what was weighed"
cp "$T/plan.yaml" "$T/whole.yaml"

# Where no layout is proposed for one of two findings, placement mends it: the plan has both, and code comes of it.
model 1-2:20 3-4:20
layouts hot:56:share-000012 >"$T/layouts.yaml"
exits 0 "where another pair takes as long all the same" plan
says '^leaves +share-000012: with the placement found it saves too little' "a layout is not worth its bytes"
model 1-2:20 3-4:3
exits 0 "a finding with a layout and one without" plan
says '^takes +hot ' "get a layout"
says '^ +w, w -> .*share-000034' "and a placement"
it "the plan has both" sh -c 'grep -q "^    variable: \"hot\"" "$1" && grep -q "^    core: " "$1"' - "$T/plan.yaml"
it "which is faster than each alone" test "$(choice both)" -lt "$(choice placement)" -a "$(choice both)" -lt "$(choice layouts)"
exits 0 "it is confirmed" check
exits 0 "the generator takes it" perseus codegen "$T/plan.yaml" -o "$T/gen"
it "and hands the layout to the compiler" grep -q hot "$T/gen/perseus_triggers.plan"
cp "$T/plan.yaml" "$T/layouts.yaml"
exits 0 "a plan with weighed layouts is weighed again" plan
it "each layout says once what it saves" sh -c 'test "$(grep -c "reason: \"without it the plan takes [0-9.]* ms longer\"" "$1")" = 1' - "$T/plan.yaml"
model 1-2:20 3-4:2 1-4:0.00001
layouts hot:56:share-000012 warm:40:share-000034 cold:8:share-000014 >"$T/layouts.yaml"
cp "$T/whole.yaml" "$T/plan.yaml"

# What the reviewer of an item accepted stays with it.
sed 's/kind: variable, variable: "hot"\(.*\)size: 72, size_after: 128/kind: field, type: "struct s", field: "hot"\1size: 16, offset: 8, size_after: 128, offset_after: 64, accept: "read by this build alone"/' \
	"$T/layouts.yaml" >"$T/accept.yaml"
exits 0 "a layout whose type may leave the program" perseus plan "$T/model.yaml" -p "$T/four.yaml" -o "$T/plan.yaml" --layouts="$T/accept.yaml"
it "is taken with the reason" grep -q 'accept: "read by this build alone"' "$T/plan.yaml"
exits 0 "which is confirmed" check
cp "$T/whole.yaml" "$T/plan.yaml"

# Figures that were altered.
differs() { # TEXT SED-EXPRESSION EXPECTED
	sed "$2" "$T/whole.yaml" >"$T/plan.yaml"
	it "$1: the plan was changed" sh -c '! cmp -s "$1" "$2"' - "$T/whole.yaml" "$T/plan.yaml"
	exits 1 "$1 is found" check
	says "$3" "$1: what differs is named"
}
saves=$(sed -n 's/^    saves_ns: //p' "$T/whole.yaml" | head -n 1)
differs "a saving one ns off" "s/^    saves_ns: $saves\$/    saves_ns: $((saves + 1))/" 'saves_ns of the layout of hot: the plan says'
differs "more bytes" '/^layouts:/,/^choices:/s/^    bytes: 56/    bytes: 57/' 'bytes of both: the plan says'
differs "fewer bytes of all" '/^choices:/,/^phases:/s/^    bytes: [0-9]*/    bytes: 1/' 'bytes of (both|layouts)'
differs "another time of neither" "/^choices:/,/^phases:/s/^    time_ns: $(choice neither)\$/    time_ns: $(($(choice neither) - 1))/" 'time_ns of neither'
differs "another time of layouts alone" "/^choices:/,/^phases:/s/^    time_ns: $(choice layouts)\$/    time_ns: $(($(choice layouts) - 1))/" 'time_ns of (layouts|neither|both)'
differs "a placement slower than none" "/^choices:/,/^phases:/s/^    time_ns: $(choice placement)\$/    time_ns: $(($(choice neither) + 1))/" 'placement|time_ns of'
differs "evidence of another finding" '/^layouts:/,/^choices:/s/evidence: "share-000012"/evidence: "share-000014"/' 'recomputed'
differs "a layout that does not count" '/^layouts:/,/^choices:/{/^    saves_ns/d;/^    weighed/d}' 'recomputed'
cp "$T/whole.yaml" "$T/plan.yaml"
exits 0 "the twin, unchanged, is confirmed" check

# Two plans compared.
sed '/variable: "hot"/,/evidence/s/^    saves_ns: .*/    saves_ns: 1/' "$T/whole.yaml" >"$T/plan.yaml"
exits 1 "another saving is a difference" perseus plan diff "$T/whole.yaml" "$T/plan.yaml"
says '^promise .*the layout of hot saves is 1' "of what is promised"
exits 0 "a plan without layouts" perseus plan "$T/model.yaml" -p "$T/four.yaml" -o "$T/bare.yaml"
exits 1 "is another" perseus plan diff "$T/bare.yaml" "$T/whole.yaml"
says '^added .*hot in n.c is now aligned: .*; 56 bytes' "a layout more is named with its bytes"
says 'saves [0-9.]+ ms' "and what it saves"
says '^promise .*layouts and placement: .* bytes instead of not' "and what was weighed"

# Bytes.
exits 0 "with room for one of two" plan --max-bytes=60
says '^takes +hot ' "it is the one that saves more"
silent '^takes +warm' "and the other is not taken"
says '^leaves +share-000034: others save more' "which is said"
exits 0 "it is confirmed" check
exits 0 "with room for none" plan --max-bytes=4
silent '^takes' "none is taken"
says '^leaves +share-000012: it takes 56 bytes, above --max-bytes=4' "which is said, too"
exits 0 "and the plan is confirmed" check

# Caches.
sed 's/^slice_ns.*/&\ncore_cache_bytes: 100/' "$T/four.yaml" >"$T/small.yaml"
mv "$T/four.yaml" "$T/without.yaml"
mv "$T/small.yaml" "$T/four.yaml"
exits 0 "where objects would leave a cache" plan
says '^leaves +share-000012: its objects grow from 72 to 128 bytes and leave a' "their layout is not taken"
exits 0 "unless it is asked for" plan --any-cache
says '^takes +hot ' "then it is"
says '^cache +share-000012: its objects grow from 72 to 128 bytes and leave a' "and what it leaves is said"
exits 0 "the checker reads the size of the cache" check
mv "$T/without.yaml" "$T/four.yaml"

# Nothing to weigh.
model
exits 0 "a model without a sharing run" plan
says '^leaves +share-000012: the model has no conflicts: analyze a sharing run' "gets no layouts"
silent '^takes' "none at all"
it "the plan has none" sh -c '! grep -q "^layouts:" "$1"' - "$T/plan.yaml"
exits 0 "and is confirmed" check
model 1-3:20
exits 0 "a model in which the finding is another" plan
says '^leaves +share-000012: the model has no conflict that it ends' "gets none either"
sed -i 's/^program: "made"/program: "other"/' "$T/layouts.yaml"
exits 4 "layouts of another program are refused" plan
says 'has layouts of other, the model is of made' "by name"
exits 4 "a file that is not there" plan --layouts="$T/none.yaml"
says 'perseus conflicts --plan=.* writes it' "has advice"
exits 2 "bytes without layouts" perseus plan "$T/model.yaml" -p "$T/four.yaml" --max-bytes=5
says 'max-bytes goes with --layouts' "are refused"
exits 2 "layouts for energy" plan --objective=energy
says 'layouts is for --objective=time' "are refused, too"
finish
