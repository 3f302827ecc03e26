# SPDX-License-Identifier: MIT
#
# make install: with PREFIX /usr or /usr/local and no DESTDIR the plugin is
# also put where GCC finds it by name.  Any other installation writes only
# below DESTDIR$(PREFIX).
#
# -fplugin=perseus is looked up in GCC's plugin directory.  -fplugin=perseus.so
# has a dot and goes straight to dlopen(), which never looks there: for it a
# library whose SONAME is perseus.so is registered with ldconfig.

prefix  = $(DESTDIR)$(PREFIX)
system := $(if $(DESTDIR),,$(filter /usr /usr/local,$(PREFIX)))
man_pages = $(wildcard $(O)/man/*.[1-8])

.PHONY: install uninstall
install: all man
	install -d $(prefix)/bin $(prefix)/lib/perseus $(prefix)/libexec/perseus $(prefix)/include/perseus \
	  $(prefix)/share/man/man1 $(prefix)/share/man/man5 $(prefix)/share/doc/perseus
	install -m 755 $(O)/bin/perseus $(prefix)/bin/perseus
	install -m 755 $(O)/bin/perseus-verify $(wildcard $(O)/bin/perseus-plan-check) $(prefix)/libexec/perseus/
	install -m 755 $(O)/lib/perseus.so $(O)/lib/perseus-gcc$(GCC_MAJOR).so $(O)/lib/libperseus-rt.so \
	  $(O)/lib/libperseus-nop.so $(prefix)/lib/perseus/
	install -m 644 $(O)/lib/libperseus-rt.a $(prefix)/lib/perseus/
	install -m 644 $(wildcard include/perseus/*.h) $(prefix)/include/perseus/
	for page in $(man_pages); do install -m 644 $$page $(prefix)/share/man/man$${page##*.}/ || exit 1; done
	install -m 644 README.md docs/design.md $(prefix)/share/doc/perseus/
ifneq ($(system),)
	install -d $(PLUGIN_DIR)
	install -m 755 $(O)/lib/perseus.so $(O)/lib/perseus-gcc$(GCC_MAJOR).so $(PLUGIN_DIR)/
	install -m 755 $(O)/lib/perseus.so $(PREFIX)/lib/libperseus-plugin.so
	install -m 755 $(O)/lib/perseus-gcc$(GCC_MAJOR).so $(PREFIX)/lib/
	ldconfig
endif
	@scripts/install-test.sh $(prefix) "$(system)" "$(CC)"

uninstall:
	rm -f $(prefix)/bin/perseus
	rm -rf $(prefix)/lib/perseus $(prefix)/libexec/perseus $(prefix)/include/perseus $(prefix)/share/doc/perseus
	rm -f $(prefix)/share/man/man1/perseus.1 $(prefix)/share/man/man1/perseus-*.1 $(prefix)/share/man/man5/perseus-*.5
ifneq ($(system),)
	rm -f $(PLUGIN_DIR)/perseus.so $(PLUGIN_DIR)/perseus-gcc$(GCC_MAJOR).so
	rm -f $(PREFIX)/lib/libperseus-plugin.so $(PREFIX)/lib/perseus-gcc$(GCC_MAJOR).so $(PREFIX)/lib/perseus.so
	ldconfig
endif
