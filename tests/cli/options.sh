#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option that a help names, of every verb: its value is asked for, or
# refused, by name; and an option means the same in all verbs.
. tests/lib.sh

verbs=$(perseus help | sed -nE 's/^  ([a-z]+)  +[a-z].*/\1/p')
it "verbs are found" test "$(echo "$verbs" | wc -l)" -ge 19

# options VERB: "name" of a flag, "name=" of an option with a value, "name[=" where it may be left out
options() { perseus "$1" --help | sed -nE 's/^  +(-[a-z], )?--([a-z-]+)(\[=|=|).*/\2\3/p' | sort -u; }

for verb in $verbs; do
	case $verb in help | explain | verify | ctl) continue ;; esac
	exits 0 "$verb --help" perseus "$verb" --help
	exits 0 "... and -h" perseus "$verb" -h
	exits 2 "$verb refuses an option that nobody has" perseus "$verb" --nobody-has-it
	says "perseus $verb: unknown option '--nobody-has-it'" "... by name"
	for option in $(options "$verb"); do
		name=${option%%[=[]*}
		case $option in
		*'[='*) ;;
		*=)
			exits 2 "$verb --$name needs its value" perseus "$verb" "--$name"
			says "perseus $verb: option '--$name' needs a value" "... and says so"
			;;
		*)
			exits 2 "$verb --$name takes none" perseus "$verb" "--$name=x"
			says "perseus $verb: option '--$name' takes no value" "... and says so"
			;;
		esac
	done
done

# The word behind '=' says what a value is: one name, one kind of value.
for verb in $verbs; do
	perseus "$verb" --help | sed -nE "s/^  +(-[a-z], )?--([a-z-]+)=([A-Z]+).*/\\2 \\3/p"
done | sort -u >"$T/kinds"
it "values have names" test "$(wc -l <"$T/kinds")" -ge 40
# --output is a file or a folder by what is written; --purpose and --sharing of record list their words;
# the baseline of a plan is a placement, that of a gate a file.
twice() { grep -vE '^(output|purpose|sharing|baseline) ' "$T/kinds" | cut -d' ' -f1 | uniq -d | grep -wf - "$T/kinds"; }
it "an option takes the same kind of value wherever it is" sh -c 'test -z "$1" || { echo "$1"; false; }' - "$(twice)"
finish
