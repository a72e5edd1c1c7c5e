/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* What the command line says, and the socket by which two processes meet. */

#include "pingpong.h"

#include <getopt.h>
#include <netdb.h>
#include <unistd.h>

void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "the other side has gone");
	exit(1);
}

struct options parse_options(int argc, char **argv)
{
	struct options options = { .port = "18515", .size = 4096, .count = 1000, .check = true };
	static const struct option names[] = { { "json", no_argument, NULL, 'j' }, { "no-check", no_argument, NULL, 'u' }, { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "p:s:n:ej", names, NULL)) != -1) {
		switch (c) {
		case 'p': options.port = optarg; break;
		case 's': options.size = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'n': options.count = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'e': options.events = true; break;
		case 'j': options.json = true; break;
		case 'u': options.check = false; break;
		default:
			fprintf(stderr, "usage: %s [-p PORT] [-s SIZE] [-n COUNT] [-e] [--json] [--no-check] [HOST]\n", argv[0]);
			exit(2);
		}
	}
	options.host = argv[optind];
	if (!options.size || !options.count) {
		fprintf(stderr, "%s: SIZE and COUNT must be 1 at least\n", argv[0]);
		exit(2);
	}
	return options;
}

/* ---- the socket ---- */

static int listen_for_one(const struct addrinfo *at)
{
	int on = 1, fd, listening = socket(at->ai_family, SOCK_STREAM, 0);

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listening, at->ai_addr, at->ai_addrlen) || listen(listening, 1))
		fail("bind");
	fd = accept(listening, NULL, NULL);
	close(listening);
	return fd;
}

/* The server may be started at the same time. */
static int connect_soon(const struct addrinfo *to)
{
	int fd, tries;

	for (tries = 0; tries < 50; tries++) {
		fd = socket(to->ai_family, SOCK_STREAM, 0);
		if (!connect(fd, to->ai_addr, to->ai_addrlen))
			return fd;
		close(fd);
		usleep(100000);
	}
	return -1;
}

int open_socket(const struct options *options)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	struct addrinfo *found;
	int fd, rc;

	rc = getaddrinfo(options->host, options->port, &hints, &found);
	if (rc) {
		fprintf(stderr, "%s, port %s: %s\n", options->host ? options->host : "this host", options->port, gai_strerror(rc));
		exit(1);
	}
	fd = options->host ? connect_soon(found) : listen_for_one(found);
	freeaddrinfo(found);
	if (fd < 0)
		fail("connect");
	return fd;
}

void meet(const struct end *end)
{
	char byte = 1;

	errno = 0;
	if (send(end->fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(end->fd, &byte, 1, 0) != 1)
		fail("meet");
}
