/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* How handshakes fail: on either side, or by what comes between. */

#include <stdarg.h>
#include <stdio.h>

#include "error/fail.h"
#include "handshake.h"
#include "object/make.h"

#define MOST_ERRNO 4095
#define LONGEST_ADD 96

/* Nothing of what happens meanwhile is what has failed. @return how many stay as they are */
static uint32_t put_back(struct vx_shake *shake)
{
	uint32_t i, left = 0;

	vx_error_try();
	for (i = 0; shake->moved && i < shake->count; i++)
		left += shake->ops->reset(shake, i) < 0;
	vx_error_tried(0);
	return left;
}

/* It is over. What its message is to add goes into the buffer, which is returned. */
static const char *give_up(struct vx_shake *shake, int code, char *add)
{
	uint32_t left = put_back(shake);

	*add = '\0';
	if (left)
		snprintf(add, LONGEST_ADD, "; %u of the QPs could not be brought back to RESET", left);
	else if (shake->moved)
		snprintf(add, LONGEST_ADD, "; the QPs are in RESET, and receives that were posted are gone");
	shake->state = VX_NOT_SHAKEN;
	shake->rc = code;
	return add;
}

int vx_shake_fail_by(struct vx_shake *shake, int code, const char *sentence)
{
	char add[LONGEST_ADD];

	return vx_fail(code, shake->call, VX_NAME(vx_shake_first_qp(shake)), "%s%s", sentence, give_up(shake, code, add));
}

int vx_shake_refuse(struct vx_shake *shake, int code, const char *format, ...)
{
	char sentence[VX_LONGEST_SENTENCE];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	vx_shake_say_refusal(shake, code, sentence);
	return vx_shake_fail_by(shake, code, sentence);
}

/* Of a handshake -EAGAIN would say that it goes on. */
static int for_good(int code)
{
	const struct vx_error_info *error = vx_error();

	return code != -EAGAIN ? code : vx_fail(-EBUSY, error->call, error->object, "Resource temporarily unavailable; %s", error->reason);
}

int vx_shake_refuse_as_recorded(struct vx_shake *shake, int code)
{
	char add[LONGEST_ADD];

	code = for_good(code);
	vx_shake_say_refusal(shake, code, vx_error_text());
	give_up(shake, code, add);
	return code;
}

const char *vx_shake_waiting_for(const struct vx_shake *shake)
{
	static const char what[][32] = {
		[VX_WAIT_OFFER] = "waiting for an offer", [VX_WAIT_ANSWER] = "waiting for the answer",
		[VX_WAIT_READY] = "waiting for the peer's READY", [VX_SHAKEN] = "sending the last message",
		[VX_NOT_SHAKEN] = "sending a refusal",
	};

	return what[shake->state];
}

int vx_shake_fail(struct vx_shake *shake, int code, const char *why)
{
	const bool heard_nothing = code == -ETIMEDOUT && shake->state == VX_WAIT_OFFER && !shake->in.done;
	char sentence[VX_LONGEST_SENTENCE];

	snprintf(sentence, sizeof(sentence), "%s while %s%s", why, vx_shake_waiting_for(shake), heard_nothing ? "; do both sides accept?" : "");
	return vx_shake_fail_by(shake, code, sentence);
}

void vx_shake_abandon(struct vx_shake *shake)
{
	char add[LONGEST_ADD];

	if (!vx_shake_is_over(shake) && shake->state != VX_NOT_SHAKEN)
		give_up(shake, -ECANCELED, add);
}

/* The peer's sentence is whatever it sent: what is no text is not shown as such. */
int vx_shake_was_refused(struct vx_shake *shake)
{
	size_t i, length = shake->in.size < 4 ? 0 : shake->in.size - 4;
	uint32_t number = length ? vx_wire_get(shake->in.bytes, 4) : 0;
	int code = number && number <= MOST_ERRNO && number != EAGAIN ? -(int)number : -EPROTO;
	char sentence[VX_LONGEST_SENTENCE], add[LONGEST_ADD];

	if (length >= sizeof(sentence))
		length = sizeof(sentence) - 1;
	for (i = 0; i < length; i++)
		sentence[i] = shake->in.bytes[4 + i] < ' ' || shake->in.bytes[4 + i] > '~' ? '?' : (char)shake->in.bytes[4 + i];
	sentence[length] = '\0';
	return vx_fail(code, shake->call, VX_NAME(vx_shake_first_qp(shake)), "the other side refused: %s%s", sentence, give_up(shake, code, add));
}
