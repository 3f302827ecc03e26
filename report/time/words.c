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

void text_cell(const char *name, int width, struct strbuf *out)
{
	if ((int)strlen(name) <= width)
		strbuf_printf(out, "%-*s", width, name);
	else
		strbuf_printf(out, "%.*s..", width - 2, name);
}

const char *text_run_name(const struct report_summary *s)
{
	return text_is_last(s->run) ? "@last" : s->run->path;
}
