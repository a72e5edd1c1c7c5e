/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Where lines of the trace go, and what must not come of it. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include <verbsx/device.h>
#include <verbsx/error.h>
#include <verbsx/trace.h>

static char folder[] = "/tmp/verbsx-sink-XXXXXX";
static char path[64];

static void begin(void)
{
	unsetenv("VERBSX_TRACE");
	unsetenv("VERBSX_TRACE_DATA");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	snprintf(path, sizeof(path), "%s/trace", folder);
}

static void end(void)
{
	unlink(path);
	unlink("target");
	unlink("2");
	cr_expect_eq(rmdir(folder), 0, "something else was made in %s", folder);
}

TestSuite(sink, .init = begin, .fini = end);

/* With or without a device, this is a call. */
static void make_call(void)
{
	struct vx_device_list *list;

	if (!vx_device_list_get(&list))
		vx_device_list_free(list);
}

static int trace_into_pipe(void)
{
	int reader;

	cr_assert_eq(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	cr_assert_eq(vx_trace_file(path), 0, "%s", vx_error_text());
	return reader;
}

Test(sink, a_pipe_gets_lines)
{
	int reader = trace_into_pipe();
	char line[128] = "";

	make_call();
	cr_expect_gt(read(reader, line, sizeof(line) - 1), 0);
	cr_expect_eq(strncmp(line, "ibv_get_device_list(", 20), 0, "%s", line);
	close(reader);
}

Test(sink, a_pipe_that_nobody_reads_any_more_does_not_end_the_program)
{
	sigset_t pending;

	close(trace_into_pipe());
	make_call();
	sigpending(&pending);
	cr_expect_not(sigismember(&pending, SIGPIPE));
}

Test(sink, the_programs_own_broken_pipe_is_left_to_it)
{
	sigset_t broken, pending, blocked;

	close(trace_into_pipe());
	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, NULL);
	raise(SIGPIPE);
	make_call();
	sigpending(&pending);
	cr_expect(sigismember(&pending, SIGPIPE));
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	cr_expect(sigismember(&blocked, SIGPIPE));
}

Test(sink, a_file_is_for_its_owner_alone)
{
	struct stat about;

	umask(0);
	cr_assert_eq(vx_trace_file(path), 0, "%s", vx_error_text());
	cr_assert_eq(stat(path, &about), 0);
	cr_expect_eq(about.st_mode & 07777, 0600, "%o", about.st_mode);
}

Test(sink, a_link_is_not_followed)
{
	cr_assert_eq(symlink("target", path), 0);
	cr_expect_eq(vx_trace_file(path), -ELOOP);
	cr_expect_not_null(strstr(vx_error_text(), "a symbolic link is not followed"), "%s", vx_error_text());
	cr_expect_eq(access("target", F_OK), -1);
}

Test(sink, a_number_is_no_name_of_a_file)
{
	static const char *const others[] = { "-1", "+1", "0x1", "1 ", " 1", "01", "08", "10", "1.5", "2.", "1.0 " };
	size_t i;

	cr_expect_eq(vx_trace_file("2"), -EINVAL);
	cr_expect_str_eq(vx_error_text(), "vx_trace_file on 2: Invalid argument: of numbers there are 0, which is off, and 1, "
					  "standard error; a file of this name needs ./ before it");
	cr_expect_eq(access("2", F_OK), -1);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		cr_expect_eq(vx_trace_file(others[i]), -EINVAL, "%s", others[i]);
		cr_expect_eq(access(others[i], F_OK), -1, "%s", others[i]);
	}
	cr_expect_eq(vx_trace_file("./2"), 0, "%s", vx_error_text());
	cr_expect_eq(access("2", F_OK), 0);
	cr_expect_eq(vx_trace_file("0"), 0);
	cr_expect_eq(vx_trace_file("1"), 0);
}

Test(sink, a_word_that_some_read_as_a_number_is_the_name_of_a_file)
{
	static const char *const words[] = { "nan", "inf", "infinity", "1e3", "0x1p3", "1.5.txt" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		cr_expect_eq(vx_trace_file(words[i]), 0, "%s: %s", words[i], vx_error_text());
		cr_expect_eq(unlink(words[i]), 0, "%s", words[i]);
	}
	cr_expect_eq(vx_trace_file("0"), 0);
}

Test(sink, a_number_in_the_environment_is_refused_aloud)
{
	char text[256] = "";
	FILE *said;

	cr_redirect_stderr();
	setenv("VERBSX_TRACE", "2", 1);
	make_call();
	fflush(stderr);
	said = cr_get_redirected_stderr();
	cr_expect_not_null(fgets(text, sizeof(text), said));
	cr_expect_not_null(strstr(text, "libverbsx: VERBSX_TRACE=2: Invalid argument: of numbers there are 0"), "%s", text);
}

Test(sink, words_that_are_no_number_show_no_data_path)
{
	char text[256] = "";
	FILE *said;

	cr_redirect_stderr();
	setenv("VERBSX_TRACE_DATA", "all", 1);
	make_call();
	fflush(stderr);
	said = cr_get_redirected_stderr();
	cr_expect_not_null(fgets(text, sizeof(text), said));
	cr_expect_not_null(strstr(text, "libverbsx: VERBSX_TRACE_DATA=all: 0 is off"), "%s", text);
}

Test(sink, the_data_path_alone_is_shown_to_nobody_which_is_told)
{
	char text[256] = "";
	FILE *said;

	cr_redirect_stderr();
	unsetenv("VERBSX_TRACE");
	setenv("VERBSX_TRACE_DATA", "1", 1);
	make_call();
	fflush(stderr);
	said = cr_get_redirected_stderr();
	cr_expect_not_null(fgets(text, sizeof(text), said));
	cr_expect_not_null(strstr(text, "libverbsx: VERBSX_TRACE_DATA=1: without VERBSX_TRACE, such as VERBSX_TRACE=1, calls are shown only"), "%s", text);
}

Test(sink, no_number_shows_no_data_path_and_is_nothing_wrong)
{
	char text[256] = "";

	cr_redirect_stderr();
	unsetenv("VERBSX_TRACE");
	setenv("VERBSX_TRACE_DATA", "", 1);
	make_call();
	fflush(stderr);
	cr_expect_null(fgets(text, sizeof(text), cr_get_redirected_stderr()), "%s", text);
}

Test(sink, a_process_without_keys_is_not_traced)
{
	pthread_key_t key;

	while (!pthread_key_create(&key, NULL))
		;
	cr_expect_eq(vx_trace_file(path), -EAGAIN);
	make_call();
	cr_expect_eq(access(path, F_OK), -1);
	cr_expect_str_eq(vx_error_text(), "no memory to keep what failed", "errors have no key either");
}
