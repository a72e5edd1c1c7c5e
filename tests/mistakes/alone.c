/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Mistakes that take a process of their own: libibverbs, once found, is not looked for again, nor are its devices. */

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <verbsx/mlx5.h>

#include "mistakes.h"

#define FIRST_FREE_FD 3

/* A line without its end. */
static void read_line(FILE *from, char *line, size_t size)
{
	if (!fgets(line, (int)size, from))
		must(-EIO);
	line[strcspn(line, "\n")] = '\0';
}

/* This program, made to do one thing only. */
static FILE *start(const char *action)
{
	char path[PATH_MAX], command[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
	FILE *out;

	must(length < 0 ? -errno : 0);
	snprintf(command, sizeof(command), "exec '%.*s' --alone '%s'", (int)length, path, action);
	out = popen(command, "r");
	must(out ? 0 : -errno);
	return out;
}

int alone(struct bench *b, const char *action, const char *variable, const char *value)
{
	char *before = variable && getenv(variable) ? strdup(getenv(variable)) : NULL;
	char code[16];
	FILE *out;

	if (variable)
		setenv(variable, value, 1);
	out = start(action);
	if (before)
		setenv(variable, before, 1);
	else if (variable)
		unsetenv(variable);
	free(before);
	read_line(out, code, sizeof(code));
	read_line(out, b->raw, sizeof(b->raw));
	read_line(out, b->sentence, sizeof(b->sentence));
	pclose(out);
	return atoi(code);
}

/* A processor, however busy the machine is, or that long where it sleeps. */
void end_what_waits_for_ever(void)
{
	const struct itimerval spinning = { .it_value = { .tv_usec = 300000 } };

	setitimer(ITIMER_PROF, &spinning, NULL);
	alarm(20);
}

void settle(const struct bench *b)
{
	struct bench other = *b;
	struct vx_qp *qp;
	struct ibv_wc wc;
	int i;

	must(vx_cq_create(b->ctx, NULL, &other.cq));
	for (i = 0; i < 3; i++) {
		usleep(10000);
		qp = qp_in(&other, IBV_QPT_RC, IBV_QPS_INIT);
		must(vx_qp_post_recv_one(qp, 7, NULL, 0));
		must(vx_qp_to_err(qp));
		while (!vx_cq_poll(other.cq, 1, &wc))
			;
	}
}

static const char *how_it_ended(int status)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128; /* of a shell, or of the program */

	return number == SIGALRM || number == SIGPROF ? "waits for ever" : number == SIGSEGV ? "SIGSEGV" : "the program ends";
}

void outcome_alone(const char *action, char *out, size_t size)
{
	FILE *from;
	int status;

	if (!recording)
		return;
	from = start(action);
	out[0] = '\0';
	if (fgets(out, (int)size, from))
		out[strcspn(out, "\n")] = '\0';
	status = pclose(from);
	if (!out[0])
		snprintf(out, size, "%s", how_it_ended(status));
}

/* On a device of two ports: both paths by another than they belong to. */
static int connect_by_another_port(struct bench *b)
{
	struct ibv_qp_attr attr;
	struct vx_qp *qp;

	must(vx_ctx_open_index(0, &b->ctx));
	must(vx_pd_create(b->ctx, NULL, &b->pd));
	must(vx_cq_create(b->ctx, NULL, &b->cq));
	qp = qp_in(b, IBV_QPT_RC, IBV_QPS_INIT);
	attr = usual_attr(b, IBV_QPS_RTR);
	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = 2;
	attr.ah_attr.port_num = 2;
	expect_answer(b);
	return vx_qp_modify(qp, &attr, TO_RTR | IBV_QP_ALT_PATH);
}

static int resolve_path(struct bench *b)
{
	must(vx_ctx_open_index(0, &b->ctx));
	return vx_path_resolve(&(struct vx_path){ .ctx = b->ctx, .dlid = 1 }, -1);
}

/* On a device that encrypts. */
static int make_key(struct bench *b, uint64_t comp_mask)
{
	must(vx_ctx_open_index(0, &b->ctx));
	must(vx_pd_create(b->ctx, NULL, &b->pd));
	return vx_mlx5_dek_create(b->ctx, &(struct vx_mlx5_dek_init){ .comp_mask = comp_mask, .pd = b->pd }, &(struct vx_mlx5_dek *){ NULL });
}

static int act(struct bench *b, const char *action)
{
	if (!strcmp(action, "plain key"))
		return make_key(b, MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN);
	if (!strcmp(action, "wrapped key"))
		return make_key(b, 0);
	if (!strncmp(action, "login", 5))
		return login_alone(b, action);
	if (!strcmp(action, "import"))
		return vx_ctx_import(FIRST_FREE_FD, &b->ctx);
	if (!strcmp(action, "another port"))
		return connect_by_another_port(b);
	if (!strcmp(action, "resolve"))
		return resolve_path(b);
	if (!strcmp(action, "stream"))
		return stream_alone(b);
	return vx_ctx_open(action, &b->ctx);
}

/* "import", "another port", "resolve", "stream", "plain key", "wrapped key", "login" and how, "post" and what, or the name of a device to open. */
int do_alone(const char *action)
{
	static const struct mistake refused_change = { .answer = "modify_qp:EINVAL" };
	struct bench b = { .mistake = &refused_change };
	int rc;

	if (!strncmp(action, "post ", 5))
		return post_unchecked(action + 5);
	rc = act(&b, action);

	name_raw_result(&b, rc);
	printf("%d\n%s\n%s\n", rc, b.raw, rc < 0 ? vx_error_text() : "");
	if (b.ctx)
		must(vx_close(b.ctx));
	return 0;
}
