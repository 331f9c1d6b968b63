// The remainder of 256-bit numbers by shifts and subtractions, and products modulo m. r22 is the
// stack. Tests replace the name of the difference by those of the others.

// The low half of *r0 = *r0 mod *r1. The divisor, shifted up to the dividend's length, is compared,
// perhaps subtracted, and shifted down by one, until it is the modulus again. On the stack behind
// the dividend: the divisor, and 16 words from which it is shifted.
    .globl ringjet_remainder256
ringjet_remainder256:
    move r14, r0
    add r15, r22, 32
    add r4, r14, 28
    move r5, 256
.Lremainder256_dividend:
    lw r6, r4, 0
    jneq r6, zero, .Lremainder256_dividend_found
    add r4, r4, -4
    add r5, r5, -32, nz, .Lremainder256_dividend
    jump .Lremainder256_done
.Lremainder256_dividend_found:
    clz r6, r6
    sub r5, r5, r6
    add r4, r1, 12
    move r7, 128
.Lremainder256_divisor:
    lw r6, r4, 0
    jneq r6, zero, .Lremainder256_divisor_found
    add r4, r4, -4
    add r7, r7, -32, nz, .Lremainder256_divisor
.Lremainder256_divisor_found:
    clz r6, r6
    sub r7, r7, r6
    sub r16, r5, r7, mi, .Lremainder256_done
    move r4, zero
    move r5, zero
    sd r15, 32, d4
    sd r15, 40, d4
    sd r15, 48, d4
    sd r15, 56, d4
    sd r15, 80, d4
    sd r15, 88, d4
    ld d6, r1, 0
    sd r15, 64, d6
    ld d6, r1, 8
    sd r15, 72, d6
    lsr r4, r16, 5
    lsl r4, r4, 2
    add r5, r15, 64
    sub r5, r5, r4            // from here the words are right
    and r6, r16, 31
    xor r7, r6, 31
    move r4, r15
    add r8, r15, 32
.Lremainder256_up:
    lw r9, r5, -4
    lw r10, r5, 0
    lsr r9, r9, 1
    lsr r9, r9, r7
    lsl r10, r10, r6
    or r9, r9, r10
    sw r4, 0, r9
    add r5, r5, 4
    add r4, r4, 4
    jneq r4, r8, .Lremainder256_up
.Lremainder256_step:
    ld d4, r14, 24
    ld d6, r15, 24
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lremainder256_differ
    ld d4, r14, 16
    ld d6, r15, 16
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lremainder256_differ
    ld d4, r14, 8
    ld d6, r15, 8
    xor r8, r4, r6
    xor r9, r5, r7
    or r8, r8, r9, nz, .Lremainder256_differ
    ld d4, r14, 0
    ld d6, r15, 0
.Lremainder256_differ:
    less64 r3, .Lremainder256_less
    jneq r3, zero, .Lremainder256_next
    move r0, r14
    move r1, r14
    move r2, r15
    call r23, ringjet_sub256
.Lremainder256_next:
    jeq r16, zero, .Lremainder256_done
    ld d4, r15, 24            // the divisor is shifted down
    ld d6, r15, 16
    ld d8, r15, 8
    ld d10, r15, 0
    lsr r11, r11, 1
    lsl_add r11, r11, r10, 31
    lsr r10, r10, 1
    lsl_add r10, r10, r9, 31
    lsr r9, r9, 1
    lsl_add r9, r9, r8, 31
    lsr r8, r8, 1
    lsl_add r8, r8, r7, 31
    lsr r7, r7, 1
    lsl_add r7, r7, r6, 31
    lsr r6, r6, 1
    lsl_add r6, r6, r5, 31
    lsr r5, r5, 1
    lsl_add r5, r5, r4, 31
    lsr r4, r4, 1
    sd r15, 24, d4
    sd r15, 16, d6
    sd r15, 8, d8
    sd r15, 0, d10
    add r16, r16, -1, true, .Lremainder256_step
.Lremainder256_done:
    jump r13

// *r0 = *r1 * *r2 mod *r3
    .globl ringjet_mod_mul128
ringjet_mod_mul128:
    sw r22, 144, r13
    sw r22, 148, r0
    sw r22, 152, r3
    move r0, r1
    move r1, r2
    call r13, ringjet_mul128
    move r0, r22
    lw r1, r22, 152
    call r13, ringjet_remainder256
    lw r0, r22, 148
    ld d2, r22, 0
    sd r0, 0, d2
    ld d2, r22, 8
    sd r0, 8, d2
    lw r13, r22, 144
    jump r13
