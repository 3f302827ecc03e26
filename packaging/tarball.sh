#!/bin/sh
# SPDX-License-Identifier: MIT
# tarball.sh INSTALLED LINKED OUT.tar.xz: of what `make install' put below INSTALLED, a tree that runs
# wherever it is unpacked, and OUT of it.  In LINKED are programs and libraries that look in
# lib/perseus/needed first; what they need and is not of the C library goes there.
# What only root can use, the daemon and the kernel module, is left out.
from=$1 linked=$2 out=$3
name=$(basename "$out" .tar.xz)
stage=$(dirname "$out")/stage
tree=$stage/$name
rm -rf "$stage" && mkdir -p "$stage" && cp -a "$from" "$tree" || exit 1
rm -rf "$tree/sbin" "$tree/src" "$tree/lib/systemd" "$tree/lib/sysusers.d" "$tree/share/man/man8"
install -m 755 "$linked/perseus" "$tree/bin/perseus" && install -m 755 "$linked/libperseus-trap.so" "$tree/lib/perseus/" && mkdir "$tree/lib/perseus/needed" || exit 1
# MPI is used as it is installed, or not at all.
rm -f "$tree/libexec/perseus/perseus-mpi.so"
for lib in $(for f in "$tree/bin/perseus" "$tree"/lib/perseus/*.so; do ldd "$f"; done | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u); do
	case ${lib##*/} in
	libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | ld-linux*) ;;
	*) cp -L "$lib" "$tree/lib/perseus/needed/" || exit 1
		package=$(dpkg-query -S "$(realpath "$lib")" 2>/dev/null | sed 's/:.*//; q')
		[ -z "$package" ] || cp -L "/usr/share/doc/$package/copyright" "$tree/lib/perseus/needed/$package.copyright" || exit 1 ;;
	esac
done
find "$tree/bin" "$tree/lib" "$tree/libexec" -type f \( -name '*.so' -o -perm -100 \) -exec strip --strip-unneeded {} + || exit 1
strip --strip-debug --enable-deterministic-archives "$tree"/lib/perseus/*.a || exit 1
mkdir -p "$tree/share/doc/perseus" && cp LICENSES/* "$tree/share/doc/perseus/" || exit 1
find "$tree" -type d -exec chmod 755 {} +
find "$tree" -type f -exec chmod u=rwX,go=rX {} +
tar -C "$stage" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
	--mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}" -c "$name" | xz -T1 >"$out.new" &&
	mv "$out.new" "$out" && rm -rf "$stage"
