# SPDX-License-Identifier: MIT
# Pages are written for scdoc; without it `make man` says so and goes on.
man_src := $(wildcard docs/man/*.scd)
.PHONY: man ## the manual pages
man: $(patsubst docs/man/%.scd,$(O)/man/%,$(man_src)) $(O)/man/perseus-record.5
$(O)/man/%: docs/man/%.scd
	@mkdir -p $(@D)
	$(say) MAN $@
	$(Q)if command -v scdoc >/dev/null; then scdoc < $< > $@; else echo "scdoc is not installed: no $(@F)"; fi

$(O)/man/perseus-record.5: docs/man/perseus-record.5.md docs/man/md2scd.awk
	@mkdir -p $(@D)
	$(say) MAN $@
	$(Q)if command -v scdoc >/dev/null; then awk -f docs/man/md2scd.awk $< | scdoc > $@; \
	  else echo "scdoc is not installed: no $(@F)"; fi

# A page that scdoc refuses, a verb without a page, a page without a verb, a help that differs from its page.
.PHONY: check-man
$(if $(wildcard cmd/cmd-*.c),$(eval lint: check-man))
check-man: man $(if $(wildcard cmd/cmd-*.c),perseus)
	@scripts/check-man.sh $(O)/bin/perseus
