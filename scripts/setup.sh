#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh [--build | --foreign | --bench | --proofs | --slurm] [--list]: install the Debian packages of
# scripts/packages.txt that are missing: what building and `make check` need.
# Says what it installs; uses sudo if it is not root; where that is not possible
# it prints the one line to run and exits with 3.
# --build leaves out what only tests need (`# tests: ...`); --foreign takes what
# building other people's programs needs, too (`# foreign: ...`), --bench what
# other tools need to be measured beside ours (`# bench: ...`), --proofs what proves
# generated code (`# proofs: ...`), --slurm a batch system for its tests (`# slurm: ...`).
# --list prints what is missing, and installs nothing.
list=$(dirname "$0")/packages.txt
drop='^#|# (foreign|bench|proofs|slurm):'
case $1 in
--build) drop='^#|# (tests|foreign|bench|proofs|slurm):' && shift ;;
--foreign) drop='^#|# (bench|proofs|slurm):' && shift ;;
--bench) drop='^#|# (foreign|proofs|slurm):' && shift ;;
--proofs) drop='^#|# (foreign|bench|slurm):' && shift ;;
--slurm) drop='^#|# (foreign|bench|proofs):' && shift ;;
esac

# What the list asks for on this release: @ in a name is the version of its gcc,
# and a name with % stands for one of each version from 11 on that it has.
asked() {
	own=$(gcc -dumpversion 2>/dev/null) || own=$(apt-cache depends gcc 2>/dev/null | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p')
	all=$(apt-cache pkgnames gcc- 2>/dev/null | sed -n 's/^gcc-\(1[1-9]\|[2-9][0-9]\)-plugin-dev$/\1/p' | sort -n)
	grep -Ev "$drop" "$list" | awk -v own="${own%%.*}" -v all="$(echo $all)" '{
		name = $1; rest = substr($0, length(name) + 1); n = name ~ /%/ ? split(all, version, " ") : 1
		for (i = 1; i <= n; i++) { $0 = name; gsub(/@/, own); gsub(/%/, version[i]); print $0 rest }
	}'
}

command -v dpkg-query >/dev/null || {
	echo "setup: this is not a Debian system; the packages are named in $list" >&2
	exit 3
}
# find_missing: sets $lines, as in the list, and $missing, the names of those that are
find_missing() {
	lines=$(asked)
	missing=
	for package in $(echo "$lines" | sed 's/#.*//'); do
		case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
		ii*) ;;
		*) missing="$missing $package" ;;
		esac
	done
}
find_missing
[ "$1" = --list ] && { echo $missing; exit 0; }
[ -n "$missing" ] || exit 0

as= can=yes
if [ "$(id -u)" != 0 ]; then
	as=sudo
	command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; } || can=
fi
# A fresh image may have no list of what there is, and the names of GCC's packages hang on it.
if ! ls /var/lib/apt/lists 2>/dev/null | grep -q _Packages; then
	if [ -z "$can" ]; then
		echo "setup: root is needed to install Debian packages; please run:"
		echo "  sudo apt-get update"
		echo "and this again."
		exit 3
	fi
	$as apt-get update -q >/dev/null && find_missing
fi
echo "setup: Debian packages that are missing here:"
for package in $missing; do
	echo "$lines" | sed -n "s/^$package  *# */  $package: /p"
done
install="apt-get install -y --no-install-recommends$missing"
if [ -z "$can" ]; then
	echo "setup: root is needed to install them; please run:"
	echo "  sudo $install"
	exit 3
fi
echo "setup: $as $install"
export DEBIAN_FRONTEND=noninteractive
# The package lists may be absent (a fresh image) or old.
$as $install >/dev/null 2>&1 || { $as apt-get update -q >/dev/null && $as $install >/dev/null; } || {
	echo "setup: the installation failed; please run:"
	echo "  apt-get update && $install"
	exit 3
}
echo "setup: done"
