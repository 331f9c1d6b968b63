// Products that the program does not use, counted for comparison with published ones. As in
// products.S, results are in r0 or d0, and routines return to r23.

// r0 = r0 * r1 for factors below 2^16: the seven instructions that a compiler inlines.
    .globl ringjet_mul_16
ringjet_mul_16:
    mul_ul_ul r2, r0, r1
    mul_ul_uh r3, r0, r1
    lsl_add r2, r2, r3, 8
    mul_uh_ul r3, r0, r1
    lsl_add r2, r2, r3, 8
    mul_uh_uh r3, r0, r1
    lsl_add r0, r2, r3, 16
    jump r23

// d0 = r0 * r1 by Karatsuba's method, from three products of halfwords. With a = a1 2^16 + a0:
// a0 b1 + a1 b0 = a0 b0 + a1 b1 + (a0 - a1) (b1 - b0). The differences become sizes and a sign.
    .globl ringjet_mul_karatsuba
ringjet_mul_karatsuba:
    lsr r2, r0, 16            // a1
    lsr r3, r1, 16            // b1
    mul_ul_ul r4, r0, r1      // r4 = a0 b0
    mul_ul_uh r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_ul r5, r0, r1
    lsl_add r4, r4, r5, 8
    mul_uh_uh r5, r0, r1
    lsl_add r4, r4, r5, 16
    mul_ul_ul r6, r2, r3      // r6 = a1 b1
    mul_ul_uh r5, r2, r3
    lsl_add r6, r6, r5, 8
    mul_uh_ul r5, r2, r3
    lsl_add r6, r6, r5, 8
    mul_uh_uh r5, r2, r3
    lsl_add r6, r6, r5, 16
    and r0, r0, 0xffff        // a0
    and r1, r1, 0xffff        // b0
    move r10, zero            // the sign
    sub r0, r0, r2, geu, .Lkaratsuba_b
    sub r0, zero, r0
    move r10, 1
.Lkaratsuba_b:
    sub r1, r3, r1, geu, .Lkaratsuba_product
    sub r1, zero, r1
    xor r10, r10, 1
.Lkaratsuba_product:
    mul_ul_ul r7, r0, r1      // r7 = |a0 - a1| |b1 - b0|
    mul_ul_uh r5, r0, r1
    lsl_add r7, r7, r5, 8
    mul_uh_ul r5, r0, r1
    lsl_add r7, r7, r5, 8
    mul_uh_uh r5, r0, r1
    lsl_add r7, r7, r5, 16
    add r2, r4, r6            // the middle term has 33 bits: r3, r2
    addc r3, zero, zero
    jneq r10, zero, .Lkaratsuba_minus
    add r2, r2, r7
    addc r3, r3, zero
    jump .Lkaratsuba_shift
.Lkaratsuba_minus:
    sub r2, r2, r7
    subc r3, r3, zero
.Lkaratsuba_shift:
    lsl r5, r2, 16
    lsr r2, r2, 16
    lsl_add r2, r2, r3, 16
    add r1, r4, r5
    addc r0, r6, r2
    jump r23
