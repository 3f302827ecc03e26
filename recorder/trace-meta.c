/* SPDX-License-Identifier: MIT */
#include "recorder/trace-meta.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/inspect/demangle.h"
#include "perseus/trace.h"

/*
 * Types of one name each; a call is 16 bytes, its class and its time are the
 * event's header.  Addresses have 60 bits, since babeltrace2 2.0 prints
 * hexadecimal numbers of 61 to 63 bits as 0.
 */
static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := byte_t;\n"
	"typealias integer { size = 32; align = 32; signed = false; } := word_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; } := long_t;\n"
	"typealias integer { size = 64; align = 64; signed = false; map = clock.ticks.value; } := moment_t;\n"
	"typealias integer { size = 62; align = 64; signed = false; map = clock.ticks.value; } := "
	"moment_62_t;\n"
	"typealias integer { size = 60; align = 64; signed = false; base = 16; } := address_t;\n"
	"typealias integer { size = 27; align = 1; signed = false; } := length_t;\n"
	"typealias integer { size = 24; align = 1; signed = false; } := bytes_t;\n"
	"typealias integer { size = 5; align = 1; signed = false; } := shift_t;\n"
	"typealias integer { size = 2; align = 1; signed = false; } := class_t;\n"
	"typealias integer { size = 1; align = 1; signed = false; } := flag_t;\n\n";

static const char header[] =
	"	packet.header := struct { word_t magic; byte_t uuid[16]; word_t stream_id; };\n";

static const char stream_body[] = "	packet.context := struct {\n"
				  "		long_t content_size; long_t packet_size;\n"
				  "		moment_t timestamp_begin; moment_t timestamp_end;\n"
				  "		long_t events_discarded;\n"
				  "		word_t pid; word_t epoch; word_t thread; word_t tid;\n"
				  "	};\n"
				  "	event.header := struct { moment_62_t timestamp; class_t id; };\n"
				  "};\n";

static void put_quoted(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			strbuf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			strbuf_puts(out, "?");
		else
			strbuf_add(out, text, 1);
	}
}

static void put_uuid(struct strbuf *out, const uint8_t *u)
{
	for (int i = 0; i < 16; i++)
		strbuf_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
}

/* The instant at which the counter was 0, in whole seconds and ticks. */
static void put_clock(struct strbuf *out, const struct trace_meta *m)
{
	uint64_t hz = (uint64_t)(m->hz + 0.5);
	double since = (double)m->ticks / m->hz * 1e9;
	int64_t zero = (int64_t)m->wall_ns - (int64_t)since;
	int64_t seconds = zero / 1000000000, rest = zero % 1000000000;

	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	strbuf_printf(
		out,
		"clock {\n\tname = ticks;\n\tdescription = \"time-stamp counter, or nanoseconds where it "
		"is not steady\";\n\tfreq = %llu;\n\toffset_s = %lld;\n\toffset = %llu;\n};\n\n",
		(unsigned long long)hz, (long long)seconds,
		(unsigned long long)((double)rest * (double)hz / 1e9));
}

static void put_environment(struct strbuf *out, const struct trace_meta *m)
{
	const struct drain_totals *t = m->totals;

	strbuf_puts(out, "env {\n\tdomain = \"perseus\";\n\ttracer_name = \"perseus\";\n\tprogram = \"");
	put_quoted(out, m->program);
	strbuf_printf(out, "\";\n\tstate = \"%s\";\n", m->state);
	if (t)
		strbuf_printf(out,
			      "\tcalls = %llu;\n\taccesses = %llu;\n\tlost_calls = %llu;\n"
			      "\tlost_accesses = %llu;\n\tthreads_without_trace = %u;\n",
			      (unsigned long long)t->calls, (unsigned long long)t->mems,
			      (unsigned long long)t->lost_calls, (unsigned long long)t->lost_mems,
			      t->refused);
	strbuf_puts(out, "};\n\n");
}

/* A label for people; the site's number makes it unique. */
static void put_call_label(struct strbuf *out, const struct run_call_site *s, uint32_t number)
{
	char *callee = demangle_short(s->callee);

	strbuf_puts(out, "\"");
	put_quoted(out, callee ? callee : s->callee);
	strbuf_puts(out, " (");
	put_quoted(out, s->pretty);
	strbuf_puts(out, ", ");
	put_quoted(out, s->file);
	strbuf_printf(out, ":%u) #%u\" = %u,\n", s->line, number, number);
	free(callee);
}

