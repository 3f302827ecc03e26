# SPDX-License-Identifier: MIT
#
# make install: all back ends that were built, one for each GCC.
# With PREFIX /usr or /usr/local and no DESTDIR the plugin is
# also put where GCC finds it by name.  Any other installation writes only
# below DESTDIR$(PREFIX).
#
# -fplugin=perseus is looked up in GCC's plugin directory.  -fplugin=perseus.so
# has a dot and goes straight to dlopen(), which never looks there: for it a
# library whose SONAME is perseus.so is registered with ldconfig.

prefix := $(DESTDIR)$(PREFIX)
system := $(if $(DESTDIR),,$(filter /usr /usr/local,$(PREFIX)))
man_pages = $(wildcard $(O)/man/*.[1-8])
# Where other build systems look for Perseus; Debian has a folder of its own for pkg-config.
PKGCONFIGDIR ?= $(PREFIX)/lib/pkgconfig
cmake_dir = $(prefix)/lib/cmake/Perseus
filled = sed -e 's,@VERSION@,$(VERSION),g' -e 's,@UP@,$(shell realpath -m --relative-to=$(PKGCONFIGDIR) $(PREFIX)),g'

# Completions, of the tables of options.
completions := $(O)/completions/bash
.PHONY: completions ## completions for bash, zsh and fish
completions: $(completions)
$(completions): $(O)/bin/perseus scripts/completions.sh scripts/completions.bash
	@mkdir -p $(@D)
	$(say) TABS $(@D)
	$(Q)scripts/completions.sh $(@D) $< cmd/verbs.h
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
tabs_to := $(prefix)/share/bash-completion/completions $(DESTDIR)$(ZSHDIR) $(prefix)/share/fish/vendor_completions.d

.PHONY: install ## install below DESTDIR and PREFIX (/usr/local)
.PHONY: uninstall ## remove what install put there
install: all man completions
	install -d $(prefix)/bin $(prefix)/lib/perseus $(prefix)/libexec/perseus $(prefix)/include/perseus \
	  $(addprefix $(prefix)/share/man/man,1 5 7 8) $(prefix)/share/doc/perseus \
	  $(prefix)/sbin $(prefix)/lib/systemd/system $(prefix)/lib/sysusers.d
	install -m 755 $(O)/bin/perseus $(prefix)/bin/perseus
	install -m 755 $(verify.bin) $(prefix)/libexec/perseus/
	install -m 755 $(O)/sbin/perseusd $(prefix)/sbin/perseusd
	for unit in service socket; do sed 's,@SBIN@,$(PREFIX)/sbin,' daemon/perseusd.$$unit >$(prefix)/lib/systemd/system/perseusd.$$unit && \
	  chmod 644 $(prefix)/lib/systemd/system/perseusd.$$unit || exit 1; done
	install -m 644 daemon/perseus.sysusers $(prefix)/lib/sysusers.d/perseus.conf
	install -d $(prefix)/src/perseus-$(VERSION)/include/perseus
	install -m 644 $(addprefix kmod/,Makefile dkms.conf perseus.c limits.h 99-perseus.rules README.md) $(prefix)/src/perseus-$(VERSION)/
	install -m 644 include/perseus/ctl.h $(prefix)/src/perseus-$(VERSION)/include/perseus/
	$(if $(mpi.so),install -m 755 $(mpi.so) $(prefix)/libexec/perseus/)
ifneq ($(ported),)
	install -m 755 $(O)/lib/perseus.so $(plugin.made) $(O)/lib/libperseus-rt.so $(O)/lib/libperseus-rt-events.so $(O)/lib/libperseus-nop.so $(O)/lib/libperseus-denormal.so $(O)/lib/libperseus-trap.so $(O)/lib/libperseus-flush.so $(O)/lib/libperseus-trial.so $(prefix)/lib/perseus/
	install -m 644 $(O)/lib/libperseus-rt.a $(O)/lib/libperseus-rt.wrap $(prefix)/lib/perseus/
endif
	install -m 644 $(wildcard include/perseus/*.h) $(prefix)/include/perseus/
	for page in $(man_pages); do install -m 644 $$page $(prefix)/share/man/man$${page##*.}/ || exit 1; done
	install -d $(DESTDIR)$(PKGCONFIGDIR) $(cmake_dir)
	$(filled) packaging/perseus.pc.in >$(DESTDIR)$(PKGCONFIGDIR)/perseus.pc
	install -m 644 packaging/PerseusConfig.cmake $(cmake_dir)/
	$(filled) packaging/PerseusConfigVersion.cmake.in >$(cmake_dir)/PerseusConfigVersion.cmake
	chmod 644 $(DESTDIR)$(PKGCONFIGDIR)/perseus.pc $(cmake_dir)/PerseusConfigVersion.cmake
	install -d $(tabs_to)
	install -m 644 $(O)/completions/bash $(word 1,$(tabs_to))/perseus
	install -m 644 $(O)/completions/zsh $(word 2,$(tabs_to))/_perseus
	install -m 644 $(O)/completions/fish $(word 3,$(tabs_to))/perseus.fish
	install -m 644 README.md CHANGELOG.md $(addprefix docs/,design.md decisions.md threats.md tutorial.md which.md commands.md troubleshooting.md \
	  stability.md stable.txt) $(prefix)/share/doc/perseus/
ifneq ($(and $(system),$(ported)),)
	$(foreach n,$(made_majors),install -d $(call dir_of,$(n)) && \
	  install -m 755 $(O)/lib/perseus.so $(O)/lib/perseus-gcc$(n).so $(call dir_of,$(n))/ &&) true
	install -m 755 $(O)/lib/perseus.so $(PREFIX)/lib/libperseus-plugin.so
	$(if $(plugin.made),install -m 755 $(plugin.made) $(PREFIX)/lib/)
	ldconfig
endif
	$(if $(ported),@scripts/install-test.sh $(prefix) "$(system)" $(foreach n,$(made_majors),$(call gcc_of,$(n))))

uninstall:
	rm -f $(prefix)/bin/perseus
	rm -rf $(prefix)/src/perseus-$(VERSION) $(prefix)/lib/perseus $(prefix)/libexec/perseus $(prefix)/include/perseus $(prefix)/share/doc/perseus
	rm -f $(word 1,$(tabs_to))/perseus $(word 2,$(tabs_to))/_perseus $(word 3,$(tabs_to))/perseus.fish
	rm -rf $(cmake_dir) $(DESTDIR)$(PKGCONFIGDIR)/perseus.pc
	rm -f $(prefix)/sbin/perseusd $(prefix)/lib/systemd/system/perseusd.service $(prefix)/lib/systemd/system/perseusd.socket \
	  $(prefix)/lib/sysusers.d/perseus.conf $(prefix)/share/man/man8/perseusd.8
	rm -f $(prefix)/share/man/man1/perseus.1 $(foreach s,1 5 7,$(prefix)/share/man/man$(s)/perseus-*.$(s))
ifneq ($(system),)
	rm -f $(foreach n,$(plugin_majors),$(call dir_of,$(n))/perseus.so $(call dir_of,$(n))/perseus-gcc$(n).so)
	rm -f $(PREFIX)/lib/libperseus-plugin.so $(PREFIX)/lib/perseus-gcc[1-9]*.so $(PREFIX)/lib/perseus.so
	ldconfig
endif
