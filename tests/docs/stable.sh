#!/bin/sh
# SPDX-License-Identifier: MIT
# What docs/stability.md promises, docs/stable.txt lists, and the build must have: a line that is gone
# is a break, a line that is new has to be added.  The versions that stand elsewhere are that of the
# Makefile.
. tests/lib.sh
O=$O tests/docs/promises >"$T/now"

# compare LIST NOW: status 1 if something promised is gone, 2 if something is only new
compare() {
	LC_ALL=C sort -u "$1" >"$T/before"
	LC_ALL=C comm -23 "$T/before" "$2" | sed 's/^/break: /'
	LC_ALL=C comm -13 "$T/before" "$2" | sed 's/^/new: /'
	LC_ALL=C comm -23 "$T/before" "$2" | grep -q . && return 1
	cmp -s "$T/before" "$2" || return 2
}
exits 0 "what is promised is there, and all that is there is listed (tests/docs/promises >docs/stable.txt)" compare docs/stable.txt "$T/now"
[ ! -s "$T/out" ] || sed 's/^/# /' "$T/out"
it "that is much" sh -c '[ "$(wc -l <"$1")" -ge 500 ]' sh "$T/now"
for kind in exit format header hook offset option page plugin reply verb word; do
	it "each kind of promise is read: $kind" grep -q "^$kind [^ ]" "$T/now"
done

# Twins: what goes is told from what comes.
grep -v '^option record --budget=VALUE$' "$T/now" >"$T/less"
exits 1 "an option that is gone is a break" compare docs/stable.txt "$T/less"
says '^break: option record --budget=VALUE$' "and named"
sed 's/^exit 5 /exit 7 /' "$T/now" | LC_ALL=C sort >"$T/other"
exits 1 "another exit code is a break" compare docs/stable.txt "$T/other"
says '^break: exit 5 INCONCLUSIVE$' "and named"
says '^new: exit 7 INCONCLUSIVE$' "with what came instead"
{ cat "$T/now"; echo "option record --zz-new"; } | LC_ALL=C sort >"$T/more"
exits 2 "a new option is none" compare docs/stable.txt "$T/more"
says '^new: option record --zz-new$' "and is named"
silent '^break' "as what it is"

# One version.
version=$(sed -n 's/^VERSION := //p' Makefile)
exits 0 "the program says its version" perseus --version
says "^perseus $version\$" "which is the Makefile's"
it "the kernel module's Makefile has it" grep -qx "VERSION := $version" kmod/Makefile
it "and its source" grep -qF "MODULE_VERSION(\"$version\")" kmod/perseus.c
it "and what DKMS reads" grep -qx "PACKAGE_VERSION=\"$version\"" kmod/dkms.conf
it "and the change log, on top" sh -c '[ "$(sed -n "s/^## \([0-9.]*\).*/\1/p" CHANGELOG.md | head -n 1)" = "$1" ]' sh "$version"
finish
