/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/machine/audit.h"

/* What a pipe takes whole or not at all. */
#define AUDIT_BYTES 4096

static const char *own_name = "perseusd";
static unsigned int lost;

void audit_name(const char *name)
{
	own_name = name;
}

static bool is_socket;

void audit_open(void)
{
	struct stat st;
	int fd;

	if (fstat(STDERR_FILENO, &st))
		return;
	is_socket = S_ISSOCK(st.st_mode);
	if (!S_ISFIFO(st.st_mode) && !isatty(STDERR_FILENO))
		return;
	fd = open("/proc/self/fd/2", O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDERR_FILENO);
	close(fd);
}

/* The journal's socket is shared with whoever else has it, so it is not changed, but asked each time. */
static bool write_line(const char *line, size_t n)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (is_socket)
		return send(STDERR_FILENO, line, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n;
	return poll(&p, 1, 0) == 1 && p.revents & POLLOUT && write(STDERR_FILENO, line, n) == (ssize_t)n;
}

void audit(const char *format, ...)
{
	char line[AUDIT_BYTES];
	size_t n = 0, room = sizeof(line) - 1;
	va_list ap;

	n = (size_t)snprintf(line, room, "%s: ", own_name);
	if (lost)
		n += (size_t)snprintf(line + n, room - n, "lines-lost=%u ", lost);
	va_start(ap, format);
	n += (size_t)vsnprintf(line + n, room - n, format, ap);
	va_end(ap);
	if (n >= room)
		n = room - 1;
	line[n++] = '\n';
	if (write_line(line, n))
		lost = 0;
	else
		lost++;
}

const char *audit_plan(const prs_u8 plan[32], char out[AUDIT_PLAN_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	prs_u8 any = 0;

	for (int i = 0; i < 32; i++) {
		any |= plan[i];
		out[2 * i] = digits[plan[i] >> 4];
		out[2 * i + 1] = digits[plan[i] & 15];
	}
	strcpy(any ? out + 64 : out, any ? "" : "-");
	return out;
}
