#!/bin/sh
# SPDX-License-Identifier: MIT
# get-source.sh [-x] PACKAGE DIR: puts the Debian source package PACKAGE (a
# source or a binary package name) into DIR and prints the absolute paths of its
# files, the .dsc first.  With -x it also unpacks it, with Debian's patches, into
# DIR/SOURCE-VERSION and prints that directory alone.
#
# It needs no deb-src lines and no root: the system's own sources, one-line and
# deb822, are copied as deb-src into a private apt configuration below DIR/.apt,
# where the package lists go too; nothing outside DIR is written.  apt checks the
# signature of the lists and the checksum of every file as always; files that lie
# in DIR already are checked against their .dsc and used without the network.
#
# Exit status: 0 done, 2 wrong usage, 3 this system cannot get it, 4 a file in
# DIR is damaged.
set -u
export LC_ALL=C
die() { status=$1; shift; echo "get-source: $*" >&2; exit "$status"; }
usage() { die 2 "usage: get-source.sh [-x] PACKAGE DIR"; }

extract=no
[ "${1-}" != -x ] || { extract=yes; shift; }
[ $# = 2 ] || usage
package=$1
case $package in '' | -* | *[!a-z0-9+.-]*) die 2 "'$package' is no package name (expected lower-case letters, digits, + - .)" ;; esac
mkdir -p "$2" || die 3 "cannot make the directory '$2'"
dir=$(cd "$2" && pwd -P) || die 3 "cannot enter '$2'"
apt=$dir/.apt
names=$apt/packages/$package	# what PACKAGE was found to be, from a run before
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages" "$apt/parts" ||
	die 3 "cannot write below '$dir'"

# Several tests may want sources at the same time.
exec 9>"$apt/lock"
flock 9 || die 3 "cannot lock $apt/lock"

# The files a .dsc names, and their sums as sha256sum reads them.
sums() { awk '/^[^ ]/ { on = /^Checksums-Sha256:/ } on && NF == 3 && /^ / { print $1 "  " $3 }' "$1"; }
complete() {
	[ -s "$1" ] || return 1
	sums "$1" | while read -r sum file; do [ -e "$dir/$file" ] || exit 1; done
}
intact() { sums "$1" | (cd "$dir" && sha256sum --quiet --strict -c -) >"$apt/sums.log" 2>&1; }

# deb lines and stanzas become deb-src; what names both types is written once,
# and so is what the system lists as deb and again as deb-src.
one_line() {
	sed -E -n 's/^[[:space:]]*deb(-src)?[[:space:]]+/deb-src /p' | grep -Ev '^deb-src (\[[^]]*\] *)?cdrom:' | awk '!seen[$0]++'
}
stanzas() {
	awk '
	function flush() {
		if (text != "" && types && !off && !cdrom && !(text in seen)) { printf "%s\n", text; seen[text] = 1 }
		text = ""; types = off = cdrom = 0; field = ""
	}
	/^[[:space:]]*$/ { flush(); next }
	/^#/ { next }
	{ if ($0 ~ /^[^[:space:]]/) { field = tolower($0); sub(/[[:space:]]*:.*/, "", field) } }
	field == "types" { if (/^[^[:space:]]/) { text = text "Types: deb-src\n"; types = 1 } next }
	field == "enabled" && tolower($0) ~ /:[[:space:]]*(no|false|without|off|disable)/ { off = 1 }
	field == "uris" && /cdrom:/ { cdrom = 1 }
	{ text = text $0 "\n" }
	END { flush() }'
}
derive_sources() {
	eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)" || return 1
	rm -f "$apt/parts/"*
	for file in "${list:-/nonexistent}" "${parts:-/nonexistent/}"/*.list; do
		[ ! -r "$file" ] || { cat "$file"; echo; }
	done | one_line >"$apt/parts/system.list"
	for file in "${parts:-/nonexistent/}"/*.sources; do
		[ ! -r "$file" ] || { cat "$file"; echo; }
	done | stanzas >"$apt/parts/system.sources"
	[ -s "$apt/parts/system.list" ] || [ -s "$apt/parts/system.sources" ]
}
# Read by -c after the system's configuration, so proxies, keys and credentials
# stay; hooks of `apt-get update` would write to the system and are dropped.
configure() {
	cat >"$apt/apt.conf" <<-END
		#clear APT::Update;
		#clear DPkg;
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "$apt/parts";
		Dir::State "$apt";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt/cache";
		APT::Sandbox::User "$(id -un)";
		APT::Get::List-Cleanup "true";
	END
}
private_apt() { apt-get -c "$apt/apt.conf" -qq "$@"; }
update() { private_apt update >"$apt/update.log" 2>&1; }
have_lists() { ls "$apt/lists/"*_Sources* >/dev/null 2>&1; }

# apt leaves a link to a file of an archive on this disk.
own() { [ ! -L "$1" ] || { cp -L "$1" "$1.new" && mv "$1.new" "$1"; }; }

# download: the names of the files go to $names, the .dsc first
download() {
	private_apt source --print-uris "$package" 2>"$apt/source.log" |
		awk -v q="'" 'substr($1, 1, 1) == q && $2 ~ /\.dsc$/ { print $2; exit }' >"$names.new"
	[ -s "$names.new" ] || return 1
	(cd "$dir" && private_apt source --download-only "$package") >"$apt/source.log" 2>&1 || return 1
	mv "$names.new" "$names"
	own "$dir/$(cat "$names")" && sums "$dir/$(cat "$names")" | while read -r sum file; do own "$dir/$file" || exit 1; done
}

dsc=
[ ! -s "$names" ] || dsc=$dir/$(cat "$names")
[ -n "$dsc" ] || dsc=$(ls "$dir/${package}"_*.dsc 2>/dev/null | tail -n 1)
if ! complete "$dsc"; then
	command -v apt-get >/dev/null && command -v apt-config >/dev/null ||
		die 3 "no apt-get here: it works on Debian and what descends from it; put the files of '$package' (.dsc and the rest) into $dir"
	derive_sources || die 3 "apt has no sources on this system (looked at sources.list and sources.list.d); it is needed to find '$package'"
	configure
	{ have_lists && download; } || { update; download; } || {
		sed 's/^/get-source: /' "$apt/source.log" >&2
		grep -E '^(E|W|Err)' "$apt/update.log" 2>/dev/null | head -n 5 | sed 's/^/get-source: /' >&2
		die 3 "no source of '$package' by apt (log: $apt/update.log); check the name and the network"
	}
	dsc=$dir/$(cat "$names")
	complete "$dsc" || die 3 "apt left '$package' incomplete in $dir (log: $apt/source.log)"
fi
intact "$dsc" || die 4 "$(head -n 1 "$apt/sums.log") in $dir, against $dsc; remove the file and run this again"

if [ $extract = no ]; then
	echo "$dsc"
	sums "$dsc" | while read -r sum file; do echo "$dir/$file"; done
	exit 0
fi
tree=$dir/$(basename "$dsc" .dsc | tr _ -)
if [ ! -d "$tree" ]; then
	command -v dpkg-source >/dev/null || die 3 "no dpkg-source here: install the package dpkg-dev"
	rm -rf "$tree.new"
	dpkg-source -q -x "$dsc" "$tree.new" >"$apt/unpack.log" 2>&1 || {
		tail -n 3 "$apt/unpack.log" >&2
		die 3 "dpkg-source cannot unpack $dsc (log: $apt/unpack.log)"
	}
	mv "$tree.new" "$tree"
fi
echo "$tree"
