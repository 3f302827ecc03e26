#!/bin/sh
# SPDX-License-Identifier: MIT
# source-package.sh FOLDER: put what a Debian source package is made of into FOLDER/perseus-VERSION,
# which is new, with debian/control for the compilers of the release that this runs in.
# Prints the folder.  dpkg-buildpackage -us -uc in there builds the packages.
top=$(dirname "$0")/..
cd "$top" || exit 1
version=$(sed -n 's/^VERSION := //p' Makefile)
[ "perseus ($version)" = "$(sed -n '1s/) .*/)/p' debian/changelog)" ] || {
	echo "source-package: debian/changelog begins with another version than $version of the Makefile" >&2
	exit 1
}
grep -q "^PACKAGE_VERSION=\"$version\"" kmod/dkms.conf || {
	echo "source-package: kmod/dkms.conf has another version than $version of the Makefile" >&2
	exit 1
}
own=$(apt-cache depends gcc 2>/dev/null | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p')
all=$(apt-cache pkgnames gcc- 2>/dev/null | sed -n 's/^gcc-\(1[1-9]\|[2-9][0-9]\)-plugin-dev$/\1/p' | sort -n)
[ -n "$own" ] && [ -n "$all" ] || { echo "source-package: apt knows no gcc or no gcc-N-plugin-dev (try apt-get update)" >&2; exit 1; }
to=$1/perseus-$version
mkdir -p "$1" && mkdir "$to" || exit 1
if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -z | tar --null -T - -c
else tar -c --exclude=./build --exclude="./${to#./}" .; fi | tar -x -C "$to" || exit 1
awk -v own="$own" -v all="$(echo $all)" -f debian/control.awk debian/control.in >"$to/debian/control" || exit 1
echo "$to"
