/* SPDX-License-Identifier: MIT */
#include "record/blocks/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/strbuf.h"

#define METADATA_MAX (256u << 20)
#define PIECE_BYTES  ((size_t)1 << 20)
#define STREAMS_MAX  (1u << 20)

/* ---- what the metadata says ----------------------------------------------------------- */

/* The text between @before and the next @after, at most @size - 1 bytes; false: not there. */
static bool between(const char *text, const char *before, char after, char *out, size_t size)
{
	const char *at = strstr(text, before), *end;

	if (!at)
		return false;
	at += strlen(before);
	end = strchr(at, after);
	if (!end || (size_t)(end - at) >= size)
		return false;
	memcpy(out, at, (size_t)(end - at));
	out[end - at] = '\0';
	return true;
}

static bool read_uuid(const char *text, uint8_t uuid[16])
{
	char written[64], digits[33];
	size_t n = 0;

	if (!between(text, "uuid = \"", '"', written, sizeof(written)))
		return false;
	for (const char *p = written; *p; p++)
		if (*p != '-' && n < 32)
			digits[n++] = *p;
	digits[n] = '\0';
	for (size_t i = 0; i < 16 && n == 32; i++) {
		uint64_t v;
		char two[3] = {digits[2 * i], digits[2 * i + 1], '\0'};

		if (num_hex(two, 2, &v))
			return false;
		uuid[i] = (uint8_t)v;
	}
	return n == 32;
}

static int read_metadata(struct ctf *t, const char *dir, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX + 16], number[24];
	int ret;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	ret = fs_read(path, METADATA_MAX, &text, err);
	if (ret)
		ret = err_prefix(err, "the trace has no description");
	else if (strncmp(text.s, "/* CTF 1.8", 10) || !strstr(text.s, "tracer_name = \"perseus\"") ||
		 !read_uuid(text.s, t->uuid))
		ret = err_set(err, -EINVAL, "'%s' does not describe a trace of perseus", path);
	if (!ret && !between(text.s, "\tstate = \"", '"', t->state, sizeof(t->state)))
		t->state[0] = '\0';
	if (!ret && between(text.s, "\tthreads_without_trace = ", ';', number, sizeof(number)) &&
	    num_u64(number, 0, UINT32_MAX, &t->refused))
		t->refused = 0;
	strbuf_release(&text);
	return ret == -ENOENT ? -EINVAL : ret;
}

/* ---- streams ----------------------------------------------------------------------------- */

/* NULL if it can be one, or what is wrong with it. */
static const char *wrong_packet(const struct ctf *t, const struct prs_packet *p, uint64_t left)
{
	if (p->magic != PRS_CTF_MAGIC)
		return "does not begin with the magic number of a packet";
	if (memcmp(p->uuid, t->uuid, sizeof(p->uuid)))
		return "is of another trace";
	if (p->bits % 128 || p->all_bits != p->bits || p->bits / 8 < sizeof(*p))
		return "has an impossible size";
	if (p->bits / 8 > left)
		return "is cut off";
	return NULL;
}

static void refuse(struct ctf *t, const char *name, const char *why)
{
	struct strbuf text = STRBUF_INIT;

	t->n_unreadable++;
	if (t->unreadable)
		return;
	strbuf_printf(&text, "'%s' %s", name, why);
	t->unreadable = strbuf_detach(&text);
}

static void add_stream(struct ctf *t, const char *dir, const char *name)
{
	struct ctf_stream s = {0};
	struct prs_packet p;
	char path[PATH_MAX];
	const char *wrong = NULL;
	struct stat st;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		wrong = "cannot be opened";
	else if (pread(fd, &p, sizeof(p), 0) != (ssize_t)sizeof(p))
		wrong = "is shorter than a packet";
	else
		wrong = wrong_packet(t, &p, UINT64_MAX);
	if (fd >= 0)
		close(fd);
	if (wrong || t->n_streams == STREAMS_MAX) {
		refuse(t, name, wrong ? wrong : "is one too many");
		return;
	}
	s = (struct ctf_stream){mem_strdup(path), p.pid, p.epoch, p.thread, p.tid, (uint64_t)st.st_size};
	t->streams = mem_resize(t->streams, t->n_streams + 1, sizeof(*t->streams));
	t->streams[t->n_streams++] = s;
	t->bytes += s.bytes;
}

static int by_thread(const void *a, const void *b)
{
	const struct ctf_stream *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return strcmp(x->path, y->path);
}

static bool is_stream_name(const char *name)
{
	return name[0] != '.' && strcmp(name, "metadata");
}

static int list_streams(struct ctf *t, const char *dir, struct err *err)
{
	struct fs_names names = VEC_INIT;
	int ret = fs_list(dir, is_stream_name, &names, err);

	for (size_t i = 0; i < names.n && !ret; i++)
		add_stream(t, dir, names.at[i]);
	fs_names_release(&names);
	if (ret)
		return ret;
	if (t->n_streams)
		qsort(t->streams, t->n_streams, sizeof(*t->streams), by_thread);
	return 0;
}

