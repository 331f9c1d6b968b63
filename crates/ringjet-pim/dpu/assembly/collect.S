// Sums of residues with small weights, in loops over words. r14 is the address of sums of 64 bits,
// r16 their end, and r15 the address of words; those of other polynomials are 256 bytes apart.

    .globl ringjet_collect_one
ringjet_collect_one:
    ld d0, r14, 0
    lw r2, r15, 0
    add r1, r1, r2
    addc r0, r0, zero
    sd r14, 0, d0
    add r15, r15, 4
    add r14, r14, 8
    jneq r14, r16, ringjet_collect_one
    jump r23

    .globl ringjet_collect_eight
ringjet_collect_eight:
    ld d0, r14, 0
    lw r2, r15, 0
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 256
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 512
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 768
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 1024
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 1280
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 1536
    add r1, r1, r2
    addc r0, r0, zero
    lw r2, r15, 1792
    add r1, r1, r2
    addc r0, r0, zero
    sd r14, 0, d0
    add r15, r15, 4
    add r14, r14, 8
    jneq r14, r16, ringjet_collect_eight
    jump r23

// The weights, below 2^8, are in r5 to r12. r2 collects the products of lower halves of words, r3
// those of upper ones.
    .globl ringjet_collect_weighted
ringjet_collect_weighted:
    lw r4, r15, 0
    mul_ul_ul r2, r4, r5
    mul_uh_ul r17, r4, r5
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r3, r4, r5
    mul_uh_ul r17, r4, r5
    lsl_add r3, r3, r17, 8
    lw r4, r15, 256
    mul_ul_ul r17, r4, r6
    add r2, r2, r17
    mul_uh_ul r17, r4, r6
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r6
    add r3, r3, r17
    mul_uh_ul r17, r4, r6
    lsl_add r3, r3, r17, 8
    lw r4, r15, 512
    mul_ul_ul r17, r4, r7
    add r2, r2, r17
    mul_uh_ul r17, r4, r7
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r7
    add r3, r3, r17
    mul_uh_ul r17, r4, r7
    lsl_add r3, r3, r17, 8
    lw r4, r15, 768
    mul_ul_ul r17, r4, r8
    add r2, r2, r17
    mul_uh_ul r17, r4, r8
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r8
    add r3, r3, r17
    mul_uh_ul r17, r4, r8
    lsl_add r3, r3, r17, 8
    lw r4, r15, 1024
    mul_ul_ul r17, r4, r9
    add r2, r2, r17
    mul_uh_ul r17, r4, r9
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r9
    add r3, r3, r17
    mul_uh_ul r17, r4, r9
    lsl_add r3, r3, r17, 8
    lw r4, r15, 1280
    mul_ul_ul r17, r4, r10
    add r2, r2, r17
    mul_uh_ul r17, r4, r10
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r10
    add r3, r3, r17
    mul_uh_ul r17, r4, r10
    lsl_add r3, r3, r17, 8
    lw r4, r15, 1536
    mul_ul_ul r17, r4, r11
    add r2, r2, r17
    mul_uh_ul r17, r4, r11
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r11
    add r3, r3, r17
    mul_uh_ul r17, r4, r11
    lsl_add r3, r3, r17, 8
    lw r4, r15, 1792
    mul_ul_ul r17, r4, r12
    add r2, r2, r17
    mul_uh_ul r17, r4, r12
    lsl_add r2, r2, r17, 8
    lsr r4, r4, 16
    mul_ul_ul r17, r4, r12
    add r3, r3, r17
    mul_uh_ul r17, r4, r12
    lsl_add r3, r3, r17, 8
    ld d0, r14, 0
    add r1, r1, r2
    addc r0, r0, zero
    lsl r17, r3, 16
    lsr r3, r3, 16
    add r1, r1, r17
    addc r0, r0, r3
    sd r14, 0, d0
    add r15, r15, 4
    add r14, r14, 8
    jneq r14, r16, ringjet_collect_weighted
    jump r23

// Words at r15 become m - x, with m in r8 and the end of the words in r16.
    .globl ringjet_collect_negated
ringjet_collect_negated:
    lw r0, r15, 0
    sub r0, r8, r0
    sw r15, 0, r0
    add r15, r15, 4
    jneq r15, r16, ringjet_collect_negated
    jump r23
