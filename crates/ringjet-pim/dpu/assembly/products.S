// Products of words for DPUs, from products of bytes. In comments a3 a2 a1 a0 are the bytes of the
// factor a; column k is the sum of the products of bytes with weight 2^(8 k).
//
// A pair d0 has its high word in r0 and its low word in r1. Routines that call none return to r23.
// Arguments are in r0, r1, ...; results are in r0 or d0.

    .text

// d0 = r0 * r1. No sum of columns overflows: each product is below 2^16, each column below 2^18.
    .globl ringjet_mul_wide
ringjet_mul_wide:
    lsr r2, r0, 16            // a2, a3
    lsr r3, r1, 16            // b2, b3
    mul_ul_ul r4, r0, r1      // r4: columns 0 and 1
    mul_ul_uh r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_ul r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_uh r5, r0, r1      // r5: columns 2 and 3
    mul_ul_ul r6, r0, r3
    add r5, r5, r6
    mul_ul_ul r6, r2, r1
    add r5, r5, r6
    mul_ul_uh r6, r0, r3
    lsl_add r5, r5, r6, 8
    mul_uh_ul r6, r0, r3
    lsl_add r5, r5, r6, 8
    mul_uh_ul r6, r2, r1
    lsl_add r5, r5, r6, 8
    mul_ul_uh r6, r2, r1
    lsl_add r5, r5, r6, 8
    mul_uh_uh r6, r0, r3      // r6: columns 4, 5 and 6
    mul_uh_uh r7, r2, r1
    add r6, r6, r7
    mul_ul_ul r7, r2, r3
    add r6, r6, r7
    mul_ul_uh r7, r2, r3
    lsl_add r6, r6, r7, 8
    mul_uh_ul r7, r2, r3
    lsl_add r6, r6, r7, 8
    mul_uh_uh r7, r2, r3
    lsl_add r6, r6, r7, 16
    lsr r7, r5, 16
    lsl r5, r5, 16
    add r1, r4, r5
    addc r0, r6, r7
    jump r23

// r0 = low word of r0 * r1.
    .globl ringjet_mul_low
ringjet_mul_low:
    lsr r2, r0, 16            // a2, a3
    lsr r3, r1, 16            // b2, b3
    mul_ul_ul r4, r0, r1
    mul_ul_uh r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_ul r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_uh r5, r0, r1
    lsl_add r4, r4, r5, 16
    mul_ul_ul r5, r0, r3
    lsl_add r4, r4, r5, 16
    mul_ul_ul r5, r2, r1
    lsl_add r4, r4, r5, 16
    mul_ul_uh r5, r0, r3
    lsl_add r4, r4, r5, 24
    mul_uh_ul r5, r0, r3
    lsl_add r4, r4, r5, 24
    mul_uh_ul r5, r2, r1
    lsl_add r4, r4, r5, 24
    mul_ul_uh r5, r2, r1
    lsl_add r0, r4, r5, 24
    jump r23

// d0 = r0 * r1 for factors below 2^24: nine products.
    .globl ringjet_mul_24
ringjet_mul_24:
    lsr r2, r0, 16            // a2
    lsr r3, r1, 16            // b2
    mul_ul_ul r4, r0, r1      // r4: columns 0 and 1
    mul_ul_uh r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_ul r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_uh r5, r0, r1      // r5: columns 2 and 3
    mul_ul_ul r6, r0, r3
    add r5, r5, r6
    mul_ul_ul r6, r2, r1
    add r5, r5, r6
    mul_uh_ul r6, r0, r3
    lsl_add r5, r5, r6, 8
    mul_ul_uh r6, r2, r1
    lsl_add r5, r5, r6, 8
    mul_ul_ul r6, r2, r3      // r6: column 4
    lsr r7, r5, 16
    lsl r5, r5, 16
    add r1, r4, r5
    addc r0, r6, r7
    jump r23
