/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Key material: how much of it there is may be seen, and no more. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "toy.h"

static const uint8_t blob[] = { 0x5a, 0x5a, 0x5a };
static void *const many[] = { (void *)0x10, NULL, (void *)0x30 };

static const char *secret_in(int style)
{
	const struct toy_secret secret = { .salt = 0x5a5a5a5a, .key = { 0x5a, 0x5a }, .blob = blob, .length = 3, .many = many };

	return toy_text(TOY_SECRET, &secret, sizeof(secret), style | VX_FOLLOW);
}

Test(secrets, are_shown_as_their_length)
{
	cr_expect_str_eq(secret_in(VX_TEXT), "salt   : <4 bytes>\nkey    : <8 bytes>\nblob   : <3 bytes>\nlength : 3\n"
					     "many   : [0x10, NULL, 0x30]\n");
	cr_expect_str_eq(secret_in(VX_COMPACT), "{salt=\"<4 bytes>\" key=\"<8 bytes>\" blob=\"<3 bytes>\" length=3 "
						"many=[0x10,NULL,0x30]}");
	cr_expect_not_null(strstr(secret_in(VX_JSON), "{\"salt\": \"<4 bytes>\", \"key\": \"<8 bytes>\", \"blob\": {\"address\": \"0x"));
	cr_expect_not_null(strstr(secret_in(VX_JSON), ", \"to\": \"<3 bytes>\"}, \"length\": 3, "));
}

static void leave_out(char *text, const void *address)
{
	char digits[32], *at;

	snprintf(digits, sizeof(digits), "%p", address);
	while ((at = strstr(text, digits)))
		memmove(at, at + strlen(digits), strlen(at + strlen(digits)) + 1);
}

/* Addresses may have any digits */
static const char *secret_without_addresses(int style)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s", secret_in(style));
	leave_out(text, blob);
	leave_out(text, many);
	return text;
}

Test(secrets, are_not_shown_where_all_is)
{
	static const int styles[] = { VX_TEXT, VX_COMPACT, VX_JSON };
	size_t i;

	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		const char *shown = secret_without_addresses(styles[i] | VX_ALL);

		cr_expect_null(strstr(shown, "5a"));
		cr_expect_null(strstr(shown, "ZZ"));
		cr_expect_null(strstr(shown, "90"), "in decimal");
	}
}
