/* new in its forms, static members, templates, an object whose constructor runs early, threads of the library. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

static void say(const char *what, const void *p, unsigned modulo)
{
	std::printf("%s %lu\n", what, (unsigned long)((std::uintptr_t)p % modulo));
}

template <typename T> struct Counted {
	static T total;
	T mine[3] = {};
	void add(T n)
	{
		total += n;
		mine[1] += n;
	}
};
template <typename T> T Counted<T>::total = 3;

/* More of them than libc has places for before it allocates. */
struct Early {
	std::string name = "long enough to lie on the heap, for each of them";
	std::vector<int> v{1, 2, 3};
	~Early() { v.push_back(4); }
};
static Early early[2];
#define MORE(n) static Early a##n, b##n, c##n, d##n, e##n, f##n, g##n, h##n;
MORE(1) MORE(2) MORE(3) MORE(4) MORE(5)

struct Base {
	virtual ~Base() = default;
	virtual int run(int n) { return n; }
	long spent = 0;
};
struct Derived : Base {
	int run(int n) override
	{
		spent += n;
		return n + 1;
	}
	char text[24] = "";
};

static thread_local std::vector<long> mine;

static void work(Base *b, int n)
{
	Counted<long> c;

	for (int i = 0; i < n; i++) {
		b->run(i);
		c.add(i);
		mine.push_back(i);
	}
	say("thread_local", &mine, 4096);
	say("its block", mine.data(), 4096);
}

int main()
{
	std::vector<std::unique_ptr<Base>> all;
	std::vector<std::thread> threads;

	std::setvbuf(stdout, nullptr, _IOFBF, 65536);
	for (const Early *p : {&early[0], &early[1], &a1, &h3, &g4, &a5, &h5}) {
		say("early", p, 128);
		say("its name", p->name.data(), 4096);
		say("its vector", p->v.data(), 4096);
	}
	say("Counted<long>::total", &Counted<long>::total, 128);
	for (int i = 0; i < 5; i++) {
		if (i % 2)
			all.emplace_back(new Base);
		else
			all.emplace_back(new Derived);
		say("new", all.back().get(), 4096);
	}
	say("new[]", new long[7], 4096);
	for (int i = 0; i < 2; i++)
		std::thread(work, all[i].get(), 40 + i).join();
	say("new", new Derived, 4096);
	say("make_shared", std::make_shared<Derived>().get(), 4096);
}
