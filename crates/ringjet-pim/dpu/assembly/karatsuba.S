// The product of 128-bit numbers by Karatsuba's method, from products of 32-bit words. r22 is the
// stack. Of a factor a, a0 is the low half and a1 the high one:
// a0 b1 + a1 b0 = a0 b0 + a1 b1 + (a0 - a1) (b1 - b0).
//
// The text calls the sums with the most carries. Tests replace their names by those of the others.

// *r14 = d16 * d18 by three products of words. r15: room for two numbers.
    .globl ringjet_mul64
ringjet_mul64:
    move r0, r17
    move r1, r19
    call r23, ringjet_mul_wide
    sd r14, 0, d0             // a0 b0
    sd r15, 0, d0
    move r0, r16
    move r1, r18
    call r23, ringjet_mul_wide
    sd r14, 8, d0             // a1 b1
    sd r15, 16, d0
    move r2, zero
    move r3, zero
    sd r15, 8, d2
    sd r15, 24, d2
    move r0, r15
    move r1, r15
    add r2, r15, 16
    call r23, ringjet_add128
    sub r20, r17, r16, ltu    // |a0 - a1| and its sign
    sub r0, r17, r16
    jgeu r17, r16, .Lmul64_a
    sub r0, r16, r17
.Lmul64_a:
    sub r21, r18, r19, ltu    // |b1 - b0| and its sign
    sub r1, r18, r19
    jgeu r18, r19, .Lmul64_b
    sub r1, r19, r18
.Lmul64_b:
    xor r20, r20, r21
    call r23, ringjet_mul_wide
    sd r15, 16, d0
    move r0, r15
    move r1, r15
    add r2, r15, 16
    jneq r20, zero, .Lmul64_minus
    call r23, ringjet_add128
    jump .Lmul64_shift
.Lmul64_minus:
    call r23, ringjet_sub128
.Lmul64_shift:
    lw r0, r15, 8             // the middle term is shifted by 32
    lw r1, r15, 4
    sd r15, 8, d0
    lw r0, r15, 0
    move r1, zero
    sd r15, 0, d0
    move r0, r14
    move r1, r14
    move r2, r15
    call r23, ringjet_add128
    jump r13

// *r22 = *r0 * *r1 by three products of 64-bit words. On the stack: the product (32 bytes), the
// middle term, a term, what mul64 needs (32 bytes each), saved registers.
    .globl ringjet_mul128
ringjet_mul128:
    sw r22, 140, r13
    sw r22, 128, r0
    sw r22, 132, r1
    move r14, r22
    add r15, r22, 96
    ld d16, r0, 0
    ld d18, r1, 0
    call r13, ringjet_mul64   // a0 b0
    lw r0, r22, 128
    lw r1, r22, 132
    add r14, r22, 16
    ld d16, r0, 8
    ld d18, r1, 8
    call r13, ringjet_mul64   // a1 b1
    ld d0, r22, 0
    sd r22, 32, d0
    ld d0, r22, 8
    sd r22, 40, d0
    ld d0, r22, 16
    sd r22, 64, d0
    ld d0, r22, 24
    sd r22, 72, d0
    move r0, zero
    move r1, zero
    sd r22, 48, d0
    sd r22, 56, d0
    sd r22, 80, d0
    sd r22, 88, d0
    add r0, r22, 32
    move r1, r0
    add r2, r22, 64
    call r23, ringjet_add256
    lw r0, r22, 128           // |a0 - a1| and its sign
    ld d2, r0, 0
    ld d4, r0, 8
    sub r10, r3, r5, ltu
    sub r6, r2, r4, ltu
    jeq r2, r4, .Lmul128_a
    move r10, r6
.Lmul128_a:
    sub r17, r3, r5
    subc r16, r2, r4
    jeq r10, zero, .Lmul128_a_done
    sub r17, r5, r3
    subc r16, r4, r2
.Lmul128_a_done:
    lw r1, r22, 132           // |b1 - b0| and its sign
    ld d2, r1, 8
    ld d4, r1, 0
    sub r11, r3, r5, ltu
    sub r6, r2, r4, ltu
    jeq r2, r4, .Lmul128_b
    move r11, r6
.Lmul128_b:
    sub r19, r3, r5
    subc r18, r2, r4
    jeq r11, zero, .Lmul128_b_done
    sub r19, r5, r3
    subc r18, r4, r2
.Lmul128_b_done:
    xor r10, r10, r11
    sw r22, 136, r10
    add r14, r22, 64
    call r13, ringjet_mul64
    add r0, r22, 32
    move r1, r0
    add r2, r22, 64
    lw r10, r22, 136
    jneq r10, zero, .Lmul128_minus
    call r23, ringjet_add256
    jump .Lmul128_shift
.Lmul128_minus:
    call r23, ringjet_sub256
.Lmul128_shift:
    ld d0, r22, 48            // the middle term is shifted by 64
    sd r22, 56, d0
    ld d0, r22, 40
    sd r22, 48, d0
    ld d0, r22, 32
    sd r22, 40, d0
    move r0, zero
    move r1, zero
    sd r22, 32, d0
    move r0, r22
    move r1, r22
    add r2, r22, 32
    call r23, ringjet_add256
    lw r13, r22, 140
    jump r13
