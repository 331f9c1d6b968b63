// Sums and differences of 256-bit numbers in WRAM, four 64-bit words, the low one first. They are
// functions in C. *r0 may be *r1, not *r2.

// *r0 = *r1 + *r2, one chain of carries.
    .globl ringjet_add256
ringjet_add256:
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
    ld d4, r1, 16
    ld d6, r2, 16
    addc r5, r5, r7
    addc r4, r4, r6
    sd r0, 16, d4
    ld d4, r1, 24
    ld d6, r2, 24
    addc r5, r5, r7
    addc r4, r4, r6
    sd r0, 24, d4
    jump r23

// *r0 = *r1 - *r2
    .globl ringjet_sub256
ringjet_sub256:
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
    ld d4, r1, 16
    ld d6, r2, 16
    subc r5, r5, r7
    subc r4, r4, r6
    sd r0, 16, d4
    ld d4, r1, 24
    ld d6, r2, 24
    subc r5, r5, r7
    subc r4, r4, r6
    sd r0, 24, d4
    jump r23

// The same from sums of 128 bits with carries: an overflow of the low half increments the high one.
    .globl ringjet_add256_halves
ringjet_add256_halves:
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
    ld d4, r1, 16
    ld d6, r2, 16
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 16, d4
    ld d4, r1, 24
    ld d6, r2, 24
    addc r5, r5, r7
    addc r4, r4, r6
    sd r0, 24, d4
    ld d4, r0, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Ladd256_halves_less_high
    ld d4, r0, 0
    ld d6, r2, 0
.Ladd256_halves_less_high:
    sub r3, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Ladd256_halves_less
    move r3, r8
.Ladd256_halves_less:
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
    ld d4, r1, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lsub256_halves_less_high
    ld d4, r1, 0
    ld d6, r2, 0
.Lsub256_halves_less_high:
    sub r12, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lsub256_halves_less
    move r12, r8
.Lsub256_halves_less:
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
    ld d4, r1, 16
    ld d6, r2, 16
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 16, d4
    ld d4, r1, 24
    ld d6, r2, 24
    subc r5, r5, r7
    subc r4, r4, r6
    sd r0, 24, d4
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
    jeq r4, r6, .Ladd256_plain_low
    move r3, r5
.Ladd256_plain_low:
    move r10, zero
    add r9, r9, r3
    addc r8, r8, r10
    sd r0, 8, d8
    ld d4, r1, 16
    ld d6, r2, 16
    add r5, r5, r7
    addc r4, r4, r6
    sd r0, 16, d4
    ld d8, r1, 24
    ld d10, r2, 24
    add r9, r9, r11
    addc r8, r8, r10
    sub r3, r5, r7, ltu
    sub r5, r4, r6, ltu
    jeq r4, r6, .Ladd256_plain_high
    move r3, r5
.Ladd256_plain_high:
    move r10, zero
    add r9, r9, r3
    addc r8, r8, r10
    sd r0, 24, d8
    ld d4, r0, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Ladd256_plain_less_high
    ld d4, r0, 0
    ld d6, r2, 0
.Ladd256_plain_less_high:
    sub r3, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Ladd256_plain_less
    move r3, r8
.Ladd256_plain_less:
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
    ld d4, r1, 8
    ld d6, r2, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lsub256_plain_less_high
    ld d4, r1, 0
    ld d6, r2, 0
.Lsub256_plain_less_high:
    sub r12, r5, r7, ltu
    sub r8, r4, r6, ltu
    jeq r4, r6, .Lsub256_plain_less
    move r12, r8
.Lsub256_plain_less:
    ld d4, r1, 0
    ld d6, r2, 0
    ld d8, r1, 8
    ld d10, r2, 8
    sub r9, r9, r11
    subc r8, r8, r10
    sub r3, r5, r7, ltu
    sub r10, r4, r6, ltu
    jeq r4, r6, .Lsub256_plain_low
    move r3, r10
.Lsub256_plain_low:
    sub r9, r9, r3
    subc r8, r8, zero
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 0, d4
    sd r0, 8, d8
    ld d4, r1, 16
    ld d6, r2, 16
    ld d8, r1, 24
    ld d10, r2, 24
    sub r9, r9, r11
    subc r8, r8, r10
    sub r3, r5, r7, ltu
    sub r10, r4, r6, ltu
    jeq r4, r6, .Lsub256_plain_high
    move r3, r10
.Lsub256_plain_high:
    sub r9, r9, r3
    subc r8, r8, zero
    sub r5, r5, r7
    subc r4, r4, r6
    sd r0, 16, d4
    sd r0, 24, d8
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
