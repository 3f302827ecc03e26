/* SPDX-License-Identifier: MIT */
#include "lib/spawn/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/spawn/child.h"
#include "lib/vec.h"

/* A compiler that hangs must not hang its caller. */
#define LIMIT_NS  UINT64_C(20000000000)
#define MAX_BYTES (1 << 20)

int capture_read(int fd, size_t most, struct strbuf *text)
{
	char buf[65536];
	ssize_t n = 0;

	for (size_t at = 0; at < most && (n = pread(fd, buf, sizeof(buf), (off_t)at)) > 0; at += (size_t)n)
		strbuf_add(text, buf, (size_t)n);
	return n < 0 ? -errno : 0;
}

int capture(const char *const *argv, const char *const *environment, struct strbuf *text)
{
	struct child_spec spec = {.path = argv[0], .argv = (char *const *)(void *)argv, .limit_ns = LIMIT_NS};
	struct child_result result = {0};
	struct words VEC(const char *) env = VEC_INIT;
	int ret;

	vec_push(&env, "LC_ALL=C");
	for (; environment && *environment; environment++)
		vec_push(&env, *environment);
	vec_push(&env, NULL);
	spec.environment = (char *const *)(void *)env.at;
	spec.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	spec.out = spec.error = memfd_create("perseus-capture", MFD_CLOEXEC);
	ret = spec.out < 0 ? -errno : child_run(&spec, &result, NULL);
	if (!ret)
		(void)capture_read(spec.out, MAX_BYTES, text);
	if (spec.in >= 0)
		close(spec.in);
	if (spec.out >= 0)
		close(spec.out);
	vec_release(&env);
	return ret ? ret : child_exit_status(result.status);
}

void capture_first_line(const struct strbuf *text, char *buf, size_t size)
{
	const char *s = text->s ? text->s : "";

	s += strspn(s, "\n");
	snprintf(buf, size, "%.*s", (int)strcspn(s, "\n"), s);
}
