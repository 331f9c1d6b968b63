// Numbers of 128 bits as a compiler handles them, and their arithmetic modulo m. Words of 64 bits
// are compared as compilers for words of 32 bits do it: both halves, then a choice.
//
// Sums, differences and the comparison are inlined in C, as in the routines modulo m below. Those
// are functions there, so their calls and returns count.

// *r0 = *r1 + *r2: two sums of 64 bits, then the carry, which is an overflow of the low one.
    .globl ringjet_add128_plain
ringjet_add128_plain:
    plain_sum128 r3, r0, r1, r2, 0, 8, .Ladd128_plain_carry
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub128_plain
ringjet_sub128_plain:
    plain_difference128 r3, r0, r1, r2, 0, 8, .Lsub128_plain_borrow
    jump r23

// r0 = *r1 < *r2. The low words are compared if the high ones are equal.
    .globl ringjet_less128
ringjet_less128:
    less128 r0, r1, r2, .Lless128_low
    jump r23

// *r0 = *r1 + *r2 mod *r3: the sum is compared with the modulus.
    .globl ringjet_mod_add128_plain
ringjet_mod_add128_plain:
    plain_sum128 r12, r0, r1, r2, 0, 8, .Lmod_add128_plain_carry
    less128 r12, r0, r3, .Lmod_add128_plain_less
    jneq r12, zero, .Lmod_add128_plain_done
    plain_difference128 r12, r0, r0, r3, 0, 8, .Lmod_add128_plain_borrow
.Lmod_add128_plain_done:
    jump r23

// The same with carries.
    .globl ringjet_mod_add128
ringjet_mod_add128:
    word64 add, addc, r0, r1, r2, 0
    word64 addc, addc, r0, r1, r2, 8
    less128 r12, r0, r3, .Lmod_add128_less
    jneq r12, zero, .Lmod_add128_done
    word64 sub, subc, r0, r0, r3, 0
    word64 subc, subc, r0, r0, r3, 8
.Lmod_add128_done:
    jump r23

// *r0 = *r1 - *r2 mod *r3: the operands are compared, then subtracted.
    .globl ringjet_mod_sub128_plain
ringjet_mod_sub128_plain:
    less128 r13, r1, r2, .Lmod_sub128_plain_less
    plain_difference128 r12, r0, r1, r2, 0, 8, .Lmod_sub128_plain_borrow
    jeq r13, zero, .Lmod_sub128_plain_done
    plain_sum128 r12, r0, r0, r3, 0, 8, .Lmod_sub128_plain_carry
.Lmod_sub128_plain_done:
    jump r23

// The same with carries.
    .globl ringjet_mod_sub128
ringjet_mod_sub128:
    less128 r13, r1, r2, .Lmod_sub128_less
    word64 sub, subc, r0, r1, r2, 0
    word64 subc, subc, r0, r1, r2, 8
    jeq r13, zero, .Lmod_sub128_done
    word64 add, addc, r0, r0, r3, 0
    word64 addc, addc, r0, r0, r3, 8
.Lmod_sub128_done:
    jump r23

// The subtraction is the comparison.
    .globl ringjet_mod_sub128_coalesced
ringjet_mod_sub128_coalesced:
    word64 sub, subc, r0, r1, r2, 0
    word64 subc, subc, r0, r1, r2, 8
    subc r12, zero, zero      // the borrow
    jeq r12, zero, .Lmod_sub128_coalesced_done
    word64 add, addc, r0, r0, r3, 0
    word64 addc, addc, r0, r0, r3, 8
.Lmod_sub128_coalesced_done:
    jump r23
