/* SPDX-License-Identifier: MIT */
/* .eh_frame: how each stretch of code is unwound (DWARF call frame information), read without trust. */
#ifndef PERSEUS_VERIFY_ELF_FRAMES_H
#define PERSEUS_VERIFY_ELF_FRAMES_H

#include "verify/elf/image.h"

/* Operations of the unwinder, without those at the end that do nothing. */
struct frame_code {
	const uint8_t *at;
	size_t n;
};

/* What several entries have in common (CIE). */
struct frame_kind {
	const char *augmentation;
	uint64_t align_code, align_data, return_register;
	uint8_t version, pc_encoding, lsda_encoding, personality_encoding; /* DW_EH_PE_... */
	bool has_lsda, has_personality;
	size_t personality; /* where its pointer is, in the section */
	struct frame_code code;
};

/* One stretch of code (FDE). */
struct frame {
	struct frame_kind kind;
	size_t offset;       /* in the section */
	size_t pc;           /* where the pointer to the code is */
	size_t lsda;         /* where the pointer to the table of handlers is, if kind.has_lsda */
	uint64_t from, size; /* the code; from: of executables only */
	struct frame_code code;
};

struct frames {
	const uint8_t *data;
	size_t size;
	uint64_t address;    /* of the section */
	struct frame *frame; /* by offset */
	size_t n;
	const struct frame **by_code; /* the same, by address of the code */
};

/* Read section @section of @e; false if it is damaged or of an unknown kind.  Release in every case. */
bool frames_read(struct frames *out, const struct image *e, size_t section);

/* The first entry in @f->by_code for code that begins at @from or behind it; n if there is none. */
size_t frames_from(const struct frames *f, uint64_t from);

/* The entry at @offset of the section, or NULL. */
const struct frame *frames_at(const struct frames *f, size_t offset);

/* Free the contents. */
void frames_release(struct frames *f);

/* The number at @at as @encoding has it, and the address that it stands for. */
uint64_t frames_value(const struct frames *f, size_t at, uint8_t encoding);
uint64_t frames_pointer(const struct frames *f, size_t at, uint8_t encoding);

/* The same operations? */
bool frames_same_code(const struct frame_code *a, const struct frame_code *b);

#endif
