# SPDX-License-Identifier: MIT
# Debian packages, built twice in a Debian with nothing but what they need, compared, installed over
# an older version in another, used, and purged; RELEASES="bookworm trixie" (all), as root.
.PHONY: check-packages ## Debian packages built, compared, upgraded, used and purged: an hour a release, as root
check-packages:
	@mkdir -p $(O) && O=$(abspath $(O)) tests/packages/check $(RELEASES)

# The packages of the release that this is, in $(O)/packages.
.PHONY: packages ## Debian packages of this release, in build/packages
packages:
	@rm -rf $(O)/packages && mkdir -p $(O)/packages
	@tree=$$(scripts/source-package.sh $(abspath $(O))/packages) && cd "$$tree" && \
	{ dpkg-checkbuilddeps || { echo "packages: sudo apt-get build-dep --no-install-recommends $$tree" >&2; exit 1; }; } && \
	unset MAKEFLAGS MFLAGS MAKELEVEL && dpkg-buildpackage -b -us -uc -j$(shell nproc)
	@ls $(O)/packages/*.deb

# What `make install' installs, what else lies in it, and which libraries of which packages it needs: SPDX 2.3.
.PHONY: sbom ## what is shipped and what it needs, as SPDX, in build/
sbom: all
	@rm -rf $(O)/sbom && $(MAKE) --no-print-directory -s O=$(O) PREFIX=$(PREFIX) DESTDIR=$(abspath $(O))/sbom install >$(O)/sbom.log 2>&1 || { tail $(O)/sbom.log; exit 1; }
	@scripts/sbom.py $(O)/sbom $(VERSION) >$(O)/perseus-$(VERSION).spdx.json
	@echo "  $(O)/perseus-$(VERSION).spdx.json"
