/* SPDX-License-Identifier: MIT */
#include "record/probes/check.h"

#include <stdio.h>
#include <string.h>

#include "lib/json.h"
#include "lib/num.h"

/* What the reader should know about a kind of finding. */
static const char *meaning(enum region_fault f)
{
	switch (f) {
	case REGION_DIVISION:
		return "a division";
	case REGION_CALL:
		return "a call of something else";
	case REGION_LOAD:
		return "a load that belongs to the program";
	case REGION_STORE:
		return "a store that belongs to the program";
	case REGION_BRANCH:
		return "a conditional jump";
	case REGION_WORK:
		return "a computation";
	case REGION_NO_CALL:
		return "the end of the code, or another probe, and no call before it";
	case REGION_NO_LEAVE:
		return "the end of the code, or another probe, and no leave probe before it";
	case REGION_WRONG:
		return "the leave probe of another call";
	default:
		return "bytes that are no instruction";
	}
}

static void add_bytes(const struct region_finding *f, struct strbuf *out)
{
	for (unsigned i = 0; i < f->n_bytes; i++)
		strbuf_printf(out, "%s%02x", i ? " " : "", f->bytes[i]);
}

static void text_finding(const struct region_finding *f, struct strbuf *out)
{
	const struct run_call_site *c = f->site;

	strbuf_printf(out, "%s %s %s:%u %s -> %s\n    %s the call stands %s", f->id,
		      region_fault_name(f->fault), c->file, c->line, c->pretty, c->callee,
		      f->after ? "behind" : "before", meaning(f->fault));
	strbuf_printf(out, ", at 0x%llx", (unsigned long long)f->address);
	if (f->n_bytes) {
		strbuf_puts(out, ": ");
		add_bytes(f, out);
	}
	if (f->copies > 1)
		strbuf_printf(out, "\n    the same in %llu copies of the call",
			      (unsigned long long)f->copies);
	strbuf_puts(out, "\n");
}

/* "N ONE|MANY", a line of its own, if there are any. */
static void count(uint64_t n, const char *one, const char *many, struct strbuf *out)
{
	char number[32];

	if (n)
		strbuf_printf(out, "    %s %s\n", num_group(number, sizeof(number), n), n == 1 ? one : many);
}

void sites_check_text(const char *path, const struct region_counts *counts,
		      const struct region_findings *findings, struct strbuf *out)
{
	char a[32], b[32];

	for (size_t i = 0; i < findings->n; i++)
		text_finding(&findings->at[i], out);
	strbuf_printf(out, "%s: ", path);
	if (counts->faulty)
		strbuf_printf(out, "%s of %s probe pairs enclose%s more than %s call\n",
			      num_group(a, sizeof(a), counts->faulty), num_group(b, sizeof(b), counts->pairs),
			      counts->faulty == 1 ? "s" : "", counts->faulty == 1 ? "its" : "their");
	else
		strbuf_printf(out, "each of %s probe pairs encloses its call and nothing else\n",
			      num_group(b, sizeof(b), counts->pairs));
	strbuf_printf(out, "    %s of %s call sites have a probe in the code\n",
		      num_group(a, sizeof(a), counts->found), num_group(b, sizeof(b), counts->slots));
	count(counts->copied, "of them has several: copies that the compiler made of one call",
	      "of them have several: copies that the compiler made of one call", out);
	count(counts->noreturn, "pair ends with the call, which does not return",
	      "pairs end with the call, which does not return", out);
	count(counts->elsewhere, "call site without: the linker kept the copy of another unit (COMDAT)",
	      "call sites without: the linker kept the copy of another unit (COMDAT)", out);
	count(counts->gone, "call site without: dead code, or a section that the linker dropped",
	      "call sites without: dead code, or sections that the linker dropped", out);
}

static void json_finding(const struct region_finding *f, struct json *j)
{
	struct strbuf bytes = STRBUF_INIT;
	char address[24];

	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)f->address);
	add_bytes(f, &bytes);
	json_object(j, NULL);
	json_string(j, "id", f->id);
	json_string(j, "kind", region_fault_name(f->fault));
	json_string(j, "where", f->after ? "after" : "before");
	json_string(j, "site", f->site->id);
	json_string(j, "instance", f->site->instance);
	json_string(j, "function", f->site->pretty);
	json_string(j, "callee", f->site->callee);
	json_string(j, "file", strcmp(f->site->file, "-") ? f->site->file : NULL);
	json_u64(j, "line", f->site->line);
	json_string(j, "address", address);
	json_string(j, "bytes", bytes.s ? bytes.s : "");
	json_u64(j, "copies", f->copies);
	json_end(j);
	strbuf_release(&bytes);
}

void sites_check_json(const char *path, const struct region_counts *counts,
		      const struct region_findings *findings, struct json *j)
{
	json_object(j, NULL);
	json_string(j, "path", path);
	json_u64(j, "call_sites", counts->slots);
	json_u64(j, "call_sites_in_code", counts->found);
	json_u64(j, "call_sites_kept_elsewhere", counts->elsewhere);
	json_u64(j, "call_sites_dropped", counts->gone);
	json_u64(j, "call_sites_copied", counts->copied);
	json_u64(j, "pairs", counts->pairs);
	json_u64(j, "pairs_without_return", counts->noreturn);
	json_u64(j, "pairs_with_findings", counts->faulty);
	json_array(j, "findings");
	for (size_t i = 0; i < findings->n; i++)
		json_finding(&findings->at[i], j);
	json_end(j);
	json_end(j);
}
