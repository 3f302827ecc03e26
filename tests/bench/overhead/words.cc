// SPDX-License-Identifier: MIT
// words N: containers of the C++ library: an index of words, how often each comes, and all of them sorted.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

class index
{
	std::map<std::string, std::vector<int>> places;

      public:
	void put(const std::string &word, int at)
	{
		places[word].push_back(at);
	}
	size_t most() const
	{
		size_t n = 0;

		for (const auto &p : places)
			n = std::max(n, p.second.size());
		return n;
	}
};

static std::string word(unsigned seed)
{
	std::string s;

	for (unsigned i = 0; i < 3 + seed % 5; i++)
		s += static_cast<char>('a' + (seed >> i * 3) % 9);
	return s;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 150000;
	std::unordered_map<std::string, int> count;
	std::vector<std::string> words;
	unsigned s = 7;
	index x;

	for (int i = 0; i < n; i++) {
		s = s * 1664525u + 1013904223u;
		words.push_back(word(s >> 8));
		x.put(words.back(), i);
		count[words.back()]++;
	}
	std::sort(words.begin(), words.end());
	printf("%zu %zu %s\n", x.most(), count.size(), words[words.size() / 2].c_str());
}
