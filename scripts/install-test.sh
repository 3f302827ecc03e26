#!/bin/sh
# SPDX-License-Identifier: MIT
# install-test.sh PREFIX SYSTEM CC...: compile an empty file with the plugin from
# a foreign directory, by every compiler and in every spelling that this
# installation promises.
prefix=$1 system=$2
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
case $prefix in /*) ;; *) prefix=$(pwd)/$prefix ;; esac
echo 'int main(void) { return 0; }' >"$dir/empty.c"
cd "$dir" || exit 1
bad=0
try() {
	if "$cc" "$1" -c -o empty.o empty.c 2>err.txt && readelf -SW empty.o | grep -q '\.perseus\.sites'; then
		echo "install: $cc $1 works"
	else
		echo "install: $cc $1 does NOT work:"
		sed 's/^/  /' err.txt
		echo "  give the full path instead: -fplugin=$prefix/lib/perseus/perseus.so (perseus flags --cflags prints it)"
		bad=1
	fi
}
for cc; do
	try "-fplugin=$prefix/lib/perseus/perseus.so"
	if [ -n "$system" ]; then
		try -fplugin=perseus
		try -fplugin=perseus.so
	fi
done
exit $bad
