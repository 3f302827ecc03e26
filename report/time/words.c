/* SPDX-License-Identifier: MIT */
#include "report/time/words.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/num.h"

bool text_is_last(const struct run *run)
{
	struct stat a, b;

	return !stat("perseus.data/last", &a) && !stat(run->path, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

double text_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

const char *text_duration(char *buf, size_t size, double ns, double resolution)
{
	if (ns >= resolution)
		return num_time(buf, size, ns * 1e-9);
	snprintf(buf, size, "< %.0f ns", resolution);
	return buf;
}

const char *text_calls(char *buf, size_t size, uint64_t calls, bool about)
{
	char number[32];

	snprintf(buf, size, "%s%s", about ? "~" : "", num_group(number, sizeof(number), calls));
	return buf;
}

void text_place(const char *file, uint32_t line, struct strbuf *out)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (file)
		strbuf_printf(out, "%s:%u", slash ? slash + 1 : file, line);
}

void text_beside(const char *name, const char *how, const char *file, uint32_t line, struct strbuf *out)
{
	struct strbuf place = STRBUF_INIT;
	const char *at;

	text_place(file, line, &place);
	at = place.s ? strstr(name, place.s) : NULL;
	if (place.s && (!at || strspn(at + place.len, "0123456789")))
		strbuf_printf(out, " (%s%s)", how, place.s);
	strbuf_release(&place);
}

/* Bytes of "operator<<" and its like at @at, which are no template's brackets. */
static size_t operator_bytes(const char *at)
{
	size_t n = strlen("operator");

	return strncmp(at, "operator", n) ? 0 : n + strspn(at + n, "<>=-!");
}

void text_short(const char *name, size_t limit, struct strbuf *out)
{
	bool whole = strlen(name) <= limit;
	int depth = 0;

	for (const char *p = name; *p;) {
		size_t n = operator_bytes(p);

		if (!n)
			n = 1;
		if (!whole && n == 1 && *p == '<' && !depth++)
			strbuf_puts(out, "<..>");
		if (!depth)
			strbuf_add(out, p, n);
		if (n == 1 && *p == '>' && depth)
			depth--;
		p += n;
	}
}

void text_cell(const char *name, int width, struct strbuf *out)
{
	struct strbuf name_short = STRBUF_INIT;
	int n = width - 2;

	text_short(name, (size_t)width, &name_short);
	name = name_short.s ? name_short.s : "";
	if ((int)strlen(name) <= width) {
		strbuf_printf(out, "%-*s", width, name);
	} else {
		while (n > 0 && (name[n] & 0xc0) == 0x80)
			n--;
		strbuf_printf(out, "%.*s..%*s", n, name, width - 2 - n, "");
	}
	strbuf_release(&name_short);
}

const char *text_run_name(const struct report_summary *s)
{
	return text_is_last(s->run) ? "@last" : s->run->path;
}
