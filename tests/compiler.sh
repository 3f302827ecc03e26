# SPDX-License-Identifier: MIT
# PERSEUS_TEST_CC=gcc-11 runs a script with another compiler: `gcc' and `g++'
# are then those of that version (make check-versions runs all scripts of
# tests/plugin so).  Sourced where $T is a folder of the script's own.
if [ -n "${PERSEUS_TEST_CC:-}" ]; then
	mkdir "$T/compiler"
	for tool in gcc g++; do
		ln -s "$(command -v "$tool-${PERSEUS_TEST_CC##*-}")" "$T/compiler/$tool"
	done
	PATH=$T/compiler:$PATH
fi
