// Arithmetic modulo m. The C program inlines each of these routines, so their calls and returns are
// not counted. Constants are in registers: the modulus m of k bits in r8, its Barrett factor
// R = floor(2^(k + 31) / m) in r9, k - 2 in r11, 34 - k in r12, a factor w in r17, and
// floor(2^32 w / m) in r18. r0 to r7 and r10 are changed. Routines that call others return to r13.

// r0 = r0 + r1 mod m (r2), as a compiler writes `s < m ? s : s - m`.
    .globl ringjet_mod_add_plain
ringjet_mod_add_plain:
    add r0, r0, r1
    sub r3, r0, r2
    jltu r0, r2, .Lmod_add_plain_done
    move r0, r3
.Lmod_add_plain_done:
    jump r23

// The subtraction is the comparison.
    .globl ringjet_mod_add
ringjet_mod_add:
    add r0, r0, r1
    sub r3, r0, r2, ltu, .Lmod_add_done
    move r0, r3
.Lmod_add_done:
    jump r23

// r0 = r0 - r1 mod m (r2), as a compiler writes `a < b ? a - b + m : a - b`.
    .globl ringjet_mod_sub_plain
ringjet_mod_sub_plain:
    sub r3, r0, r1
    jgeu r0, r1, .Lmod_sub_plain_done
    add r3, r3, r2
.Lmod_sub_plain_done:
    move r0, r3
    jump r23

    .globl ringjet_mod_sub
ringjet_mod_sub:
    sub r0, r0, r1, geu, .Lmod_sub_done
    add r0, r0, r2
.Lmod_sub_done:
    jump r23

// r0 = d0 mod m for d0 below m^2. docs/design/pim-arithmetic.md has the argument.
    .globl ringjet_barrett_reduce
ringjet_barrett_reduce:
    barrett .Lbarrett_reduced
    jump r13

// r0 = r0 r1 mod m.
    .globl ringjet_mod_mul
ringjet_mod_mul:
    call r23, ringjet_mul_wide
    barrett .Lmod_mul_reduced
    jump r13

// r0 = r0 r1 mod m, for m below 2^24.
    .globl ringjet_mod_mul_24
ringjet_mod_mul_24:
    call r23, ringjet_mul_24
    barrett .Lmod_mul_24_reduced
    jump r13

// r0 = r0 w mod m. Changes r9 as well, which is free here.
    .globl ringjet_shoup_mul
ringjet_shoup_mul:
    shoup .Lshoup_reduced
    jump r13
