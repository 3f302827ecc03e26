#!/bin/sh
# SPDX-License-Identifier: MIT
# check-man.sh PERSEUS: every verb has a page, every page a verb, and every
# option that `perseus VERB --help` shows stands in the page.
perseus=$1
bad=0
verbs=$(sed -n 's/^[[:space:]]*X(\([a-z]*\)).*/\1/p' cmd/verbs.h)
for verb in $verbs; do
	page=docs/man/perseus-$verb.1.scd
	if [ ! -f "$page" ]; then
		echo "$page is missing"
		bad=1
		continue
	fi
	for opt in $("$perseus" "$verb" --help | grep -o -E -- '--[a-z][a-z-]+' | sort -u); do
		grep -q -F -- "$opt" "$page" || { echo "$page does not mention $opt"; bad=1; }
	done
done
for page in docs/man/perseus-*.1.scd; do
	verb=${page#docs/man/perseus-}
	verb=${verb%.1.scd}
	echo "$verbs" | grep -qx "$verb" || { echo "$page: no such verb"; bad=1; }
done
exit $bad
