#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make sbom' says is shipped is what is installed, with terms and with the packages of its libraries.
. tests/lib.sh
sbom=scripts/sbom.py
mkdir -p "$T/tree/usr/bin" "$T/tree/usr/include/perseus"
cp "$O/bin/perseus" "$T/tree/usr/bin" && cp include/perseus/abi.h "$T/tree/usr/include/perseus" || exit 1
SOURCE_DATE_EPOCH=1700000000 $sbom "$T/tree" 0.0.0 >"$T/a.json" 2>"$T/err" && ok "a list is made" || not_ok "a list is made" "$(cat "$T/err")"
SOURCE_DATE_EPOCH=1700000000 $sbom "$T/tree" 0.0.0 >"$T/b.json" 2>/dev/null
it "twice the same" cmp "$T/a.json" "$T/b.json"
it "it is SPDX: all that has to be there is, and each name means one thing" python3 -c "
import json, re, sys
d = json.load(open('$T/a.json'))
assert d['spdxVersion'] == 'SPDX-2.3' and d['dataLicense'] == 'CC0-1.0' and d['creationInfo']['created'] == '2023-11-14T22:13:20Z', d
ids = [x['SPDXID'] for x in [d] + d['packages'] + d['files']]
assert len(ids) == len(set(ids)) and all(re.fullmatch('SPDXRef-[A-Za-z0-9.-]+', i) for i in ids), ids
assert all(r[k] in ids for r in d['relationships'] for k in ('spdxElementId', 'relatedSpdxElement'))
for p in d['packages']: assert p['name'] and p['downloadLocation'] and p['versionInfo'], p
for f in d['files']: assert {c['algorithm']: len(c['checksumValue']) for c in f['checksums']} == {'SHA1': 40, 'SHA256': 64}, f
"
it "each library that perseus needs comes from a package with its version" sh -c "
for l in \$(objdump -p '$O/bin/perseus' | sed -n 's/.*NEEDED *//p'); do
	f=\$(ldd '$O/bin/perseus' | sed -n \"s/.*\$l => \\([^ ]*\\).*/\\1/p\" | head -n 1)
	p=\$(dpkg-query -S \"\$f\" 2>/dev/null || dpkg-query -S \"/usr\$f\" || dpkg-query -S \"\$(realpath \$f)\")
	p=\${p%%:*}
	grep -q \"pkg:deb/debian/\$p@\" '$T/a.json' || { echo \"\$l of \$p\"; exit 1; }
done"
says '"pkg:deb/debian/libgsl[0-9]+@[0-9]' "GSL is one of them" "$T/a.json"
says '"name": "examples/kthread/klib"' "sources of others in the tree" "$T/a.json"
says '2018 Dana-Farber Cancer Institute' "... with their authors" "$T/a.json"
exits 0 "what is listed is there" $sbom --check "$T/a.json" "$T/tree"
echo >>"$T/tree/usr/include/perseus/abi.h"
exits 1 "a file that was changed" $sbom --check "$T/a.json" "$T/tree"
says '^usr/include/perseus/abi.h: other bytes$' "... is named"
cp "$O/bin/perseus-verify" "$T/tree/usr/bin"
exits 1 "a file that was added" $sbom --check "$T/a.json" "$T/tree"
says '^usr/bin/perseus-verify: not listed$' "... is named"
exits 2 "no folder" $sbom "$T/none" 0.0.0
finish
