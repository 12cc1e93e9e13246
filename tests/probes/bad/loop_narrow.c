// SPDX-License-Identifier: GPL-2.0
/* refused: for (i = 0; i < 256; i++): i is not of the function's own, of 32 bits or more */
/* refused: for (k = 0; k < 257; k++): k is not of the function's own, of 32 bits or more */
/* refused: for (m = 0; m < 258; m++): m is not of the function's own, of 32 bits or more */
/* refused: for (n = 0; n < 259; n++): n is not of the function's own, of 32 bits or more */
/* the bound is never reached */
static int ktrc_on_bad(const volatile int *at, unsigned char k)
{
	unsigned char i;
	int first = 0, last = k, sum = 0;

	for (i = 0; i < 256; i++)
		sum += at[i];
	for (k = 0; k < 257; k++)
		sum += at[k];
	{
		int m = at[first + last];

		sum += m;
	}
	{
		unsigned char m;

		for (m = 0; m < 258; m++)
			sum += at[m];
	}
	{
		short int n;

		for (n = 0; n < 259; n++)
			sum += at[n];
	}
	return sum;
}

void *ktrc_bad_loop_narrow = ktrc_on_bad;
