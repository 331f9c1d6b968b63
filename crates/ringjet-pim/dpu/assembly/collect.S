// Sums of residues with small weights, in loops over words. r14 is the address of sums of 64 bits,
// r16 their end, and r15 the address of words; those of other polynomials are 256 bytes apart.

    .globl ringjet_collect_one
ringjet_collect_one:
    ld d0, r14, 0
    collect 0
    sd r14, 0, d0
    until_end 8, ringjet_collect_one
    jump r23

    .globl ringjet_collect_eight
ringjet_collect_eight:
    ld d0, r14, 0
    collect 0
    collect 256
    collect 512
    collect 768
    collect 1024
    collect 1280
    collect 1536
    collect 1792
    sd r14, 0, d0
    until_end 8, ringjet_collect_eight
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
    weighted 256, r6
    weighted 512, r7
    weighted 768, r8
    weighted 1024, r9
    weighted 1280, r10
    weighted 1536, r11
    weighted 1792, r12
    ld d0, r14, 0
    add r1, r1, r2
    addc r0, r0, zero
    lsl r17, r3, 16
    lsr r3, r3, 16
    add r1, r1, r17
    addc r0, r0, r3
    sd r14, 0, d0
    until_end 8, ringjet_collect_weighted
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
