#!/bin/sh
# SPDX-License-Identifier: MIT
# static-object.sh NAMES FROM TO: an object of the runtime for static programs.
# What it defines under one of NAMES becomes __wrap_NAME, which `ld --wrap=NAME`
# looks for; what it calls as __real_NAME stays that for NAMES, and is NAME for
# functions that nobody wraps.  All variables must be zero at the start.
set -e
trap 'rm -f "$3.syms" "$2"' EXIT
sed 's/.*/& __wrap_&/' "$1" >"$3.syms"
nm -u "$2" | sed -n 's/^ *U __real_//p' | grep -vxF -f "$1" | sed 's/.*/__real_& &/' >>"$3.syms" || true
# Its variables lie behind the program's, which keep their places.
objcopy --redefine-syms="$3.syms" --rename-section .bss=.perseus.desc,alloc "$2" "$3"
