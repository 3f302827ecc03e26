#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-model(5) says which keys a model must have: with them it is read, without any one it is not.
. tests/lib.sh
platform=yaml/examples/platform.yaml
exits 0 "the page says what must be there" python3 tests/yaml/keys.py docs/man/perseus-model.5.scd "$T"
cp "$T/out" "$T/list"
perseus plan "$T/all.yaml" -p "$platform" -o "$T/plan.yaml" >"$T/out" 2>&1
silent 'all.yaml' "a model of these keys alone is read"
while read -r file key part; do
	exits 4 "$part must have $key" perseus plan "$T/$file" -p "$platform" -o "$T/plan.yaml"
	case $key in
	perseus | version) says "$key" "... which is said" ;;
	*) says "needs the key .$key." "... which is said" ;;
	esac
done <"$T/list"
finish
