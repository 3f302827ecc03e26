// SPDX-License-Identifier: MIT
// tree ROUNDS: an expression of 8,191 nodes is evaluated by virtual functions.
#include <cstdio>
#include <cstdlib>
#include <memory>

struct variables {
	double at[8];
};

struct expression {
	virtual double value(const variables &v) const = 0;
	virtual ~expression() = default;
};
using part = std::unique_ptr<expression>;

struct constant : expression {
	double number;
	explicit constant(double n) : number(n)
	{
	}
	double value(const variables &) const override
	{
		return number;
	}
};

struct variable : expression {
	int which;
	explicit variable(int w) : which(w)
	{
	}
	double value(const variables &v) const override
	{
		return v.at[which];
	}
};

struct sum : expression {
	part a, b;
	sum(part x, part y) : a(std::move(x)), b(std::move(y))
	{
	}
	double value(const variables &v) const override
	{
		return a->value(v) + b->value(v);
	}
};

struct difference : expression {
	part a, b;
	difference(part x, part y) : a(std::move(x)), b(std::move(y))
	{
	}
	double value(const variables &v) const override
	{
		return a->value(v) * .5 - b->value(v);
	}
};

static part make(int depth, unsigned seed)
{
	if (!depth)
		return seed & 1 ? part(new constant(seed * .1)) : part(new variable(seed & 7));
	if (seed % 3)
		return part(new sum(make(depth - 1, seed * 7 + 1), make(depth - 1, seed * 5 + 3)));
	return part(new difference(make(depth - 1, seed + 1), make(depth - 1, seed * 3 + 2)));
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 8000;
	part tree = make(12, 5);
	variables v{};
	double s = 0;

	for (int i = 0; i < rounds; i++) {
		v.at[i & 7] = i * .001;
		s += tree->value(v);
	}
	printf("%f\n", s);
}
