/* SPDX-License-Identifier: MIT */
#include "cmd/base/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/num.h"

int cmd_usage(const struct cmd *cmd, const char *fmt, ...)
{
	va_list ap;

	cmd_say(stderr, "perseus %s: ", cmd->name);
	va_start(ap, fmt);
	cmd_vsay(stderr, fmt, ap);
	va_end(ap);
	cmd_say(stderr, "\n  perseus %s --help shows how it is used\n", cmd->name);
	return CMD_USAGE;
}

int cmd_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return 1;
	return 0;
}

int cmd_fail_on(const struct cmd *cmd, const char *text, double *percent)
{
	size_t n = strlen(text);
	char number[32];

	if (n && text[n - 1] == '%')
		n--;
	if (n < sizeof(number)) {
		memcpy(number, text, n);
		number[n] = '\0';
		if (!num_double(number, 0, 100, percent))
			return CMD_OK;
	}
	return cmd_usage(cmd, "--fail-on: '%s' is no percentage from 0 to 100", text);
}

int cmd_fail(const struct cmd *cmd, const struct err *err, int status)
{
	cmd_say(stderr, "perseus %s: %s\n", cmd->name, err->msg);
	return status;
}

int cmd_status(const struct err *err)
{
	switch (-err->code) {
	case ENOTSUP:
	case EACCES:
	case EPERM:
	case EROFS:
	case ENOSPC:
	case ENODEV:
	case ENOSYS:
		return CMD_MACHINE;
	default:
		return CMD_DATA;
	}
}

int cmd_write_status(const struct err *err)
{
	return err->code == -EINVAL ? CMD_DATA : CMD_MACHINE;
}

int cmd_kept_open(const struct cmd *cmd, FILE **file)
{
	*file = tmpfile();
	if (*file)
		return CMD_OK;
	cmd_say(stderr, "perseus %s: cannot make a temporary file: %s\n", cmd->name, strerror(errno));
	return CMD_MACHINE;
}

int cmd_kept_read(const struct cmd *cmd, FILE *file, struct strbuf *out)
{
	char part[4096];
	size_t n;

	rewind(file);
	while ((n = fread(part, 1, sizeof(part), file)) > 0)
		strbuf_add(out, part, n);
	if (!ferror(file))
		return CMD_OK;
	cmd_say(stderr, "perseus %s: cannot read what the checker wrote: %s\n", cmd->name, strerror(errno));
	strbuf_release(out);
	return CMD_MACHINE;
}
