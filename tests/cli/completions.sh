#!/bin/sh
# SPDX-License-Identifier: MIT
# What Tab offers in bash behind verbs, options and `='; and that zsh and fish can read theirs.
. tests/lib.sh
exits 0 "completions are made" scripts/completions.sh "$T" "$O/bin/perseus" cmd/verbs.h
cat >"$T/ask" <<'B'
# ask WORD...: what is offered for the last one, sorted, in one line
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
compopt() { :; }
_perseus
printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
B
mkdir "$T/here" "$T/here/folder"
touch "$T/here/plan.yaml" "$T/here/prog"
# offers EXPECTED WORD...: exactly these words
offers() {
	want=$1
	shift
	got=$(cd "$T/here" && bash "$T/ask" "$T/bash" "$@" 2>&1)
	if [ "$got" = "$want" ]; then ok "'$*' offers '$want'"; else not_ok "'$*' offers '$want'" "it offers '$got'"; fi
}
offers "plan predict prove" perseus p
offers "" perseus zz
offers "--objective= --output= --over=" perseus plan --o
offers "edp energy power time" perseus plan --objective = ""
offers "phase" perseus plan --kind = p
offers "phase" perseus plan --kind=p
offers "call phase start" perseus plan --kind ""
offers "always auto never" perseus plan --color = ""
offers "check diff folder plan.yaml predict prog" perseus plan ""
offers "--json" perseus plan diff --j
offers "" perseus plan diff --kind
offers "--platform=" perseus plan check --p
offers "timing" perseus record --purpose = t
offers "denormal denormal:full denormal:origin denormal:results" perseus flags --probe = d
offers "plan.yaml prog" perseus record --try = p
offers "folder" perseus conflicts --source = ""
offers "" perseus plan --seed = ""
offers "@last @last-denormal @last-sharing @last-timing" perseus report @
offers "@last-timing" perseus conflicts -t @last-t
offers "folder plan.yaml prog query revoke run status" perseus ctl ""
# Every verb, and of each what its help names.
for verb in $(sed -n 's/^[[:space:]]*X(\([a-z]*\)).*/\1/p' cmd/verbs.h); do
	bash "$T/ask" "$T/bash" perseus "$verb" -- | tr ' ' '\n' | sed 's/=$//' >"$T/offered"
	perseus "$verb" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' | sort -u >"$T/named"
	it "perseus $verb: all of its help's options" sh -c '! grep -vxF -f "$1/offered" "$1/named"' sh "$T"
done
for sh in bash zsh fish; do
	if command -v $sh >/dev/null; then it "$sh reads them" $sh -n "$T/$sh"
	else skip "$sh reads them" "no $sh here"; fi
done
if command -v fish >/dev/null; then
	HOME=$T fish -c "source '$T/fish'; complete -C 'perseus plan --kind='" >"$T/out" 2>"$T/err"
	says 'kind=phase' "fish offers the kinds of a plan"
	silent 'timing' "... and nothing else's words"
fi
finish
