// SPDX-License-Identifier: MIT
// graph NODES: shortest paths in a random graph, several times, with a priority queue.
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

struct edge {
	int to, length;
};

class graph
{
	std::vector<std::vector<edge>> edges;

      public:
	explicit graph(int n) : edges(n)
	{
		unsigned s = 3;

		for (int i = 0; i < n * 5; i++) {
			s = s * 1664525u + 1013904223u;
			edges[i % n].push_back(
				{static_cast<int>((s >> 8) % n), static_cast<int>(s >> 28) + 1});
		}
	}
	long far(int from) const
	{
		using item = std::pair<long, int>;
		std::priority_queue<item, std::vector<item>, std::greater<>> open;
		std::vector<long> best(edges.size(), 1L << 40);
		long most = 0;

		open.push({best[from] = 0, from});
		while (!open.empty()) {
			auto [length, at] = open.top();

			open.pop();
			if (length > best[at])
				continue;
			most = length;
			for (const edge &e : edges[at])
				if (length + e.length < best[e.to])
					open.push({best[e.to] = length + e.length, e.to});
		}
		return most;
	}
};

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 60000;
	graph g(n);
	long all = 0;

	for (int i = 0; i < 10; i++)
		all += g.far(i * 17 % n);
	printf("%ld\n", all);
}
