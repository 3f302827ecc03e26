/* SPDX-License-Identifier: MIT */
/* The trap route's files given: a line of sums, one for each kind of note, and one for each instruction. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/fs.h"
#include "record/denormal/traps.h"

int main(int argc, char **argv)
{
	struct denormal_traps t = {0};
	struct err err = ERR_INIT;
	uint64_t operands = 0, results = 0, lanes = 0;

	for (int i = 1; i < argc; i++) {
		struct strbuf data = STRBUF_INIT;

		if (fs_read(argv[i], 0, &data, &err) || denormal_traps_add(&t, data.s, data.len, argv[i], &err)) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
		strbuf_release(&data);
	}
	denormal_traps_settle(&t);
	denormal_traps_name(&t);
	for (size_t i = 0; i < t.rows.n; i++) {
		operands += t.rows.at[i].operands;
		results += t.rows.at[i].results;
		lanes += t.rows.at[i].lanes;
	}
	printf("files=%zu running=%zu threads=%zu rows=%zu operands=%" PRIu64 " results=%" PRIu64 " lanes=%" PRIu64
	       " lost=%" PRIu64 "\n",
	       t.n_files, t.n_running, t.n_threads, t.rows.n, operands, results, lanes, t.lost);
	for (size_t i = 0; i < t.notes.n; i++)
		printf("note=%u value=%" PRIx64 " count=%" PRIu64 "\n", t.notes.at[i].kind, t.notes.at[i].value,
		       t.notes.at[i].count);
	for (size_t i = 0; i < t.rows.n; i++) {
		const struct denormal_trap *r = &t.rows.at[i];
		const char *path = r->module == DENORMAL_NO_MODULE ? "-" : t.modules.at[r->module].path;

		printf("at=%s+%" PRIx64 " in=%s operands=%" PRIu64 " results=%" PRIu64 " lanes=%" PRIu64 "\n",
		       fs_base_name(path), r->address, r->function ? r->function : "-", r->operands, r->results,
		       r->lanes);
	}
	denormal_traps_release(&t);
	return 0;
}
