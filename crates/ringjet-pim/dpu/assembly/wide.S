// Numbers of 128 bits in WRAM, as two 64-bit words, the low one first. Inlined in C: without call
// and return they take 10 instructions. Loads and stores leave the carry alone.

// *r0 = *r1 + *r2
    .globl ringjet_add128
ringjet_add128:
    word64 add, addc, r0, r1, r2, 0
    word64 addc, addc, r0, r1, r2, 8
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub128
ringjet_sub128:
    word64 sub, subc, r0, r1, r2, 0
    word64 subc, subc, r0, r1, r2, 8
    jump r23