static void put_mem_label(struct strbuf *out, const struct run_mem_site *s, uint32_t number)
{
	strbuf_puts(out, "\"");
	put_quoted(out, s->base);
	strbuf_puts(out, " (");
	put_quoted(out, s->pretty);
	strbuf_puts(out, ", ");
	put_quoted(out, s->file);
	strbuf_printf(out, ":%u) #%u\" = %u,\n", s->line, number, number);
}

/* An enumeration of the sites of a process, or plain numbers while nothing is known of them. */
static void trace_meta_put_sites(struct strbuf *out, const struct run_process *p, bool mems, unsigned bits)
{
	uint32_t n = !p ? 0 : mems ? p->header->n_mems : p->header->n_calls;

	strbuf_printf(out, "enum : integer { size = %u; align = 1; signed = false; } {\n", bits);
	for (uint32_t i = 0; i < n; i++) {
		const struct run_call_site *call = mems ? NULL : run_call_site(p, i);
		const struct run_mem_site *mem = mems ? run_mem_site(p, i) : NULL;

		if (call)
			put_call_label(out, call, i);
		else if (mem)
			put_mem_label(out, mem, i);
	}
	/* Every enumeration needs one entry. */
	strbuf_printf(out, "\"unknown\" = %lu }", (1ul << bits) - 1);
}

static const struct run_process *process_of(const struct trace_meta *m, size_t i)
{
	const struct drain_process *want = &m->processes->at[i];

	for (size_t k = 0; m->run && k < m->run->n_processes; k++) {
		const struct run_process *p = &m->run->processes[k];

		if (p->header->pid == want->pid && p->header->epoch == want->epoch)
			return p;
	}
	return NULL;
}

static void put_events(struct strbuf *out, const struct run_process *p, size_t stream)
{
	strbuf_printf(out,
		      "event {\n	name = \"call\"; id = %u; stream_id = %zu;\n"
		      "	/* The time is that of the return; it took ticks << shift. */\n"
		      "	fields := struct { length_t ticks; shift_t shift; ",
		      PRS_CLASS_CALL, stream);
	trace_meta_put_sites(out, p, false, 30);
	strbuf_printf(out,
		      " site; flag_t interrupted; flag_t late; };\n};\n"
		      "event {\n	name = \"memory\"; id = %u; stream_id = %zu;\n	fields := struct { ",
		      PRS_CLASS_MEMORY, stream);
	trace_meta_put_sites(out, p, true, 32);
	strbuf_printf(out,
		      " site; bytes_t bytes;\n"
		      "		enum : byte_t { \"load\" = 0, \"store\" = 1, \"rmw\" = 2, \"atomic\" = 3 } "
		      "kind;\n"
		      "		address_t address; class_t none; class_t class; long_t spare; };\n};\n"
		      "event {\n	name = \"note\"; id = %u; stream_id = %zu;\n	fields := struct { ",
		      PRS_CLASS_NOTE, stream);
	trace_meta_put_sites(out, p, false, 32);
	strbuf_puts(out,
		    " site;\n		enum : word_t { \"gap\" = 1, \"alloc\" = 2, \"free\" = 3 } kind;\n"
		    "		address_t address; class_t none; class_t class; long_t bytes; };\n};\n");
}

void trace_meta_text(const struct trace_meta *m, struct strbuf *out)
{
	strbuf_puts(out, "/* CTF 1.8 */\n\n");
	strbuf_puts(out, types);
	strbuf_puts(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	put_uuid(out, m->uuid);
	strbuf_puts(out, "\";\n\tbyte_order = le;\n");
	strbuf_puts(out, header);
	strbuf_puts(out, "};\n\n");
	put_environment(out, m);
	put_clock(out, m);
	for (size_t i = 0; i < m->processes->n; i++) {
		strbuf_printf(out, "stream {\n	id = %zu; /* process %u, epoch %u */\n", i,
			      m->processes->at[i].pid, m->processes->at[i].epoch);
		strbuf_puts(out, stream_body);
		put_events(out, process_of(m, i), i);
		strbuf_puts(out, "\n");
	}
}
