/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include <elf.h>
#include <link.h>
#include "gcc-plugin/base/identity.h"

#define ID_BYTES  64
#define ALIGN4(n) (((n) + 3u) & ~3u)

/* The linker's name for the start of this very file in memory. */
extern "C" const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static void identity_print(const unsigned char *bytes, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* Look for the build id among the notes at @at. */
static void read_notes(const char *at, size_t size, char *out)
{
	while (size > sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		size_t name = ALIGN4(note->n_namesz), desc = ALIGN4(note->n_descsz);
		const char *text = at + sizeof(*note);

		if (sizeof(*note) + name + desc > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(text, "GNU", 4) &&
		    note->n_descsz <= ID_BYTES)
			identity_print((const unsigned char *)text + name, note->n_descsz, out);
		at += sizeof(*note) + name + desc;
		size -= sizeof(*note) + name + desc;
	}
}

const char *identity_text(void)
{
	static char text[2 * ID_BYTES + 1];
	const char *base = (const char *)&__ehdr_start;
	const ElfW(Phdr) *header = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);

	for (unsigned i = 0; i < __ehdr_start.e_phnum && !*text; i++)
		if (header[i].p_type == PT_NOTE)
			read_notes(base + header[i].p_vaddr, header[i].p_memsz, text);
	return text;
}

bool identity_check(const char *id)
{
	if (!strcmp(id, identity_text()))
		return true;
	error("perseus: argument %<id=%s%>: the plugin here is %s; it was installed anew since these flags "
	      "were made: take those that %<perseus flags%> prints now",
	      id, *identity_text() ? identity_text() : "without a build id");
	return false;
}
