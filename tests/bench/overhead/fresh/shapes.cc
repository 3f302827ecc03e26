// SPDX-License-Identifier: MIT
// shapes ROUNDS: a list of shapes is asked for area and outline by virtual functions.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct shape {
	virtual double area() const = 0;
	virtual double outline() const = 0;
	virtual ~shape() = default;
};
struct circle : shape {
	double r;
	explicit circle(double x) : r(x)
	{
	}
	double area() const override
	{
		return 3.14159 * r * r;
	}
	double outline() const override
	{
		return 6.28318 * r;
	}
};
struct triangle : shape {
	double a, b, c;
	triangle(double x, double y, double z) : a(x), b(y), c(z)
	{
	}
	double area() const override
	{
		double s = outline() / 2;
		return std::sqrt(std::fabs(s * (s - a) * (s - b) * (s - c)));
	}
	double outline() const override
	{
		return a + b + c;
	}
};

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	std::vector<std::unique_ptr<shape>> all;
	double sum = 0;

	for (int i = 0; i < 50000; i++)
		if (i * 7 % 3)
			all.emplace_back(new circle(i % 10));
		else
			all.emplace_back(new triangle(3 + i % 2, 4, 5));
	for (int r = 0; r < rounds; r++)
		for (auto &s : all)
			sum += s->area() / s->outline();
	printf("%f\n", sum);
}
