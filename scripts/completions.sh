#!/bin/sh
# SPDX-License-Identifier: MIT
# completions.sh FOLDER PERSEUS VERBS.H: completions for bash, zsh and fish in FOLDER, of what each
# verb's table of options says (--list-options), and of the words behind them in the help.
folder=$(realpath "$1") perseus=$(realpath "$2") frame=$(realpath "$(dirname "$0")/completions.bash")
verbs=$(sed -n 's/^[[:space:]]*X(\([a-z]*\)).*/\1/p' "$3")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C NO_COLOR=1
cd / # nothing that lies here is to be looked at

# of WORD...: the lines of this verb, or verb and subverb, for the awk program below
of() {
	echo "verb $*"
	for words in "$*" "$1"; do
		# shellcheck disable=SC2086
		"$perseus" $words --list-options >"$scratch/out" 2>"$scratch/err" </dev/null && break
		"$perseus" "$1" --help >"$scratch/out" # a verb without a table
	done
	sed -n 's/^perseus [a-z]*: \([a-z]*: \)*--\([a-z-]*\)=?: expected \(.*\)/words \2 \3/p' "$scratch/err"
	sed 's/^/: /' "$scratch/out"
}
"$perseus" help | sed -n 's/^  \([a-z][a-z]*\)  *\([a-z].*\)/summary \1 \2/p' >"$scratch/all"
for verb in $verbs; do
	of "$verb"
	sed -n '/^usage:/,/^$/s/^[a-z: ]*perseus '"$verb"' \([a-z][a-z]*\)\( .*\)*$/\1/p' "$scratch/out" | sort -u >"$scratch/subs"
	while read -r sub; do of "$verb" "$sub"; done <"$scratch/subs"
done >>"$scratch/all"

cat >"$scratch/awk" <<'AWK'

