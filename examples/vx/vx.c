/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx: what libverbsx knows, at the command line. */

#include <stdio.h>
#include <string.h>

#include <verbsx/version.h>

#include "command.h"
#include "text/nearest.h"

static const struct command *const commands[] = {
	&devices_command, &devinfo_command, &gids_command, &ports_command, &explain_command, &api_command, &emu_command,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int put_commands(void)
{
	size_t i;

	put_help("usage: vx COMMAND [OPTION...] ...\n"
	     "\n"
	     "Shows RDMA devices and explains what rdma-core says, by libverbsx.\n\n");
	for (i = 0; i < COMMANDS; i++)
		printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
	puts("\n"
	     "  -V, --version  tell which version this is\n"
	     "  -h, --help     show this; behind a COMMAND: tell more\n"
	     "\n"
	     "With VERBSX_TRACE=1 in the environment every call of rdma-core is shown on standard error, with\n"
	     "VERBSX_TRACE=FILE in a file.\n"
	     "\n"
	     "Exit status: 0; 1 where something is not there or failed; 2 where the command line is wrong.");
	return DONE;
}

static int put_version(void)
{
	printf("%s %s\n", program(), vx_version());
	return DONE;
}

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

_Noreturn static void no_command(const char *name)
{
	const char *closest = "";
	struct vx_nearest nearest = { .wanted = name, .len = strlen(name), .names = &closest, .max = 1 };
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		vx_nearest_try(&nearest, commands[i]->name, 0);
	usage("no command \"%s\"%s%s", name, *closest ? "; closest: " : "", closest);
}

/* "help" alone, or before the name of a command. */
static int help(const char *name)
{
	if (!name)
		return put_commands();
	if (!find(name))
		no_command(name);
	put_help(find(name)->help);
	return DONE;
}

static int run(int argc, char **argv)
{
	struct options options = { .json = false };
	const struct command *command;

	if (argc < 2)
		usage("which command?");
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		return help(argv[2]);
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))
		return put_version();
	command = find(argv[1]);
	if (!command)
		no_command(argv[1]);
	options_read(command, argc - 1, argv + 1, &options);
	return command->run(&options);
}

int main(int argc, char **argv)
{
	return written(run(argc, argv));
}
