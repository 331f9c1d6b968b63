// Numbers of 128 bits in WRAM, as two 64-bit words, the low one first. Inlined in C: without call
// and return they take 10 instructions. Loads and stores leave the carry alone.

// *r0 = *r1 + *r2
    .globl ringjet_add128
ringjet_add128:
    ld d4, r1, 0
    ld d6, r2, 0
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 0, d4
    ld d4, r1, 8
    ld d6, r2, 8
    addc r5, r5, r7
    addc r4, r4, r6
    sd r0, 8, d4
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub128
ringjet_sub128:
    ld d4, r1, 0
    ld d6, r2, 0
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 0, d4
    ld d4, r1, 8
    ld d6, r2, 8
    subc r5, r5, r7
    subc r4, r4, r6
    sd r0, 8, d4
    jump r23
