/* Made by tools/schedule.py: laps of 2 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 16]; vpbroadcastq zmm28, qword ptr [{top} + 24]
vpbroadcastq zmm27, qword ptr [{k} + 16]; vpbroadcastq zmm26, qword ptr [{top} + 0]; vmovdqu64 zmm0, [{p}]
vmovdqu64 zmm1, [{p} + 4*{s}]; vmovdqu64 zmm18, [{p} + {s}]; vmovdqu64 zmm19, [{p} + {s5}]
vmovdqu64 zmm2, [{p} + 2*{s3}]; vmovdqu64 zmm3, [{p} + 2*{s}]; vmovdqu64 zmm20, [{p} + {s3}]
vmovdqu64 zmm22, [{p} + {s7}]; vpaddq zmm15, zmm0, zmm31; vpaddq zmm21, zmm1, zmm31; vpaddq zmm21, zmm1, zmm21
vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm19, zmm0, zmm15; vpaddq zmm15, zmm2, zmm31; vpmadd52huq zmm0, zmm18, zmm31
vpaddq zmm18, zmm3, zmm31; vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm3, zmm20, zmm31; vpaddq zmm20, zmm2, zmm15
vpmadd52huq zmm2, zmm22, zmm31; vpsubq zmm21, zmm21, zmm1; vmovdqa64 zmm5, zmm30; vpsubq zmm19, zmm19, zmm0
vpmadd52huq zmm5, zmm21, qword ptr [{low} + 32]{{1to8}}; vpaddq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm19, qword ptr [{low} + 0]{{1to8}}; vpsubq zmm18, zmm18, zmm3
vpsubq zmm20, zmm20, zmm2; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm18, qword ptr [{low} + 16]{{1to8}}
vpxord zmm8, zmm8, zmm8; vpaddq zmm22, zmm0, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm8, zmm20, qword ptr [{low} + 48]{{1to8}}; vpmadd52luq zmm5, zmm21, qword ptr [{low} + 40]{{1to8}}
vpsubq zmm23, zmm23, zmm2; vpsubq zmm12, zmm22, zmm3; vpmadd52luq zmm6, zmm19, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm7, zmm18, qword ptr [{low} + 24]{{1to8}}; vpaddq zmm22, zmm1, zmm2; vmovdqu64 zmm1, [{p} + 64]
vmovdqu64 zmm2, [{p} + 4*{s} + 64]; vpaddq zmm3, zmm0, zmm3; vpmadd52luq zmm8, zmm20, qword ptr [{low} + 56]{{1to8}}
vpaddq zmm21, zmm3, zmm22; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm23, qword ptr [{top} + 64]{{1to8}}
vmovdqu64 zmm18, [{p} + {s} + 64]; vmovdqa64 zmm10, zmm30; vmovdqu64 zmm19, [{p} + {s5} + 64]; vpaddq zmm3, zmm3, zmm27
vpmadd52huq zmm10, zmm12, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm24, zmm3, zmm22; vmovdqu64 zmm4, [{p} + 2*{s3} + 64]
vmovdqu64 zmm3, [{p} + 2*{s} + 64]; vpsubq zmm13, zmm24, zmm27; vpmadd52luq zmm0, zmm23, qword ptr [{top} + 72]{{1to8}}
vpsubq zmm25, zmm21, zmm27; vmovdqu64 zmm23, [{p} + {s3} + 64]; vmovdqu64 zmm22, [{p} + {s7} + 64]
vpmadd52luq zmm10, zmm12, qword ptr [{top} + 56]{{1to8}}; vpminuq zmm21, zmm21, zmm25; vpminuq zmm24, zmm24, zmm13
vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm21, zmm26; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm24, zmm29
vpaddq zmm20, zmm1, zmm31; vpaddq zmm15, zmm2, zmm31; vpmadd52luq zmm11, zmm21, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm21, zmm2, zmm15; vpaddq zmm20, zmm1, zmm20; vpmadd52huq zmm2, zmm19, zmm31; vpmadd52huq zmm1, zmm18, zmm31
vpaddq zmm19, zmm4, zmm31; vpaddq zmm18, zmm3, zmm31; vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm3, zmm23, zmm31
vmovdqu64 [{p}], zmm11; vpaddq zmm19, zmm4, zmm19; vpmadd52huq zmm4, zmm22, zmm31; vpmadd52luq zmm14, zmm24, zmm28
vpsubq zmm22, zmm5, zmm8; vpxord zmm24, zmm24, zmm24; vpsubq zmm9, zmm6, zmm7; vpmadd52huq zmm24, zmm22, zmm31
vpaddq zmm8, zmm5, zmm8; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm9, zmm31; vpxord zmm9, zmm9, zmm9
vpaddq zmm7, zmm6, zmm7; vpmadd52huq zmm9, zmm8, zmm31; vpsubq zmm6, zmm10, zmm0; vmovdqu64 [{p} + 4*{s}], zmm14
vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm7, zmm31; vpxord zmm11, zmm11, zmm11; vpaddq zmm0, zmm10, zmm0
vpmadd52huq zmm11, zmm24, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 2*{s}], zmm0; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm5, qword ptr [{top} + 48]{{1to8}}; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm6, zmm31
vpmadd52luq zmm11, zmm24, qword ptr [{top} + 72]{{1to8}}; vpmadd52luq zmm15, zmm5, qword ptr [{top} + 56]{{1to8}}
vmovdqa64 zmm17, zmm30; vpsubq zmm21, zmm21, zmm2; vpmadd52huq zmm17, zmm10, zmm29; vpsubq zmm20, zmm20, zmm1
vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm21, qword ptr [{low} + 32]{{1to8}}; vmovdqa64 zmm5, zmm30
vpaddq zmm22, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm5, zmm20, qword ptr [{low} + 0]{{1to8}}
vpsubq zmm18, zmm18, zmm3; vpxord zmm7, zmm7, zmm7; vpsubq zmm19, zmm19, zmm4
vpmadd52huq zmm7, zmm18, qword ptr [{low} + 16]{{1to8}}; vpaddq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}
vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm19, qword ptr [{low} + 48]{{1to8}}; vpsubq zmm22, zmm22, zmm4
vpmadd52luq zmm6, zmm21, qword ptr [{low} + 40]{{1to8}}; vpmadd52luq zmm5, zmm20, qword ptr [{low} + 8]{{1to8}}
vpsubq zmm23, zmm23, zmm3; add {p}, 128; shr {n}, 1; sub {n}, 1
2: vmovdqu64 zmm0, [{p}]; vpaddq zmm12, zmm2, zmm4; vpmadd52luq zmm7, zmm18, qword ptr [{low} + 24]{{1to8}}
vpmadd52luq zmm8, zmm19, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm3, zmm1, zmm3; vmovdqu64 zmm1, [{p} + 4*{s}]
vpxord zmm4, zmm4, zmm4; vmovdqu64 zmm18, [{p} + {s}]; vpaddq zmm25, zmm3, zmm12
vpmadd52huq zmm4, zmm22, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm3, zmm3, zmm27; vmovdqa64 zmm13, zmm30
vpmadd52huq zmm13, zmm23, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm19, [{p} + {s5}]; vmovdqu64 zmm2, [{p} + 2*{s3}]
vpsubq zmm12, zmm3, zmm12; vpmadd52luq zmm17, zmm10, zmm28; vpsubq zmm10, zmm12, zmm27; vmovdqu64 zmm3, [{p} + 2*{s}]
vmovdqu64 zmm20, [{p} + {s3}]; vpsubq zmm24, zmm25, zmm27; vpmadd52luq zmm4, zmm22, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm13, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm16, zmm15, zmm11; vmovdqu64 zmm22, [{p} + {s7}]
vmovdqu64 [{p} + 2*{s3} - 128], zmm17; vpaddq zmm17, zmm14, zmm31; vpminuq zmm25, zmm25, zmm24
vpminuq zmm23, zmm12, zmm10; vpaddq zmm24, zmm14, zmm9; vpxord zmm10, zmm10, zmm10; vpsubq zmm17, zmm17, zmm9
vpmadd52huq zmm10, zmm16, zmm31; vpaddq zmm11, zmm15, zmm11; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm17, zmm29
vmovdqu64 [{p} + {s3} - 128], zmm11; vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm25, zmm26; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm23, zmm29; vmovdqa64 zmm12, zmm30; vpaddq zmm15, zmm0, zmm31; vpmadd52huq zmm12, zmm10, zmm29
vpaddq zmm21, zmm1, zmm31; vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm24, zmm26; vpaddq zmm21, zmm1, zmm21
vpmadd52luq zmm11, zmm25, qword ptr [{top} + 8]{{1to8}}; vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm19, zmm0, zmm15
vpaddq zmm15, zmm2, zmm31; vpmadd52huq zmm0, zmm18, zmm31; vpmadd52luq zmm9, zmm24, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm18, zmm3, zmm31; vmovdqu64 [{p} - 64], zmm11; vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm3, zmm20, zmm31
vpaddq zmm20, zmm2, zmm15; vpmadd52huq zmm2, zmm22, zmm31; vpsubq zmm22, zmm6, zmm8; vpmadd52luq zmm14, zmm23, zmm28
vpsubq zmm15, zmm5, zmm7; vmovdqu64 [{p} + {s} - 128], zmm9; vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm22, zmm31
vpxord zmm22, zmm22, zmm22; vpaddq zmm6, zmm6, zmm8; vpmadd52huq zmm22, zmm15, zmm31; vpaddq zmm7, zmm5, zmm7
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm6, zmm31; vmovdqu64 [{p} + 4*{s} - 64], zmm14; vpxord zmm14, zmm14, zmm14
vpsubq zmm5, zmm13, zmm4; vpmadd52huq zmm14, zmm7, zmm31; vpaddq zmm4, zmm13, zmm4; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm23, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 2*{s} - 64], zmm4; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, qword ptr [{top} + 48]{{1to8}}; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm5, zmm31
vpmadd52luq zmm16, zmm17, zmm28; vpmadd52luq zmm11, zmm23, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm15, zmm22, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm21, zmm21, zmm1; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm4, zmm29; vmovdqu64 [{p} + {s5} - 128], zmm16; vmovdqa64 zmm5, zmm30; vpsubq zmm19, zmm19, zmm0
vpmadd52huq zmm5, zmm21, qword ptr [{low} + 32]{{1to8}}; vpaddq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm19, qword ptr [{low} + 0]{{1to8}}; vpsubq zmm18, zmm18, zmm3
vpmadd52luq zmm12, zmm10, zmm28; vpsubq zmm20, zmm20, zmm2; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm18, qword ptr [{low} + 16]{{1to8}}; vpxord zmm8, zmm8, zmm8
vpaddq zmm22, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm8, zmm20, qword ptr [{low} + 48]{{1to8}}
vpmadd52luq zmm5, zmm21, qword ptr [{low} + 40]{{1to8}}; vpsubq zmm23, zmm23, zmm2; vmovdqu64 [{p} + {s7} - 128], zmm12
vpsubq zmm12, zmm22, zmm3; vpmadd52luq zmm6, zmm19, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm7, zmm18, qword ptr [{low} + 24]{{1to8}}; vpaddq zmm22, zmm1, zmm2; vmovdqu64 zmm1, [{p} + 64]
vmovdqu64 zmm2, [{p} + 4*{s} + 64]; vpaddq zmm3, zmm0, zmm3; vpmadd52luq zmm8, zmm20, qword ptr [{low} + 56]{{1to8}}
vpaddq zmm21, zmm3, zmm22; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm23, qword ptr [{top} + 64]{{1to8}}
vmovdqu64 zmm18, [{p} + {s} + 64]; vmovdqa64 zmm10, zmm30; vmovdqu64 zmm19, [{p} + {s5} + 64]; vpaddq zmm3, zmm3, zmm27
vpmadd52huq zmm10, zmm12, qword ptr [{top} + 48]{{1to8}}; vpmadd52luq zmm17, zmm4, zmm28; vpsubq zmm24, zmm3, zmm22
vmovdqu64 zmm4, [{p} + 2*{s3} + 64]; vmovdqu64 zmm3, [{p} + 2*{s} + 64]; vpsubq zmm13, zmm24, zmm27
vpmadd52luq zmm0, zmm23, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm25, zmm21, zmm27; vmovdqu64 zmm23, [{p} + {s3} + 64]
vmovdqu64 zmm22, [{p} + {s7} + 64]; vpsubq zmm16, zmm15, zmm11; vpmadd52luq zmm10, zmm12, qword ptr [{top} + 56]{{1to8}}
vpminuq zmm21, zmm21, zmm25; vpaddq zmm12, zmm14, zmm31; vmovdqu64 [{p} + 2*{s3} - 64], zmm17; vpaddq zmm25, zmm14, zmm9
vpminuq zmm24, zmm24, zmm13; vpsubq zmm17, zmm12, zmm9; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm16, zmm31
vmovdqa64 zmm16, zmm30; vpaddq zmm11, zmm15, zmm11; vpmadd52huq zmm16, zmm17, zmm29; vmovdqu64 [{p} + {s3} - 64], zmm11
vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm21, zmm26; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm24, zmm29
vpaddq zmm20, zmm1, zmm31; vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm13, zmm29; vmovdqa64 zmm9, zmm30
vpaddq zmm15, zmm2, zmm31; vpmadd52huq zmm9, zmm25, zmm26; vpmadd52luq zmm11, zmm21, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm21, zmm2, zmm15; vpaddq zmm20, zmm1, zmm20; vpmadd52huq zmm2, zmm19, zmm31; vpmadd52huq zmm1, zmm18, zmm31
vpaddq zmm19, zmm4, zmm31; vpaddq zmm18, zmm3, zmm31; vpmadd52luq zmm9, zmm25, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm3, zmm23, zmm31; vmovdqu64 [{p}], zmm11; vpaddq zmm19, zmm4, zmm19
vpmadd52huq zmm4, zmm22, zmm31; vpmadd52luq zmm14, zmm24, zmm28; vpsubq zmm22, zmm5, zmm8
vmovdqu64 [{p} + {s} - 64], zmm9; vpxord zmm24, zmm24, zmm24; vpsubq zmm9, zmm6, zmm7; vpmadd52huq zmm24, zmm22, zmm31
vpaddq zmm8, zmm5, zmm8; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm9, zmm31; vpxord zmm9, zmm9, zmm9
vpaddq zmm7, zmm6, zmm7; vpmadd52huq zmm9, zmm8, zmm31; vpsubq zmm6, zmm10, zmm0; vmovdqu64 [{p} + 4*{s}], zmm14
vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm7, zmm31; vpxord zmm11, zmm11, zmm11; vpaddq zmm0, zmm10, zmm0
vpmadd52huq zmm11, zmm24, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 2*{s}], zmm0; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm5, qword ptr [{top} + 48]{{1to8}}; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm6, zmm31
vpmadd52luq zmm16, zmm17, zmm28; vpmadd52luq zmm11, zmm24, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm15, zmm5, qword ptr [{top} + 56]{{1to8}}; vmovdqa64 zmm17, zmm30; vpsubq zmm21, zmm21, zmm2
vpmadd52huq zmm17, zmm10, zmm29; vpsubq zmm20, zmm20, zmm1; vmovdqu64 [{p} + {s5} - 64], zmm16; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm21, qword ptr [{low} + 32]{{1to8}}; vmovdqa64 zmm5, zmm30
vpaddq zmm22, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm5, zmm20, qword ptr [{low} + 0]{{1to8}}
vpmadd52luq zmm12, zmm13, zmm28; vpsubq zmm18, zmm18, zmm3; vpxord zmm7, zmm7, zmm7; vpsubq zmm19, zmm19, zmm4
vpmadd52huq zmm7, zmm18, qword ptr [{low} + 16]{{1to8}}; vpaddq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}
vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm19, qword ptr [{low} + 48]{{1to8}}; vpsubq zmm22, zmm22, zmm4
vpmadd52luq zmm6, zmm21, qword ptr [{low} + 40]{{1to8}}; vpmadd52luq zmm5, zmm20, qword ptr [{low} + 8]{{1to8}}
vpsubq zmm23, zmm23, zmm3; vmovdqu64 [{p} + {s7} - 64], zmm12; add {p}, 128; dec {n}; jnz 2b; vpaddq zmm12, zmm2, zmm4
vpmadd52luq zmm7, zmm18, qword ptr [{low} + 24]{{1to8}}; vpmadd52luq zmm8, zmm19, qword ptr [{low} + 56]{{1to8}}
vpaddq zmm3, zmm1, zmm3; vpxord zmm4, zmm4, zmm4; vpaddq zmm25, zmm3, zmm12
vpmadd52huq zmm4, zmm22, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm3, zmm3, zmm27; vmovdqa64 zmm13, zmm30
vpmadd52huq zmm13, zmm23, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm12, zmm3, zmm12; vpmadd52luq zmm17, zmm10, zmm28
vpsubq zmm10, zmm12, zmm27; vpsubq zmm24, zmm25, zmm27; vpmadd52luq zmm4, zmm22, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm13, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm16, zmm15, zmm11
vmovdqu64 [{p} + 2*{s3} - 128], zmm17; vpaddq zmm17, zmm14, zmm31; vpminuq zmm25, zmm25, zmm24
vpminuq zmm23, zmm12, zmm10; vpaddq zmm24, zmm14, zmm9; vpxord zmm10, zmm10, zmm10; vpsubq zmm17, zmm17, zmm9
vpmadd52huq zmm10, zmm16, zmm31; vpaddq zmm11, zmm15, zmm11; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm17, zmm29
vmovdqu64 [{p} + {s3} - 128], zmm11; vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm25, zmm26; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm23, zmm29; vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm10, zmm29; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm24, zmm26; vpmadd52luq zmm11, zmm25, qword ptr [{top} + 8]{{1to8}}
vpmadd52luq zmm9, zmm24, qword ptr [{top} + 8]{{1to8}}; vmovdqu64 [{p} - 64], zmm11; vpsubq zmm22, zmm6, zmm8
vpmadd52luq zmm14, zmm23, zmm28; vpsubq zmm15, zmm5, zmm7; vmovdqu64 [{p} + {s} - 128], zmm9; vpxord zmm23, zmm23, zmm23
vpmadd52huq zmm23, zmm22, zmm31; vpxord zmm22, zmm22, zmm22; vpaddq zmm6, zmm6, zmm8; vpmadd52huq zmm22, zmm15, zmm31
vpaddq zmm7, zmm5, zmm7; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm6, zmm31; vmovdqu64 [{p} + 4*{s} - 64], zmm14
vpxord zmm14, zmm14, zmm14; vpsubq zmm5, zmm13, zmm4; vpmadd52huq zmm14, zmm7, zmm31; vpaddq zmm4, zmm13, zmm4
vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm23, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 2*{s} - 64], zmm4
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, qword ptr [{top} + 48]{{1to8}}; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm5, zmm31; vpmadd52luq zmm16, zmm17, zmm28; vpmadd52luq zmm11, zmm23, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm15, zmm22, qword ptr [{top} + 56]{{1to8}}; vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm4, zmm29
vmovdqu64 [{p} + {s5} - 128], zmm16; vpmadd52luq zmm12, zmm10, zmm28; vmovdqu64 [{p} + {s7} - 128], zmm12
vpmadd52luq zmm17, zmm4, zmm28; vpsubq zmm16, zmm15, zmm11; vpaddq zmm12, zmm14, zmm31
vmovdqu64 [{p} + 2*{s3} - 64], zmm17; vpaddq zmm25, zmm14, zmm9; vpsubq zmm17, zmm12, zmm9; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm16, zmm31; vmovdqa64 zmm16, zmm30; vpaddq zmm11, zmm15, zmm11; vpmadd52huq zmm16, zmm17, zmm29
vmovdqu64 [{p} + {s3} - 64], zmm11; vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm13, zmm29; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm25, zmm26; vpmadd52luq zmm9, zmm25, qword ptr [{top} + 8]{{1to8}}; vmovdqu64 [{p} + {s} - 64], zmm9
vpmadd52luq zmm16, zmm17, zmm28; vmovdqu64 [{p} + {s5} - 64], zmm16; vpmadd52luq zmm12, zmm13, zmm28
vmovdqu64 [{p} + {s7} - 64], zmm12; add {p}, 128
