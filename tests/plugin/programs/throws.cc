// SPDX-License-Identifier: MIT
// Exceptions through probes, destructors, virtual calls, templates, lambdas, new and delete.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shop
{
static int live;
struct item {
	int id;
	item(int i) : id(i) { live++; }
	item(const item &o) : id(o.id) { live++; }
	virtual ~item() { live--; }
	virtual int price(int n) const { return id * n; }
};
template <class T, int N> struct crate : item {
	T v[N];
	crate(T t) : item(N)
	{
		for (auto &e : v)
			e = t;
		if (N > 4)
			throw std::length_error("crate too large");
	}
	int price(int n) const override
	{
		if (n == 7)
			throw std::runtime_error("seven");
		return item::price(n) + (int)v[n % N];
	}
};
int ask(const item &i, int n) noexcept(false)
{
	item guard(n);

	return i.price(n) + guard.id;
}
}

static int run(int k)
{
	shop::crate<int, 3> a(k);
	shop::crate<double, 4> b(k * 1.5);
	int s = 0;

	for (int i = 0; i < 10; i++) {
		try {
			s += shop::ask(a, i);
			s += shop::ask(b, i);
		} catch (const std::runtime_error &) {
			s += 1000;
		}
	}
	try {
		shop::crate<long, 5> c(1);
		s = -1;
	} catch (const std::exception &e) {
		s += (int)std::string(e.what()).size();
	}
	return s;
}

int main()
{
	std::map<std::string, std::function<int(int)>> verbs;
	std::vector<std::unique_ptr<shop::item>> v;
	int base = 5, s = 0;

	verbs["add"] = [&](int x) { return x + base; };
	verbs["mul"] = [=](int x) { return x * base; };
	for (int i = 0; i < 20; i++)
		v.push_back(i % 3 ? std::make_unique<shop::item>(i) : std::make_unique<shop::crate<char, 2>>((char)i));
	for (auto &p : v) {
		try {
			s += verbs[s & 1 ? "add" : "mul"](p->price(p->id));
		} catch (...) {
			s--;
		}
	}
	v.clear();
	std::printf("%d %d %d %d\n", run(3), run(9), s, shop::live);
	return shop::live;
}
