// Switches of the program. Each step of the published ladder of optimisations is one of them.
#pragma once

#ifndef OWN_PRODUCT
#define OWN_PRODUCT 1
#endif
#ifndef BARRETT
#define BARRETT 1
#endif
#ifndef BUFFERED
#define BUFFERED 1
#endif
#ifndef COALESCED
#define COALESCED 1
#endif
#ifndef SCRAMBLED
#define SCRAMBLED 1
#endif
#ifndef SHOUP
#define SHOUP 0
#endif
#ifndef RESIDENT
#define RESIDENT 0
#endif
#ifndef DUMMY_PRODUCT
#define DUMMY_PRODUCT 0
#endif
#ifndef NINE_PRODUCTS
#define NINE_PRODUCTS 0
#endif
// How many residues of a coefficient lie side by side (layouts.txt).
#ifndef TUPLE
#define TUPLE 1
#endif
// Of coefficients/program.c: sums of 128-bit numbers with carries, instead of comparisons; sums of
// 256-bit numbers in one chain of carries, instead of two sums.
#ifndef ADD_WITH_CARRY
#define ADD_WITH_CARRY 1
#endif
#ifndef WIDE_CARRY
#define WIDE_CARRY 0
#endif
