// Sums and differences of 256-bit numbers in WRAM, four 64-bit words, the low one first. They are
// functions in C. *r0 may be *r1, not *r2.

// *r0 = *r1 + *r2, one chain of carries.
    .globl ringjet_add256
ringjet_add256:
    word64 add, addc, r0, r1, r2, 0
    word64 addc, addc, r0, r1, r2, 8
    word64 addc, addc, r0, r1, r2, 16
    word64 addc, addc, r0, r1, r2, 24
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub256
ringjet_sub256:
    word64 sub, subc, r0, r1, r2, 0
    word64 subc, subc, r0, r1, r2, 8
    word64 subc, subc, r0, r1, r2, 16
    word64 subc, subc, r0, r1, r2, 24
    jump r23

// The same from sums of 128 bits with carries: an overflow of the low half increments the high one.
    .globl ringjet_add256_halves
ringjet_add256_halves:
    word64 add, addc, r0, r1, r2, 0
    word64 addc, addc, r0, r1, r2, 8
    word64 add, addc, r0, r1, r2, 16
    word64 addc, addc, r0, r1, r2, 24
    less128 r3, r0, r2, .Ladd256_halves_less
    jeq r3, zero, .Ladd256_halves_done
    ld d4, r0, 16
    add r5, r5, 1
    addc r4, r4, zero
    sd r0, 16, d4
    or r4, r4, r5, nz, .Ladd256_halves_done
    ld d4, r0, 24
    add r5, r5, 1
    addc r4, r4, zero
    sd r0, 24, d4
.Ladd256_halves_done:
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub256_halves
ringjet_sub256_halves:
    less128 r12, r1, r2, .Lsub256_halves_less
    word64 sub, subc, r0, r1, r2, 0
    word64 subc, subc, r0, r1, r2, 8
    word64 sub, subc, r0, r1, r2, 16
    word64 subc, subc, r0, r1, r2, 24
    jeq r12, zero, .Lsub256_halves_done
    ld d4, r0, 16
    or r6, r4, r5, nz, .Lsub256_halves_word
    ld d6, r0, 24
    sub r7, r7, 1
    subc r6, r6, zero
    sd r0, 24, d6
.Lsub256_halves_word:
    sub r5, r5, 1
    subc r4, r4, zero
    sd r0, 16, d4
.Lsub256_halves_done:
    jump r23

// The same from plain sums of 128 bits.
    .globl ringjet_add256_plain
ringjet_add256_plain:
    plain_sum128 r3, r0, r1, r2, 0, 8, .Ladd256_plain_low
    plain_sum128 r3, r0, r1, r2, 16, 24, .Ladd256_plain_high
    less128 r3, r0, r2, .Ladd256_plain_less
    jeq r3, zero, .Ladd256_plain_done
    ld d4, r0, 16
    add r5, r5, 1
    addc r4, r4, zero
    sd r0, 16, d4
    or r4, r4, r5, nz, .Ladd256_plain_done
    ld d4, r0, 24
    add r5, r5, 1
    addc r4, r4, zero
    sd r0, 24, d4
.Ladd256_plain_done:
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub256_plain
ringjet_sub256_plain:
    less128 r12, r1, r2, .Lsub256_plain_less
    plain_difference128 r3, r0, r1, r2, 0, 8, .Lsub256_plain_low
    plain_difference128 r3, r0, r1, r2, 16, 24, .Lsub256_plain_high
    jeq r12, zero, .Lsub256_plain_done
    ld d4, r0, 16
    or r6, r4, r5, nz, .Lsub256_plain_word
    ld d6, r0, 24
    sub r7, r7, 1
    subc r6, r6, zero
    sd r0, 24, d6
.Lsub256_plain_word:
    sub r5, r5, 1
    subc r4, r4, zero
    sd r0, 16, d4
.Lsub256_plain_done:
    jump r23
