/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* vx emu: a command on the emulated mlx5 device. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "report.h"

#define LIBRARY "libverbsx-emu.so"
#define OVERRIDE "VERBSX_EMU_LIB"

/* Exit statuses as of env(1). */
#define NOT_RUN 126
#define NOT_FOUND 127

/* Where the library is, seen from the program: installed, or in the build tree. */
static const char *const places[] = { VX_EMU_INSTALLED, "../../tests/emu" };

/* The folder of this program, which ends in '/'. */
static bool own_folder(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length < 0)
		return false;
	path[length] = '\0';
	strrchr(path, '/')[1] = '\0';
	return true;
}

static char *find_beside(const char *folder)
{
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = need_text("%s%s/" LIBRARY, folder, places[i]);
		char *found = realpath(path, NULL);

		free(path);
		if (found)
			return found;
	}
	return NULL;
}

static char *find_library(void)
{
	const char *override = getenv(OVERRIDE);
	char folder[PATH_MAX];
	char *found;

	if (override && *override)
		found = realpath(override, NULL);
	else
		found = own_folder(folder, sizeof(folder)) ? find_beside(folder) : NULL;
	if (!found)
		fprintf(stderr, "%s emu: %s is not there; " OVERRIDE " may name it\n", program(),
			override && *override ? override : LIBRARY);
	return found;
}

/* The list has no way to write these. */
static bool can_be_preloaded(const char *library)
{
	if (!strpbrk(library, " :"))
		return true;
	fprintf(stderr, "%s emu: %s cannot be preloaded: its path has a blank or a colon\n", program(), library);
	return false;
}

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *list = need_text("%s%s%s", library, others && *others ? ":" : "", others ? others : "");

	setenv("LD_PRELOAD", list, 1);
	free(list);
}

/* What the device reads, by the option that sets it. */
static const struct {
	char letter;
	const char *variable;
} settings[] = {
	{ 'c', "VERBSX_EMU_CONFIG" }, { 'f', "VERBSX_EMU_FAULT" }, { 't', "VERBSX_EMU_TAP" },
	{ 'l', "VERBSX_EMU_LEAKS" },  { 's', "VERBSX_EMU_STRICT" }, { 'x', "VERBSX_EMU_TRACE" },
};

static void set_environment(const struct options *options)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *value = options->values[(unsigned char)settings[i].letter];

		if (value)
			setenv(settings[i].variable, value, 1);
	}
}

/* The device goes on without a tap, and says so in the midst of what the command writes. */
static bool can_be_tapped(const char *file)
{
	FILE *tap = file ? fopen(file, "a") : NULL;

	if (file && !tap)
		fprintf(stderr, "%s emu: --tap: cannot write %s: %s\n", program(), file, strerror(errno));
	if (tap)
		fclose(tap);
	return !file || tap;
}

/* A file of faults is named with a '/', and is followed: it may be written later. What is likely meant otherwise is told. */
static void tell_of_file(const char *faults)
{
	bool is_there = faults && !access(faults, F_OK);

	if (is_there && !strchr(faults, '/'))
		fprintf(stderr, "%s emu: --fault: the file %s is meant only with a / in its name: ./%s\n", program(), faults, faults);
	else if (faults && !is_there && strchr(faults, '/'))
		fprintf(stderr, "%s emu: --fault: %s is not there: nothing goes wrong until it is written\n", program(), faults);
}

/* A value that is none is off, as the library has said while vx was loaded: the command's would say it again. */
static void forget_wrong_value(void)
{
	const char *value = getenv("VERBSX_CHECKED");

	if (value && *value && strcmp(value, "0") && strcmp(value, "1"))
		unsetenv("VERBSX_CHECKED");
}

static int run_command(char **command)
{
	execvp(command[0], command);
	fprintf(stderr, "%s emu: %s: %s\n", program(), command[0], strerror(errno));
	return errno == ENOENT ? NOT_FOUND : NOT_RUN;
}

static int run(const struct options *options)
{
	char *library;

	if (!options->command)
		usage("which command is to be run?");
	library = find_library();
	if (!library || !can_be_preloaded(library) || !can_be_tapped(options->values['t']))
		return ABSENT;
	tell_of_file(options->values['f']);
	preload(library);
	set_environment(options);
	forget_wrong_value();
	return run_command(options->command);
}

const struct command emu_command = {
	.name = "emu",
	.summary = "run a command with an emulated mlx5 device, mlx5_0",
	.help = "usage: vx emu [OPTION...] -- COMMAND [ARG...]\n"
		"\n"
		"Runs a command that finds one RDMA device: mlx5_0, an mlx5 emulated in the process of the\n"
		"command itself, without root or kernel modules.\n"
		"\n"
		"  -c, --config LIST  what the device is like: link_layer=ethernet,max_qp=100, or a file\n"
		"  -f, --fault LIST   what is to go wrong: create_qp#2:ENOMEM,SM_CHANGE@100, or ./FILE; at exit it is\n"
		"                     told which call each has hit\n"
		"  -t, --tap FILE     append all that passes to it: WQEs, packets and CQEs, decoded\n"
		"  -l, --leaks        at exit, tell how many objects were not freed\n"
		"  -s, --strict       exit with 3 rather than 0 where a fault never happened, the device gave a\n"
		"                     warning, or, with --leaks, an object was not freed\n"
		"  -x, --trace        log what the device is asked for\n"
		"  -h, --help         show this\n"
		"\n"
		"They stand for the variables VERBSX_EMU_CONFIG, _FAULT, _TAP, _LEAKS=1, _STRICT=1 and _TRACE=1,\n"
		"which the device reads in any case; its manual has them all: tests/emu/README.md, installed as\n"
		"share/doc/verbsx/emu.md. A file has a setting KEY = VALUE a line, or faults; one of faults is\n"
		"named with a / in it, and lines may be added later. " OVERRIDE " names the library that\n"
		"emulates, where it is not found beside vx.\n"
		"\n"
		"A setuid command does not see the device: the loader preloads nothing into it.\n"
		"\n"
		"Exit status: the command's; 127 where it is not found, 126 where it cannot be run, 1 where the\n"
		"device is missing, or FILE cannot be written; of --strict 3.\n",
	.letters = "cftlsx",
	.runs_command = true,
	.run = run,
};
