/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/bodies.h"

struct of_two {
	enum body which;
	unsigned number;  /* DECL_UID of the plain one */
	const char *twin; /* an identifier's text: it stays */
};

/* By DECL_UID. */
static hash_map<int_hash<unsigned, 0, -1u>, of_two> *two;

static const of_two *find(tree decl)
{
	return two ? two->get(DECL_UID(decl)) : NULL;
}

enum body bodies_of(tree decl)
{
	const of_two *b = find(decl);

	return b ? b->which : BODY_ONLY;
}

void bodies_pair(tree plain, tree twin)
{
	of_two b = {BODY_PLAIN, DECL_UID(plain), IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(twin))};

	if (!two)
		two = new hash_map<int_hash<unsigned, 0, -1u>, of_two>;
	two->put(DECL_UID(plain), b);
	b.which = BODY_TWIN;
	two->put(DECL_UID(twin), b);
}

const char *bodies_twin_name(tree plain)
{
	return find(plain)->twin;
}

unsigned bodies_number(tree decl)
{
	return find(decl)->number;
}

static bool was_silent;

void bodies_begin(void *, void *)
{
	was_silent = GCC_SILENT(global_dc);
	GCC_SILENT(global_dc) |= bodies_of(current_function_decl) == BODY_TWIN;
}

void bodies_end(void *, void *)
{
	GCC_SILENT(global_dc) = was_silent;
}

bool bodies_any(void)
{
	return two != NULL;
}
