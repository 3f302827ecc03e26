/* SPDX-License-Identifier: MIT */
/*
 * Neighbours that only the library touches: KIND 1 spin locks, 2 mutexes, 3 memset()
 * of a size that nobody knows before, 4 read(), 5 strings, 6 one mutex for both.
 */
#include "crew.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct desk {
	APART pthread_spinlock_t lock_left;
	APART pthread_spinlock_t lock_right;
	ALIGNED pthread_mutex_t left;
	APART pthread_mutex_t right;
	ALIGNED char text_left[24];
	APART char text_right[24];
};

static ALIGNED struct desk desk;
static volatile size_t text_bytes = 20;
static int zeros;

#if KIND == 1
static NOIPA void turn(int id)
{
	pthread_spinlock_t *lock = id ? &desk.lock_right : &desk.lock_left;

	pthread_spin_lock(lock);   /* <- */
	pthread_spin_unlock(lock); /* <- */
}
#elif KIND == 2
static NOIPA void turn(int id)
{
	pthread_mutex_t *mutex = id ? &desk.right : &desk.left;

	pthread_mutex_lock(mutex);   /* <- */
	pthread_mutex_unlock(mutex); /* <- */
}
#elif KIND == 3
static NOIPA void turn(int id)
{
	memset(id ? desk.text_right : desk.text_left, id, text_bytes); /* <- */
}
#elif KIND == 4
static NOIPA void turn(int id)
{
	if (read(zeros, id ? desk.text_right : desk.text_left, text_bytes) < 0) /* <- */
		exit(3);
}
#elif KIND == 5
static NOIPA void turn(int id)
{
	snprintf(id ? desk.text_right : desk.text_left, text_bytes, "%d", id); /* <- */
}
#else
static NOIPA void turn(int id)
{
#ifdef FIXED
	pthread_mutex_t *mutex = id ? &desk.right : &desk.left;
#else
	pthread_mutex_t *mutex = &desk.left;
#endif

	pthread_mutex_lock(mutex);   /* <- */
	pthread_mutex_unlock(mutex); /* <- */
	(void)id;
}
#endif

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 200; i++) turn(id);
}

int main(void)
{
	zeros = open("/dev/zero", O_RDONLY);
	pthread_spin_init(&desk.lock_left, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&desk.lock_right, PTHREAD_PROCESS_PRIVATE);
	crew(2, work);
	return 0;
}