int ctf_open(struct ctf *t, const char *run, struct err *err)
{
	char dir[PATH_MAX];
	int ret;

	*t = (struct ctf){0};
	if (snprintf(dir, sizeof(dir), "%s/trace", run) >= (int)sizeof(dir) - 16)
		return err_set(err, -ENAMETOOLONG, "the path of the run is too long");
	ret = fs_is_there(dir, err);
	if (ret < 0)
		return ret;
	if (!ret) {
		err_set(err, -ENOENT, "run '%s' has no trace", run);
		return err_advise(err, "perseus record --trace keeps every call");
	}
	ret = read_metadata(t, dir, err);
	if (!ret)
		ret = list_streams(t, dir, err);
	if (ret)
		ctf_close(t);
	return ret;
}

void ctf_close(struct ctf *t)
{
	for (size_t i = 0; i < t->n_streams; i++)
		free(t->streams[i].path);
	free(t->streams);
	free(t->unreadable);
	*t = (struct ctf){0};
}

/* ---- reading ------------------------------------------------------------------------------- */

int ctf_cursor_open(struct ctf_cursor *c, const struct ctf *t, const struct ctf_stream *s, struct err *err)
{
	*c = (struct ctf_cursor){.trace = t, .stream = s};
	c->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (c->fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", s->path, strerror(errno));
	c->buffer = mem_new(1, PIECE_BYTES);
	return 0;
}

void ctf_cursor_close(struct ctf_cursor *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->buffer);
	*c = (struct ctf_cursor){.fd = -1};
}

static size_t damaged(struct ctf_cursor *c, const char *what)
{
	snprintf(c->damage, sizeof(c->damage), "at byte %llu: %s", (unsigned long long)c->at, what);
	c->left = 0;
	c->at = c->stream->bytes;
	return 0;
}

/* Read as much as there is, at most @bytes. */
static size_t fetch(struct ctf_cursor *c, void *out, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(c->fd, (char *)out + done, bytes - done, (off_t)(c->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* The next packet that has records; false: the end. */
static bool next_packet(struct ctf_cursor *c)
{
	const struct ctf_stream *s = c->stream;
	const char *wrong;

	while (!c->left && c->at < s->bytes) {
		if (fetch(c, &c->packet, sizeof(c->packet)) != sizeof(c->packet))
			return damaged(c, "a packet is cut off");
		wrong = wrong_packet(c->trace, &c->packet, s->bytes - c->at);
		if (!wrong &&
		    (c->packet.pid != s->pid || c->packet.epoch != s->epoch || c->packet.thread != s->thread))
			wrong = "is of another thread";
		if (!wrong && (c->packet.begin < c->last || c->packet.end < c->packet.begin))
			wrong = "goes back in time";
		if (!wrong && c->packet.discarded < c->discarded)
			wrong = "has lost less than the one before";
		if (wrong) {
			char text[120];

			snprintf(text, sizeof(text), "a packet %s", wrong);
			return damaged(c, text);
		}
		c->discarded = c->packet.discarded;
		c->at += sizeof(c->packet);
		c->left = c->packet.bits / 8 - sizeof(c->packet);
	}
	return c->left > 0;
}

/* How many of @n units are whole records in order; *wrong says why not all, if it is no cut at the end. */
static size_t check(const struct ctf_cursor *c, const uint64_t *unit, size_t n, uint64_t *last,
		    const char **wrong)
{
	size_t i = 0;

	*wrong = NULL;
	while (i < n) {
		const uint64_t *u = unit + 2 * i;
		size_t units = ctf_units(u);
		uint64_t time = ctf_time(u);

		if (ctf_class(u) == PRS_CLASS_MORE)
			*wrong = "a record has no beginning";
		else if (time < *last)
			*wrong = "a record goes back in time";
		else if (time > c->packet.end)
			*wrong = "a record is later than its packet";
		else if (units == 2 && i + 1 < n && ctf_class(u + 2) != PRS_CLASS_MORE)
			*wrong = "a record has no second half";
		if (*wrong || i + units > n)
			break;
		*last = time;
		i += units;
	}
	return i;
}

size_t ctf_read(struct ctf_cursor *c, const uint64_t **units)
{
	size_t bytes, n, good;
	const char *wrong;

	if (!next_packet(c))
		return 0;
	bytes = c->left < PIECE_BYTES ? (size_t)c->left : PIECE_BYTES;
	if (fetch(c, c->buffer, bytes) != bytes)
		return damaged(c, "the file has become shorter");
	n = bytes / PRS_UNIT_BYTES;
	*units = (const void *)c->buffer;
	good = check(c, *units, n, &c->last, &wrong);
	c->at += good * PRS_UNIT_BYTES;
	c->left -= good * PRS_UNIT_BYTES;
	if (!wrong && good < n && c->left == PRS_UNIT_BYTES) /* half a record, and no more behind it */
		wrong = "a record is cut off by the end of its packet";
	if (wrong)
		damaged(c, wrong);
	return good;
}
