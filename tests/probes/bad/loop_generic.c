// SPDX-License-Identifier: GPL-2.0
/* refused: _Generic: nobody looks at what it does */
static int ktrc_on_bad(const volatile int *at)
{
	int i, sum = 0;

	for (i = 0; i < 8 && at[1]; i++) {
		sum += at[i];
		_Generic(0, default : i) = 0;
	}
	return sum;
}

void *ktrc_bad_loop_generic = ktrc_on_bad;
