#!/bin/sh
# SPDX-License-Identifier: MIT
# back-end.sh compile OUT CMD...: run CMD, which makes OUT of a source of the plugin
# back-end.sh link MAJOR GCC OUT OBJECT... -- CMD...: the same for the back end for GCC MAJOR
#
# What cannot be built with one version of GCC must not stop the others: an
# object that does not compile is left out, with the compiler's words in
# OBJECT.err, and the link says in one line what is missing and why.  A back end
# that uses what the compiler does not have would end in the middle of a
# compilation, so that is looked for, too.
what=$1
shift
if [ "$what" = compile ]; then
	out=$1
	shift
	if "$@" 2>"$out.err"; then cat "$out.err" >&2 && rm -f "$out.err"
	else rm -f "$out"; fi
	exit 0
fi
major=$1 gcc=$2 out=$3
shift 3
none() {
	rm -f "$out"
	echo "  no back end for GCC $major: $*" >&2
	exit 0
}
for object; do
	shift
	[ "$object" = -- ] && break
	[ -e "$object" ] && continue
	said=$(grep -m 1 -E 'error|not found' "$object.err") || said=$(head -n 1 "$object.err")
	none "$said (all of it: $object.err)"
done
said=$("$@" 2>&1) || none "$said"
cc1=$($gcc -print-prog-name=cc1)
lacks=$(
	nm -D --defined-only "$cc1" 2>/dev/null | awk '{ print $NF }' |
		{ cat && echo == && nm -D --undefined-only "$out" | awk '$1 == "U" && $2 !~ /@/ { print $2 }'; } |
		awk '$0 == "==" { wanted = 1; next } !wanted { has[$0]; n++; next } n && !($0 in has) { print; exit }'
)
[ -z "$lacks" ] || none "$cc1 has no $(echo "$lacks" | c++filt 2>/dev/null || echo "$lacks")"
