# SPDX-License-Identifier: MIT
# perseus-cc1, and the folder of links by which GCC's drivers find it
# (perseus build sets COMPILER_PATH to it).
cc1.names := cc1 cc1plus lto1 f951 gnat1 cc1obj cc1objplus d21 go1 cc1gm2
cc1.dir   := $(O)/libexec/perseus

$(cc1.dir)/perseus-cc1: $(patsubst %.c,$(O)/obj/%.o,$(wildcard cmd/cc1/*.c)) $(O)/lib.a
	@mkdir -p $(@D)/gcc
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^
	$(Q)for name in $(cc1.names); do ln -sf ../perseus-cc1 $(@D)/gcc/$$name || exit 1; done

.PHONY: cc1 ## what perseus build puts in front of the compilers
.PHONY: install-cc1
cc1: $(cc1.dir)/perseus-cc1
all: cc1
install-cc1: cc1
	install -d $(prefix)/libexec/perseus/gcc
	install -m 755 $(cc1.dir)/perseus-cc1 $(prefix)/libexec/perseus/
	for name in $(cc1.names); do ln -sf ../perseus-cc1 $(prefix)/libexec/perseus/gcc/$$name || exit 1; done
install: install-cc1
