#!/bin/sh
# SPDX-License-Identifier: MIT
# What the Debian packages are built of: a package for each compiler of the release, the one of its
# own gcc recommended, and one version.
. tests/lib.sh
all=$(apt-cache pkgnames gcc- 2>/dev/null | sed -n 's/^gcc-\(1[1-9]\|[2-9][0-9]\)-plugin-dev$/\1/p' | sort -n)
[ -n "$all" ] || { skip "source package" "apt knows no gcc-N-plugin-dev"; finish; }
exits 0 "a source package is made" scripts/source-package.sh "$T/made"
tree=$(cat "$T/out")
it "... where it was asked for" test -x "$tree/debian/rules" -a "${tree%/*}" = "$T/made"
sed -n 's/^Package: gcc-\(.*\)-plugin-perseus$/\1/p' "$tree/debian/control" >"$T/packages"
it "a package for each compiler" test "$(cat "$T/packages")" = "$all"
it "each built by its own headers" test "$(grep -o 'gcc-[0-9]*-plugin-dev' "$tree/debian/control" | tr -dc '0-9\n')" = "$all"
silent '^ *@|@$|(gcc-|GCC )N' "nothing is left to be filled in" "$tree/debian/control"
own=$(sed -n 's/^Recommends: gcc-\(.*\)-plugin-perseus$/\1/p' "$tree/debian/control")
it "one of them is recommended" grep -qx "$own" "$T/packages"
exits 1 "no second one in the same place" scripts/source-package.sh "$T/made"

cd "$tree" || exit 1
sed -i '1s/(.*)/(9.9)/' debian/changelog
exits 1 "two versions are refused" scripts/source-package.sh "$T/other"
says 'another version than' "... and why" "$T/err"
cp "$OLDPWD/debian/changelog" debian/changelog
exits 0 "with one it is made again" scripts/source-package.sh "$T/again"
sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION="9.9"/' kmod/dkms.conf
exits 1 "nor may the kernel module have another one" scripts/source-package.sh "$T/other"
says 'kmod/dkms.conf has another version' "... and why" "$T/err"
finish
