/* Made by tools/schedule.py: laps of 2 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{k} + 16]; vpbroadcastq zmm28, qword ptr [{top} + 0]
vpbroadcastq zmm27, qword ptr [{top} + 8]; vpbroadcastq zmm26, qword ptr [{top} + 16]; vmovdqu64 zmm1, [{p}]
vmovdqu64 zmm2, [{p} + 2*{s}]; vmovdqu64 zmm16, [{p} + {s7}]; vmovdqu64 zmm21, [{p} + {s3}]
vmovdqu64 zmm3, [{p} + 2*{s3}]; vmovdqu64 zmm19, [{p} + {s}]; vmovdqu64 zmm4, [{p} + 4*{s}]
vmovdqu64 zmm10, [{p} + {s5}]; vpaddq zmm11, zmm1, zmm31; vpaddq zmm15, zmm2, zmm31; vpaddq zmm15, zmm2, zmm15
vpmadd52huq zmm2, zmm21, zmm31; vpaddq zmm11, zmm1, zmm11; vpaddq zmm18, zmm3, zmm31; vpaddq zmm18, zmm3, zmm18
vpmadd52huq zmm3, zmm16, zmm31; vpaddq zmm16, zmm4, zmm31; vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm16, zmm4, zmm16
vpmadd52huq zmm4, zmm10, zmm31; vpsubq zmm7, zmm15, zmm2; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm7, qword ptr [{low} + 16]{{1to8}}; vpsubq zmm18, zmm18, zmm3; vpxord zmm12, zmm12, zmm12
vpsubq zmm17, zmm11, zmm1; vpmadd52huq zmm12, zmm18, qword ptr [{low} + 48]{{1to8}}; vpsubq zmm16, zmm16, zmm4
vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm17, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm15, zmm30
vpaddq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm15, zmm16, qword ptr [{low} + 32]{{1to8}}
vpmadd52luq zmm9, zmm7, qword ptr [{low} + 24]{{1to8}}; vpaddq zmm7, zmm4, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm23, zmm23, zmm2; vpmadd52luq zmm12, zmm18, qword ptr [{low} + 56]{{1to8}}
vpmadd52luq zmm11, zmm17, qword ptr [{low} + 8]{{1to8}}; vpsubq zmm18, zmm7, zmm3; vpaddq zmm1, zmm1, zmm2
vpmadd52luq zmm15, zmm16, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm20, zmm1, zmm29; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm23, qword ptr [{top} + 48]{{1to8}}; vpxord zmm8, zmm8, zmm8; vpaddq zmm3, zmm4, zmm3
vpmadd52huq zmm8, zmm18, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm20, zmm20, zmm3; vpaddq zmm1, zmm1, zmm3
vpmadd52luq zmm7, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm17, zmm20, zmm29; vpsubq zmm23, zmm1, zmm29
vpmadd52luq zmm8, zmm18, qword ptr [{top} + 72]{{1to8}}; vpminuq zmm23, zmm1, zmm23; vmovdqu64 zmm1, [{p} + 64]
vmovdqu64 zmm2, [{p} + 2*{s} + 64]; vpminuq zmm20, zmm20, zmm17; vmovdqu64 zmm17, [{p} + {s7} + 64]
vmovdqu64 zmm19, [{p} + {s3} + 64]; vmovdqa64 zmm13, zmm30; vpmadd52huq zmm13, zmm23, zmm28
vmovdqu64 zmm3, [{p} + 2*{s3} + 64]; vmovdqu64 zmm21, [{p} + {s} + 64]; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm20, zmm26; vmovdqu64 zmm4, [{p} + 4*{s} + 64]; vmovdqu64 zmm22, [{p} + {s5} + 64]
vpmadd52luq zmm13, zmm23, zmm27; vpsubq zmm6, zmm11, zmm9; vpxord zmm23, zmm23, zmm23; vpsubq zmm10, zmm15, zmm12
vpmadd52huq zmm23, zmm6, zmm31; vpaddq zmm15, zmm15, zmm12; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm10, zmm31
vpxord zmm10, zmm10, zmm10; vpaddq zmm11, zmm11, zmm9; vpmadd52huq zmm10, zmm15, zmm31; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm11, zmm31; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm23, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm11, zmm1, zmm31; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm12, qword ptr [{top} + 64]{{1to8}}
vpaddq zmm15, zmm2, zmm31; vpmadd52luq zmm16, zmm20, qword ptr [{top} + 24]{{1to8}}; vpaddq zmm18, zmm2, zmm15
vpaddq zmm11, zmm1, zmm11; vpmadd52huq zmm2, zmm19, zmm31; vpmadd52luq zmm5, zmm23, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm19, zmm3, zmm31; vpaddq zmm19, zmm3, zmm19; vpmadd52huq zmm3, zmm17, zmm31; vpmadd52huq zmm1, zmm21, zmm31
vpaddq zmm15, zmm4, zmm31; vpaddq zmm15, zmm4, zmm15; vpmadd52huq zmm4, zmm22, zmm31
vpmadd52luq zmm6, zmm12, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm22, zmm7, zmm8; vpxord zmm12, zmm12, zmm12
vpaddq zmm7, zmm7, zmm8; vpmadd52huq zmm12, zmm22, zmm31; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm16, zmm31
vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm7, zmm31; vmovdqa64 zmm0, zmm30
vpmadd52huq zmm0, zmm12, qword ptr [{top} + 112]{{1to8}}; vpaddq zmm21, zmm9, zmm31; vmovdqu64 [{p} + 4*{s}], zmm8
vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm13, zmm31; vpsubq zmm13, zmm21, zmm10; vpaddq zmm9, zmm9, zmm10
vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm13, zmm26; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm9, zmm28
vpmadd52luq zmm0, zmm12, qword ptr [{top} + 120]{{1to8}}; vmovdqu64 [{p}], zmm8; vpsubq zmm18, zmm18, zmm2
vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm18, qword ptr [{low} + 16]{{1to8}}; vpsubq zmm22, zmm19, zmm3
vpmadd52luq zmm14, zmm9, zmm27; vpsubq zmm19, zmm11, zmm1; vmovdqu64 [{p} + 2*{s}], zmm16; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm22, qword ptr [{low} + 48]{{1to8}}; vmovdqa64 zmm12, zmm30; vpsubq zmm7, zmm15, zmm4
vpmadd52huq zmm12, zmm19, qword ptr [{low} + 0]{{1to8}}; vpaddq zmm16, zmm1, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm7, qword ptr [{low} + 32]{{1to8}}
vpaddq zmm20, zmm4, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm8, zmm18, qword ptr [{low} + 24]{{1to8}}
vpmadd52luq zmm11, zmm22, qword ptr [{low} + 56]{{1to8}}; vpsubq zmm18, zmm16, zmm2; vpsubq zmm22, zmm20, zmm3
vpmadd52luq zmm12, zmm19, qword ptr [{low} + 8]{{1to8}}; vpmadd52luq zmm15, zmm7, qword ptr [{low} + 40]{{1to8}}
vpaddq zmm1, zmm1, zmm2; vmovdqa64 zmm7, zmm30; vpaddq zmm20, zmm1, zmm29
vpmadd52huq zmm7, zmm18, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm2, zmm4, zmm3; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm22, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm20, zmm20, zmm2
vpmadd52luq zmm10, zmm13, qword ptr [{top} + 24]{{1to8}}; vpaddq zmm2, zmm1, zmm2; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm14, zmm31; vpsubq zmm14, zmm20, zmm29; vpmadd52luq zmm7, zmm18, qword ptr [{top} + 56]{{1to8}}
vpmadd52luq zmm9, zmm22, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm22, zmm2, zmm29; add {p}, 128; shr {n}, 1; sub {n}, 1
2: vmovdqu64 zmm1, [{p}]; vpsubq zmm16, zmm5, zmm6; vpminuq zmm22, zmm2, zmm22; vpaddq zmm6, zmm5, zmm6
vmovdqu64 [{p} + {s} - 128], zmm13; vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm16, zmm31
vmovdqu64 zmm2, [{p} + 2*{s}]; vmovdqu64 zmm16, [{p} + {s7}]; vpminuq zmm20, zmm20, zmm14; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm6, zmm31; vmovdqu64 zmm21, [{p} + {s3}]; vmovdqa64 zmm13, zmm30; vmovdqu64 zmm3, [{p} + 2*{s3}]
vpmadd52huq zmm13, zmm22, zmm28; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm18, qword ptr [{top} + 112]{{1to8}}
vmovdqu64 zmm19, [{p} + {s}]; vmovdqa64 zmm17, zmm30; vmovdqu64 zmm4, [{p} + 4*{s}]; vpmadd52huq zmm17, zmm20, zmm26
vmovdqu64 [{p} + {s3} - 128], zmm5; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm10, zmm31
vmovdqu64 zmm10, [{p} + {s5}]; vpsubq zmm24, zmm12, zmm8; vpmadd52luq zmm13, zmm22, zmm27; vpsubq zmm6, zmm15, zmm11
vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm24, zmm31; vpxord zmm22, zmm22, zmm22; vpaddq zmm11, zmm15, zmm11
vpmadd52huq zmm22, zmm6, zmm31; vpaddq zmm6, zmm12, zmm8; vmovdqu64 [{p} + {s5} - 128], zmm5; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm11, zmm31; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm6, zmm31; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm23, qword ptr [{top} + 48]{{1to8}}; vpxord zmm6, zmm6, zmm6; vpaddq zmm11, zmm1, zmm31
vpmadd52huq zmm6, zmm22, qword ptr [{top} + 64]{{1to8}}; vpmadd52luq zmm17, zmm20, qword ptr [{top} + 24]{{1to8}}
vpaddq zmm15, zmm2, zmm31; vpaddq zmm15, zmm2, zmm15; vpmadd52luq zmm14, zmm18, qword ptr [{top} + 120]{{1to8}}
vpmadd52huq zmm2, zmm21, zmm31; vpaddq zmm11, zmm1, zmm11; vpaddq zmm18, zmm3, zmm31
vpmadd52luq zmm5, zmm23, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm3, zmm16, zmm31
vpaddq zmm16, zmm4, zmm31; vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm16, zmm4, zmm16; vpmadd52huq zmm4, zmm10, zmm31
vpsubq zmm19, zmm7, zmm9; vpmadd52luq zmm6, zmm22, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm10, zmm7, zmm9
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm19, zmm31; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm17, zmm31
vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm0, zmm31
vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm7, qword ptr [{top} + 112]{{1to8}}; vmovdqu64 [{p} + 4*{s} - 64], zmm9
vpxord zmm9, zmm9, zmm9; vpaddq zmm22, zmm12, zmm31; vpmadd52huq zmm9, zmm13, zmm31; vpsubq zmm13, zmm22, zmm8
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm14, zmm31; vmovdqu64 [{p} + 2*{s3} - 128], zmm10
vmovdqa64 zmm10, zmm30; vpaddq zmm8, zmm12, zmm8; vpmadd52huq zmm10, zmm13, zmm26; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm8, zmm28; vmovdqu64 [{p} - 64], zmm9; vpmadd52luq zmm0, zmm7, qword ptr [{top} + 120]{{1to8}}
vpsubq zmm7, zmm15, zmm2; vmovdqu64 [{p} + {s7} - 128], zmm22; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm7, qword ptr [{low} + 16]{{1to8}}; vpmadd52luq zmm14, zmm8, zmm27; vpsubq zmm18, zmm18, zmm3
vmovdqu64 [{p} + 2*{s} - 64], zmm17; vpxord zmm12, zmm12, zmm12; vpsubq zmm17, zmm11, zmm1
vpmadd52huq zmm12, zmm18, qword ptr [{low} + 48]{{1to8}}; vpsubq zmm16, zmm16, zmm4; vmovdqa64 zmm11, zmm30
vpmadd52huq zmm11, zmm17, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm15, zmm30
vpaddq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm15, zmm16, qword ptr [{low} + 32]{{1to8}}
vpmadd52luq zmm9, zmm7, qword ptr [{low} + 24]{{1to8}}; vpaddq zmm7, zmm4, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm23, zmm23, zmm2; vpmadd52luq zmm12, zmm18, qword ptr [{low} + 56]{{1to8}}
vpmadd52luq zmm11, zmm17, qword ptr [{low} + 8]{{1to8}}; vpsubq zmm18, zmm7, zmm3; vpaddq zmm1, zmm1, zmm2
vpmadd52luq zmm15, zmm16, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm20, zmm1, zmm29; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm23, qword ptr [{top} + 48]{{1to8}}; vpxord zmm8, zmm8, zmm8; vpaddq zmm3, zmm4, zmm3
vpmadd52huq zmm8, zmm18, qword ptr [{top} + 64]{{1to8}}; vpmadd52luq zmm10, zmm13, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm20, zmm20, zmm3; vpxord zmm2, zmm2, zmm2; vpaddq zmm1, zmm1, zmm3; vpmadd52huq zmm2, zmm14, zmm31
vpmadd52luq zmm7, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm17, zmm20, zmm29; vpsubq zmm23, zmm1, zmm29
vpmadd52luq zmm8, zmm18, qword ptr [{top} + 72]{{1to8}}; vpminuq zmm23, zmm1, zmm23; vpsubq zmm22, zmm5, zmm6
vmovdqu64 zmm1, [{p} + 64]; vmovdqu64 [{p} + {s} - 64], zmm2; vpxord zmm18, zmm18, zmm18
vmovdqu64 zmm2, [{p} + 2*{s} + 64]; vpaddq zmm5, zmm5, zmm6; vpmadd52huq zmm18, zmm22, zmm31
vpminuq zmm20, zmm20, zmm17; vmovdqu64 zmm17, [{p} + {s7} + 64]; vpxord zmm22, zmm22, zmm22
vmovdqu64 zmm19, [{p} + {s3} + 64]; vpmadd52huq zmm22, zmm5, zmm31; vmovdqa64 zmm13, zmm30
vpmadd52huq zmm13, zmm23, zmm28; vmovdqu64 zmm3, [{p} + 2*{s3} + 64]; vmovdqa64 zmm14, zmm30
vmovdqu64 zmm21, [{p} + {s} + 64]; vpmadd52huq zmm14, zmm18, qword ptr [{top} + 112]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm20, zmm26; vmovdqu64 zmm4, [{p} + 4*{s} + 64]; vmovdqu64 [{p} + {s3} - 64], zmm22
vpxord zmm5, zmm5, zmm5; vmovdqu64 zmm22, [{p} + {s5} + 64]; vpmadd52huq zmm5, zmm10, zmm31
vpmadd52luq zmm13, zmm23, zmm27; vpsubq zmm6, zmm11, zmm9; vpxord zmm23, zmm23, zmm23; vpsubq zmm10, zmm15, zmm12
vpmadd52huq zmm23, zmm6, zmm31; vpaddq zmm15, zmm15, zmm12; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm10, zmm31
vmovdqu64 [{p} + {s5} - 64], zmm5; vpxord zmm10, zmm10, zmm10; vpaddq zmm11, zmm11, zmm9
vpmadd52huq zmm10, zmm15, zmm31; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm11, zmm31; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm23, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm11, zmm1, zmm31; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm12, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm15, zmm2, zmm31
vpmadd52luq zmm16, zmm20, qword ptr [{top} + 24]{{1to8}}; vpmadd52luq zmm14, zmm18, qword ptr [{top} + 120]{{1to8}}
vpaddq zmm18, zmm2, zmm15; vpaddq zmm11, zmm1, zmm11; vpmadd52huq zmm2, zmm19, zmm31
vpmadd52luq zmm5, zmm23, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm19, zmm3, zmm31; vpaddq zmm19, zmm3, zmm19
vpmadd52huq zmm3, zmm17, zmm31; vpmadd52huq zmm1, zmm21, zmm31; vpaddq zmm15, zmm4, zmm31; vpaddq zmm15, zmm4, zmm15
vpmadd52huq zmm4, zmm22, zmm31; vpmadd52luq zmm6, zmm12, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm22, zmm7, zmm8
vpxord zmm12, zmm12, zmm12; vpaddq zmm7, zmm7, zmm8; vpmadd52huq zmm12, zmm22, zmm31; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm16, zmm31; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm7, zmm31; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm0, zmm31; vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm12, qword ptr [{top} + 112]{{1to8}}
vpaddq zmm21, zmm9, zmm31; vmovdqu64 [{p} + 4*{s}], zmm8; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm13, zmm31
vpxord zmm22, zmm22, zmm22; vpsubq zmm13, zmm21, zmm10; vpmadd52huq zmm22, zmm14, zmm31; vpaddq zmm9, zmm9, zmm10
vmovdqu64 [{p} + 2*{s3} - 64], zmm7; vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm13, zmm26; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm9, zmm28; vpmadd52luq zmm0, zmm12, qword ptr [{top} + 120]{{1to8}}; vmovdqu64 [{p}], zmm8
vpsubq zmm18, zmm18, zmm2; vmovdqu64 [{p} + {s7} - 64], zmm22; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm18, qword ptr [{low} + 16]{{1to8}}; vpsubq zmm22, zmm19, zmm3; vpmadd52luq zmm14, zmm9, zmm27
vpsubq zmm19, zmm11, zmm1; vmovdqu64 [{p} + 2*{s}], zmm16; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm22, qword ptr [{low} + 48]{{1to8}}; vmovdqa64 zmm12, zmm30; vpsubq zmm7, zmm15, zmm4
vpmadd52huq zmm12, zmm19, qword ptr [{low} + 0]{{1to8}}; vpaddq zmm16, zmm1, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm7, qword ptr [{low} + 32]{{1to8}}
vpaddq zmm20, zmm4, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm8, zmm18, qword ptr [{low} + 24]{{1to8}}
vpmadd52luq zmm11, zmm22, qword ptr [{low} + 56]{{1to8}}; vpsubq zmm18, zmm16, zmm2; vpsubq zmm22, zmm20, zmm3
vpmadd52luq zmm12, zmm19, qword ptr [{low} + 8]{{1to8}}; vpmadd52luq zmm15, zmm7, qword ptr [{low} + 40]{{1to8}}
vpaddq zmm1, zmm1, zmm2; vmovdqa64 zmm7, zmm30; vpaddq zmm20, zmm1, zmm29
vpmadd52huq zmm7, zmm18, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm2, zmm4, zmm3; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm22, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm20, zmm20, zmm2
vpmadd52luq zmm10, zmm13, qword ptr [{top} + 24]{{1to8}}; vpaddq zmm2, zmm1, zmm2; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm14, zmm31; vpsubq zmm14, zmm20, zmm29; vpmadd52luq zmm7, zmm18, qword ptr [{top} + 56]{{1to8}}
vpmadd52luq zmm9, zmm22, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm22, zmm2, zmm29; add {p}, 128; dec {n}; jnz 2b
vpsubq zmm16, zmm5, zmm6; vpminuq zmm22, zmm2, zmm22; vpaddq zmm6, zmm5, zmm6; vmovdqu64 [{p} + {s} - 128], zmm13
vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm16, zmm31; vpminuq zmm20, zmm20, zmm14; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm6, zmm31; vmovdqa64 zmm13, zmm30; vpmadd52huq zmm13, zmm22, zmm28; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm18, qword ptr [{top} + 112]{{1to8}}; vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm20, zmm26
vmovdqu64 [{p} + {s3} - 128], zmm5; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm10, zmm31; vpsubq zmm24, zmm12, zmm8
vpmadd52luq zmm13, zmm22, zmm27; vpsubq zmm6, zmm15, zmm11; vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm24, zmm31
vpxord zmm22, zmm22, zmm22; vpaddq zmm11, zmm15, zmm11; vpmadd52huq zmm22, zmm6, zmm31; vpaddq zmm6, zmm12, zmm8
vmovdqu64 [{p} + {s5} - 128], zmm5; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm11, zmm31; vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm6, zmm31; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm23, qword ptr [{top} + 48]{{1to8}}
vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm22, qword ptr [{top} + 64]{{1to8}}
vpmadd52luq zmm17, zmm20, qword ptr [{top} + 24]{{1to8}}; vpmadd52luq zmm14, zmm18, qword ptr [{top} + 120]{{1to8}}
vpmadd52luq zmm5, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm19, zmm7, zmm9
vpmadd52luq zmm6, zmm22, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm10, zmm7, zmm9; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm19, zmm31; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm17, zmm31; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm10, zmm31; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm0, zmm31; vmovdqa64 zmm0, zmm30
vpmadd52huq zmm0, zmm7, qword ptr [{top} + 112]{{1to8}}; vmovdqu64 [{p} + 4*{s} - 64], zmm9; vpxord zmm9, zmm9, zmm9
vpaddq zmm22, zmm12, zmm31; vpmadd52huq zmm9, zmm13, zmm31; vpsubq zmm13, zmm22, zmm8; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm14, zmm31; vmovdqu64 [{p} + 2*{s3} - 128], zmm10; vmovdqa64 zmm10, zmm30; vpaddq zmm8, zmm12, zmm8
vpmadd52huq zmm10, zmm13, zmm26; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm8, zmm28; vmovdqu64 [{p} - 64], zmm9
vpmadd52luq zmm0, zmm7, qword ptr [{top} + 120]{{1to8}}; vmovdqu64 [{p} + {s7} - 128], zmm22
vpmadd52luq zmm14, zmm8, zmm27; vmovdqu64 [{p} + 2*{s} - 64], zmm17
vpmadd52luq zmm10, zmm13, qword ptr [{top} + 24]{{1to8}}; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm14, zmm31
vpsubq zmm22, zmm5, zmm6; vmovdqu64 [{p} + {s} - 64], zmm2; vpxord zmm18, zmm18, zmm18; vpaddq zmm5, zmm5, zmm6
vpmadd52huq zmm18, zmm22, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm5, zmm31; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm18, qword ptr [{top} + 112]{{1to8}}; vmovdqu64 [{p} + {s3} - 64], zmm22; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm10, zmm31; vmovdqu64 [{p} + {s5} - 64], zmm5
vpmadd52luq zmm14, zmm18, qword ptr [{top} + 120]{{1to8}}; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm0, zmm31
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm14, zmm31; vmovdqu64 [{p} + 2*{s3} - 64], zmm7
vmovdqu64 [{p} + {s7} - 64], zmm22; add {p}, 128
