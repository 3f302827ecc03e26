# SPDX-License-Identifier: MIT
# The kernel module: built by its own Makefile, tested in a guest by any user.
LAYER.kmod := include
fmt += $(wildcard kmod/*.[ch] tests/kmod/*.[ch] tests/unit/kmod/*.[ch])

.PHONY: kmod ## the kernel module, for the newest kernel whose headers are here
.PHONY: check-kmod ## ... in a guest
.PHONY: fuzz-kmod ## ... its requests and limits for SECONDS
# For the newest kernel whose headers are installed; for others see kmod/Makefile.
kmod.release = $(shell ls -d /usr/src/linux-headers-*-amd64 | sed 's,.*linux-headers-,,' | sort -V | tail -n 1)
kmod:
	$(Q)tests/kmod/build $(kmod.release) $(abspath $(O))/kmod/module
	@echo "  built $(O)/kmod/module/perseus.ko for $(kmod.release)"

check-kmod: all
	@from=$$(date +%s); O=$(abspath $(O)) tests/run tests/kmod/check.sh; status=$$?; \
	 echo "check-kmod: $$(($$(date +%s) - from)) s"; exit $$status

# Requests and limits of the module on this machine under sanitizers, guided by coverage: SECONDS of a processor.
SECONDS ?= 600
fuzz-kmod: export TEST_LOGS = $(abspath $(O))/test-logs/fuzz-kmod
fuzz-kmod:
	@rm -rf $(TEST_LOGS); mkdir -p $(O); O=$(abspath $(O)) FUZZ_SECONDS=$(SECONDS) TEST_TIMEOUT=$$(($(SECONDS) * 8 + 300)) \
	 tests/run tests/kmod/fuzz.sh; status=$$?; grep -h 'inputs in' $(TEST_LOGS)/*.log; exit $$status
