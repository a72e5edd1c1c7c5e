/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#ifndef VX_COMMAND_H
#define VX_COMMAND_H

/* A subcommand is a row: what it is called, what it takes, and who does it. */

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses. */
enum {
	DONE = 0,
	ABSENT = 1,	/* asked for something that is not there, or it failed */
	USAGE = 2,
};

#define MOST_WORDS 1024		/* of a text, which need not be in quotes */

struct options {
	bool json;
	bool verbose;
	bool names;
	const char *enum_tag;
	const char *values[128];	/* of options that only one command has, by letter; "1": it was given */
	char **command;			/* what follows "--" of a command that runs another; NULL: nothing */
	const char *words[MOST_WORDS];	/* the arguments that are no options */
	size_t count;
};

struct command {
	const char *name;
	const char *summary;
	const char *help;
	const char *letters;		/* its options, of those of options.c */
	const char *instead;		/* "d: ...", an option of its namesake that it lacks, and what to write; NULL: none */
	size_t words;			/* how many at most */
	bool runs_command;		/* the rest of the command line is another command's */
	int (*run)(const struct options *options);
};

extern const struct command devices_command;
extern const struct command devinfo_command;
extern const struct command gids_command;
extern const struct command ports_command;
extern const struct command explain_command;
extern const struct command api_command;
extern const struct command emu_command;

/* Read what follows the name of a command, which is argv[0]; ends the program on -h and on what is wrong. */
void options_read(const struct command *command, int argc, char **argv, struct options *options);

/* The name that the program was called by: it is installed under two. */
const char *program(void);

/* Print a help. */
void put_help(const char *text);

/* Write out what was printed. @return the exit status: @p status, ABSENT where that failed, which is told then */
int written(int status);

/* Say what is wrong with the command line and end the program. */
_Noreturn void usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
