#!/bin/sh
# SPDX-License-Identifier: MIT
# Two readers that share no line of code agree: what yaml/ writes is read by
# perseus-plan-check with its own strict parser, and both see the same mistakes.
. tests/lib.sh

canonical() { "$T/canonical" "$1" "$2" "$T/plan.yaml" "$T/platform.yaml"; }

it "the writer builds" ${CC:-gcc} -std=gnu11 -g ${SAN:+-fsanitize=$SAN} -I. -Iinclude -D_GNU_SOURCE -o "$T/canonical" \
	tests/yaml/canonical.c "$O/yaml.a" "$O/lib.a" -lyaml -lm
it "the example documents are written" canonical yaml/examples/plan.yaml yaml/examples/platform.yaml
exits 0 "the independent reader accepts both" perseus-plan-check "$T/plan.yaml" "$T/platform.yaml"
says '^fits: 3 thread starts, 1 call trigger; platform lab-4, 4 cores' "and counts what is in them"
cp "$T/out" "$T/layouts"
it "canonical documents are written again" sh -c "cp '$T/plan.yaml' '$T/one'; cp '$T/platform.yaml' '$T/two'"
it "from their own text" canonical "$T/one" "$T/platform.yaml"
it "to the same plan" cmp "$T/one" "$T/plan.yaml"
it "and the same platform" cmp "$T/two" "$T/platform.yaml"

sed 's/^    core: 1$/    core: 3/' "$T/one" >"$T/bad.yaml"
exits 1 "a core outside the mask is seen" perseus-plan-check "$T/bad.yaml" "$T/platform.yaml"
says 'core 3' "and named"
n=0
for edit in 's/^seed: 1$/seed: 1\nseed: 2/' 's/^seed: 1$/sead: 1/' 's/^proven: true$/proven: maybe/' 's/^    core: 1$/    core: x/' \
	's/^version: 1$/version: 2/' 's/^  - index: 1$/  - index: 7/' 's/^triggers:$/trickers:/'; do
	n=$((n + 1))
	sed "$edit" "$T/one" >"$T/bad.yaml"
	if "$T/canonical" "$T/bad.yaml" "$T/two" "$T/o1" "$T/o2" 2>/dev/null; then ours=accepts; else ours=refuses; fi
	if perseus-plan-check "$T/bad.yaml" "$T/two" >/dev/null 2>&1; then theirs=accepts; else theirs=refuses; fi
	if [ "$ours $theirs" = "refuses refuses" ]; then ok "both refuse mistake $n"; else not_ok "both refuse mistake $n" "$edit: yaml/ $ours, plan-check $theirs"; fi
done
# Flushes: what both read, and the mistakes that both refuse.
it "a plan of flushes is written" canonical tests/proofs/flush.yaml yaml/examples/platform.yaml
cp "$T/plan.yaml" "$T/flush"
perseus-plan-check "$T/flush" "$T/two" >"$T/out" 2>"$T/err"
it "the independent reader reads it" test $? -lt 2
says '^not recomputed: births, cost and change of flushes .2.' "and says what it cannot confirm"
for edit in 's/entry: 8064/entry: 8065/' '0,/entry: 8064/s//entry: 16256/' 's/entry: 8064/entry: 40832/' 's/set: ftz-daz/set: all/' '0,/set: ftz-daz/s//set: daz/' \
	's/number: 3/number: 1/' 's/number: 1$/number: 0/' 's/number: 3/number: 65/' 's/function: .*/function: "one"/; s/unit: .*/unit: "u.c"/' 's/births: 1532/birth: 1532/' 's/^    unit: .*//'; do
	n=$((n + 1))
	sed "$edit" "$T/flush" >"$T/bad.yaml"
	"$T/canonical" "$T/bad.yaml" "$T/two" "$T/o1" "$T/o2" 2>/dev/null && ours=accepts || ours=refuses
	perseus-plan-check "$T/bad.yaml" "$T/two" >/dev/null 2>&1
	[ $? = 4 ] && theirs=refuses || theirs=accepts
	if [ "$ours $theirs" = "refuses refuses" ]; then ok "both refuse mistake $n"; else not_ok "both refuse mistake $n" "$edit: yaml/ $ours, plan-check $theirs"; fi
done
# Layouts: the example has some.
says '^not recomputed: sizes, places and bytes of layouts .2.' "and layouts are said to be known to others" "$T/layouts"
for edit in 's/^    align: 64/    align: 48/' 's/^    align: 64/    align: 1/' 's/^    align: 64/    align: 8192/' 's/kind: field/kind: element/' \
	's/offset_after: 64/offset_after: 72/' 's/offset_after: 64/offset_after: 128/' 's/offset: 8/offset: 16/' 's/size_after: 128/size_after: 100/' 's/size_after: 128/size_after: 0/' \
	's/size: 16/size: 0/' 's/size: 8$/size: 65/' 's/size_after: 64/size_after: 128/' 's/line: 21/line: 0/' 's/^    field: .*//' 's/^    variable: .*//' \
	's/variable: "drops"/field: "drops"/' 's/breaks:/brakes:/' 's/field: "tx"/variable: "tx"/' 's/^    type: .*/&\n    unit: "net.c"/' 's/bytes: 112/bytes: -1/' 's/^    variable: .*/&\n    accept: "why"/' \
	's/weighed: true/weighed: yes/' '/weighed: true/d' '/^choices:/,/^phases:/{/^phases:/!d}' 's/kind: neither/kind: both/' '0,/kind: placement/s//kind: neither/' 's/saves_ns: .*/saves_ns: -1/'; do
	n=$((n + 1))
	sed "$edit" "$T/one" >"$T/bad.yaml"
	cmp -s "$T/one" "$T/bad.yaml" && not_ok "mistake $n is made" "$edit"
	"$T/canonical" "$T/bad.yaml" "$T/two" "$T/o1" "$T/o2" 2>/dev/null && ours=accepts || ours=refuses
	perseus-plan-check "$T/bad.yaml" "$T/two" >/dev/null 2>&1
	[ $? = 4 ] && theirs=refuses || theirs=accepts
	if [ "$ours $theirs" = "refuses refuses" ]; then ok "both refuse mistake $n"; else not_ok "both refuse mistake $n" "$edit: yaml/ $ours, plan-check $theirs"; fi
done
it "the built-in platform is written" canonical yaml/examples/plan.yaml xeon-e5320
exits 1 "the plan does not fit it" perseus-plan-check "$T/plan.yaml" "$T/platform.yaml"
says 'the plan is for 4 cores, the platform has 8' "for the right reason"
finish
