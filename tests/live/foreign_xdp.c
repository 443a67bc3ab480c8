/* Somebody else's XDP program: it passes everything on. */
__attribute__((section("xdp"), used)) int foreign(void *context)
{
	(void)context;
	return 2; /* XDP_PASS */
}
char licence_of_it[] __attribute__((section("license"), used)) = "GPL";
