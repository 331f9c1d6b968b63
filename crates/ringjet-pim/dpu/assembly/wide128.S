// Numbers of 128 bits as a compiler handles them, and their arithmetic modulo m. Words of 64 bits
// are compared as compilers for words of 32 bits do it: both halves, then a choice.
//
// Sums, differences and the comparison are inlined in C, as in the routines modulo m below. Those
// are functions there, so their calls and returns count.

// *r0 = *r1 + *r2: two sums of 64 bits, then the carry, which is an overflow of the low one.
    .globl ringjet_add128_plain
ringjet_add128_plain:
    ld d4, r1, 0
    ld d6, r2, 0
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 0, d4
    ld d8, r1, 8
    ld d10, r2, 8
    add r9, r9, r11
    addc r8, r8, r10
    sub r3, r5, r7, ltu
    sub r5, r4, r6, ltu
    jeq r4, r6, .Ladd128_plain_carry
    move r3, r5
.Ladd128_plain_carry:
    move r10, zero
    add r9, r9, r3
    addc r8, r8, r10
    sd r0, 8, d8
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub128_plain
ringjet_sub128_plain:
    ld d4, r1, 0
    ld d6, r2, 0
    ld d8, r1, 8
    ld d10, r2, 8
    sub r9, r9, r11
    subc r8, r8, r10
    sub r3, r5, r7, ltu
    sub r10, r4, r6, ltu
    jeq r4, r6, .Lsub128_plain_borrow
    move r3, r10
.Lsub128_plain_borrow:
    sub r9, r9, r3
    subc r8, r8, zero
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 0, d4
    sd r0, 8, d8
    jump r23

// r0 = *r1 < *r2. The low words are compared if the high ones are equal.
    .globl ringjet_less128
ringjet_less128:
    ld d4, r1, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lless128_low_high
    ld d4, r1, 0
    ld d6, r2, 0
.Lless128_low_high:
    sub r0, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lless128_low
    move r0, r8
.Lless128_low:
    jump r23

// *r0 = *r1 + *r2 mod *r3: the sum is compared with the modulus.
    .globl ringjet_mod_add128_plain
ringjet_mod_add128_plain:
    ld d4, r1, 0
    ld d6, r2, 0
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 0, d4
    ld d8, r1, 8
    ld d10, r2, 8
    add r9, r9, r11
    addc r8, r8, r10
    sub r12, r5, r7, ltu
    sub r5, r4, r6, ltu
    jeq r4, r6, .Lmod_add128_plain_carry
    move r12, r5
.Lmod_add128_plain_carry:
    move r10, zero
    add r9, r9, r12
    addc r8, r8, r10
    sd r0, 8, d8
    ld d4, r0, 8
    ld d6, r3, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lmod_add128_plain_less_high
    ld d4, r0, 0
    ld d6, r3, 0
.Lmod_add128_plain_less_high:
    sub r12, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lmod_add128_plain_less
    move r12, r8
.Lmod_add128_plain_less:
    jneq r12, zero, .Lmod_add128_plain_done
    ld d4, r0, 0
    ld d6, r3, 0
    ld d8, r0, 8
    ld d10, r3, 8
    sub r9, r9, r11
    subc r8, r8, r10
    sub r12, r5, r7, ltu
    sub r10, r4, r6, ltu
    jeq r4, r6, .Lmod_add128_plain_borrow
    move r12, r10
.Lmod_add128_plain_borrow:
    sub r9, r9, r12
    subc r8, r8, zero
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 0, d4
    sd r0, 8, d8
.Lmod_add128_plain_done:
    jump r23

// The same with carries.
    .globl ringjet_mod_add128
ringjet_mod_add128:
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
    ld d4, r0, 8
    ld d6, r3, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lmod_add128_less_high
    ld d4, r0, 0
    ld d6, r3, 0
.Lmod_add128_less_high:
    sub r12, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lmod_add128_less
    move r12, r8
.Lmod_add128_less:
    jneq r12, zero, .Lmod_add128_done
    ld d4, r0, 0
    ld d6, r3, 0
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 0, d4
    ld d4, r0, 8
    ld d6, r3, 8
    subc r5, r5, r7
    subc r4, r4, r6
    sd r0, 8, d4
.Lmod_add128_done:
    jump r23

// *r0 = *r1 - *r2 mod *r3: the operands are compared, then subtracted.
    .globl ringjet_mod_sub128_plain
ringjet_mod_sub128_plain:
    ld d4, r1, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lmod_sub128_plain_less_high
    ld d4, r1, 0
    ld d6, r2, 0
.Lmod_sub128_plain_less_high:
    sub r13, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lmod_sub128_plain_less
    move r13, r8
.Lmod_sub128_plain_less:
    ld d4, r1, 0
    ld d6, r2, 0
    ld d8, r1, 8
    ld d10, r2, 8
    sub r9, r9, r11
    subc r8, r8, r10
    sub r12, r5, r7, ltu
    sub r10, r4, r6, ltu
    jeq r4, r6, .Lmod_sub128_plain_borrow
    move r12, r10
.Lmod_sub128_plain_borrow:
    sub r9, r9, r12
    subc r8, r8, zero
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 0, d4
    sd r0, 8, d8
    jeq r13, zero, .Lmod_sub128_plain_done
    ld d4, r0, 0
    ld d6, r3, 0
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 0, d4
    ld d8, r0, 8
    ld d10, r3, 8
    add r9, r9, r11
    addc r8, r8, r10
    sub r12, r5, r7, ltu
    sub r5, r4, r6, ltu
    jeq r4, r6, .Lmod_sub128_plain_carry
    move r12, r5
.Lmod_sub128_plain_carry:
    move r10, zero
    add r9, r9, r12
    addc r8, r8, r10
    sd r0, 8, d8
.Lmod_sub128_plain_done:
    jump r23

// The same with carries.
    .globl ringjet_mod_sub128
ringjet_mod_sub128:
    ld d4, r1, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lmod_sub128_less_high
    ld d4, r1, 0
    ld d6, r2, 0
.Lmod_sub128_less_high:
    sub r13, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lmod_sub128_less
    move r13, r8
.Lmod_sub128_less:
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
    jeq r13, zero, .Lmod_sub128_done
    ld d4, r0, 0
    ld d6, r3, 0
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 0, d4
    ld d4, r0, 8
    ld d6, r3, 8
    addc r5, r5, r7
    addc r4, r4, r6
    sd r0, 8, d4
.Lmod_sub128_done:
    jump r23

// The subtraction is the comparison.
    .globl ringjet_mod_sub128_coalesced
ringjet_mod_sub128_coalesced:
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
    subc r12, zero, zero      // the borrow
    jeq r12, zero, .Lmod_sub128_coalesced_done
    ld d4, r0, 0
    ld d6, r3, 0
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 0, d4
    ld d4, r0, 8
    ld d6, r3, 8
    addc r5, r5, r7
    addc r4, r4, r6
    sd r0, 8, d4
.Lmod_sub128_coalesced_done:
    jump r23