# of "A, B or C" in messages: the words, or nothing if there is anything else
function choice(text,    n, i, part, list) {
	gsub(/ or /, ", ", text)
	n = split(text, part, ", ")
	for (i = 1; i <= n; i++) {
		if (part[i] !~ /^[A-Za-z][A-Za-z:,-]*$/) return ""
		list = list (i > 1 ? " " : "") part[i]
	}
	return n > 1 ? list : ""
}
# what stands behind an option without words: by its place holder in the help
function kind_of(row, hint) {
	if (row == "f") return ""
	if (row == "n") return "@none"
	if (hint ~ /DIR|FOLDER|SRCDIR/) return "@dir"
	if (hint ~ /RUN/) return "@run"
	if (hint ~ /FILE|PLAN|MODEL|PLATFORM|^P$|PATH|TABLE|IN:OUT|SPACE/) return "@file"
	return "@none"
}
function add(row, letter, name, words) {
	if ((at, name) in known) return
	known[at, name] = ++n[at]
	opt[at, n[at]] = name
	let[at, n[at]] = letter == "-" ? "" : letter
	kind[at, n[at]] = row
	value[at, n[at]] = words
}
$1 == "summary" { about[$2] = substr($0, length($2) + 10); next }
$1 == "verb" {
	at = $2 ($3 ? " " $3 : "")
	order[++verbs] = at
	if ($3) subs[$2] = subs[$2] " " $3
	in_help = 0
	next
}
$1 == "words" { said[at, $2] = choice(substr($0, length($2) + 8)); next }
/^: usage:/ { in_help = 1; if (!operand[at]) operand[at] = $0 ~ /PROGRAM/ ? "@program" : $0 ~ /RUN/ ? "@run" : "@file" }
!in_help && $3 ~ /^.$/ { words = ""; for (i = 5; i <= NF; i++) words = words (i > 5 ? " " : "") $i; add($2, $3, $4, words); table[at] = 1; next }
in_help && match($0, /^:  *(-[a-zA-Z], )?--[a-z][a-z-]*/) {
	text = substr($0, RSTART, RLENGTH)
	rest = substr($0, RSTART + RLENGTH)
	name = text
	sub(/.*--/, "", name)
	letter = text ~ /-[a-zA-Z],/ ? substr(text, index(text, ",") - 1, 1) : ""
	hint = match(rest, /^\[?[= ][A-Za-z:,._=]+/) ? substr(rest, 2, RLENGTH - 1) : ""
	gsub(/[^A-Za-z:]/, "", hint)
	if (!((at, name) in known)) {
		if (table[at]) next
		add(hint ? "t" : "f", letter, name, "")
	}
	hints[at, name] = hint
	sub(/^[^ ]*  */, "", rest)
	sub(/^\.\.\. /, "", rest)
	if (!((at, name) in text_of)) text_of[at, name] = rest
	next
}
# the values of option i of verb a
function values(a, i,    name) {
	name = opt[a, i]
	if (kind[a, i] == "f") return ""
	if (value[a, i]) return value[a, i]
	if (said[a, name]) return said[a, name]
	return kind_of(kind[a, i], hints[a, name])
}
function quoted(text) { gsub(/\047/, "\047\\\047\047", text); return "\047" text "\047" }
function tell(a, i,    t) {
	t = text_of[a, opt[a, i]]
	if (!t) t = opt[a, i]
	gsub(/[][\\:`$"]/, "", t)
	sub(/[ ,;:(]+$/, "", t)
	return t
}

function bash(    v, i, a, w, line) {
	printf "_perseus_verbs=\047help"
	for (v = 1; v <= verbs; v++) if (order[v] !~ / /) printf " %s", order[v]
	print "\047\n_perseus_subs() {\n\tcase $1 in"
	for (v = 1; v <= verbs; v++) if (order[v] in subs) printf "\t%s) echo \047%s\047 ;;\n", order[v], substr(subs[order[v]], 2)
	print "\tesac\n}\n_perseus_options() {\n\tcase $1 in"
	for (v = 1; v <= verbs; v++) {
		a = order[v]
		printf "\t\047%s\047) echo \047--help --color=", a
		for (i = 1; i <= n[a]; i++)
			printf " --%s%s%s", opt[a, i], kind[a, i] == "f" || kind[a, i] == "m" ? "" : "=", let[a, i] ? " -" let[a, i] : ""
		print "\047 ;;"
	}
	print "\tesac\n}\n_perseus_operands() {\n\tcase $1 in"
	for (v = 1; v <= verbs; v++) printf "\t\047%s\047) echo %s ;;\n", order[v], operand[order[v]]
	print "\tesac\n}\n_perseus_values() {\n\tcase $1 in\n\t*\\ --color) echo \047auto always never\047 ;;"
	for (v = 1; v <= verbs; v++)
		for (i = 1; i <= n[order[v]]; i++) {
			w = values(order[v], i)
			if (w) printf "\t\047%s --%s\047%s) echo \047%s\047 ;;\n", order[v], opt[order[v], i],
				let[order[v], i] ? " | \047" order[v] " -" let[order[v], i] "\047" : "", w
		}
	print "\tesac\n}"
	while ((getline line < frame) > 0) print line
}
function zsh(    v, i, a, w, act) {
	print "_perseus_runs() { local -a runs; runs=(@last @last-timing @last-sharing @last-denormal perseus.data/*(N/)); compadd -a runs; _files }"
	print "_perseus_verb() {\n\tlocal -a verbs; verbs=("
	for (v = 1; v <= verbs; v++) if (order[v] !~ / /) { w = about[order[v]]; gsub(/[:]/, "", w); print "\t\t" quoted(order[v] ":" w) }
	print "\t)\n\t_describe verb verbs\n}\n_perseus() {\n\tlocal at=$words[2]\n\t(( CURRENT > 2 )) || { _perseus_verb; return }\n\tcase $at in"
	for (v = 1; v <= verbs; v++) if (order[v] in subs) {
		gsub(/^ /, "", subs[order[v]])
		w = subs[order[v]]
		gsub(/ /, "|", w)
		printf "\t%s) (( CURRENT > 3 )) || compadd -- %s; case $words[3] in %s) at=\"$at $words[3]\"; shift words; (( CURRENT-- )) ;; esac ;;\n", order[v], subs[order[v]], w
	}
	print "\tesac\n\tshift words; (( CURRENT-- ))\n\tcase $at in"
	for (v = 1; v <= verbs; v++) {
		a = order[v]
		printf "\t%s) _arguments -s : %s", quoted(a), quoted("--color=[colours]:when:(auto always never)")
		for (i = 1; i <= n[a]; i++) {
			w = values(a, i)
			gsub(/:/, "\\:", w)
			act = w == "" ? "" : ":value:" (w == "@file" ? "_files" : w == "@dir" ? "_files -/" : w == "@run" ? "_perseus_runs" : w == "@none" ? "" : "(" w ")")
			if (act && kind[a, i] == "m") act = ":" act
			printf " \\\n\t\t%s", quoted("--" opt[a, i] (w == "" ? "" : kind[a, i] == "m" ? "=-" : "=") "[" tell(a, i) "]" act)
			if (let[a, i]) printf " %s", quoted("-" let[a, i] (w == "" ? "" : "+") "[" tell(a, i) "]" act)
		}
		w = operand[a]
		printf " \\\n\t\t%s ;;\n", quoted("*::operand:" (w == "@run" ? "_perseus_runs" : w == "@program" ? "_normal" : "_files"))
	}
	print "\tesac\n}\n_perseus \"$@\""
}
function fish(    v, i, a, w, where, part) {
	print "complete -c perseus -n __fish_use_subcommand -xa help -d \047what the verbs do\047"
	for (v = 1; v <= verbs; v++) {
		a = order[v]
		split(a, part, " ")
		if (a !~ / /) print "complete -c perseus -n __fish_use_subcommand -xa " a " -d " quoted(about[a])
		where = "__fish_seen_subcommand_from " part[1]
		if (part[2]) {
			print "complete -c perseus -n " quoted(where) " -a " part[2]
			where = where "; and __fish_seen_subcommand_from " part[2]
		}
		for (i = 1; i <= n[a]; i++) {
			w = values(a, i)
			printf "complete -c perseus -n %s -l %s%s -d %s", quoted(where), opt[a, i], let[a, i] ? " -s " let[a, i] : "", quoted(tell(a, i))
			if (w == "@file") printf kind[a, i] == "m" ? "" : " -rF"
			else if (w == "@dir") printf " -xa \047(__fish_complete_directories)\047"
			else if (w == "@run") printf " -rFa \047@last @last-timing @last-sharing\047"
			else if (w == "@none") printf kind[a, i] == "m" ? "" : " -x"
			else if (w) printf " -fa %s%s", quoted(w), kind[a, i] == "m" ? "" : " -r"
			print ""
		}
	}
}
END {
	if (shell == "zsh") print "#compdef perseus"
	print "# perseus completions, made by scripts/completions.sh of the tables of options"
	if (shell == "bash") bash()
	else if (shell == "zsh") zsh()
	else fish()
}
AWK
for shell in bash zsh fish; do
	awk -v shell=$shell -v frame="$frame" -f "$scratch/awk" "$scratch/all" >"$folder/$shell.new" && mv "$folder/$shell.new" "$folder/$shell" || exit 1
done
