#!/bin/sh
# SPDX-License-Identifier: MIT
# Ways of building that the other scripts leave out, on libxkbcommon (Meson;
# version scripts, -fvisibility=hidden, a parser by bison): link-time
# optimisation by Meson's own option, all warnings as errors, static libraries.
. tests/lib.sh
. tests/foreign/common.sh
have "libxkbcommon behaves the same" meson ninja bison || { finish; exit; }

# style NAME OPTION...: builds it so, twice, with $extra flags, and compares its quick tests
style() {
	name=xkb-$1
	shift
	for v in plain probed; do rm -rf "$W/$name.$v"; mkdir -p "$W/$name.$v"; done
	build "$name" "CFLAGS=\"\$F $extra\" meson setup . $source_tree --buildtype=plain -Denable-x11=false -Denable-wayland=false \
		-Denable-xkbregistry=false -Denable-docs=false -Denable-tools=true $* && ninja -j\$jobs" || return
	same "$name" "its tests pass" 'cd $BIN && $wrap meson test --no-rebuild --timeout-multiplier 4 >/dev/null; echo $?
		sed -n -E "s/.*\"name\": \"([^\"]*)\".*\"result\": \"([^\"]*)\".*/\2 \1/p" meson-logs/testlog.json | sort; rm -rf perseus.data'
	it "$name: it has the symbols of the plain library" sh -c 'for v in plain probed; do
		lib=$(ls "$1.$v"/libxkbcommon.so "$1.$v"/libxkbcommon.a 2>/dev/null | head -1)
		case $lib in *.so) dynamic=-D ;; *) dynamic= ;; esac
		nm $dynamic -g --defined-only "$lib" | awk "NF == 3 { print \$3 }" | sort >"$2/sym.$v"; done
		[ -s "$2/sym.plain" ] && cmp "$2/sym.plain" "$2/sym.probed"' sh "$W/$name" "$T"
}

package libxkbcommon || { finish; exit; }
source_tree=$tree
# (what its authors' own code draws from this compiler stays a warning)
extra=-Wno-error=array-bounds
style werror -Dwerror=true
extra=
style lto -Db_lto=true
style static -Ddefault_library=static -Db_staticpic=false
finish
