// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: asks for blocks of 64 KiB in each way that the kernel's own code does: kmalloc,
 * the head of a network packet, pages; and pages with the flags of a network packet.  At most `count` of each, which are kept until it is
 * unloaded; none of them matters, so it does without when there is none.
 */
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#define ORDER 4
#define BYTES (PAGE_SIZE << ORDER)
#define MAX_COUNT 256 /* of each */

static unsigned int count = 7;
module_param(count, uint, 0444);

static void *objects[MAX_COUNT];
static struct sk_buff *packets[MAX_COUNT];
static struct page *pages[MAX_COUNT], *quiet_pages[MAX_COUNT], *like_packets[MAX_COUNT];

static int __init order_init(void)
{
	unsigned int i;

	for (i = 0; i < count && i < MAX_COUNT; i++) {
		objects[i] = kmalloc(BYTES, GFP_KERNEL | __GFP_NOWARN);
		packets[i] = alloc_skb(SKB_WITH_OVERHEAD(BYTES), GFP_KERNEL);
		pages[i] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, ORDER);
		quiet_pages[i] = alloc_pages(GFP_NOIO | __GFP_NOWARN, ORDER);
		like_packets[i] = alloc_pages(
			GFP_KERNEL | __GFP_NOWARN | __GFP_COMP | __GFP_NOMEMALLOC, ORDER);
	}
	return 0;
}

static void __exit order_exit(void)
{
	unsigned int i;

	for (i = 0; i < MAX_COUNT; i++) {
		kfree(objects[i]);
		kfree_skb(packets[i]);
		if (pages[i])
			__free_pages(pages[i], ORDER);
		if (quiet_pages[i])
			__free_pages(quiet_pages[i], ORDER);
		if (like_packets[i])
			__free_pages(like_packets[i], ORDER);
	}
}

module_init(order_init);
module_exit(order_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrc test: allocations that need compaction");
