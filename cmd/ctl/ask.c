/* SPDX-License-Identifier: MIT */
/* perseus ctl: requests to perseusd, and what to do if it does not answer. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/ctl/ctl.h"

/* A bucket that a full status empties is refilled within this time, however large the machine. */
#define RATE_TRIES   100
#define RATE_WAIT_NS 20000000

const char *ctl_group_remedy(char *buf, size_t size, const char *path)
{
	struct stat st;
	struct group *group = stat(path, &st) || !st.st_gid ? NULL : getgrgid(st.st_gid);

	/* A daemon that found no group at its start has left the socket to root. */
	if (group)
		snprintf(buf, size, "as root: usermod -aG %s USER, then log in again", group->gr_name);
	else
		snprintf(buf, size,
			 "as root: %susermod -aG perseus USER; systemctl restart perseusd.socket perseusd; "
			 "then log in again",
			 getgrnam("perseus") ? "" : "systemd-sysusers (or groupadd --system perseus); ");
	return buf;
}

static int not_allowed(const char *path, struct err *err)
{
	char remedy[256];

	err_set(err, -EACCES, "this user may not talk to perseusd at '%s'", path);
	return err_advise(err, "%s", ctl_group_remedy(remedy, sizeof(remedy), path));
}

static int not_there(int code, const char *path, struct err *err)
{
	struct stat st;

	if (code == -ENOENT)
		err_set(err, code, "perseusd does not run here: there is no socket '%s'", path);
	else if (!stat(path, &st) && !S_ISSOCK(st.st_mode))
		return err_set(err, code,
			       "'%s' is not a socket\n  --socket names that of perseusd, usually %s", path,
			       PRS_CTL_SOCKET);
	else
		err_set(err, code, "perseusd does not run: nobody listens at '%s'", path);
	if (strcmp(path, PRS_CTL_SOCKET))
		return err_advise(err, "as root: perseusd --socket %.100s; or leave out --socket for %s",
				  path, PRS_CTL_SOCKET);
	err_advise(err, "as root: systemd-sysusers; systemctl enable --now perseusd.socket");
	return err_advise(err, "perseus doctor says what else is missing");
}

/* Why there is no answer, and what to do. */
static int explain(int code, const char *path, struct err *err)
{
	switch (code) {
	case -ENOENT:
	case -ECONNREFUSED:
		return not_there(code, path, err);
	case -EACCES:
	case -EPERM:
		return not_allowed(path, err);
	case -ETIMEDOUT:
		err_set(err, code, "perseusd does not answer at '%s' within %d s", path,
			CTL_TIMEOUT_MS / 1000);
		return err_advise(
			err,
			"journalctl -u perseusd shows what it does; as root: systemctl restart perseusd");
	case -ECONNRESET:
	case -EPIPE:
		err_set(err, code, "perseusd closed the connection at '%s'", path);
		return err_advise(
			err,
			"journalctl -u perseusd says why; perseus ctl status shows whether it runs again");
	case -EPROTO:
		err_set(err, code, "what answers at '%s' does not speak version %u of perseusd's protocol",
			path, PRS_CTL_VERSION);
		return err_advise(
			err, "daemon and perseus must be of one installation; --socket names another socket");
	case -ENAMETOOLONG:
		return err_set(err, code, "the path of the socket '%.80s..' is too long", path);
	default:
		return err_set(err, code, "cannot talk to perseusd at '%s': %s", path, strerror(-code));
	}
}

/* Returns @code, also if nobody wants to know why. */
static int no_answer(int code, const char *path, struct err *err)
{
	explain(code, path, err);
	return code;
}

int ctl_open(struct ctl_link *l, const char *socket, struct err *err)
{
	static const struct prs_ctl_request hello = {.op = PRS_CTL_HELLO};
	int ret;

	l->socket = socket ? socket : PRS_CTL_SOCKET;
	ret = ctl_connect(&l->client, l->socket, CTL_TIMEOUT_MS);
	if (ret < 0)
		return no_answer(ret, l->socket, err);
	if (ret > 0)
		ctl_refused(NULL, &hello, &l->client.hello, err);
	return ret ? -EREMOTEIO : 0;
}

int ctl_ask(struct ctl_link *l, struct prs_ctl_request *q, struct prs_ctl_reply *r, struct err *err)
{
	static const struct timespec pause = {0, RATE_WAIT_NS};
	int ret = ctl_request(&l->client, q, r);

	for (int n = 0; ret == PRS_CTL_RATE_STATUS && n < RATE_TRIES; n++) {
		nanosleep(&pause, NULL);
		ret = ctl_request(&l->client, q, r);
	}
	return ret < 0 ? no_answer(ret, l->socket, err) : ret;
}

int ctl_lease(struct ctl_link *l, struct prs_ctl_request *q, struct prs_ctl_reply *r, struct err *err)
{
	int ret = ctl_ask(l, q, r, err);

	if ((!ret || ret == PRS_CTL_NOT_HELD_STATUS) && !r->lease)
		return no_answer(-EPROTO, l->socket, err);
	if (ret > 0 && ret != PRS_CTL_NOT_HELD_STATUS)
		return ctl_refused(l, q, r, err);
	return ret;
}

int ctl_query(struct ctl_link *l, uint32_t cpu, uint32_t flags, struct prs_ctl_reply *r, struct err *err)
{
	struct prs_ctl_request q = {.op = PRS_CTL_QUERY, .cpu = cpu, .flags = flags};

	return ctl_ask(l, &q, r, err);
}

uint32_t ctl_abilities(struct ctl_client *client)
{
	struct prs_ctl_request q = {
		.op = PRS_CTL_QUERY, .cpu = ctl_first(client->hello.cpus), .flags = PRS_CTL_RESERVE};
	uint32_t able = client->hello.flags & (PRS_CTL_FREQUENCY | PRS_CTL_RESERVE);
	struct prs_ctl_reply r;

	/* HELLO's flags are those of the user; its limits are those of the machine. */
	if (client->hello.max_khz)
		able |= PRS_CTL_FREQUENCY;
	if (!(able & PRS_CTL_RESERVE) && q.cpu < PRS_CTL_CPUS && !ctl_request(client, &q, &r))
		able |= PRS_CTL_RESERVE;
	return able;
}
