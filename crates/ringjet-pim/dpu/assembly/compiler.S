// What the vendor's compiler calls, as far as it is known: the same instructions are executed, the
// text is ours.

// r0 = low word of r0 * r1. The smaller factor is used up bit by bit. Both orders of the factors
// take equally long, so one path has a move without effect.
    .globl ringjet_product32
ringjet_product32:
    jgtu r0, r1, .Lproduct32_swap
    move r2, r1
    move r0, r0
    move r1, zero, true, .Lproduct32_steps
.Lproduct32_swap:
    move r2, r0
    move r0, r1
    move r1, zero
.Lproduct32_steps:
    mul_step d0, r2, d0, 0, z, .Lproduct32_done
    mul_step d0, r2, d0, 1, z, .Lproduct32_done
    mul_step d0, r2, d0, 2, z, .Lproduct32_done
    mul_step d0, r2, d0, 3, z, .Lproduct32_done
    mul_step d0, r2, d0, 4, z, .Lproduct32_done
    mul_step d0, r2, d0, 5, z, .Lproduct32_done
    mul_step d0, r2, d0, 6, z, .Lproduct32_done
    mul_step d0, r2, d0, 7, z, .Lproduct32_done
    mul_step d0, r2, d0, 8, z, .Lproduct32_done
    mul_step d0, r2, d0, 9, z, .Lproduct32_done
    mul_step d0, r2, d0, 10, z, .Lproduct32_done
    mul_step d0, r2, d0, 11, z, .Lproduct32_done
    mul_step d0, r2, d0, 12, z, .Lproduct32_done
    mul_step d0, r2, d0, 13, z, .Lproduct32_done
    mul_step d0, r2, d0, 14, z, .Lproduct32_done
    mul_step d0, r2, d0, 15, z, .Lproduct32_done
    mul_step d0, r2, d0, 16, z, .Lproduct32_done
    mul_step d0, r2, d0, 17, z, .Lproduct32_done
    mul_step d0, r2, d0, 18, z, .Lproduct32_done
    mul_step d0, r2, d0, 19, z, .Lproduct32_done
    mul_step d0, r2, d0, 20, z, .Lproduct32_done
    mul_step d0, r2, d0, 21, z, .Lproduct32_done
    mul_step d0, r2, d0, 22, z, .Lproduct32_done
    mul_step d0, r2, d0, 23, z, .Lproduct32_done
    mul_step d0, r2, d0, 24, z, .Lproduct32_done
    mul_step d0, r2, d0, 25, z, .Lproduct32_done
    mul_step d0, r2, d0, 26, z, .Lproduct32_done
    mul_step d0, r2, d0, 27, z, .Lproduct32_done
    mul_step d0, r2, d0, 28, z, .Lproduct32_done
    mul_step d0, r2, d0, 29, z, .Lproduct32_done
    mul_step d0, r2, d0, 30, z, .Lproduct32_done
    mul_step d0, r2, d0, 31, z, .Lproduct32_done
.Lproduct32_done:
    move r0, r1
    jump r23

// d0 = d0 mod d2, by shifts and subtractions, as a library in C divides 64-bit words: in each step
// the divisor is shifted by a variable amount, compared, and perhaps subtracted. The quotient, in
// d8, is not returned. The divisor is from 1 to 2^32 - 1, the dividend below 2^31 divisors.
    .globl ringjet_remainder64
ringjet_remainder64:
    move r8, zero
    move r9, zero
    clz r5, r3                // leading zeros of the divisor, which has one word
    add r5, r5, 32
    clz r4, r0                // leading zeros of the dividend
    jneq r0, zero, .Lremainder64_two_words
    clz r4, r1
    add r4, r4, 32
.Lremainder64_two_words:
    sub r4, r5, r4, mi, .Lremainder64_done
.Lremainder64_step:
    xor r5, r4, 31            // d6 = d2 << r4, for r4 below 32
    lsr r6, r3, 1
    lsr r6, r6, r5
    lsl r5, r2, r4
    or r6, r6, r5
    lsl r7, r3, r4
    lsr r5, r9, 31            // the quotient moves by one bit
    lsl r9, r9, 1
    lsl_add r8, r5, r8, 1
    sub zero, r1, r7
    subc zero, r0, r6, ltu, .Lremainder64_next
    sub r1, r1, r7
    subc r0, r0, r6
    or r9, r9, 1
.Lremainder64_next:
    add r4, r4, -1, pl, .Lremainder64_step
.Lremainder64_done:
    jump r23
