/* SPDX-License-Identifier: MIT */
/*
 * The tree of .debug_info and .debug_types of an executable (DWARF 2 to 5), read without
 * trust: each unit's entries, with those of their attributes that tell what lies where.
 */
#ifndef PERSEUS_VERIFY_LAYOUTS_DWARF_H
#define PERSEUS_VERIFY_LAYOUTS_DWARF_H

#include "verify/elf/cut.h"
#include "verify/elf/image.h"

enum dwarf_state {
	DWARF_READ,
	DWARF_NONE,    /* there is none */
	DWARF_PACKED,  /* it is compressed */
	DWARF_DAMAGED, /* where units begin cannot be told */
};

enum dwarf_tag {
	TAG_END, /* of a row of children */
	TAG_CLASS = 0x02,
	TAG_LEXICAL_BLOCK = 0x0b,
	TAG_MEMBER = 0x0d,
	TAG_STRUCTURE = 0x13,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_BASE_TYPE = 0x24,
	TAG_SUBPROGRAM = 0x2e,
	TAG_VARIABLE = 0x34,
	TAG_NAMESPACE = 0x39,
};

enum dwarf_attribute {
	AT_NAME,
	AT_SIZE,  /* bytes */
	AT_PLACE, /* of a member in its type */
	AT_BITS,
	AT_DECLARATION,
	AT_ARTIFICIAL,
	AT_FILE,
	AT_LINE,
	AT_TYPE,
	AT_SPECIFICATION,
	AT_ORIGIN,
	AT_LINKAGE_NAME,
	AT_VALUE,
	AT_EXTERNAL,
	AT_LOCATION,
	AT_ALIGNMENT,
	AT_ENCODING,
	AT_SIGNATURE,
	AT_PRODUCER, /* this and those below: of units */
	AT_LANGUAGE,
	AT_FOLDER,
	AT_LINES,
	AT_DWO_NAME,
	AT_TEXTS_BASE,
	AT_ADDRESSES_BASE,
	AT_KINDS,
};

enum dwarf_kind {
	IS_ABSENT,
	IS_NUMBER,
	IS_TEXT,      /* text: NULL if it is nowhere */
	IS_REFERENCE, /* number: an offset in the section of the unit, or in .debug_info */
	IS_SIGNATURE, /* number: of the type that is meant */
	IS_BLOCK,     /* number: its bytes */
	IS_OTHER,
};

struct dwarf_value {
	enum dwarf_kind kind;
	bool whole; /* a reference that counts from the begin of .debug_info */
	uint64_t number;
	const char *text;
	const uint8_t *block;
};

/* The file of a declaration. */
struct dwarf_file {
	char *typed;      /* as the compiler was told, from where it ran */
	char *full;       /* from the root, without "." and ".."; NULL: where it ran is not said */
	const char *last; /* the last part of its name */
};

struct dwarf_unit {
	struct dwarf *all;
	const uint8_t *data; /* of the section; offsets count from here */
	uint64_t at, first, end;
	unsigned version, wide;   /* bytes of an offset */
	uint64_t signature, type; /* of a unit for one type: its offset; 0 */
	uint64_t abbreviations;   /* where they begin */
	struct abbreviation *abbreviation;
	size_t n_abbreviations;
	bool shares;               /* these belong to a unit before */
	uint64_t texts, addresses; /* where its part of such tables begins */
	uint64_t lines;            /* its program in .debug_line, UINT64_MAX: none */
	uint64_t language;
	const char *name, *producer; /* NULL: absent */
	const char *folder;          /* where the compiler ran, NULL: not said */
	const char *doubt;           /* why not all of it can be read; NULL: it can */
	struct {
		uint64_t i;
		const struct dwarf_file *file;
		bool known;
	} file[8]; /* what was asked for last */
};

/* An entry. */
struct die {
	struct dwarf_unit *unit;
	uint64_t at, next; /* its offset; where the entry behind it begins */
	uint32_t tag;
	bool has_children;
	struct dwarf_value value[AT_KINDS];
};

struct dwarf_bytes {
	const uint8_t *data;
	size_t size;
};

struct dwarf {
	const struct image *e;
	struct dwarf_bytes info, types, abbreviations, texts, line_texts, text_offsets, addresses;
	struct dwarf_unit *unit;
	size_t n;
	struct dwarf_file **file; /* all that were asked for */
	size_t n_files;
	uint64_t left; /* entries that may be read yet: a damaged file leads in circles */
};

/* Find the units.  Release in every case. */
enum dwarf_state dwarf_open(struct dwarf *d, const struct image *e);

/* Free the contents. */
void dwarf_release(struct dwarf *d);

/* The first entry of @u; the one behind @die, in the order of the file.  False behind the last. */
bool dwarf_first(struct dwarf_unit *u, struct die *die);
bool dwarf_next(struct die *die);

/* The entry that attribute @a of @die refers to; false if there is none. */
bool dwarf_follow(const struct die *die, enum dwarf_attribute a, struct die *to);

/* The same for its type, if need be in a unit of its own. */
bool dwarf_follow_type(const struct die *die, struct die *to);

/* The file in which @die is declared, NULL if that is not known; lives as long as the whole. */
const struct dwarf_file *dwarf_file(const struct die *die);

/* Is @written, as in a plan, the file?  Of the last parts of the two, one must be all of it; see perseus/triggers.h. */
bool dwarf_is_file(const char *written, const struct dwarf_file *file);

/* Are both one file, as far as both are known? */
bool dwarf_same_file(const struct dwarf_file *a, const struct dwarf_file *b);

/* Two paths of one file, seen from different folders. */
bool dwarf_same_path(const char *a, const char *b);

/* Free what was asked for. */
void dwarf_release_files(struct dwarf *d);

/* Where in its type the member @die begins; false if that is computed. */
bool dwarf_place(const struct die *die, uint64_t *offset);

/* The address of the variable @die, if it has one that does not change. */
bool dwarf_address(const struct die *die, uint64_t *address);

/* The same of a variable that each thread has: its place among those of a thread. */
bool dwarf_thread_place(const struct die *die, uint64_t *place);

/* The addresses of its parts, if they lie apart: the first @most of them into @out; how many. */
size_t dwarf_addresses(const struct die *die, uint64_t *out, size_t most);

static inline bool dwarf_has(const struct die *die, enum dwarf_attribute a)
{
	return die->value[a].kind != IS_ABSENT;
}

static inline uint64_t dwarf_number(const struct die *die, enum dwarf_attribute a)
{
	return die->value[a].kind == IS_NUMBER ? die->value[a].number : 0;
}

static inline const char *dwarf_text(const struct die *die, enum dwarf_attribute a)
{
	return die->value[a].kind == IS_TEXT ? die->value[a].text : NULL;
}

#endif
