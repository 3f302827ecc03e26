/* SPDX-License-Identifier: MIT */
/* A builder of the trace of a run, packet by packet, for tests. */
#ifndef PERSEUS_TESTS_RECORD_BUILD_TRACE_H
#define PERSEUS_TESTS_RECORD_BUILD_TRACE_H

#include <string.h>

#include "perseus/trace.h"
#include "tests/unit/record/build.h"

#define BUILD_TRACE_STATE(state)                                                                             \
	"/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n"                                             \
	"\tuuid = \"01020304-0506-0708-090a-0b0c0d0e0f10\";\n\tbyte_order = le;\n};\n"                       \
	"env {\n\ttracer_name = \"perseus\";\n\tstate = \"" state "\";\n\tthreads_without_trace = 3;\n};\n"

/* A stream in the making; the packet that is open begins at `packet`. */
struct ctf_build {
	struct strbuf file;
	size_t packet;
};

static inline struct prs_packet *ctf_packet(struct ctf_build *b)
{
	return (struct prs_packet *)(void *)(b->file.s + b->packet);
}

/* Begin a packet of thread @thread of process 100.0. */
static inline void ctf_begin(struct ctf_build *b, uint32_t thread, uint64_t discarded)
{
	struct prs_packet p = {.magic = PRS_CTF_MAGIC,
			       .discarded = discarded,
			       .pid = 100,
			       .thread = thread,
			       .tid = 100 + thread};

	for (int i = 0; i < 16; i++)
		p.uuid[i] = (uint8_t)(i + 1);
	b->packet = b->file.len;
	strbuf_add(&b->file, &p, sizeof(p));
	ctf_packet(b)->bits = ctf_packet(b)->all_bits = sizeof(p) * 8;
}

/* Add a record of @n words that happened at @time. */
static inline void ctf_add(struct ctf_build *b, uint64_t time, const uint64_t *words, size_t n)
{
	strbuf_add(&b->file, words, n * sizeof(*words));
	if (ctf_packet(b)->bits == sizeof(struct prs_packet) * 8)
		ctf_packet(b)->begin = time;
	ctf_packet(b)->end = time;
	ctf_packet(b)->bits += n * 64;
	ctf_packet(b)->all_bits = ctf_packet(b)->bits;
}

/* A call of @site from @start to @end. */
static inline void ctf_call(struct ctf_build *b, uint32_t site, uint64_t start, uint64_t end)
{
	uint64_t w[2] = {end, (end - start) | (uint64_t)site << 32};

	ctf_add(b, end, w, 2);
}

/* An access or a note: @cls PRS_CLASS_MEMORY or PRS_CLASS_NOTE. */
static inline void ctf_long(struct ctf_build *b, unsigned cls, uint64_t time, uint64_t second, uint64_t third,
			    uint64_t fourth)
{
	uint64_t w[4] = {time | (uint64_t)cls << PRS_CLASS_SHIFT, second,
			 third | (uint64_t)PRS_CLASS_MORE << PRS_CLASS_SHIFT, fourth};

	ctf_add(b, time, w, 4);
}

/* Write trace/metadata into run directory @dir. */
static inline void ctf_metadata(const char *dir, const char *text)
{
	struct err err = ERR_INIT;
	char sub[300];

	snprintf(sub, sizeof(sub), "%s/trace", dir);
	if (fs_mkdirs(sub, &err))
		exit(1);
	build_write(dir, "trace/metadata", text, strlen(text));
}

/* Write the stream as @dir/trace/NAME and free it. */
static inline void ctf_save(struct ctf_build *b, const char *dir, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "trace/%s", name);
	build_write(dir, path, b->file.s ? b->file.s : "", b->file.len);
	strbuf_release(&b->file);
}

#endif
