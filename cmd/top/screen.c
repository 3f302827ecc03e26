/* SPDX-License-Identifier: MIT */
#include "cmd/top/screen.h"

#include <ctype.h>
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_LINES 4 /* title, sums, state, heads */

static const char *const help[] = {
	"perseus top: threads of a recorded program since the last look",
	"",
	"  P W R C L M N T O   sort by CPU%, WAIT%, RDY%, CALL/s, LINE/s, MIG/s, name,",
	"                      TID, core",
	"  < > I               next or previous column, the other way round",
	"  Up Down PgUp PgDn Home End j k g G    move",
	"  / or \\              filter by a part of the name; Esc ends it",
	"  Z or Space          freeze, and go on",
	"  Left Right          ten looks back or on, of a run that is over",
	"  + -                 look more often, less often",
	"  h ? F1              this page        q F10   leave",
	"",
	"  CPU%   on a core                   RDY%    could run, but has no core",
	"  WAIT%  in waits that the runtime sees; WAITS FOR: the longest, and which",
	"         thread",
	"  CALL/s counted calls               LINE/s  cache lines taken from others",
	"  -      not measured by this run",
	NULL,
};

bool top_screen_open(struct top_screen *s, enum top_column sort, double interval, const char *filter)
{
	*s = (struct top_screen){.view = {.sort = sort}, .interval = interval};
	snprintf(s->filter, sizeof(s->filter), "%s", filter ? filter : "");
	if (!isatty(0) || !isatty(1) || !newterm(NULL, stdout, stdin))
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	return true;
}

void top_screen_close(void)
{
	endwin();
}

static void screen_line(int y, const char *text, attr_t how)
{
	attrset(how);
	mvaddnstr(y, 0, text, COLS);
	attrset(A_NORMAL);
}

/* Lines that are too long go on in the next one. */
static void draw_help(struct top_screen *s)
{
	int width = COLS > 0 ? COLS : 80, n = 0;

	for (int i = 0; help[i]; i++)
		n += help[i][0] ? ((int)strlen(help[i]) - 1) / width + 1 : 1;
	if (s->help_first > n - LINES)
		s->help_first = n > LINES ? n - LINES : 0;
	erase();
	n = -s->help_first;
	for (int i = 0; help[i]; i++)
		for (int at = 0, len = (int)strlen(help[i]); !at || at < len; at += width, n++)
			if (n >= 0 && n < LINES)
				screen_line(n, help[i] + at, i ? A_NORMAL : A_BOLD);
	refresh();
}

static void draw_state(const struct top_screen *s, size_t shown, size_t all)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s%s every %g s; %zu of %zu threads; h: help",
		 s->frozen ? "FROZEN; " : "",
		 s->typing    ? "filter: "
		 : *s->filter ? "filter "
			      : "",
		 s->filter,
		 s->typing    ? "_;"
		 : *s->filter ? ";"
			      : "",
		 s->interval, shown, all);
	screen_line(2, text, s->frozen || s->typing ? A_BOLD : A_NORMAL);
}

void top_screen_draw(struct top_screen *s, const struct live *l, const struct top_names *n, const char *title)
{
	struct strbuf sb = STRBUF_INIT;
	struct top_rows rows;
	size_t room = LINES > HEAD_LINES ? (size_t)(LINES - HEAD_LINES) : 1;

	if (s->help) {
		draw_help(s);
		return;
	}
	s->view.columns = COLS > 0 ? (unsigned)COLS : 80;
	s->view.filter = s->filter;
	top_rows_make(&rows, l, n, &s->view);
	if (s->view.first + room > rows.n)
		s->view.first = rows.n > room ? rows.n - room : 0;
	erase();
	screen_line(0, title, A_BOLD);
	top_sums(&sb, l, s->view.columns);
	screen_line(1, sb.s, A_NORMAL);
	draw_state(s, rows.n, l->threads.n);
	strbuf_release(&sb);
	top_head(&sb, l, &s->view);
	screen_line(3, sb.s, A_REVERSE);
	for (size_t i = 0; i < room && s->view.first + i < rows.n; i++) {
		strbuf_release(&sb);
		top_line(&sb, l, &s->view, &rows.at[s->view.first + i]);
		screen_line(HEAD_LINES + (int)i, sb.s, A_NORMAL);
	}
	strbuf_release(&sb);
	top_rows_release(&rows);
	refresh();
}

