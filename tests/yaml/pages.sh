#!/bin/sh
# SPDX-License-Identifier: MIT
# The format pages name every key of the documents.
. tests/lib.sh

# The keys of a commented example, comments and values stripped.
keys() { sed 's/#.*//; s/"[^"]*"//g' "$1" | grep -oE '[a-z_]+:( |$)' | tr -d ': ' | sort -u; }

for kind in model platform plan manifest energy; do
	page=docs/man/perseus-$kind.5.scd missing=
	for key in $(keys yaml/examples/$kind.yaml); do
		grep -Eq "(\*|_)$key(\*|_)" "$page" docs/man/perseus-model.5.scd || missing="$missing $key"
	done
	if [ -z "$missing" ]; then ok "perseus-$kind(5) names every key"; else not_ok "perseus-$kind(5) names every key" "missing:$missing"; fi
done
finish
