/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The kernel's side of libibumad: /dev/infiniband/umad0... for MADs, issm0... for who is a subnet manager. */
#ifndef EMU_UMAD_H
#define EMU_UMAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <rdma/ib_user_mad.h>

#include "calls/ready.h"
#include "mad/mad.h"

struct nearest;

#define UMAD_NODE "/dev/infiniband/umad"
#define ISSM_NODE "/dev/infiniband/issm"
#define UMAD_MAX_AGENTS 32

/* What a program has registered: what it sends has this in it, and what comes may be for it */
struct umad_agent {
	uint32_t id; /* in its file */
	uint32_t hi_tid; /* the upper half of its transactions' ids, its own among all agents */
	uint32_t qpn;
	uint8_t mgmt_class, mgmt_class_version, rmpp_version; /* class 0: only answers are for it */
	uint8_t oui[3];
	bool user_rmpp;
	uint64_t method_mask[2];
};

/* What was sent and waits for an answer */
struct umad_send {
	TAILQ_ENTRY(umad_send) link;
	struct umad_agent *agent;
	struct ib_user_mad_hdr hdr;
	uint64_t due; /* ns */
	uint32_t tries; /* that are left */
	struct mad_packet *p;
};

/* What a program can read */
struct umad_recv {
	STAILQ_ENTRY(umad_recv) link;
	struct ib_user_mad_hdr hdr;
	uint32_t size;
	uint8_t data[];
};

struct umad_file {
	LIST_ENTRY(umad_file) link;
	uint8_t port;
	struct ready ready; /* as there is something to read */
	int fds; /* of the program */
	int waiting; /* calls that read */
	bool already_used, use_pkey_index;
	struct umad_agent *agents[UMAD_MAX_AGENTS];
	TAILQ_HEAD(, umad_send) sends;
	STAILQ_HEAD(, umad_recv) recvs;
};

LIST_HEAD(umad_file_list, umad_file);
extern struct umad_file_list umad_files;

/* umad_file.c: whether a path is that of a node; open it: a descriptor, or -1 with errno */
bool umad_is_node(const char *path);
int umad_open(const char *path, int flags);
void umad_file_hold(struct umad_file *f);
void umad_file_drop(struct umad_file *f);
/* As the system calls. Take the device lock. */
ssize_t umad_read(int fd, void *data, size_t size);
ssize_t umad_write(int fd, const void *data, size_t size);
int umad_ioctl(int fd, unsigned long request, void *arg);
/* The name of a call, for faults, that is equal to @name; NULL for none. */
const char *umad_call_name(const char *name);
void umad_call_names(struct nearest *n);
/* In a forked child, all of it is the parent's. */
void umad_forget(void);

/* issm.c: as long as such a descriptor is open, the port has a subnet manager */
struct issm_file;
bool issm_is_node(const char *path);
int issm_open(const char *path, int flags);
void issm_hold(struct issm_file *f);
void issm_drop(struct issm_file *f);

/* The port of a node, by the number at the end of its path; 0 where there is none */
uint8_t umad_port_of(const char *path, const char *node);

/* umad_agent.c: 0 or an errno */
int umad_register(struct umad_file *f, struct ib_user_mad_reg_req *r);
int umad_register2(struct umad_file *f, struct ib_user_mad_reg_req2 *r);
int umad_unregister(struct umad_file *f, uint32_t id);
void umad_unregister_all(struct umad_file *f);
/* A MAD for programs: whether one of them takes it. */
bool umad_deliver(const struct mad_packet *p);
/* On one host, the process that a MAD to it is for. */
uint32_t umad_place_for(const struct mad_packet *p);

/* umad_send.c: 0 or an errno */
int umad_send(struct umad_file *f, const struct ib_user_mad_hdr *hdr, const void *data, size_t size);
/* What waits for that answer no longer does; false where nothing did. */
bool umad_answered(struct umad_file *f, const struct umad_agent *a, const struct mad *m);
void umad_cancel(struct umad_file *f, const struct umad_agent *a);
/* What was not answered in time: whether there was anything. */
bool umad_serve(void);

/* umad_rmpp.c: begin to hand over a long answer segment by segment; false where it is for the agent as a whole. */
bool umad_segment(struct umad_file *f, const struct umad_agent *a, const struct ib_user_mad_hdr *hdr,
		  const struct mad_packet *p);
/* What is sent may be about such an answer; then it is no business of others. */
bool umad_acknowledge(const struct umad_agent *a, const struct mad *m);
/* The agent goes away; NULL: all of them. */
void umad_cancel_segments(const struct umad_agent *a);

/* umad_recv.c: for the program to read */
void umad_put(struct umad_file *f, const struct ib_user_mad_hdr *hdr, const void *data, uint32_t size);
ssize_t umad_get(struct umad_file *f, void *data, size_t size);
size_t umad_header_size(const struct umad_file *f);

#endif
