// SPDX-License-Identifier: MIT
// lexer ROUNDS: a text is cut into words that are counted by length and first letter.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

static std::string text()
{
	std::string s;
	unsigned x = 3;

	for (int i = 0; i < 20000; i++) {
		x = x * 1103515245u + 12345u;
		s += (x >> 16) % 6 ? char('a' + (x >> 20) % 26) : ' ';
	}
	return s;
}

struct lexer {
	const std::string &s;
	size_t at = 0;
	bool next(std::string &word)
	{
		while (at < s.size() && s[at] == ' ')
			at++;
		size_t from = at;
		while (at < s.size() && s[at] != ' ')
			at++;
		word = s.substr(from, at - from);
		return !word.empty();
	}
};

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300;
	std::map<std::pair<size_t, char>, long> seen;
	std::string s = text(), word;
	long sum = 0;

	for (int r = 0; r < rounds; r++) {
		lexer l{s};
		while (l.next(word))
			seen[{word.size(), word[0]}]++;
	}
	for (auto &w : seen)
		sum = sum * 7 + w.second;
	printf("%ld\n", sum);
}
