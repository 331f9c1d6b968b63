// Loops over words in WRAM, with the constants of residues.S in registers. r14 and r15 are the
// addresses of the operands, r16 is the end of the first. They show what a loop costs around the
// arithmetic, and return to r13.

// u[i] = u[i] v[i] mod m.
    .globl ringjet_pointwise
ringjet_pointwise:
    lw r0, r14, 0
    lw r1, r15, 0
    call r23, ringjet_mul_wide
    lsl r2, r0, r12           // v' = v >> (k - 2)
    lsr r3, r1, r11
    move r10, r1
    or r0, r2, r3
    move r1, r9
    call r23, ringjet_mul_wide
    lsr r0, r0, 1             // q = high word of v' R, halved
    move r1, r8
    call r23, ringjet_mul_low
    sub r0, r10, r0           // v - q m, below 2 m
    sub r1, r0, r8, ltu, .Lpointwise_reduced
    move r0, r1
.Lpointwise_reduced:
    sw r14, 0, r0
    add r15, r15, 4
    add r14, r14, 4
    jneq r14, r16, ringjet_pointwise
    jump r13

// (u, v) = (u + v w, u - v w): butterflies of the forward transform.
    .globl ringjet_forward_barrett
ringjet_forward_barrett:
    lw r0, r15, 0
    move r1, r17
    call r23, ringjet_mul_wide
    lsl r2, r0, r12           // v' = v >> (k - 2)
    lsr r3, r1, r11
    move r10, r1
    or r0, r2, r3
    move r1, r9
    call r23, ringjet_mul_wide
    lsr r0, r0, 1             // q = high word of v' R, halved
    move r1, r8
    call r23, ringjet_mul_low
    sub r0, r10, r0           // v - q m, below 2 m
    sub r1, r0, r8, ltu, .Lforward_barrett_reduced
    move r0, r1
.Lforward_barrett_reduced:
    lw r1, r14, 0
    add r2, r1, r0            // u + v w
    sub r3, r2, r8, ltu, .Lforward_barrett_sum
    move r2, r3
.Lforward_barrett_sum:
    sub r1, r1, r0, geu, .Lforward_barrett_difference // u - v w
    add r1, r1, r8
.Lforward_barrett_difference:
    sw r14, 0, r2
    sw r15, 0, r1
    add r15, r15, 4
    add r14, r14, 4
    jneq r14, r16, ringjet_forward_barrett
    jump r13

    .globl ringjet_forward_shoup
ringjet_forward_shoup:
    lw r0, r15, 0
    move r9, r0
    move r1, r18
    call r23, ringjet_mul_wide
    move r1, r8               // r0 is the quotient
    call r23, ringjet_mul_low
    move r10, r0
    move r0, r9
    move r1, r17
    call r23, ringjet_mul_low
    sub r0, r0, r10           // v w - q m, below 2 m
    sub r1, r0, r8, ltu, .Lforward_shoup_reduced
    move r0, r1
.Lforward_shoup_reduced:
    lw r1, r14, 0
    add r2, r1, r0            // u + v w
    sub r3, r2, r8, ltu, .Lforward_shoup_sum
    move r2, r3
.Lforward_shoup_sum:
    sub r1, r1, r0, geu, .Lforward_shoup_difference // u - v w
    add r1, r1, r8
.Lforward_shoup_difference:
    sw r14, 0, r2
    sw r15, 0, r1
    add r15, r15, 4
    add r14, r14, 4
    jneq r14, r16, ringjet_forward_shoup
    jump r13

// (u, v) = (u + v, (u - v) w): butterflies of the inverse transform.
    .globl ringjet_inverse_barrett
ringjet_inverse_barrett:
    lw r1, r14, 0
    lw r0, r15, 0
    add r2, r1, r0            // u + v
    sub r3, r2, r8, ltu, .Linverse_barrett_sum
    move r2, r3
.Linverse_barrett_sum:
    sw r14, 0, r2
    sub r0, r1, r0, geu, .Linverse_barrett_difference // u - v
    add r0, r0, r8
.Linverse_barrett_difference:
    move r1, r17
    call r23, ringjet_mul_wide
    lsl r2, r0, r12           // v' = v >> (k - 2)
    lsr r3, r1, r11
    move r10, r1
    or r0, r2, r3
    move r1, r9
    call r23, ringjet_mul_wide
    lsr r0, r0, 1             // q = high word of v' R, halved
    move r1, r8
    call r23, ringjet_mul_low
    sub r0, r10, r0           // v - q m, below 2 m
    sub r1, r0, r8, ltu, .Linverse_barrett_reduced
    move r0, r1
.Linverse_barrett_reduced:
    sw r15, 0, r0
    add r15, r15, 4
    add r14, r14, 4
    jneq r14, r16, ringjet_inverse_barrett
    jump r13

    .globl ringjet_inverse_shoup
ringjet_inverse_shoup:
    lw r1, r14, 0
    lw r0, r15, 0
    add r2, r1, r0            // u + v
    sub r3, r2, r8, ltu, .Linverse_shoup_sum
    move r2, r3
.Linverse_shoup_sum:
    sw r14, 0, r2
    sub r0, r1, r0, geu, .Linverse_shoup_difference // u - v
    add r0, r0, r8
.Linverse_shoup_difference:
    move r9, r0
    move r1, r18
    call r23, ringjet_mul_wide
    move r1, r8               // r0 is the quotient
    call r23, ringjet_mul_low
    move r10, r0
    move r0, r9
    move r1, r17
    call r23, ringjet_mul_low
    sub r0, r0, r10           // v w - q m, below 2 m
    sub r1, r0, r8, ltu, .Linverse_shoup_reduced
    move r0, r1
.Linverse_shoup_reduced:
    sw r15, 0, r0
    add r15, r15, 4
    add r14, r14, 4
    jneq r14, r16, ringjet_inverse_shoup
    jump r13
