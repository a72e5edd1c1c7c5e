/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "report.h"

static const char letters[] = "-:hjvne:c:f:t:lsxp:b0::1::2::3::4::5::6::7::8::9::";
static const char *current = "";	/* the command at hand, for messages */

const char *program(void)
{
	return program_invocation_short_name;
}

/* Where a text has the word vx, it is the name of the program that is meant. */
void put_help(const char *text)
{
	const char *end;

	while ((end = strstr(text, "vx ")) != NULL) {
		printf("%.*s%s ", (int)(end - text), text, program());
		text = end + strlen("vx ");
	}
	fputs(text, stdout);
}

/* A reader that has gone away has seen enough; anything else that keeps output from arriving is a failure. */
int written(int status)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno != EPIPE)
		fprintf(stderr, "%s: cannot write: %s\n", program(), errno ? strerror(errno) : "some output was lost");
	return ABSENT;
}

void usage(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s%s%s: ", program(), *current ? " " : "", current);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "%s %s%s%s --help\n", format[strlen(format) - 1] == '?' ? " See" : "; see", program(), *current ? " " : "", current);
	exit(USAGE);
}

static void add_word(const struct command *command, struct options *options, const char *word)
{
	if (options->count == command->words)
		usage("\"%s\" is too much", word);
	options->words[options->count++] = word;
}

static void set(struct options *options, int letter)
{
	switch (letter) {
	case 'j':
		options->json = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	case 'n':
		options->names = true;
		break;
	case 'e':
		options->enum_tag = optarg;
		break;
	default:
		options->values[letter] = optarg ? optarg : "1";
	}
}

/* An option as it was written: within "-qv" it is one letter of it, and optind is still at the word before. malloc()ed. */
static char *as_written(char **argv, int letter, bool is_long)
{
	return is_long ? need_text("%s", argv[optind - 1]) : need_text("-%c", letter);
}

/* What is wrong with an option; only "--json=3" and the like are known and not to be had in this way. */
static _Noreturn void refuse(const struct command *command, char **argv, int letter)
{
	const char *argument = argv[optind - 1];

	if (letter == ':')
		usage("%s needs a value", as_written(argv, optopt, !strncmp(argument, "--", strlen("--"))));
	if (command->instead && optopt == *command->instead)
		usage("no option -%s", command->instead);
	if (strchr(argument, '=') && optopt && strchr(letters, optopt))
		usage("%.*s takes no value", (int)strcspn(argument, "="), argument);
	usage("has no option %s", as_written(argv, optopt, !optopt));
}

/* What getopt_long(3) found, whatever it is. @return whether to go on */
static bool take(const struct command *command, char **argv, struct options *options, int letter, bool is_long)
{
	const char *argument = argv[optind - 1];

	if (letter == 'h') {
		put_help(command->help);
		exit(written(DONE));
	}
	if (letter == 1 && command->runs_command) {
		options->command = argv + optind - 1;
		return false;
	}
	if (letter == 1 || isdigit(letter))	/* a digit: a negative number looks like options */
		add_word(command, options, argument);
	else if (letter == ':' || letter == '?')
		refuse(command, argv, letter);
	else if (!strchr(command->letters, letter))
		usage("has no option %s", as_written(argv, letter, is_long));
	else
		set(options, letter);
	return true;
}

/* What takes any text takes "-EINVAL" and "- such as this" for words: no option has a capital letter. */
static void take_capitals(const struct command *command, int argc, char **argv)
{
	int i;

	for (i = 1; command->words == MOST_WORDS && i < argc; i++)
		if (*argv[i] == '-' && (isupper((unsigned char)argv[i][1]) || argv[i][1] == ' '))
			argv[i]++;
}

void options_read(const struct command *command, int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "names", no_argument, NULL, 'n' },
		{ "enum", required_argument, NULL, 'e' },
		{ "config", required_argument, NULL, 'c' },
		{ "fault", required_argument, NULL, 'f' },
		{ "tap", required_argument, NULL, 't' },
		{ "leaks", no_argument, NULL, 'l' },
		{ "strict", no_argument, NULL, 's' },
		{ "trace", no_argument, NULL, 'x' },
		{ "peer", required_argument, NULL, 'p' },
		{ "brief", no_argument, NULL, 'b' },
		{ NULL, 0, NULL, 0 },
	};
	int letter, which = -1;

	current = command->name;
	take_capitals(command, argc, argv);
	while ((letter = getopt_long(argc, argv, letters, names, &which)) != -1) {
		if (!take(command, argv, options, letter, which >= 0))
			return;
		which = -1;
	}
	if (command->runs_command && optind < argc)
		options->command = argv + optind;
	for (; !options->command && optind < argc; optind++)
		add_word(command, options, argv[optind]);
}
