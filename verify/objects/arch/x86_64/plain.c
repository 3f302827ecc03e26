/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "verify/objects/unwind.h"

static bool is_code(const struct frame_code *code, const char *text, size_t n)
{
	struct frame_code known = {(const uint8_t *)text, n};

	return frames_same_code(&known, code);
}

/* An entry of the PLT has pushed a word from one of its bytes on, a number that stands in the code. */
static bool is_plt(const struct frame_code *code)
{
	static const uint8_t plt[] = {0x0e, 0x10, 0x46, 0x0e, 0x18, 0x4a, 0x0f, 0x0b, 0x77, 0x08,
				      0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};

	for (size_t i = 0; code->n == sizeof(plt) && i < sizeof(plt); i++)
		if (code->at[i] != plt[i] && (i != 14 || code->at[i] >> 4 != 3))
			return false;
	return code->n == sizeof(plt);
}

bool unwind_is_plain(const struct frame *f)
{
	const struct frame_kind *k = &f->kind;

	return !strcmp(k->augmentation, "zR") && k->align_code == 1 && k->align_data == (uint64_t)-8 &&
	       k->return_register == 16 &&
	       (is_code(&k->code, "\x0c\x07\x08\x90\x01", 5) ||
		is_code(&k->code, "\x0c\x07\x08\x90\x01\x07\x10", 7)) &&
	       (is_code(&f->code, "", 0) || is_plt(&f->code));
}
