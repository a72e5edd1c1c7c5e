/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>
#include <infiniband/verbs.h>

#include <verbsx/describe.h>

static struct vx_struct_info info_of(const struct vx_struct *s)
{
	struct vx_struct_info info;

	cr_assert_not_null(s);
	vx_struct_describe(s, &info);
	return info;
}

static bool has_field(const struct vx_struct *s, const char *name, size_t *index, struct vx_field_info *out)
{
	for (*index = 0; vx_struct_field_at(s, *index, out); (*index)++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

static struct vx_field_info field(const char *tag, const char *name)
{
	const struct vx_struct *s = vx_struct_find(tag);
	struct vx_field_info found;
	size_t index;

	cr_assert(s && has_field(s, name, &index, &found), "%s.%s", tag, name);
	return found;
}

Test(structs, are_found_by_their_tag)
{
	struct vx_struct_info info = info_of(vx_struct_find("ibv_port_attr"));

	cr_expect_str_eq(info.tag, "ibv_port_attr");
	cr_expect_eq(info.size, sizeof(struct ibv_port_attr));
	cr_expect_eq(info.since, 33u);
	cr_expect_not(info.is_union);
	cr_expect(info_of(vx_struct_find("ibv_gid")).is_union);
}

Test(structs, that_do_not_exist_are_not_found)
{
	cr_expect_null(vx_struct_find(NULL));
	cr_expect_null(vx_struct_find(""));
	cr_expect_null(vx_struct_find("ibv_port_attr2"));
}

Test(structs, that_libverbsx_does_not_know_have_nothing_to_say)
{
	struct vx_field_info field;
	struct vx_struct_info info;
	const char *text;
	uint64_t value;

	vx_struct_describe(NULL, &info);
	cr_expect_str_eq(info.tag, "");
	cr_expect_eq(info.fields, 0u);
	cr_expect_not(vx_struct_field_at(NULL, 0, &field));
	cr_expect_not(vx_struct_field_code_at(NULL, 0, 0, &value, &text));
}

Test(structs, without_a_tag_are_only_reached_through_their_field)
{
	struct vx_field_info wr = field("ibv_send_wr", "wr");
	struct vx_field_info rdma, key;
	size_t index;

	cr_expect_null(vx_struct_find("wr"));
	cr_expect(info_of(wr.s).is_union);
	cr_assert(has_field(wr.s, "rdma", &index, &rdma));
	cr_assert(has_field(rdma.s, "rkey", &index, &key));
	cr_expect_eq(wr.offset + rdma.offset + key.offset, offsetof(struct ibv_send_wr, wr.rdma.rkey));
}

Test(structs, are_counted_through_by_index)
{
	const struct vx_struct *s;
	size_t i;

	for (i = 0; (s = vx_struct_at(i)); i++)
		cr_expect_eq(vx_struct_find(info_of(s).tag), s, "%s", info_of(s).tag);
	cr_expect_gt(i, 200u);
	cr_expect_null(vx_struct_at(SIZE_MAX));
}

Test(fields, have_their_place_and_type)
{
	struct vx_field_info lid = field("ibv_port_attr", "lid");

	cr_expect_eq(lid.offset, offsetof(struct ibv_port_attr, lid));
	cr_expect_eq(lid.size, sizeof(uint16_t));
	cr_expect_eq(lid.count, 0u);
	cr_expect_str_eq(lid.c_type, "uint16_t");
	cr_expect_null(lid.e);
	cr_expect_null(lid.s);
	cr_expect_str_eq(lid.valid_when, "");
}

Test(fields, know_their_enum_and_structure)
{
	cr_expect_eq(field("ibv_port_attr", "state").e, vx_enum_find("ibv_port_state"));
	cr_expect_eq(field("ibv_send_wr", "sg_list").s, vx_struct_find("ibv_sge"));
}

Test(fields, of_an_array_tell_how_many_elements)
{
	cr_expect_eq(field("ibv_sa_service_rec", "data16").count, 8u);
	cr_expect_eq(field("ibv_sa_service_rec", "data16").size, 2u);
	cr_expect_eq(field("mlx5dv_devx_async_cmd_hdr", "out_data").count, SIZE_MAX);
}

Test(fields, of_text_are_one_piece)
{
	struct vx_field_info fw_ver = field("ibv_device_attr", "fw_ver");

	cr_expect_str_eq(fw_ver.c_type, "char[64]");
	cr_expect_eq(fw_ver.size, 64u);
	cr_expect_eq(fw_ver.count, 0u);
}

Test(fields, are_at_least_as_new_as_their_structure)
{
	cr_expect_eq(field("ibv_port_attr", "lid").since, 33u);
	cr_expect_eq(field("ibv_comp_cntr", "handle").since, 65u);
}

Test(fields, tell_how_their_number_is_meant)
{
	cr_expect_str_eq(field("ibv_qp_attr", "timeout").form, "ack_timeout");
	cr_expect_str_eq(field("ibv_port_attr", "lid").form, "");
}

Test(fields, tell_when_they_are_valid)
{
	cr_expect(strstr(field("ibv_wc", "byte_len").valid_when, "IBV_WC_SUCCESS"));
}

Test(fields, that_end_are_not_there)
{
	const struct vx_struct *s = vx_struct_find("ibv_sge");
	struct vx_field_info found;

	cr_expect(vx_struct_field_at(s, 2, &found));
	cr_expect_not(vx_struct_field_at(s, 3, &found));
	cr_expect_not(vx_struct_field_at(s, SIZE_MAX, &found));
}

static const char *code_text(const char *tag, const char *name, uint64_t wanted)
{
	const struct vx_struct *s = vx_struct_find(tag);
	struct vx_field_info found;
	const char *text;
	size_t index, i;
	uint64_t value;

	cr_assert(has_field(s, name, &index, &found));
	for (i = 0; vx_struct_field_code_at(s, index, i, &value, &text); i++)
		if (value == wanted)
			return text;
	return "";
}

Test(fields, that_are_codes_list_what_their_values_stand_for)
{
	cr_expect_str_eq(code_text("ibv_port_attr", "active_speed", 32), "25.0 Gb/s");
	cr_expect_str_eq(code_text("ibv_port_attr", "active_width", 2), "4X");
	cr_expect_str_eq(code_text("ibv_port_attr", "lid", 1), "");
}

Test(enumerators, are_found_by_their_name_alone)
{
	struct vx_enumerator found;
	const struct vx_enum_info *e;

	cr_assert(vx_enumerator_find("IBV_WC_RETRY_EXC_ERR", &e, &found));
	cr_expect_eq(e, vx_enum_find("ibv_wc_status"));
	cr_expect_eq(found.value, IBV_WC_RETRY_EXC_ERR);
	cr_expect_not(vx_enumerator_find("IBV_WC_RETRY", &e, &found));
	cr_expect_not(vx_enumerator_find(NULL, &e, &found));
}

Test(meanings, are_known_of_every_completion_status)
{
	struct vx_meaning meaning;
	struct vx_enumerator at;
	size_t i;

	for (i = 0; vx_enumerator_at(vx_enum_find("ibv_wc_status"), i, &at); i++) {
		cr_assert(vx_meaning_of(at.name, &meaning), "%s", at.name);
		cr_expect_gt(strlen(meaning.says), 10u, "%s", at.name);
	}
}

Test(meanings, of_a_second_name_are_those_of_the_first)
{
	struct vx_meaning first, second;

	cr_assert(vx_meaning_of("IBV_ADVISE_MR_ADVICE_PREFETCH", &first));
	cr_assert(vx_meaning_of("IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH", &second));
	cr_expect_eq(first.says, second.says);
}

Test(meanings, that_nobody_wrote_are_not_made_up)
{
	struct vx_meaning meaning;

	cr_expect_not(vx_meaning_of("IBV_WC_NO_SUCH_STATUS", &meaning));
	cr_expect_not(vx_meaning_of("", &meaning));
	cr_expect_not(vx_meaning_of(NULL, &meaning));
}

Test(errnos, are_found_by_code_and_by_name)
{
	static const char *const texts[] = { "12", "-12", "ENOMEM", "enomem" };
	struct vx_errno_info info;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		cr_assert(vx_errno_find(texts[i], &info), "%s", texts[i]);
		cr_expect_eq(info.code, 12);
		cr_expect_str_eq(info.name, "ENOMEM");
		cr_expect_gt(strlen(info.remedy), 10u);
	}
	cr_expect(vx_errno_of(-12, &info) && info.code == 12);
}

Test(errnos, without_a_meaning_of_their_own_have_a_name)
{
	struct vx_errno_info info;

	cr_assert(vx_errno_find("EXDEV", &info));
	cr_expect_eq(info.code, 18);
	cr_expect_str_eq(info.says, "");
}

Test(errnos, that_do_not_exist_are_not_found)
{
	struct vx_errno_info info;

	cr_expect_not(vx_errno_of(0, &info));
	cr_expect_not(vx_errno_of(4000, &info));
	cr_expect_not(vx_errno_of(INT32_MIN, &info));
	cr_expect_not(vx_errno_find("", &info));
	cr_expect_not(vx_errno_find("12x", &info));
	cr_expect_not(vx_errno_find("99999999999999999999", &info));
	cr_expect_not(vx_errno_find(NULL, &info));
}

Test(man_pages, are_known_of_enums_structures_and_functions)
{
	cr_expect_str_eq(vx_man_page("ibv_wc_status"), "ibv_poll_cq(3)");
	cr_expect_str_eq(vx_man_page("ibv_port_attr"), "ibv_query_port(3)");
	cr_expect_str_eq(vx_man_page("ibv_start_poll"), "ibv_create_cq_ex(3)");
	cr_expect_str_eq(vx_man_page("ibv_create_qp"), "ibv_create_qp(3)");
}

Test(man_pages, that_may_not_exist_are_not_named)
{
	cr_expect_null(vx_man_page("ibv_no_such_call"));
	cr_expect_null(vx_man_page("ibv_create"));
	cr_expect_null(vx_man_page(""));
	cr_expect_null(vx_man_page(NULL));
}

Test(describe, structures_of_libverbsx_are_there_and_of_no_release)
{
	const struct vx_struct *s = vx_struct_find("vx_qp_init");
	struct vx_struct_info info;
	struct vx_field_info field;
	size_t i;

	cr_assert_not_null(s);
	vx_struct_describe(s, &info);
	cr_expect_eq(info.since, 0u);
	for (i = 0; vx_struct_field_at(s, i, &field) && strcmp(field.name, "cap"); i++)
		;
	cr_expect_str_eq(field.c_type, "struct ibv_qp_cap");
	cr_expect_eq(field.since, 0u);
	cr_assert(vx_struct_field_at(field.s, 1, &field), "it has those fields, with defaults of their own");
	cr_expect_str_eq(field.name, "max_recv_wr");
	cr_expect_str_eq(field.form, "vx_none");
}

Test(describe, enumerators_of_libverbsx_are_of_no_release)
{
	struct vx_enumerator at;

	cr_assert(vx_enumerator_find("VX_MR_IOVA", NULL, &at));
	cr_expect_eq(at.since, 0u);
}

Test(describe, what_stands_for_a_function)
{
	cr_expect_str_eq(vx_stands_for("ibv_modify_qp"), "vx_qp_modify()");
	cr_expect_str_eq(vx_stands_for("ibv_post_send"), "vx_qp_post_send()");
	cr_expect_str_eq(vx_stands_for("ibv_reg_dm_mr"), "vx_mr_create()");
	cr_expect_str_eq(vx_stands_for("efadv_query_ah"), "vx_efa_ah_query()");
}

Test(describe, nothing_stands_for_what_is_not_wrapped)
{
	cr_expect_str_eq(vx_stands_for("mlx4dv_get_cqe_owner"), "reads a completion of a CQ that the program polls itself; called as it is");
	cr_expect_null(vx_stands_for("ibv_no_such_call"));
	cr_expect_null(vx_stands_for(""));
	cr_expect_null(vx_stands_for(NULL));
}

static const char *best(const char *text)
{
	const char *names[4];

	return vx_suggest(text, names, 4) ? names[0] : "";
}

Test(suggestions, come_from_all_kinds_of_names)
{
	cr_expect_str_eq(best("IBV_WC_SUCESS"), "IBV_WC_SUCCESS");
	cr_expect_str_eq(best("retry_exc_er"), "IBV_WC_RETRY_EXC_ERR");
	cr_expect_str_eq(best("ibv_port_atr"), "ibv_port_attr");
	cr_expect_str_eq(best("active_sped"), "active_speed");
	cr_expect_str_eq(best("ibv_crate_qp"), "ibv_create_qp");
	cr_expect_str_eq(best("wc_statu"), "ibv_wc_status");
	cr_expect_str_eq(best("ENOMEN"), "ENOMEM");
}

Test(suggestions, are_none_for_what_resembles_nothing)
{
	cr_expect_str_eq(best("qqqqzzzzqqqq"), "");
	cr_expect_str_eq(best(""), "");
	cr_expect_eq(vx_suggest(NULL, NULL, 0), 0u);
}

Test(suggestions, keep_to_the_room_there_is)
{
	const char *names[3] = { NULL, NULL, "untouched" };

	cr_expect_eq(vx_suggest("qp", names, 2), 2u);
	cr_expect_str_eq(names[2], "untouched");
	cr_expect_str_neq(names[0], names[1]);
}

static const char *value_text(const char *tag, const char *name, uint64_t value)
{
	const struct vx_struct *s = vx_struct_find(tag);
	struct vx_field_info field;
	static char text[128];
	size_t i;

	for (i = 0; vx_struct_field_at(s, i, &field); i++)
		if (!strcmp(field.name, name))
			vx_struct_field_snprint(text, sizeof(text), s, i, value);
	return text;
}

Test(values, of_a_field_print_as_in_the_structure)
{
	char text[8] = "before";

	cr_expect_str_eq(value_text("ibv_qp_attr", "timeout", 14), "67.1 ms (14)");
	cr_expect_str_eq(value_text("ibv_qp_attr", "path_mtu", 5), "4096 bytes (5)");
	cr_expect_str_eq(value_text("ibv_qp_attr", "qp_state", 3), "IBV_QPS_RTS (3)");
	cr_expect_str_eq(value_text("ibv_wc", "imm_data", 0x1234), "0x1234");
	cr_expect_str_eq(value_text("ibv_qp_attr", "cap", 1), "", "no number");
	cr_expect_str_eq(value_text("ibv_device_attr", "node_guid", 1), "", "an address");
	cr_expect_eq(vx_struct_field_snprint(text, sizeof(text), vx_struct_find("ibv_qp_attr"), 1000, 0), 0u);
	cr_expect_str_eq(text, "");
	cr_expect_eq(vx_struct_field_snprint(text, sizeof(text), NULL, 0, 0), 0u);
}
