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

// d0 = d0 mod d2, as the vendor's library divides 64-bit words (its C source is public, its compiled
// form is not known to us): in each step the divisor is shifted anew, the quotient in d8 moves by a
// bit, and the difference is kept if there was no borrow. Shifts of 64-bit words take four
// instructions in the vendor's back end of LLVM; that the choice is made by moves is our guess. The
// divisor has one word, and a dividend below 2^31 divisors never needs shifts of 32 bits or more.
    .globl ringjet_remainder64
ringjet_remainder64:
    or r5, r2, r3, z, .Lremainder64_return // a DPU faults here
    sub zero, r1, r3
    subc zero, r0, r2, ltu, .Lremainder64_return
    clz r5, r2                // leading zeros of the divisor
    jneq r2, zero, .Lremainder64_wide_divisor
    clz r5, r3
    add r5, r5, 32
.Lremainder64_wide_divisor:
    clz r4, r0                // leading zeros of the dividend
    jneq r0, zero, .Lremainder64_wide_dividend
    clz r4, r1
    add r4, r4, 32
.Lremainder64_wide_dividend:
    sub r4, r5, r4
    move r8, zero
    move r9, zero
.Lremainder64_step:
    lslx r5, r3, r4           // d6 = d2 << r4
    lsl r6, r2, r4
    or r6, r6, r5
    lsl r7, r3, r4
    lslx r5, r9, 1            // d8 = d8 << 1
    lsl r8, r8, 1
    or r8, r8, r5
    lsl r9, r9, 1
    sub r11, r1, r7           // d10 = d0 - d6
    subc r10, r0, r6
    move r5, zero             // whether d0 >= d6
    sub zero, r1, r7
    subc zero, r0, r6, ltu, .Lremainder64_less
    move r5, 1
    move r0, r10
    move r1, r11
.Lremainder64_less:
    or r9, r9, r5
    add r4, r4, -1, pl, .Lremainder64_step
.Lremainder64_return:
    jump r23
