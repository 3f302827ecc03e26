/* SPDX-License-Identifier: MIT */
/*
 * kv THREADS REQUESTS: a key-value server on loopback and its clients in one
 * process.  A request is a line; each is read, parsed, hashed, looked up under a
 * lock and answered by functions of its own, as such servers are written.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define BUCKETS  4096

struct entry {
	struct entry *next;
	char key[24], value[40];
};
static struct entry *table[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int port;
static long requests;

NOINLINE static unsigned hash(const char *s)
{
	unsigned h = 5381;

	while (*s)
		h = h * 33 ^ (unsigned char)*s++;
	return h % BUCKETS;
}

NOINLINE static struct entry *find(const char *key)
{
	struct entry *e = table[hash(key)];

	while (e && strcmp(e->key, key))
		e = e->next;
	return e;
}

NOINLINE static void put(const char *key, const char *value)
{
	struct entry *e;

	pthread_mutex_lock(&lock);
	e = find(key);
	if (!e) {
		e = calloc(1, sizeof(*e));
		snprintf(e->key, sizeof(e->key), "%s", key);
		e->next = table[hash(key)];
		table[hash(key)] = e;
	}
	snprintf(e->value, sizeof(e->value), "%s", value);
	pthread_mutex_unlock(&lock);
}

NOINLINE static int get(const char *key, char *out, size_t size)
{
	struct entry *e;

	pthread_mutex_lock(&lock);
	e = find(key);
	snprintf(out, size, "%s\n", e ? e->value : "-");
	pthread_mutex_unlock(&lock);
	return (int)strlen(out);
}

NOINLINE static char *word(char **at)
{
	char *begin = *at, *end = begin + strcspn(begin, " \n");

	*at = *end ? end + 1 : end;
	*end = 0;
	return begin;
}

NOINLINE static int answer(char *line, char *out, size_t size)
{
	char *verb = word(&line), *key = word(&line);

	if (verb[0] == 's') {
		put(key, word(&line));
		return snprintf(out, size, "ok\n");
	}
	return get(key, out, size);
}

NOINLINE static int read_line(int fd, char *buf, int size)
{
	int n = (int)read(fd, buf, (size_t)size - 1);

	if (n > 0)
		buf[n] = 0;
	return n;
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg, n;
	char in[256], out[256];

	while ((n = read_line(fd, in, sizeof(in))) > 0) {
		n = answer(in, out, sizeof(out));
		if (write(fd, out, (size_t)n) != n)
			break;
	}
	close(fd);
	return NULL;
}

static void *ask(void *arg)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((unsigned short)port),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, n;
	char buf[256];

	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		exit(1);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (long i = 0; i < requests; i++) {
		n = snprintf(buf, sizeof(buf), i % 4 ? "get k%ld\n" : "set k%ld v%ld\n", i % 1000, i);
		if (write(fd, buf, (size_t)n) != n || read_line(fd, buf, sizeof(buf)) <= 0)
			exit(1);
	}
	close(fd);
	return arg;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2, fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(at);
	pthread_t t[64];

	requests = argc > 2 ? atol(argv[2]) : 10000;
	if (threads > 32 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 64) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		return 1;
	port = ntohs(at.sin_port);
	for (int i = 0; i < threads; i++) {
		int one = 1, c;

		pthread_create(&t[2 * i], NULL, ask, NULL);
		c = accept(fd, NULL, NULL);
		setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		pthread_create(&t[2 * i + 1], NULL, serve, (void *)(long)c);
	}
	for (int i = 0; i < 2 * threads; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
