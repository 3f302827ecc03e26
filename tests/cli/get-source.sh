#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/get-source.sh against archives on this disk: it finds a source by what
# the system lists as binary archives only, refuses what was tampered with, and
# writes nothing outside the directory it was given.
. tests/lib.sh
for tool in apt-get dpkg-source dpkg-scansources; do
	command -v $tool >/dev/null || { skip "sources are fetched" "no $tool here"; finish; exit; }
done
get=$(pwd)/scripts/get-source.sh

# archive DIR VERSION: a flat archive with the source package perseus-hello
archive() {
	mkdir -p "$1/w/perseus-hello-$2/debian/source"
	(
		cd "$1/w/perseus-hello-$2" || exit 1
		echo "int main(void) { return 0; }" >hello.c
		echo "3.0 (quilt)" >debian/source/format
		printf 'perseus-hello (%s-1) unstable; urgency=low\n\n  * Test.\n\n -- A B <a@b.invalid>  Thu, 01 Jan 2026 00:00:00 +0000\n' "$2" >debian/changelog
		printf 'Source: perseus-hello\nMaintainer: A B <a@b.invalid>\nStandards-Version: 4.6.0\n\nPackage: libperseus-hello1\nArchitecture: any\nDescription: test\n' >debian/control
		tar czf "../perseus-hello_$2.orig.tar.gz" --exclude=debian -C .. "perseus-hello-$2"
		cd .. && dpkg-source -b "perseus-hello-$2"
	) >"$T/make.log" 2>&1 && mv "$1/w/"*.dsc "$1/w/"*.tar.* "$1" && (cd "$1" && dpkg-scansources . 2>/dev/null >Sources)
}

# system NAME: a configuration of apt whose sources are those of $T/NAME
system() {
	mkdir -p "$T/$1/parts"
	printf 'Dir::Etc::sourcelist "%s";\nDir::Etc::sourceparts "%s";\n' "$T/$1/sources.list" "$T/$1/parts" >"$T/$1/apt.conf"
	export APT_CONFIG="$T/$1/apt.conf"
}

archive "$T/one" 1.0 && archive "$T/two" 2.0 || { not_ok "a source package is made" "$(tail -n 5 "$T/make.log")"; finish; exit; }

system lines
printf '# deb [trusted=yes] file:%s ./\n  deb [trusted=yes] file:%s ./ # a comment\ndeb [trusted=yes] cdrom:[A disc]/ ./\n' "$T/two" "$T/one" >"$T/lines/sources.list"
before=$(ls -l /var/lib/apt/lists /var/cache/apt 2>/dev/null | cksum)
exits 0 "one-line sources without deb-src are enough" "$get" perseus-hello "$T/got1"
says '/got1/perseus-hello_1\.0-1\.dsc$' "it prints the .dsc"
says '/got1/perseus-hello_1\.0\.orig\.tar\.gz$' "and the other files"
it "they are there" sh -c 'while read -r f; do [ -s "$f" ] || exit 1; done <"$1"' sh "$T/out"
it "the system's lists and caches are as they were" [ "$before" = "$(ls -l /var/lib/apt/lists /var/cache/apt 2>/dev/null | cksum)" ]
exits 0 "a binary package's name finds its source; -x unpacks it" "$get" -x libperseus-hello1 "$T/got1"
says '/got1/perseus-hello-1\.0-1$' "and prints the directory alone"
it "the source is there" [ -s "$(cat "$T/out")/hello.c" ]
mv "$T/one" "$T/gone"
exits 0 "the second time needs no archive" "$get" perseus-hello "$T/got1"
exits 3 "but another package does" "$get" perseus-nonesuch "$T/got1"
says "perseus-nonesuch" "and is named"
mv "$T/gone" "$T/one"
echo damaged >>"$T/got1/perseus-hello_1.0.orig.tar.gz"
exits 4 "a damaged file is refused" "$get" perseus-hello "$T/got1"
says 'perseus-hello_1\.0\.orig\.tar\.gz' "and named"

system stanzas
printf 'Types: deb\nURIs: file:%s\nSuites: ./\nTrusted: yes\nEnabled: no\n\n# a comment\nTypes: deb\n deb-src\nURIs:\n file:%s\nSuites: ./\nTrusted: yes\n' "$T/two" "$T/one" >"$T/stanzas/parts/a.sources"
exits 0 "deb822 sources are read; what is disabled stays so" "$get" perseus-hello "$T/got2"
says 'perseus-hello_1\.0-1\.dsc$' "the enabled archive's version came"
sed -i '/^Enabled/d' "$T/stanzas/parts/a.sources"
exits 0 "the newest version wins" "$get" perseus-hello "$T/got3"
says 'perseus-hello_2\.0-1\.dsc$' "of both archives"

system tampered
echo "deb [trusted=yes] file:$T/one ./" >"$T/tampered/sources.list"
echo more >>"$T/one/perseus-hello_1.0.orig.tar.gz"
exits 3 "a file that differs from the archive's index is refused" "$get" perseus-hello "$T/got4"
system unsigned
echo "deb file:$T/two ./" >"$T/unsigned/sources.list"
exits 3 "an archive that is neither signed nor trusted is refused" "$get" perseus-hello "$T/got5"
system empty
exits 3 "a system without sources is told so" "$get" perseus-hello "$T/got6"
says "no sources" "in these words"
exits 2 "a name that is none is refused" "$get" '../x' "$T/got7"
exits 2 "no arguments" "$get"
finish
