// Locks that have no symbol: each is to have the name of its member.  locks
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <thread>
#include <vector>

static volatile long sink;

static __attribute__((noinline)) void burn(long n)
{
	long x = 1;

	for (long i = 0; i < n; i++)
		x = x * 31 + i;
	sink = x;
}

struct Plain {
	long before;
	pthread_mutex_t door;
	pthread_rwlock_t book;
	pthread_spinlock_t fast;
	pthread_mutex_t shelf[3];
};

class Guard // a wrapper of the program's own
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

      public:
	void lock()
	{
		pthread_mutex_lock(&m);
	}
	void unlock()
	{
		pthread_mutex_unlock(&m);
	}
};

class Bank
{
	std::mutex accounts_mutex;
	std::mutex log_mutex;
	std::shared_mutex rates;
	std::recursive_mutex again;
	struct {
		long items;
		std::mutex lock;
	} drawer[4];
	Guard vault;
	std::condition_variable opened;
	bool open = false;
	Plain *plain;

      public:
	explicit Bank(Plain *p) : plain(p)
	{
	}
	void work(int n)
	{
		{
			std::unique_lock<std::mutex> l(accounts_mutex);
			opened.wait(l, [this] { return open; });
		}
		for (int i = 0; i < n; i++) {
			{
				std::lock_guard<std::mutex> l(accounts_mutex);
				burn(2000);
			}
			{
				std::lock_guard<std::mutex> l(log_mutex);
				burn(2000);
			}
			{
				std::unique_lock<std::shared_mutex> l(rates);
				burn(2000);
			}
			{
				std::lock_guard<std::recursive_mutex> l(again);
				burn(2000);
			}
			vault.lock();
			burn(2000);
			vault.unlock();
			pthread_mutex_lock(&plain->door);
			burn(2000);
			pthread_mutex_unlock(&plain->door);
			{
				std::lock_guard<std::mutex> l(drawer[1 + i % 3].lock);
				burn(2000);
			}
			pthread_mutex_lock(&plain->shelf[i % 2]);
			burn(2000);
			pthread_mutex_unlock(&plain->shelf[i % 2]);
			pthread_rwlock_wrlock(&plain->book);
			burn(2000);
			pthread_rwlock_unlock(&plain->book);
			pthread_spin_lock(&plain->fast);
			burn(100);
			pthread_spin_unlock(&plain->fast);
		}
	}
	void go()
	{
		burn(3000000);
		std::lock_guard<std::mutex> l(accounts_mutex);
		open = true;
		opened.notify_all();
	}
};

int main(int argc, char **)
{
	Plain *p = (Plain *)malloc(sizeof(*p));
	auto bank = std::make_unique<Bank>(p);
	std::vector<std::thread> all;
	std::mutex here;

	pthread_mutex_init(&p->door, nullptr);
	for (pthread_mutex_t &m : p->shelf)
		pthread_mutex_init(&m, nullptr);
	pthread_rwlock_init(&p->book, nullptr);
	pthread_spin_init(&p->fast, 0);
	for (int i = 0; i < 2; i++)
		all.emplace_back([&] {
			bank->work(1000);
			std::lock_guard<std::mutex> l(here);
			burn(3000000);
		});
	bank->go();
	for (auto &t : all)
		t.join();
	free(p);
	return argc > 5;
}
