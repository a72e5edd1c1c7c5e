/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */

/* Key material: how much of it there is may be seen, and no more. */

#include <criterion/criterion.h>
#include <string.h>

#include "toy.h"

static const char *secret_in(int style)
{
	static const uint8_t blob[] = { 0x5a, 0x5a, 0x5a };
	static void *const many[] = { (void *)0x10, NULL, (void *)0x30 };
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

Test(secrets, are_not_shown_where_all_is)
{
	static const int styles[] = { VX_TEXT, VX_COMPACT, VX_JSON };
	size_t i;

	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		cr_expect_null(strstr(secret_in(styles[i] | VX_ALL), "5a"));
		cr_expect_null(strstr(secret_in(styles[i] | VX_ALL), "ZZ"));
		cr_expect_null(strstr(secret_in(styles[i] | VX_ALL), "90"), "in decimal");
	}
}
