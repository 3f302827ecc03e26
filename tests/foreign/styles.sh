#!/bin/sh
# SPDX-License-Identifier: MIT
# Ways of building that the other scripts leave out, on libxkbcommon (Meson;
# version scripts, -fvisibility=hidden, a parser by bison): link-time
# optimisation by Meson's own option, all warnings as errors, static libraries.
. tests/lib.sh
. tests/foreign/common.sh
have "libxkbcommon behaves the same" meson ninja bison || { finish; exit; }

# style NAME OPTION...: builds it so, twice, and compares its quick tests
style() {
	name=xkb-$1
	shift
	for v in plain probed; do rm -rf "$W/$name.$v"; mkdir -p "$W/$name.$v"; done
	build "$name" "CFLAGS=\"\$F\" meson setup . $source_tree --buildtype=plain -Denable-x11=false -Denable-wayland=false \
		-Denable-xkbregistry=false -Denable-docs=false -Denable-tools=true $* && ninja -j\$jobs" || return
	same "$name" "its tests pass" 'cd $BIN && $wrap meson test --no-rebuild --timeout-multiplier 4 >/dev/null; echo $?
		sed -n -E "s/.*\"name\": \"([^\"]*)\".*\"result\": \"([^\"]*)\".*/\2 \1/p" meson-logs/testlog.json | sort; rm -rf perseus.data'
	it "$name: it has the symbols of the plain library" sh -c 'for v in plain probed; do
		nm -D --defined-only "$1.$v"/libxkbcommon.* 2>/dev/null | awk "{ print \$3 }" | sort >"$2/sym.$v"; done
		cmp "$2/sym.plain" "$2/sym.probed"' sh "$W/$name" "$T"
}

package libxkbcommon || { finish; exit; }
source_tree=$tree
style werror -Dwerror=true -Dc_args=-Wno-error=array-bounds
style lto -Db_lto=true
style static -Ddefault_library=static -Db_staticpic=false
finish
