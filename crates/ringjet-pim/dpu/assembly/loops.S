// Loops over words in WRAM, with the constants of residues.S in registers. r14 and r15 are the
// addresses of the operands, r16 is the end of the first. They show what a loop costs around the
// arithmetic, and return to r13.

// u[i] = u[i] v[i] mod m.
    .globl ringjet_pointwise
ringjet_pointwise:
    lw r0, r14, 0
    lw r1, r15, 0
    call r23, ringjet_mul_wide
    barrett .Lpointwise_reduced
    sw r14, 0, r0
    until_end 4, ringjet_pointwise
    jump r13

// (u, v) = (u + v w, u - v w): butterflies of the forward transform.
    .globl ringjet_forward_barrett
ringjet_forward_barrett:
    lw r0, r15, 0
    move r1, r17
    call r23, ringjet_mul_wide
    barrett .Lforward_barrett_reduced
    forward .Lforward_barrett
    until_end 4, ringjet_forward_barrett
    jump r13

    .globl ringjet_forward_shoup
ringjet_forward_shoup:
    lw r0, r15, 0
    shoup .Lforward_shoup_reduced
    forward .Lforward_shoup
    until_end 4, ringjet_forward_shoup
    jump r13

// (u, v) = (u + v, (u - v) w): butterflies of the inverse transform.
    .globl ringjet_inverse_barrett
ringjet_inverse_barrett:
    inverse .Linverse_barrett
    move r1, r17
    call r23, ringjet_mul_wide
    barrett .Linverse_barrett_reduced
    sw r15, 0, r0
    until_end 4, ringjet_inverse_barrett
    jump r13

    .globl ringjet_inverse_shoup
ringjet_inverse_shoup:
    inverse .Linverse_shoup
    shoup .Linverse_shoup_reduced
    sw r15, 0, r0
    until_end 4, ringjet_inverse_shoup
    jump r13
