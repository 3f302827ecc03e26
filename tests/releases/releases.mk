# SPDX-License-Identifier: MIT
# Other releases of Debian with all their compilers, each in a folder of its own
# below $(O)/releases; about an hour a release.  RELEASES="trixie sid" STEPS="build plugin"
# COMPILERS="gcc-14" for a part.
.PHONY: check-releases ## build and test in Debian trixie and sid: an hour each, as root
.PHONY: check-bare ## the commands of README.md in a bare Debian, as root
check-releases:
	@mkdir -p $(O) && O=$(abspath $(O)) tests/releases/check $(RELEASES)

# The two commands of README.md in a Debian with nothing but git, make and sudo; RELEASES="bookworm trixie".
check-bare:
	@mkdir -p $(O) && O=$(abspath $(O)) tests/releases/bare $(RELEASES)
