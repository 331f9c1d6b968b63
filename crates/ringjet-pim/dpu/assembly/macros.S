// Macros of the routines. Numbers of several words lie in WRAM, the low word first; `at` and `next`
// are offsets. Labels within a macro begin with its last argument.

// A word of 64 bits of *to = *a + *b or *a - *b. `low` and `high` are add and addc, or sub and subc,
// for the lowest word, and both the latter for the others.
.macro word64 low, high, to, a, b, at
    ld d4, \a, \at
    ld d6, \b, \at
    \low r5, r5, r7
    \high r4, r4, r6
    sd \to, \at, d4
.endm

// 128 bits of *to = *a + *b: two sums of 64 bits, then the carry, which is an overflow of the low one.
.macro plain_sum128 carry, to, a, b, at, next, name
    word64 add, addc, \to, \a, \b, \at
    ld d8, \a, \next
    ld d10, \b, \next
    add r9, r9, r11
    addc r8, r8, r10
    sub \carry, r5, r7, ltu
    sub r5, r4, r6, ltu
    jeq r4, r6, \name
    move \carry, r5
\name:
    move r10, zero
    add r9, r9, \carry
    addc r8, r8, r10
    sd \to, \next, d8
.endm

// 128 bits of *to = *a - *b
.macro plain_difference128 borrow, to, a, b, at, next, name
    ld d4, \a, \at
    ld d6, \b, \at
    ld d8, \a, \next
    ld d10, \b, \next
    sub r9, r9, r11
    subc r8, r8, r10
    sub \borrow, r5, r7, ltu
    sub r10, r4, r6, ltu
    jeq r4, r6, \name
    move \borrow, r10
\name:
    sub r9, r9, \borrow
    subc r8, r8, zero
    sub r5, r5, r7
    subc r4, r4, r6
    sd \to, \at, d4
    sd \to, \next, d8
.endm

// less = d4 < d6
.macro less64 less, name
    sub \less, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, \name
    move \less, r8
\name:
.endm

// less = *a < *b, of 128 bits. The low words are compared if the high ones are equal.
.macro less128 less, a, b, name
    ld d4, \a, 8
    ld d6, \b, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, \name\()_high
    ld d4, \a, 0
    ld d6, \b, 0
\name\()_high:
    less64 \less, \name
.endm

// r0 = d0 mod m. docs/design/pim-arithmetic.md has the argument.
.macro barrett name
    lsl r2, r0, r12           // v' = v >> (k - 2)
    lsr r3, r1, r11
    move r10, r1
    or r0, r2, r3
    move r1, r9
    call r23, ringjet_mul_wide
    lsr r0, r0, 1             // q = high word of v' R, halved
    move r1, r8
    call r23, ringjet_mul_low
    sub r0, r10, r0           // v - q m, below 2 m
    sub r1, r0, r8, ltu, \name
    move r0, r1
\name:
.endm

// r0 = r0 w mod m
.macro shoup name
    move r9, r0
    move r1, r18
    call r23, ringjet_mul_wide
    move r1, r8               // r0 is the quotient
    call r23, ringjet_mul_low
    move r10, r0
    move r0, r9
    move r1, r17
    call r23, ringjet_mul_low
    sub r0, r0, r10           // v w - q m, below 2 m
    sub r1, r0, r8, ltu, \name
    move r0, r1
\name:
.endm

// Adds r0 to the word u, and stores u + r0 and u - r0.
.macro forward name
    lw r1, r14, 0
    add r2, r1, r0
    sub r3, r2, r8, ltu, \name\()_sum
    move r2, r3
\name\()_sum:
    sub r1, r1, r0, geu, \name\()_difference
    add r1, r1, r8
\name\()_difference:
    sw r14, 0, r2
    sw r15, 0, r1
.endm

// Stores u + v; r0 = u - v.
.macro inverse name
    lw r1, r14, 0
    lw r0, r15, 0
    add r2, r1, r0
    sub r3, r2, r8, ltu, \name\()_sum
    move r2, r3
\name\()_sum:
    sw r14, 0, r2
    sub r0, r1, r0, geu, \name\()_difference
    add r0, r0, r8
\name\()_difference:
.endm

// Adds a word at r15 to d0.
.macro collect at
    lw r2, r15, \at
    add r1, r1, r2
    addc r0, r0, zero
.endm

// Adds the product of a word at r15 and a weight: lower halves of words to r2, upper ones to r3.
.macro weighted at, weight
    lw r4, r15, \at
    mul_ul_ul r17, r4, \weight
    add r2, r2, r17
    mul_uh_ul r17, r4, \weight
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, \weight
    add r3, r3, r17
    mul_uh_ul r17, r4, \weight
    lsl_add r3, r3, r17, 8
.endm

// The next words at r14 and r15, until r16.
.macro until_end bytes, loop
    add r15, r15, 4
    add r14, r14, \bytes
    jneq r14, r16, \loop
.endm