/* ---- keys ----------------------------------------------------------------------------------------- */

static void type(struct top_screen *s, int key)
{
	size_t len = strlen(s->filter);

	if (key == '\n' || key == KEY_ENTER) {
		s->typing = false;
	} else if (key == 27) {
		s->typing = false;
		*s->filter = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == 8) && len) {
		s->filter[len - 1] = '\0';
	} else if (key >= ' ' && key <= '~' && len + 1 < sizeof(s->filter)) {
		s->filter[len] = (char)key;
		s->filter[len + 1] = '\0';
	}
	s->view.first = 0;
}

static bool sort_key(struct top_screen *s, int key)
{
	static const struct {
		int key;
		enum top_column by;
	} keys[] = {{'P', TOP_RUNNING}, {'W', TOP_WAITING}, {'R', TOP_READY},
		    {'C', TOP_CALLS},   {'L', TOP_LINES},   {'M', TOP_MIGRATIONS},
		    {'N', TOP_THREAD},  {'T', TOP_TID},     {'O', TOP_CORE}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key) {
			s->view.sort = keys[i].by;
			s->view.upwards = key == 'N' || key == 'T' || key == 'O';
			return true;
		}
	if (key == '>' || key == '<')
		s->view.sort =
			(enum top_column)((s->view.sort + (key == '>' ? 1 : TOP_COLUMNS - 1)) % TOP_COLUMNS);
	else if (key == 'I')
		s->view.upwards = !s->view.upwards;
	else
		return false;
	return true;
}

static void move_to(struct top_screen *s, long first, size_t threads)
{
	s->view.first = first < 0 ? 0 : (size_t)first > threads ? threads : (size_t)first;
}

static bool move_key(struct top_screen *s, int key, size_t threads)
{
	long page = LINES > HEAD_LINES + 1 ? LINES - HEAD_LINES - 1 : 1, at = (long)s->view.first;

	if (key == KEY_DOWN || key == 'j')
		move_to(s, at + 1, threads);
	else if (key == KEY_UP || key == 'k')
		move_to(s, at - 1, threads);
	else if (key == KEY_NPAGE)
		move_to(s, at + page, threads);
	else if (key == KEY_PPAGE)
		move_to(s, at - page, threads);
	else if (key == KEY_HOME || key == 'g')
		move_to(s, 0, threads);
	else if (key == KEY_END || key == 'G')
		move_to(s, (long)threads, threads);
	else
		return false;
	return true;
}

static void other_key(struct top_screen *s, int key)
{
	if (key == 'q' || key == KEY_F(10) || key == 3)
		s->leave = true;
	else if (key == 'h' || key == '?' || key == KEY_F(1))
		s->help = true;
	else if (key == 'Z' || key == 'z' || key == ' ')
		s->frozen = !s->frozen;
	else if (key == '/' || key == '\\' || key == KEY_F(4))
		s->typing = true;
	else if (key == 27)
		*s->filter = '\0';
	else if (key == KEY_LEFT || key == KEY_RIGHT)
		s->jump = key == KEY_LEFT ? -1 : 1;
	else if (key == '+' && s->interval > 0.15)
		s->interval /= 2;
	else if (key == '-' && s->interval < 30)
		s->interval *= 2;
}

/* It is moved like the table; any other key ends it. */
static void help_key(struct top_screen *s, int key)
{
	int page = LINES > 1 ? LINES - 1 : 1;

	if (key == KEY_DOWN || key == 'j')
		s->help_first++;
	else if (key == KEY_NPAGE || key == ' ')
		s->help_first += page;
	else if (key == KEY_UP || key == 'k')
		s->help_first--;
	else if (key == KEY_PPAGE)
		s->help_first -= page;
	else if (key != KEY_RESIZE)
		s->help = false;
	if (s->help_first < 0 || !s->help)
		s->help_first = 0;
}

bool top_screen_key(struct top_screen *s, double seconds, size_t threads)
{
	int key;

	timeout(seconds > 0 ? (int)(seconds * 1000) + 1 : 0);
	key = getch();
	if (key == ERR)
		return false;
	if (s->help) {
		help_key(s, key);
		return true;
	}
	if (s->typing)
		type(s, key);
	else if (!sort_key(s, key) && !move_key(s, key, threads))
		other_key(s, key);
	return true;
}
