/* SPDX-License-Identifier: MIT */
#include "lib/html/live.h"

#include <stdlib.h>
#include <time.h>

#include "lib/fs.h"

#define SECOND 1000000000u

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void html_live_init(struct html_live *l, const char *path, int argc, char *const *argv)
{
	struct strbuf script = STRBUF_INIT, command = STRBUF_INIT;

	strbuf_puts(&command, "perseus");
	for (int i = 0; i < argc; i++) {
		strbuf_puts(&command, " ");
		strbuf_word(&command, argv[i]);
	}
	strbuf_printf(&script, "%s.live.js", path);
	*l = (struct html_live){path, strbuf_detach(&script), strbuf_detach(&command), now_ns(), 0};
}

void html_live_release(struct html_live *l)
{
	free(l->script);
	free(l->command);
	*l = (struct html_live){.path = NULL};
}

double html_live_seconds(const struct html_live *l)
{
	return (double)(now_ns() - l->begin_ns) / SECOND;
}

bool html_live_due(struct html_live *l)
{
	uint64_t now = now_ns();

	if (now - l->told_ns < SECOND)
		return false;
	l->told_ns = now;
	return true;
}

int html_live_put(const char *path, struct strbuf *text, struct err *err)
{
	int ret = fs_write(path, text->s, text->len, err);

	strbuf_release(text);
	return ret;
}
