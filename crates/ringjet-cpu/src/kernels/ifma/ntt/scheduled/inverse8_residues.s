/* Made by tools/schedule.py: laps of 4 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 16]; vpbroadcastq zmm28, qword ptr [{top} + 24]
vpbroadcastq zmm27, qword ptr [{k} + 16]; vpbroadcastq zmm26, qword ptr [{k} + 8]; vmovdqu64 zmm0, [{p} + 4*{s}]
vmovdqu64 zmm2, [{p}]; vmovdqu64 zmm1, [{p} + 2*{s}]; vmovdqu64 zmm19, [{p} + {s}]; vmovdqu64 zmm17, [{p} + {s5}]
vmovdqu64 zmm3, [{p} + 2*{s3}]; vmovdqu64 zmm18, [{p} + {s7}]; vmovdqu64 zmm13, [{p} + {s3}]; vpaddq zmm23, zmm0, zmm31
vpaddq zmm20, zmm2, zmm31; vpaddq zmm22, zmm1, zmm31; vpaddq zmm20, zmm2, zmm20; vpmadd52huq zmm2, zmm19, zmm31
vpaddq zmm19, zmm0, zmm23; vpmadd52huq zmm0, zmm17, zmm31; vpaddq zmm17, zmm3, zmm31; vpaddq zmm17, zmm3, zmm17
vpmadd52huq zmm3, zmm18, zmm31; vpaddq zmm18, zmm1, zmm22; vpmadd52huq zmm1, zmm13, zmm31; vpsubq zmm20, zmm20, zmm2
vmovdqa64 zmm4, zmm30; vpsubq zmm19, zmm19, zmm0; vpmadd52huq zmm4, zmm20, qword ptr [{low} + 0]{{1to8}}
vpaddq zmm8, zmm0, zmm26; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm19, qword ptr [{low} + 32]{{1to8}}
vpaddq zmm12, zmm2, zmm26; vpsubq zmm14, zmm17, zmm3; vpxord zmm7, zmm7, zmm7; vpsubq zmm18, zmm18, zmm1
vpmadd52huq zmm7, zmm14, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm2, zmm2, zmm1; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm18, qword ptr [{low} + 16]{{1to8}}; vpaddq zmm17, zmm0, zmm3
vpmadd52luq zmm5, zmm19, qword ptr [{low} + 40]{{1to8}}; vpmadd52luq zmm4, zmm20, qword ptr [{low} + 8]{{1to8}}
vpaddq zmm19, zmm2, zmm17; vpsubq zmm0, zmm19, zmm27; vpmadd52luq zmm7, zmm14, qword ptr [{low} + 56]{{1to8}}
vpmadd52luq zmm11, zmm18, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm3, zmm8, zmm3; vpsubq zmm20, zmm12, zmm1
vpminuq zmm8, zmm19, zmm0; vpaddq zmm19, zmm2, zmm27; vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 zmm0, [{p} + 4*{s} + 64]; vmovdqa64 zmm14, zmm30
vmovdqu64 zmm2, [{p} + 64]; vpsubq zmm19, zmm19, zmm17; vpmadd52huq zmm14, zmm20, qword ptr [{top} + 48]{{1to8}}
vpsubq zmm18, zmm19, zmm27; vmovdqu64 zmm1, [{p} + 2*{s} + 64]; vmovdqu64 zmm17, [{p} + {s} + 64]
vpminuq zmm19, zmm19, zmm18; vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}; vmovdqu64 zmm18, [{p} + {s5} + 64]
vmovdqu64 zmm3, [{p} + 2*{s3} + 64]; vpmadd52luq zmm14, zmm20, qword ptr [{top} + 56]{{1to8}}
vmovdqu64 zmm21, [{p} + {s7} + 64]; vmovdqa64 zmm20, zmm30; vpmadd52huq zmm20, zmm19, zmm29
vmovdqu64 zmm13, [{p} + {s3} + 64]; vpmadd52luq zmm20, zmm19, zmm28; vpsubq zmm25, zmm5, zmm7; vpaddq zmm23, zmm0, zmm31
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm25, zmm31; vpaddq zmm25, zmm2, zmm31; vpaddq zmm22, zmm1, zmm31
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm20, zmm31; vpaddq zmm19, zmm2, zmm25; vpmadd52huq zmm2, zmm17, zmm31
vpaddq zmm20, zmm0, zmm23; vpmadd52huq zmm0, zmm18, zmm31; vpxord zmm6, zmm6, zmm6; vpaddq zmm17, zmm3, zmm31
vpmadd52huq zmm6, zmm9, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm17, zmm3, zmm17; vmovdqu64 [{p} + 4*{s}], zmm24
vpaddq zmm18, zmm1, zmm22; vpmadd52huq zmm3, zmm21, zmm31; vpmadd52huq zmm1, zmm13, zmm31; vpsubq zmm13, zmm4, zmm11
vpxord zmm21, zmm21, zmm21; vpaddq zmm4, zmm4, zmm11; vpmadd52huq zmm21, zmm13, zmm31
vpmadd52luq zmm6, zmm9, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm7, zmm5, zmm7; vpxord zmm13, zmm13, zmm13
vpsubq zmm11, zmm8, zmm26; vpmadd52huq zmm13, zmm4, zmm31; vpsubq zmm5, zmm14, zmm12; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm7, zmm31; vmovdqa64 zmm9, zmm30; vpaddq zmm12, zmm14, zmm12
vpmadd52huq zmm9, zmm21, qword ptr [{top} + 48]{{1to8}}; vpminuq zmm11, zmm8, zmm11; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm5, zmm31; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm12, zmm31
vpmadd52luq zmm9, zmm21, qword ptr [{top} + 56]{{1to8}}; vmovdqa64 zmm16, zmm30; vpsubq zmm19, zmm19, zmm2
vpmadd52huq zmm16, zmm8, zmm29; vpsubq zmm21, zmm20, zmm0; vmovdqu64 [{p} + 2*{s}], zmm5; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm19, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm4, zmm30; vpaddq zmm20, zmm0, zmm26
vpmadd52huq zmm4, zmm21, qword ptr [{low} + 32]{{1to8}}; vpaddq zmm12, zmm2, zmm26; vpsubq zmm17, zmm17, zmm3
vpmadd52luq zmm16, zmm8, zmm28; vpsubq zmm18, zmm18, zmm1; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm17, qword ptr [{low} + 48]{{1to8}}; vpxord zmm10, zmm10, zmm10; vpaddq zmm2, zmm2, zmm1
vpmadd52huq zmm10, zmm18, qword ptr [{low} + 16]{{1to8}}; vpmadd52luq zmm4, zmm21, qword ptr [{low} + 40]{{1to8}}
vpaddq zmm0, zmm0, zmm3; vpaddq zmm8, zmm2, zmm0; vpmadd52luq zmm5, zmm19, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm7, zmm17, qword ptr [{low} + 56]{{1to8}}; vpsubq zmm17, zmm8, zmm27; vpsubq zmm3, zmm20, zmm3
vpmadd52luq zmm10, zmm18, qword ptr [{low} + 24]{{1to8}}; vpminuq zmm8, zmm8, zmm17; vpsubq zmm20, zmm12, zmm1
vpxord zmm12, zmm12, zmm12; vmovdqu64 zmm1, [{p} + 4*{s} + 128]; vpaddq zmm2, zmm2, zmm27
vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm19, zmm2, zmm0; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm20, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm2, [{p} + 128]; vpxord zmm21, zmm21, zmm21
vmovdqu64 zmm0, [{p} + 2*{s} + 128]; vpsubq zmm17, zmm19, zmm27; vpmadd52huq zmm21, zmm16, zmm31
vpminuq zmm19, zmm19, zmm17; vpsubq zmm16, zmm9, zmm6; vmovdqu64 zmm17, [{p} + {s} + 128]
vmovdqu64 zmm18, [{p} + {s5} + 128]; vpaddq zmm22, zmm13, zmm31; vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm14, zmm20, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm22, zmm22, zmm15
vmovdqu64 zmm3, [{p} + 2*{s3} + 128]; vmovdqu64 [{p} + 2*{s3}], zmm21; vpxord zmm20, zmm20, zmm20
vpaddq zmm9, zmm9, zmm6; vpmadd52huq zmm20, zmm16, zmm31; vpaddq zmm21, zmm13, zmm15; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, zmm29; vmovdqu64 zmm15, [{p} + {s7} + 128]; vmovdqa64 zmm6, zmm30
vmovdqu64 zmm13, [{p} + {s3} + 128]; vpsubq zmm24, zmm21, zmm31; vpmadd52huq zmm6, zmm19, zmm29
vpminuq zmm24, zmm21, zmm24; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm20, zmm29; vpmadd52luq zmm16, zmm22, zmm28
vpsubq zmm22, zmm11, zmm31; vpmadd52luq zmm6, zmm19, zmm28; vpminuq zmm11, zmm11, zmm22; vpsubq zmm23, zmm4, zmm7
vmovdqu64 [{p} + {s}], zmm24; vpxord zmm19, zmm19, zmm19; vpaddq zmm24, zmm1, zmm31; vpmadd52huq zmm19, zmm23, zmm31
vpmadd52luq zmm21, zmm20, zmm28; vpaddq zmm20, zmm2, zmm31; vpxord zmm23, zmm23, zmm23; vpaddq zmm22, zmm0, zmm31
vpmadd52huq zmm23, zmm6, zmm31; vpaddq zmm20, zmm2, zmm20; vpmadd52huq zmm2, zmm17, zmm31; vmovdqu64 [{p}], zmm11
vpaddq zmm17, zmm1, zmm24; vpmadd52huq zmm1, zmm18, zmm31; vpaddq zmm11, zmm3, zmm31; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm19, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 4*{s} + 64], zmm23; vpxord zmm23, zmm23, zmm23
vpaddq zmm11, zmm3, zmm11; vpmadd52huq zmm23, zmm21, zmm31; vpmadd52huq zmm3, zmm15, zmm31; vpaddq zmm18, zmm0, zmm22
vpsubq zmm22, zmm5, zmm10; vpmadd52huq zmm0, zmm13, zmm31; vpaddq zmm10, zmm5, zmm10; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm22, zmm31; vmovdqu64 [{p} + {s7}], zmm23; vpaddq zmm4, zmm4, zmm7
vpmadd52luq zmm6, zmm19, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm7, zmm8, zmm26; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm10, zmm31; vpxord zmm15, zmm15, zmm15; vpsubq zmm19, zmm14, zmm12; vpmadd52huq zmm15, zmm4, zmm31
vpaddq zmm12, zmm14, zmm12; vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm5, qword ptr [{top} + 48]{{1to8}}
vpminuq zmm8, zmm8, zmm7; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm19, zmm31; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm12, zmm31; vpmadd52luq zmm10, zmm5, qword ptr [{top} + 56]{{1to8}}; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm16, zmm31; vpsubq zmm20, zmm20, zmm2; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm7, zmm29
vmovdqu64 [{p} + 2*{s} + 64], zmm4; vmovdqa64 zmm4, zmm30; vpsubq zmm12, zmm17, zmm1
vpmadd52huq zmm4, zmm20, qword ptr [{low} + 0]{{1to8}}; vpaddq zmm17, zmm1, zmm26; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm12, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 [{p} + {s5}], zmm14; vpxord zmm19, zmm19, zmm19
vpaddq zmm14, zmm2, zmm26; vpmadd52huq zmm19, zmm9, zmm31; vpmadd52luq zmm16, zmm7, zmm28; vpsubq zmm9, zmm11, zmm3
vpxord zmm7, zmm7, zmm7; vpsubq zmm22, zmm18, zmm0; vpmadd52huq zmm7, zmm9, qword ptr [{low} + 48]{{1to8}}
vpaddq zmm2, zmm2, zmm0; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm22, qword ptr [{low} + 16]{{1to8}}
vmovdqu64 [{p} + {s3}], zmm19; vpaddq zmm18, zmm1, zmm3; vpmadd52luq zmm5, zmm12, qword ptr [{low} + 40]{{1to8}}
vpmadd52luq zmm4, zmm20, qword ptr [{low} + 8]{{1to8}}; vpaddq zmm12, zmm2, zmm18; vpsubq zmm1, zmm12, zmm27
vpmadd52luq zmm7, zmm9, qword ptr [{low} + 56]{{1to8}}; vpmadd52luq zmm11, zmm22, qword ptr [{low} + 24]{{1to8}}
vpsubq zmm3, zmm17, zmm3; vpsubq zmm20, zmm14, zmm0; vpminuq zmm9, zmm12, zmm1; vpaddq zmm22, zmm2, zmm27
vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 zmm1, [{p} + 4*{s} + 192]
vmovdqa64 zmm14, zmm30; vmovdqu64 zmm2, [{p} + 192]; vpsubq zmm22, zmm22, zmm18
vpmadd52huq zmm14, zmm20, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm19, zmm22, zmm27; vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm16, zmm31; vmovdqu64 zmm0, [{p} + 2*{s} + 192]; vmovdqu64 zmm17, [{p} + {s} + 192]
vpsubq zmm16, zmm10, zmm6; vpminuq zmm22, zmm22, zmm19; vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}
vpaddq zmm23, zmm13, zmm31; vmovdqu64 zmm19, [{p} + {s5} + 192]; vmovdqu64 zmm3, [{p} + 2*{s3} + 192]
vpsubq zmm23, zmm23, zmm15; vpmadd52luq zmm14, zmm20, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm10, zmm10, zmm6
vmovdqu64 [{p} + 2*{s3} + 64], zmm18; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm16, zmm31; vmovdqa64 zmm16, zmm30
vmovdqu64 zmm21, [{p} + {s7} + 192]; vpaddq zmm15, zmm13, zmm15; vpmadd52huq zmm16, zmm23, zmm29
vpsubq zmm20, zmm15, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm22, zmm29; vmovdqu64 zmm13, [{p} + {s3} + 192]
vpminuq zmm20, zmm15, zmm20; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm6, zmm29; vpmadd52luq zmm16, zmm23, zmm28
vpmadd52luq zmm18, zmm22, zmm28; vpsubq zmm22, zmm8, zmm31; vmovdqu64 [{p} + {s} + 64], zmm20; vpsubq zmm25, zmm5, zmm7
vpminuq zmm8, zmm8, zmm22; vpaddq zmm20, zmm1, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm25, zmm31
vpaddq zmm25, zmm2, zmm31; vpmadd52luq zmm15, zmm6, zmm28; vpaddq zmm23, zmm0, zmm31; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm18, zmm31; vmovdqu64 [{p} + 64], zmm8; vpaddq zmm18, zmm2, zmm25; vpmadd52huq zmm2, zmm17, zmm31
vpaddq zmm20, zmm1, zmm20; vpmadd52huq zmm1, zmm19, zmm31; vpxord zmm6, zmm6, zmm6; vpaddq zmm8, zmm3, zmm31
vpmadd52huq zmm6, zmm22, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm8, zmm3, zmm8; vmovdqu64 [{p} + 4*{s} + 128], zmm24
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm15, zmm31; vpaddq zmm17, zmm0, zmm23; vpmadd52huq zmm3, zmm21, zmm31
vpmadd52huq zmm0, zmm13, zmm31; vpsubq zmm13, zmm4, zmm11; vpxord zmm21, zmm21, zmm21; vpaddq zmm4, zmm4, zmm11
vpmadd52huq zmm21, zmm13, zmm31; vpmadd52luq zmm6, zmm22, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm11, zmm5, zmm7
vmovdqu64 [{p} + {s7} + 64], zmm24; vpxord zmm13, zmm13, zmm13; vpsubq zmm7, zmm9, zmm26; vpmadd52huq zmm13, zmm4, zmm31
vpsubq zmm5, zmm14, zmm12; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm11, zmm31; vmovdqa64 zmm11, zmm30
vpaddq zmm12, zmm14, zmm12; vpmadd52huq zmm11, zmm21, qword ptr [{top} + 48]{{1to8}}; vpminuq zmm9, zmm9, zmm7
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm5, zmm31; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm12, zmm31
vpmadd52luq zmm11, zmm21, qword ptr [{top} + 56]{{1to8}}; vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm16, zmm31
vmovdqa64 zmm16, zmm30; vpsubq zmm18, zmm18, zmm2; vpmadd52huq zmm16, zmm7, zmm29; vpsubq zmm21, zmm20, zmm1
vmovdqu64 [{p} + 2*{s} + 128], zmm5; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm18, qword ptr [{low} + 0]{{1to8}}
vmovdqa64 zmm4, zmm30; vpaddq zmm20, zmm1, zmm26; vpmadd52huq zmm4, zmm21, qword ptr [{low} + 32]{{1to8}}
vpaddq zmm12, zmm2, zmm26; vmovdqu64 [{p} + {s5} + 64], zmm14; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm10, zmm31; vpsubq zmm8, zmm8, zmm3; vpmadd52luq zmm16, zmm7, zmm28; vpsubq zmm17, zmm17, zmm0
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm8, qword ptr [{low} + 48]{{1to8}}; vpxord zmm10, zmm10, zmm10
vpaddq zmm2, zmm2, zmm0; vpmadd52huq zmm10, zmm17, qword ptr [{low} + 16]{{1to8}}
vpmadd52luq zmm4, zmm21, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm1, zmm1, zmm3; vmovdqu64 [{p} + {s3} + 64], zmm14
vpaddq zmm14, zmm2, zmm1; vpmadd52luq zmm5, zmm18, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm7, zmm8, qword ptr [{low} + 56]{{1to8}}; vpsubq zmm8, zmm14, zmm27; vpsubq zmm3, zmm20, zmm3
vpmadd52luq zmm10, zmm17, qword ptr [{low} + 24]{{1to8}}; vpminuq zmm8, zmm14, zmm8; vpsubq zmm22, zmm12, zmm0
add {p}, 256; shr {n}, 2; sub {n}, 1
2: vpxord zmm12, zmm12, zmm12; vmovdqu64 zmm0, [{p} + 4*{s}]; vpaddq zmm2, zmm2, zmm27
vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm20, zmm2, zmm1; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm22, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm2, [{p}]; vpxord zmm18, zmm18, zmm18
vmovdqu64 zmm1, [{p} + 2*{s}]; vpsubq zmm19, zmm20, zmm27; vpmadd52huq zmm18, zmm16, zmm31; vpminuq zmm20, zmm20, zmm19
vpsubq zmm16, zmm11, zmm6; vmovdqu64 zmm19, [{p} + {s}]; vmovdqu64 zmm17, [{p} + {s5}]; vpaddq zmm21, zmm13, zmm31
vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}; vpmadd52luq zmm14, zmm22, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm21, zmm21, zmm15; vmovdqu64 zmm3, [{p} + 2*{s3}]; vmovdqu64 [{p} + 2*{s3} - 128], zmm18
vpxord zmm22, zmm22, zmm22; vpaddq zmm11, zmm11, zmm6; vpmadd52huq zmm22, zmm16, zmm31; vpaddq zmm15, zmm13, zmm15
vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm21, zmm29; vmovdqu64 zmm18, [{p} + {s7}]; vmovdqa64 zmm6, zmm30
vmovdqu64 zmm13, [{p} + {s3}]; vpsubq zmm23, zmm15, zmm31; vpmadd52huq zmm6, zmm20, zmm29; vpminuq zmm23, zmm15, zmm23
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, zmm29; vpmadd52luq zmm16, zmm21, zmm28; vpsubq zmm21, zmm9, zmm31
vpmadd52luq zmm6, zmm20, zmm28; vpminuq zmm21, zmm9, zmm21; vpsubq zmm20, zmm4, zmm7; vmovdqu64 [{p} + {s} - 128], zmm23
vpxord zmm9, zmm9, zmm9; vpaddq zmm23, zmm0, zmm31; vpmadd52huq zmm9, zmm20, zmm31; vpmadd52luq zmm15, zmm22, zmm28
vpaddq zmm20, zmm2, zmm31; vpxord zmm24, zmm24, zmm24; vpaddq zmm22, zmm1, zmm31; vpmadd52huq zmm24, zmm6, zmm31
vpaddq zmm20, zmm2, zmm20; vpmadd52huq zmm2, zmm19, zmm31; vmovdqu64 [{p} - 128], zmm21; vpaddq zmm19, zmm0, zmm23
vpmadd52huq zmm0, zmm17, zmm31; vpaddq zmm17, zmm3, zmm31; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm9, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 4*{s} - 64], zmm24; vpxord zmm24, zmm24, zmm24
vpaddq zmm17, zmm3, zmm17; vpmadd52huq zmm24, zmm15, zmm31; vpmadd52huq zmm3, zmm18, zmm31; vpaddq zmm18, zmm1, zmm22
vpsubq zmm22, zmm5, zmm10; vpmadd52huq zmm1, zmm13, zmm31; vpaddq zmm10, zmm5, zmm10; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm22, zmm31; vmovdqu64 [{p} + {s7} - 128], zmm24; vpaddq zmm4, zmm4, zmm7
vpmadd52luq zmm6, zmm9, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm9, zmm8, zmm26; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm10, zmm31; vpxord zmm15, zmm15, zmm15; vpsubq zmm24, zmm14, zmm12; vpmadd52huq zmm15, zmm4, zmm31
vpaddq zmm12, zmm14, zmm12; vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm5, qword ptr [{top} + 48]{{1to8}}
vpminuq zmm9, zmm8, zmm9; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm24, zmm31; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm12, zmm31; vpmadd52luq zmm10, zmm5, qword ptr [{top} + 56]{{1to8}}; vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm16, zmm31; vpsubq zmm20, zmm20, zmm2; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm7, zmm29
vmovdqu64 [{p} + 2*{s} - 64], zmm4; vmovdqa64 zmm4, zmm30; vpsubq zmm19, zmm19, zmm0
vpmadd52huq zmm4, zmm20, qword ptr [{low} + 0]{{1to8}}; vpaddq zmm8, zmm0, zmm26; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm19, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 [{p} + {s5} - 128], zmm12; vpxord zmm21, zmm21, zmm21
vpaddq zmm12, zmm2, zmm26; vpmadd52huq zmm21, zmm11, zmm31; vpmadd52luq zmm16, zmm7, zmm28; vpsubq zmm14, zmm17, zmm3
vpxord zmm7, zmm7, zmm7; vpsubq zmm18, zmm18, zmm1; vpmadd52huq zmm7, zmm14, qword ptr [{low} + 48]{{1to8}}
vpaddq zmm2, zmm2, zmm1; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm18, qword ptr [{low} + 16]{{1to8}}
vmovdqu64 [{p} + {s3} - 128], zmm21; vpaddq zmm17, zmm0, zmm3; vpmadd52luq zmm5, zmm19, qword ptr [{low} + 40]{{1to8}}
vpmadd52luq zmm4, zmm20, qword ptr [{low} + 8]{{1to8}}; vpaddq zmm19, zmm2, zmm17; vpsubq zmm0, zmm19, zmm27
vpmadd52luq zmm7, zmm14, qword ptr [{low} + 56]{{1to8}}; vpmadd52luq zmm11, zmm18, qword ptr [{low} + 24]{{1to8}}
vpsubq zmm3, zmm8, zmm3; vpsubq zmm20, zmm12, zmm1; vpminuq zmm8, zmm19, zmm0; vpaddq zmm19, zmm2, zmm27
vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 zmm0, [{p} + 4*{s} + 64]
vmovdqa64 zmm14, zmm30; vmovdqu64 zmm2, [{p} + 64]; vpsubq zmm19, zmm19, zmm17
vpmadd52huq zmm14, zmm20, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm18, zmm19, zmm27; vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm16, zmm31; vmovdqu64 zmm1, [{p} + 2*{s} + 64]; vmovdqu64 zmm17, [{p} + {s} + 64]
vpsubq zmm16, zmm10, zmm6; vpminuq zmm19, zmm19, zmm18; vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}
vpaddq zmm22, zmm13, zmm31; vmovdqu64 zmm18, [{p} + {s5} + 64]; vmovdqu64 zmm3, [{p} + 2*{s3} + 64]
vpsubq zmm22, zmm22, zmm15; vpmadd52luq zmm14, zmm20, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm10, zmm10, zmm6
vmovdqu64 [{p} + 2*{s3} - 64], zmm21; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm16, zmm31; vmovdqa64 zmm16, zmm30
vmovdqu64 zmm21, [{p} + {s7} + 64]; vpaddq zmm15, zmm13, zmm15; vpmadd52huq zmm16, zmm22, zmm29
vpsubq zmm23, zmm15, zmm31; vmovdqa64 zmm20, zmm30; vpmadd52huq zmm20, zmm19, zmm29; vmovdqu64 zmm13, [{p} + {s3} + 64]
vpminuq zmm23, zmm15, zmm23; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm6, zmm29; vpmadd52luq zmm16, zmm22, zmm28
vpmadd52luq zmm20, zmm19, zmm28; vpsubq zmm19, zmm9, zmm31; vmovdqu64 [{p} + {s} - 64], zmm23; vpsubq zmm25, zmm5, zmm7
vpminuq zmm19, zmm9, zmm19; vpaddq zmm23, zmm0, zmm31; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm25, zmm31
vpaddq zmm25, zmm2, zmm31; vpmadd52luq zmm15, zmm6, zmm28; vpaddq zmm22, zmm1, zmm31; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm20, zmm31; vmovdqu64 [{p} - 64], zmm19; vpaddq zmm19, zmm2, zmm25; vpmadd52huq zmm2, zmm17, zmm31
vpaddq zmm20, zmm0, zmm23; vpmadd52huq zmm0, zmm18, zmm31; vpxord zmm6, zmm6, zmm6; vpaddq zmm17, zmm3, zmm31
vpmadd52huq zmm6, zmm9, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm17, zmm3, zmm17; vmovdqu64 [{p} + 4*{s}], zmm24
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm15, zmm31; vpaddq zmm18, zmm1, zmm22; vpmadd52huq zmm3, zmm21, zmm31
vpmadd52huq zmm1, zmm13, zmm31; vpsubq zmm13, zmm4, zmm11; vpxord zmm21, zmm21, zmm21; vpaddq zmm4, zmm4, zmm11
vpmadd52huq zmm21, zmm13, zmm31; vpmadd52luq zmm6, zmm9, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm7, zmm5, zmm7
vmovdqu64 [{p} + {s7} - 64], zmm24; vpxord zmm13, zmm13, zmm13; vpsubq zmm11, zmm8, zmm26
vpmadd52huq zmm13, zmm4, zmm31; vpsubq zmm5, zmm14, zmm12; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm7, zmm31
vmovdqa64 zmm9, zmm30; vpaddq zmm12, zmm14, zmm12; vpmadd52huq zmm9, zmm21, qword ptr [{top} + 48]{{1to8}}
vpminuq zmm11, zmm8, zmm11; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm5, zmm31; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm12, zmm31; vpmadd52luq zmm9, zmm21, qword ptr [{top} + 56]{{1to8}}; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm16, zmm31; vmovdqa64 zmm16, zmm30; vpsubq zmm19, zmm19, zmm2; vpmadd52huq zmm16, zmm8, zmm29
vpsubq zmm21, zmm20, zmm0; vmovdqu64 [{p} + 2*{s}], zmm5; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm19, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm4, zmm30; vpaddq zmm20, zmm0, zmm26
vpmadd52huq zmm4, zmm21, qword ptr [{low} + 32]{{1to8}}; vpaddq zmm12, zmm2, zmm26; vmovdqu64 [{p} + {s5} - 64], zmm7
vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm10, zmm31; vpsubq zmm17, zmm17, zmm3; vpmadd52luq zmm16, zmm8, zmm28
vpsubq zmm18, zmm18, zmm1; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm17, qword ptr [{low} + 48]{{1to8}}
vpxord zmm10, zmm10, zmm10; vpaddq zmm2, zmm2, zmm1; vpmadd52huq zmm10, zmm18, qword ptr [{low} + 16]{{1to8}}
vpmadd52luq zmm4, zmm21, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm0, zmm0, zmm3; vmovdqu64 [{p} + {s3} - 64], zmm14
vpaddq zmm8, zmm2, zmm0; vpmadd52luq zmm5, zmm19, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm7, zmm17, qword ptr [{low} + 56]{{1to8}}; vpsubq zmm17, zmm8, zmm27; vpsubq zmm3, zmm20, zmm3
vpmadd52luq zmm10, zmm18, qword ptr [{low} + 24]{{1to8}}; vpminuq zmm8, zmm8, zmm17; vpsubq zmm20, zmm12, zmm1
vpxord zmm12, zmm12, zmm12; vmovdqu64 zmm1, [{p} + 4*{s} + 128]; vpaddq zmm2, zmm2, zmm27
vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm19, zmm2, zmm0; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm20, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm2, [{p} + 128]; vpxord zmm21, zmm21, zmm21
vmovdqu64 zmm0, [{p} + 2*{s} + 128]; vpsubq zmm17, zmm19, zmm27; vpmadd52huq zmm21, zmm16, zmm31
vpminuq zmm19, zmm19, zmm17; vpsubq zmm16, zmm9, zmm6; vmovdqu64 zmm17, [{p} + {s} + 128]
vmovdqu64 zmm18, [{p} + {s5} + 128]; vpaddq zmm22, zmm13, zmm31; vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm14, zmm20, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm22, zmm22, zmm15
vmovdqu64 zmm3, [{p} + 2*{s3} + 128]; vmovdqu64 [{p} + 2*{s3}], zmm21; vpxord zmm20, zmm20, zmm20
vpaddq zmm9, zmm9, zmm6; vpmadd52huq zmm20, zmm16, zmm31; vpaddq zmm21, zmm13, zmm15; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, zmm29; vmovdqu64 zmm15, [{p} + {s7} + 128]; vmovdqa64 zmm6, zmm30
vmovdqu64 zmm13, [{p} + {s3} + 128]; vpsubq zmm24, zmm21, zmm31; vpmadd52huq zmm6, zmm19, zmm29
vpminuq zmm24, zmm21, zmm24; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm20, zmm29; vpmadd52luq zmm16, zmm22, zmm28
vpsubq zmm22, zmm11, zmm31; vpmadd52luq zmm6, zmm19, zmm28; vpminuq zmm11, zmm11, zmm22; vpsubq zmm23, zmm4, zmm7
vmovdqu64 [{p} + {s}], zmm24; vpxord zmm19, zmm19, zmm19; vpaddq zmm24, zmm1, zmm31; vpmadd52huq zmm19, zmm23, zmm31
vpmadd52luq zmm21, zmm20, zmm28; vpaddq zmm20, zmm2, zmm31; vpxord zmm23, zmm23, zmm23; vpaddq zmm22, zmm0, zmm31
vpmadd52huq zmm23, zmm6, zmm31; vpaddq zmm20, zmm2, zmm20; vpmadd52huq zmm2, zmm17, zmm31; vmovdqu64 [{p}], zmm11
vpaddq zmm17, zmm1, zmm24; vpmadd52huq zmm1, zmm18, zmm31; vpaddq zmm11, zmm3, zmm31; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm19, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 4*{s} + 64], zmm23; vpxord zmm23, zmm23, zmm23
vpaddq zmm11, zmm3, zmm11; vpmadd52huq zmm23, zmm21, zmm31; vpmadd52huq zmm3, zmm15, zmm31; vpaddq zmm18, zmm0, zmm22
vpsubq zmm22, zmm5, zmm10; vpmadd52huq zmm0, zmm13, zmm31; vpaddq zmm10, zmm5, zmm10; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm22, zmm31; vmovdqu64 [{p} + {s7}], zmm23; vpaddq zmm4, zmm4, zmm7
vpmadd52luq zmm6, zmm19, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm7, zmm8, zmm26; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm10, zmm31; vpxord zmm15, zmm15, zmm15; vpsubq zmm19, zmm14, zmm12; vpmadd52huq zmm15, zmm4, zmm31
vpaddq zmm12, zmm14, zmm12; vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm5, qword ptr [{top} + 48]{{1to8}}
vpminuq zmm8, zmm8, zmm7; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm19, zmm31; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm12, zmm31; vpmadd52luq zmm10, zmm5, qword ptr [{top} + 56]{{1to8}}; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm16, zmm31; vpsubq zmm20, zmm20, zmm2; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm7, zmm29
vmovdqu64 [{p} + 2*{s} + 64], zmm4; vmovdqa64 zmm4, zmm30; vpsubq zmm12, zmm17, zmm1
vpmadd52huq zmm4, zmm20, qword ptr [{low} + 0]{{1to8}}; vpaddq zmm17, zmm1, zmm26; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm12, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 [{p} + {s5}], zmm14; vpxord zmm19, zmm19, zmm19
vpaddq zmm14, zmm2, zmm26; vpmadd52huq zmm19, zmm9, zmm31; vpmadd52luq zmm16, zmm7, zmm28; vpsubq zmm9, zmm11, zmm3
vpxord zmm7, zmm7, zmm7; vpsubq zmm22, zmm18, zmm0; vpmadd52huq zmm7, zmm9, qword ptr [{low} + 48]{{1to8}}
vpaddq zmm2, zmm2, zmm0; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm22, qword ptr [{low} + 16]{{1to8}}
vmovdqu64 [{p} + {s3}], zmm19; vpaddq zmm18, zmm1, zmm3; vpmadd52luq zmm5, zmm12, qword ptr [{low} + 40]{{1to8}}
vpmadd52luq zmm4, zmm20, qword ptr [{low} + 8]{{1to8}}; vpaddq zmm12, zmm2, zmm18; vpsubq zmm1, zmm12, zmm27
vpmadd52luq zmm7, zmm9, qword ptr [{low} + 56]{{1to8}}; vpmadd52luq zmm11, zmm22, qword ptr [{low} + 24]{{1to8}}
vpsubq zmm3, zmm17, zmm3; vpsubq zmm20, zmm14, zmm0; vpminuq zmm9, zmm12, zmm1; vpaddq zmm22, zmm2, zmm27
vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 zmm1, [{p} + 4*{s} + 192]
vmovdqa64 zmm14, zmm30; vmovdqu64 zmm2, [{p} + 192]; vpsubq zmm22, zmm22, zmm18
vpmadd52huq zmm14, zmm20, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm19, zmm22, zmm27; vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm16, zmm31; vmovdqu64 zmm0, [{p} + 2*{s} + 192]; vmovdqu64 zmm17, [{p} + {s} + 192]
vpsubq zmm16, zmm10, zmm6; vpminuq zmm22, zmm22, zmm19; vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}
vpaddq zmm23, zmm13, zmm31; vmovdqu64 zmm19, [{p} + {s5} + 192]; vmovdqu64 zmm3, [{p} + 2*{s3} + 192]
vpsubq zmm23, zmm23, zmm15; vpmadd52luq zmm14, zmm20, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm10, zmm10, zmm6
vmovdqu64 [{p} + 2*{s3} + 64], zmm18; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm16, zmm31; vmovdqa64 zmm16, zmm30
vmovdqu64 zmm21, [{p} + {s7} + 192]; vpaddq zmm15, zmm13, zmm15; vpmadd52huq zmm16, zmm23, zmm29
vpsubq zmm20, zmm15, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm22, zmm29; vmovdqu64 zmm13, [{p} + {s3} + 192]
vpminuq zmm20, zmm15, zmm20; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm6, zmm29; vpmadd52luq zmm16, zmm23, zmm28
vpmadd52luq zmm18, zmm22, zmm28; vpsubq zmm22, zmm8, zmm31; vmovdqu64 [{p} + {s} + 64], zmm20; vpsubq zmm25, zmm5, zmm7
vpminuq zmm8, zmm8, zmm22; vpaddq zmm20, zmm1, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm25, zmm31
vpaddq zmm25, zmm2, zmm31; vpmadd52luq zmm15, zmm6, zmm28; vpaddq zmm23, zmm0, zmm31; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm18, zmm31; vmovdqu64 [{p} + 64], zmm8; vpaddq zmm18, zmm2, zmm25; vpmadd52huq zmm2, zmm17, zmm31
vpaddq zmm20, zmm1, zmm20; vpmadd52huq zmm1, zmm19, zmm31; vpxord zmm6, zmm6, zmm6; vpaddq zmm8, zmm3, zmm31
vpmadd52huq zmm6, zmm22, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm8, zmm3, zmm8; vmovdqu64 [{p} + 4*{s} + 128], zmm24
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm15, zmm31; vpaddq zmm17, zmm0, zmm23; vpmadd52huq zmm3, zmm21, zmm31
vpmadd52huq zmm0, zmm13, zmm31; vpsubq zmm13, zmm4, zmm11; vpxord zmm21, zmm21, zmm21; vpaddq zmm4, zmm4, zmm11
vpmadd52huq zmm21, zmm13, zmm31; vpmadd52luq zmm6, zmm22, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm11, zmm5, zmm7
vmovdqu64 [{p} + {s7} + 64], zmm24; vpxord zmm13, zmm13, zmm13; vpsubq zmm7, zmm9, zmm26; vpmadd52huq zmm13, zmm4, zmm31
vpsubq zmm5, zmm14, zmm12; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm11, zmm31; vmovdqa64 zmm11, zmm30
vpaddq zmm12, zmm14, zmm12; vpmadd52huq zmm11, zmm21, qword ptr [{top} + 48]{{1to8}}; vpminuq zmm9, zmm9, zmm7
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm5, zmm31; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm12, zmm31
vpmadd52luq zmm11, zmm21, qword ptr [{top} + 56]{{1to8}}; vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm16, zmm31
vmovdqa64 zmm16, zmm30; vpsubq zmm18, zmm18, zmm2; vpmadd52huq zmm16, zmm7, zmm29; vpsubq zmm21, zmm20, zmm1
vmovdqu64 [{p} + 2*{s} + 128], zmm5; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm18, qword ptr [{low} + 0]{{1to8}}
vmovdqa64 zmm4, zmm30; vpaddq zmm20, zmm1, zmm26; vpmadd52huq zmm4, zmm21, qword ptr [{low} + 32]{{1to8}}
vpaddq zmm12, zmm2, zmm26; vmovdqu64 [{p} + {s5} + 64], zmm14; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm10, zmm31; vpsubq zmm8, zmm8, zmm3; vpmadd52luq zmm16, zmm7, zmm28; vpsubq zmm17, zmm17, zmm0
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm8, qword ptr [{low} + 48]{{1to8}}; vpxord zmm10, zmm10, zmm10
vpaddq zmm2, zmm2, zmm0; vpmadd52huq zmm10, zmm17, qword ptr [{low} + 16]{{1to8}}
vpmadd52luq zmm4, zmm21, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm1, zmm1, zmm3; vmovdqu64 [{p} + {s3} + 64], zmm14
vpaddq zmm14, zmm2, zmm1; vpmadd52luq zmm5, zmm18, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm7, zmm8, qword ptr [{low} + 56]{{1to8}}; vpsubq zmm8, zmm14, zmm27; vpsubq zmm3, zmm20, zmm3
vpmadd52luq zmm10, zmm17, qword ptr [{low} + 24]{{1to8}}; vpminuq zmm8, zmm14, zmm8; vpsubq zmm22, zmm12, zmm0
add {p}, 256; dec {n}; jnz 2b; vpxord zmm12, zmm12, zmm12; vpaddq zmm2, zmm2, zmm27
vpmadd52huq zmm12, zmm3, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm20, zmm2, zmm1; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm22, qword ptr [{top} + 48]{{1to8}}; vpxord zmm18, zmm18, zmm18; vpsubq zmm19, zmm20, zmm27
vpmadd52huq zmm18, zmm16, zmm31; vpminuq zmm20, zmm20, zmm19; vpsubq zmm16, zmm11, zmm6; vpaddq zmm21, zmm13, zmm31
vpmadd52luq zmm12, zmm3, qword ptr [{top} + 72]{{1to8}}; vpmadd52luq zmm14, zmm22, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm21, zmm21, zmm15; vmovdqu64 [{p} + 2*{s3} - 128], zmm18; vpxord zmm22, zmm22, zmm22; vpaddq zmm11, zmm11, zmm6
vpmadd52huq zmm22, zmm16, zmm31; vpaddq zmm15, zmm13, zmm15; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm21, zmm29
vmovdqa64 zmm6, zmm30; vpsubq zmm23, zmm15, zmm31; vpmadd52huq zmm6, zmm20, zmm29; vpminuq zmm23, zmm15, zmm23
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, zmm29; vpmadd52luq zmm16, zmm21, zmm28; vpsubq zmm21, zmm9, zmm31
vpmadd52luq zmm6, zmm20, zmm28; vpminuq zmm21, zmm9, zmm21; vpsubq zmm20, zmm4, zmm7; vmovdqu64 [{p} + {s} - 128], zmm23
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm20, zmm31; vpmadd52luq zmm15, zmm22, zmm28; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm6, zmm31; vmovdqu64 [{p} - 128], zmm21; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm9, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 [{p} + 4*{s} - 64], zmm24; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm15, zmm31; vpsubq zmm22, zmm5, zmm10; vpaddq zmm10, zmm5, zmm10; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm22, zmm31; vmovdqu64 [{p} + {s7} - 128], zmm24; vpaddq zmm4, zmm4, zmm7
vpmadd52luq zmm6, zmm9, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm9, zmm8, zmm26; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm10, zmm31; vpxord zmm15, zmm15, zmm15; vpsubq zmm24, zmm14, zmm12; vpmadd52huq zmm15, zmm4, zmm31
vpaddq zmm12, zmm14, zmm12; vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm5, qword ptr [{top} + 48]{{1to8}}
vpminuq zmm9, zmm8, zmm9; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm24, zmm31; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm12, zmm31; vpmadd52luq zmm10, zmm5, qword ptr [{top} + 56]{{1to8}}; vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm16, zmm31; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm7, zmm29
vmovdqu64 [{p} + 2*{s} - 64], zmm4; vmovdqu64 [{p} + {s5} - 128], zmm12; vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm11, zmm31; vpmadd52luq zmm16, zmm7, zmm28; vmovdqu64 [{p} + {s3} - 128], zmm21
vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm16, zmm31; vpsubq zmm16, zmm10, zmm6; vpaddq zmm22, zmm13, zmm31
vpsubq zmm22, zmm22, zmm15; vpaddq zmm10, zmm10, zmm6; vmovdqu64 [{p} + 2*{s3} - 64], zmm21; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm16, zmm31; vmovdqa64 zmm16, zmm30; vpaddq zmm15, zmm13, zmm15; vpmadd52huq zmm16, zmm22, zmm29
vpsubq zmm23, zmm15, zmm31; vpminuq zmm23, zmm15, zmm23; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm6, zmm29
vpmadd52luq zmm16, zmm22, zmm28; vpsubq zmm19, zmm9, zmm31; vmovdqu64 [{p} + {s} - 64], zmm23
vpminuq zmm19, zmm9, zmm19; vpmadd52luq zmm15, zmm6, zmm28; vmovdqu64 [{p} - 64], zmm19; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm15, zmm31; vmovdqu64 [{p} + {s7} - 64], zmm24; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm16, zmm31; vmovdqu64 [{p} + {s5} - 64], zmm7; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm10, zmm31; vmovdqu64 [{p} + {s3} - 64], zmm14; add {p}, 256
