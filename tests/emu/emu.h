/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/**
 * @file
 * What a test can ask of the emulated device from inside.
 *
 * Found with dlsym(RTLD_DEFAULT, ...), NULL when the device is not there; or linked
 * against when the device is linked in.
 */
#ifndef VERBSX_EMU_H
#define VERBSX_EMU_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Ask for something to go wrong. This is added to what was asked for before.
 *
 * @param list  faults, separated by commas or blanks; NULL: nothing is to go wrong any more
 * @param why   where a message goes, which names the column; NULL: stderr
 * @param size  of @why
 * @return 0, or -1 where the list is refused, all of it
 *
 * A fault is NAME[#N[-[M]]][:ARGUMENT][@MS]. N counts occasions from 1, from the time that the
 * fault was asked for; N-M are more of them, N- all from the Nth on. Without it the first is meant.
 *
 *	NAME                   ARGUMENT   what happens
 *	a call's name          an errno   the Nth such call fails with it
 *	call                   an errno   the Nth call fails with it, of whatever name
 *	a status' name         a QP       its Nth send request ends so, without being executed
 *	recv_ and a status     a QP       the Nth message that it receives ends so
 *	drop                   a QP       the Nth packet that it sends is lost
 *	drop_answer            a QP       the Nth answer to what it sends is lost
 *	delay                  a QP       the Nth packet that it sends is held for MS milliseconds
 *	corrupt                a QP       the Nth packet that it sends arrives with a wrong bit
 *	an event's name        a number   the event is sent, in MS milliseconds
 *	port_down, port_up     a port     it goes down or up, in MS milliseconds
 *	lid           [PORT=]a LID        the port's LID changes, in MS milliseconds
 *	speed         [PORT=]Gb/s         the port's speed changes, in MS milliseconds
 *
 * Names are those of README.md for calls, else those of enum ibv_wc_status and ibv_event_type,
 * with or without the prefix. Without a number, any QP or object is meant. A QP is given by its
 * number or, below 0x100, by its place in the order of creation, from 1; CQs and SRQs by the
 * latter. An event changes nothing but the event queue, and waits for an object that is not there
 * yet. Ports are given by number, and are the first by default. Times count from when a device is
 * first open.
 *
 *	create_qp#2:ENOMEM,call#9:EIO   RNR_RETRY_EXC_ERR#3:0x101   drop#2-4:0x101   delay@20
 *	QP_FATAL:0x101@20,port_down@50,port_up@80
 */
int vx_emu_fault(const char *list, char *why, size_t size);

/** The same in place of what was asked for before, with any message on stderr. */
void vx_emu_fail(const char *list);

/**
 * Count live objects.
 *
 * @param kind  "pd", "mr", "dm", "mkey", "mw", "ah", "comp_channel", "cq", "srq", "qp", "xrcd",
 *              "devx", "umem", "var", "pp" or "uar";
 *              NULL: all but UARs, some of which libmlx5 keeps until the device is closed
 */
int vx_emu_live(const char *kind);

/** Count the calls into the kernel so far. */
unsigned long vx_emu_ioctls(void);

#ifdef __cplusplus
}
#endif

#endif
