/* SPDX-License-Identifier: MIT */
#include "cmd/sites/list.h"

#include <stdio.h>

#include "perseus/access.h"

static void json_call(struct json *j, const struct run_call_site *c)
{
	json_object(j, NULL);
	json_string(j, "id", c->id);
	json_string(j, "instance", c->instance);
	json_string(j, "function", c->pretty);
	json_string(j, "assembler_name", c->function);
	json_string(j, "callee", c->callee);
	json_string(j, "file", sites_known(c->file));
	json_u64(j, "line", c->line);
	json_u64(j, "column", c->column);
	json_u64(j, "ordinal", c->ordinal);
	json_string(j, "flags", sites_known(c->flags));
	json_string(j, "chain", sites_known(c->chain));
	json_string(j, "allocates", c->alloc_type);
	json_end(j);
}

static void json_mem(struct json *j, const struct run_mem_site *m)
{
	json_object(j, NULL);
	json_string(j, "id", m->id);
	json_string(j, "instance", m->instance);
	json_string(j, "function", m->pretty);
	json_string(j, "kind", prs_kind_word(m->kind));
	json_u64(j, "bytes", m->bytes);
	json_string(j, "file", sites_known(m->file));
	json_u64(j, "line", m->line);
	json_bool(j, "near", m->near);
	json_string(j, "base", sites_known(m->base));
	json_string(j, "type", sites_known(m->type));
	json_string(j, "field", sites_known(m->field));
	json_u64(j, "offset", m->offset);
	json_end(j);
}

static void json_unit(struct json *j, const struct sites_unit *u)
{
	char id[17];

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)u->unit_id);
	json_object(j, NULL);
	json_string(j, "id", id);
	json_string(j, "source", u->source);
	json_string(j, "producer", u->producer);
	json_string(j, "flags", sites_known(u->flags));
	json_array(j, "calls");
	for (uint32_t i = 0; i < u->n_calls; i++)
		json_call(j, &u->calls[i]);
	json_end(j);
	json_array(j, "accesses");
	for (uint32_t i = 0; i < u->n_mems; i++)
		json_mem(j, &u->mems[i]);
	json_end(j);
	json_end(j);
}

void sites_json(struct json *j, const char *name, const struct sites *s)
{
	json_object(j, NULL);
	json_string(j, "path", name);
	json_array(j, "units");
	for (size_t i = 0; i < s->n_units; i++)
		json_unit(j, &s->units[i]);
	json_end(j);
	json_array(j, "skipped");
	for (size_t i = 0; i < s->n_skipped; i++) {
		json_object(j, NULL);
		json_string(j, "kind", s->skipped[i].kind);
		json_string(j, "reason", s->skipped[i].reason);
		json_string(j, "function", sites_known(s->skipped[i].function));
		json_string(j, "callee", sites_known(s->skipped[i].callee));
		json_string(j, "file", sites_known(s->skipped[i].file));
		json_u64(j, "line", s->skipped[i].line);
		json_end(j);
	}
	json_end(j);
	json_array(j, "unlinked");
	for (size_t i = 0; i < s->n_unlinked; i++) {
		json_object(j, NULL);
		json_string(j, "source", sites_known(s->unlinked[i].source));
		json_u64(j, "calls", s->unlinked[i].calls);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}
