/* SPDX-License-Identifier: MIT */
/*
 * A linked program or library as the linker left it, with the call probes in
 * its code: found by their bytes, so that a stripped file will do.  What a
 * probe looks like is known here and in gcc-plugin/arch/x86_64/probe.c only.
 */
#ifndef PERSEUS_RECORD_PROBES_IMAGE_H
#define PERSEUS_RECORD_PROBES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/inspect/x86.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/run.h"

/* Bytes of the file at an address of the link. */
struct image_part {
	const uint8_t *bytes;
	uint64_t address, size;
	bool code;     /* executable */
	bool constant; /* not written to once the program runs */
};
struct image_parts VEC(struct image_part);

/* The descriptor of an object: where it lies, and which unit of the site table it belongs to. */
struct image_desc {
	uint64_t address;
	size_t unit; /* index into sites->units */
};
struct image_descs VEC(struct image_desc);

/* An enter probe in place. */
struct image_enter {
	uint64_t address; /* of its first instruction */
	uint64_t after;   /* of the first one behind it */
	size_t unit;
	uint32_t site; /* slot in that unit */
	uint8_t token; /* number of the register that has the token then */
};
struct image_enters VEC(struct image_enter);

/* A leave probe in place. */
struct image_leave {
	uint32_t site;
	uint64_t after;
};

struct sites_image {
	struct strbuf file;
	struct image_parts parts;
	struct image_parts frozen;  /* ranges that are read-only after relocation */
	struct image_descs descs;   /* ascending by address */
	struct image_enters enters; /* ascending by address */
};

/*
 * Read the file @path and find the descriptors of the units of @sites, and
 * all enter probes.  Fails with -errno, -ENOEXEC (not an ELF file), -ENOTSUP
 * (not linked, or not for x86-64: nothing can be said), -EINVAL (damaged).
 * @img is empty on failure; else release it.
 */
int sites_image_open(struct sites_image *img, const char *path, const struct sites *sites, struct err *err);
void sites_image_release(struct sites_image *img);

/* The code at @address and how many bytes of it follow, NULL: there is none. */
const uint8_t *sites_image_code(const struct sites_image *img, uint64_t address, size_t *size);

/* True if what lies at @address does not change while the program runs: constants, resolved addresses. */
bool sites_image_constant(const struct sites_image *img, uint64_t address);

/*
 * True if what lies at @address, behind @e, looks at its token and at nothing else:
 * a call that exists twice, *@timed is where the one with a leave probe begins.
 */
bool sites_image_choice(const struct sites_image *img, const struct image_enter *e, uint64_t address,
			uint64_t *timed);

/* True if a leave probe begins at @address; @leave says which. */
bool sites_image_leave(const struct sites_image *img, uint64_t address, struct image_leave *leave);

/* True if an enter probe begins at @address. */
bool sites_image_enters(const struct sites_image *img, uint64_t address);

/* The instruction at @at; false: no code there, or none that can be read. */
bool sites_image_insn(const struct sites_image *img, uint64_t at, struct x86_insn *x);

#endif
