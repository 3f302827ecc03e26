# SPDX-License-Identifier: MIT
# A tree for machines of which nothing is asked but GCC: libraries that perseus needs are in it, and
# found by where the programs lie.
tarball := $(O)/tarball/perseus-$(VERSION)-linux-$(machine).tar.xz
# RPATH and not RUNPATH: it is also searched for what those libraries need themselves.
needed = -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/$(1)needed'
$(O)/tarball/perseus: $(call obj,cmd) $(call archives,$(FOLDERS))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(call needed,../lib/perseus/)
$(O)/tarball/libperseus-trap.so: $(trap.all)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(link.trap) $(call needed)

.PHONY: tarball ## a tree that runs wherever it is unpacked, without root
tarball: all man completions $(O)/tarball/perseus $(O)/tarball/libperseus-trap.so
	@rm -rf $(O)/tarball/root
	@$(MAKE) --no-print-directory -s install DESTDIR=$(abspath $(O))/tarball/root >/dev/null
	@packaging/tarball.sh $(O)/tarball/root$(PREFIX) $(O)/tarball $(tarball)
	@rm -rf $(O)/tarball/root
	@echo "  $(tarball): $$(stat -c %s $(tarball)) bytes"
