// SPDX-License-Identifier: MIT
// Objects at every time of life: globals, static and thread locals, templates, lambdas, virtual bases, covariance.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <typeinfo>
#include <variant>
#include <vector>

static int born, died;
struct named {
	std::string name;
	named(const char *n) : name(n) { born++; }
	virtual ~named() { if (++died == born) std::printf("all gone\n"); }
	virtual int value() const { return (int)name.size(); }
	virtual const named *self() const { return this; }
};
static named one("one");
static named *const two = new named("two");
thread_local named local("thread");
__attribute__((init_priority(200))) static named early("early");
static named &on_demand()
{
	static named n("on demand");

	return n;
}
struct left : virtual named { left() : named("left") {} int value() const override { return 10 + named::value(); } };
struct right : virtual named { right() : named("right") {} const right *self() const override { return this; } };
struct both : left, right { both() : named("both") {} int value() const override { return left::value() * 2; } const both *self() const override { return this; } };

template <class T> struct sum_of {
	T total{};
	template <class U> void add(U u) { total = total + T(u); }
};
template <> struct sum_of<bool> {
	int n = 0;
	template <class U> void add(U u) { n += !!u; }
};
template <int N> struct fact { static constexpr long value = N * fact<N - 1>::value; };
template <> struct fact<0> { static constexpr long value = 1; };
template <class... A> static int count_all(A &&...a) { return (0 + ... + (int)std::string(a).size()); }
template <class T> __attribute__((noinline)) static int twin(T x) { return (int)x + one.value(); }

struct visitor {
	int operator()(int i) const { return i; }
	int operator()(const std::string &s) const { return (int)s.size(); }
	int operator()(const std::unique_ptr<named> &p) const { return p ? p->value() : -1; }
};
struct sorted {
	int key;
	bool operator<(const sorted &o) const { return key < o.key; }
};
int main()
{
	std::vector<std::variant<int, std::string, std::unique_ptr<named>>> v;
	std::map<std::string, std::function<int(int)>> table;
	int base = local.value(), s = 0;

	v.emplace_back(3);
	v.emplace_back(std::string("four"));
	v.emplace_back(std::make_unique<both>());
	v.emplace_back(std::unique_ptr<named>());
	for (auto &x : v)
		s += std::visit(visitor{}, x);
	table["add"] = [base](int x) { return x + base; };
	table["self"] = [&](int x) { return x > 10 ? x : table["self"](x * 2); };
	table["make"] = [n = std::make_shared<named>("shared")](int x) { return n->value() + x; };
	auto generic = [](auto a, auto b) { return a + b; };
	for (auto &[k, f] : table)
		s += f((int)k.size());
	sum_of<double> sd;
	sum_of<bool> sb;
	for (int i = 0; i < 5; i++) {
		sd.add(i * 1.5);
		sb.add(i & 1);
	}
	both b;
	const named &n = b;
	std::vector<sorted> q;
	for (int i = 0; i < 50; i++)
		q.push_back({ i * 37 % 50 });
	std::sort(q.begin(), q.end());
	s += std::accumulate(q.begin(), q.end(), 0, [](int a, const sorted &x) { return (a * 3 + x.key) % 1009; });
	std::ostringstream text;
	text << s << ' ' << sd.total << ' ' << sb.n << ' ' << fact<10>::value << ' ' << generic(1, 2.5) << ' ' << count_all("a", "bc");
	std::printf("%s %d %d %d\n", text.str().c_str(), n.self()->value(), dynamic_cast<const right *>(n.self()) != nullptr, typeid(n) == typeid(both));
	std::printf("%d %d %d %d\n", twin(1), twin(2L), twin('c'), on_demand().value() + two->value() + early.value());
	delete two;
	return 0;
}
