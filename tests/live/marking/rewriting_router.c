/* A router that gives every packet the DSCP that it thinks right: VALUE. */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int rewrite(struct __sk_buff *skb)
{
	unsigned char *at = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
	unsigned short before, after;

	if (at + 34 > end)
		return -1;
	if (at[12] == 0x08 && at[13] == 0x00) {
		before = at[14] << 8 | at[15];
		after = (before & 0xff03) | VALUE << 2;
		bpf_l3_csum_replace(skb, 24, bpf_htons(before), bpf_htons(after), 2);
		after = bpf_htons(after);
		bpf_skb_store_bytes(skb, 14, &after, 2, 0);
	} else if (at[12] == 0x86 && at[13] == 0xdd) {
		after = at[14] << 8 | at[15];
		after = bpf_htons((after & 0xf03f) | VALUE << 6);
		bpf_skb_store_bytes(skb, 14, &after, 2, 0);
	}
	return -1; /* TC_ACT_UNSPEC */
}
char licence_of_it[] SEC("license") = "GPL";
