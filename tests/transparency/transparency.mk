# SPDX-License-Identifier: MIT
# make check-transparency: GCC's own test programs, and random ones, with and
# without the plugin; under 25 minutes on two cores.  tests/transparency/
# sample.sh, a part of it, belongs to `make check`; the other scripts there are
# no tests.  CORPORA=DIR keeps unpacked sources and plain results elsewhere.

scenario := $(filter-out tests/transparency/check.sh tests/transparency/reduce.sh,$(scenario))

.PHONY: check-transparency ## GCC's own and random programs with and without probes: 25 minutes
check-transparency: all
	@O=$(abspath $(O)) tests/transparency/check.sh
