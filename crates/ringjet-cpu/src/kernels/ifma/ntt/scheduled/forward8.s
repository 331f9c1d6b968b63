/* Made by tools/schedule.py: laps of 2 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 0]; vpbroadcastq zmm28, qword ptr [{top} + 8]
vpbroadcastq zmm27, qword ptr [{k} + 8]; vpbroadcastq zmm26, qword ptr [{top} + 16]; vmovdqu64 zmm15, [{p} + {s3}]
vmovdqu64 zmm14, [{p}]; vmovdqu64 zmm11, [{p} + 2*{s}]; vmovdqu64 zmm21, [{p} + {s}]; vmovdqu64 zmm17, [{p} + {s7}]
vmovdqu64 zmm20, [{p} + {s5}]; vmovdqu64 zmm13, [{p} + 2*{s3}]; vmovdqu64 zmm16, [{p} + 4*{s}]
vpsubq zmm10, zmm15, zmm27; vpminuq zmm10, zmm15, zmm10; vmovdqa64 zmm18, zmm30; vpsubq zmm15, zmm11, zmm27
vpmadd52huq zmm18, zmm14, qword ptr [{k} + 32]{{1to8}}; vpminuq zmm11, zmm11, zmm15; vpsubq zmm15, zmm21, zmm27
vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm17, zmm29; vpminuq zmm2, zmm21, zmm15
vpmadd52luq zmm18, zmm14, qword ptr [{k} + 40]{{1to8}}; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm20, zmm29
vpmadd52luq zmm19, zmm17, zmm28; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm13, zmm29; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm18, zmm31; vpmadd52luq zmm14, zmm20, zmm28; vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm16, zmm29
vpmadd52luq zmm22, zmm13, zmm28; vpaddq zmm20, zmm10, zmm31; vpaddq zmm20, zmm10, zmm20; vpmadd52huq zmm10, zmm19, zmm31
vpmadd52luq zmm12, zmm16, zmm28; vpaddq zmm25, zmm11, zmm31; vpaddq zmm25, zmm11, zmm25; vpmadd52huq zmm11, zmm22, zmm31
vpaddq zmm23, zmm2, zmm31; vpaddq zmm23, zmm2, zmm23; vpmadd52huq zmm2, zmm14, zmm31; vmovdqa64 zmm22, zmm30
vpmadd52huq zmm22, zmm10, zmm26; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm11, zmm26; vpaddq zmm24, zmm0, zmm31
vpaddq zmm24, zmm0, zmm24; vpmadd52huq zmm0, zmm12, zmm31; vpmadd52luq zmm22, zmm10, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm16, zmm11, qword ptr [{top} + 24]{{1to8}}; vmovdqu64 zmm15, [{p} + {s3} + 64]; vpsubq zmm20, zmm20, zmm10
vmovdqa64 zmm4, zmm30; vpmadd52huq zmm4, zmm20, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm14, [{p} + 64]
vmovdqu64 zmm10, [{p} + 2*{s} + 64]; vpsubq zmm25, zmm25, zmm11; vmovdqa64 zmm11, zmm30
vpmadd52huq zmm11, zmm25, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm21, [{p} + {s} + 64]
vmovdqu64 zmm17, [{p} + {s7} + 64]; vpsubq zmm8, zmm23, zmm2; vpaddq zmm23, zmm2, zmm31
vpmadd52luq zmm4, zmm20, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm23, zmm2, zmm23; vpaddq zmm20, zmm8, zmm31
vpmadd52huq zmm2, zmm22, zmm31; vpmadd52luq zmm11, zmm25, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm22, zmm8, zmm20
vmovdqu64 zmm20, [{p} + {s5} + 64]; vpmadd52huq zmm8, zmm4, zmm31; vpsubq zmm4, zmm24, zmm0
vmovdqu64 zmm13, [{p} + 2*{s3} + 64]; vpaddq zmm24, zmm0, zmm31; vpaddq zmm25, zmm4, zmm31; vpaddq zmm24, zmm0, zmm24
vpmadd52huq zmm0, zmm16, zmm31; vmovdqu64 zmm16, [{p} + 4*{s} + 64]; vpaddq zmm25, zmm4, zmm25
vpmadd52huq zmm4, zmm11, zmm31; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm8, qword ptr [{low} + 32]{{1to8}}
vmovdqa64 zmm9, zmm30; vpsubq zmm11, zmm15, zmm27; vpmadd52huq zmm9, zmm2, qword ptr [{low} + 0]{{1to8}}
vpminuq zmm11, zmm15, zmm11; vmovdqa64 zmm19, zmm30; vpsubq zmm15, zmm10, zmm27
vpmadd52huq zmm19, zmm14, qword ptr [{k} + 32]{{1to8}}; vpminuq zmm10, zmm10, zmm15; vpsubq zmm15, zmm21, zmm27
vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm17, zmm29; vpminuq zmm3, zmm21, zmm15; vpsubq zmm15, zmm23, zmm2
vpmadd52luq zmm19, zmm14, qword ptr [{k} + 40]{{1to8}}; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm20, zmm29
vpmadd52luq zmm18, zmm17, zmm28; vpsubq zmm17, zmm22, zmm8; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm13, zmm29
vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm19, zmm31; vpmadd52luq zmm14, zmm20, zmm28; vpsubq zmm7, zmm24, zmm0
vmovdqa64 zmm12, zmm30; vpsubq zmm6, zmm25, zmm4; vpmadd52huq zmm12, zmm16, zmm29; vpmadd52luq zmm22, zmm13, zmm28
vpaddq zmm24, zmm4, zmm31; vmovdqa64 zmm13, zmm30; vpaddq zmm19, zmm0, zmm31
vpmadd52huq zmm13, zmm17, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm20, zmm11, zmm31; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm15, qword ptr [{low} + 16]{{1to8}}; vpaddq zmm20, zmm11, zmm20; vpmadd52huq zmm11, zmm18, zmm31
vpmadd52luq zmm12, zmm16, zmm28; vpaddq zmm25, zmm10, zmm31; vpaddq zmm25, zmm10, zmm25; vpmadd52huq zmm10, zmm22, zmm31
vpmadd52luq zmm9, zmm2, qword ptr [{low} + 8]{{1to8}}; vpaddq zmm23, zmm3, zmm31; vpaddq zmm23, zmm3, zmm23
vpmadd52huq zmm3, zmm14, zmm31; vpaddq zmm14, zmm6, zmm31; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm11, zmm26
vmovdqa64 zmm16, zmm30; vpaddq zmm2, zmm7, zmm31; vpmadd52huq zmm16, zmm10, zmm26
vpmadd52luq zmm13, zmm17, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm18, zmm4, zmm24; vpaddq zmm24, zmm1, zmm31
vpmadd52luq zmm5, zmm8, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm24, zmm1, zmm24; vpmadd52huq zmm1, zmm12, zmm31
vpaddq zmm12, zmm6, zmm14; vpmadd52luq zmm22, zmm11, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm16, zmm10, qword ptr [{top} + 24]{{1to8}}; vpaddq zmm19, zmm0, zmm19; vpaddq zmm2, zmm7, zmm2
vpmadd52luq zmm21, zmm15, qword ptr [{low} + 24]{{1to8}}; vpmadd52huq zmm4, zmm5, zmm31; add {p}, 128; shr {n}, 1
sub {n}, 1
2: vmovdqu64 zmm15, [{p} + {s3}]; vpsubq zmm20, zmm20, zmm11; vpmadd52huq zmm0, zmm9, zmm31; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm20, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm14, [{p}]; vmovdqu64 zmm11, [{p} + 2*{s}]
vpsubq zmm25, zmm25, zmm10; vpmadd52huq zmm7, zmm21, zmm31; vmovdqu64 [{p} + 4*{s} - 128], zmm4; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm25, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm21, [{p} + {s}]; vmovdqu64 zmm17, [{p} + {s7}]
vpsubq zmm8, zmm23, zmm3; vpaddq zmm23, zmm3, zmm31; vpmadd52luq zmm5, zmm20, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm23, zmm3, zmm23; vmovdqu64 [{p} + 2*{s} - 128], zmm7; vpaddq zmm20, zmm8, zmm31
vpmadd52huq zmm3, zmm22, zmm31; vpmadd52luq zmm10, zmm25, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm22, zmm8, zmm20
vmovdqu64 zmm20, [{p} + {s5}]; vmovdqu64 [{p} - 128], zmm0; vpmadd52huq zmm6, zmm13, zmm31
vpmadd52huq zmm8, zmm5, zmm31; vpsubq zmm5, zmm24, zmm1; vmovdqu64 zmm13, [{p} + 2*{s3}]; vpaddq zmm24, zmm1, zmm31
vpaddq zmm25, zmm5, zmm31; vpaddq zmm24, zmm1, zmm24; vpmadd52huq zmm1, zmm16, zmm31
vmovdqu64 [{p} + 2*{s3} - 128], zmm6; vmovdqu64 zmm16, [{p} + 4*{s}]; vpaddq zmm25, zmm5, zmm25
vpmadd52huq zmm5, zmm10, zmm31; vpsubq zmm18, zmm18, zmm4; vmovdqa64 zmm4, zmm30
vpmadd52huq zmm4, zmm8, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 [{p} + {s5} - 128], zmm18; vmovdqa64 zmm9, zmm30
vpsubq zmm10, zmm15, zmm27; vpmadd52huq zmm9, zmm3, qword ptr [{low} + 0]{{1to8}}; vpminuq zmm10, zmm15, zmm10
vpsubq zmm0, zmm19, zmm0; vmovdqu64 [{p} + {s} - 128], zmm0; vmovdqa64 zmm18, zmm30; vpsubq zmm15, zmm11, zmm27
vpmadd52huq zmm18, zmm14, qword ptr [{k} + 32]{{1to8}}; vpminuq zmm11, zmm11, zmm15; vpsubq zmm15, zmm21, zmm27
vmovdqa64 zmm19, zmm30; vpsubq zmm7, zmm2, zmm7; vpmadd52huq zmm19, zmm17, zmm29; vpminuq zmm2, zmm21, zmm15
vmovdqu64 [{p} + {s3} - 128], zmm7; vpsubq zmm15, zmm23, zmm3; vpmadd52luq zmm18, zmm14, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm20, zmm29; vpsubq zmm6, zmm12, zmm6; vpmadd52luq zmm19, zmm17, zmm28
vpsubq zmm17, zmm22, zmm8; vmovdqu64 [{p} + {s7} - 128], zmm6; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm13, zmm29
vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm18, zmm31; vpmadd52luq zmm14, zmm20, zmm28; vpsubq zmm7, zmm24, zmm1
vmovdqa64 zmm12, zmm30; vpsubq zmm6, zmm25, zmm5; vpmadd52huq zmm12, zmm16, zmm29; vpmadd52luq zmm22, zmm13, zmm28
vpaddq zmm24, zmm5, zmm31; vmovdqa64 zmm13, zmm30; vpaddq zmm18, zmm1, zmm31
vpmadd52huq zmm13, zmm17, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm20, zmm10, zmm31; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm15, qword ptr [{low} + 16]{{1to8}}; vpaddq zmm20, zmm10, zmm20; vpmadd52huq zmm10, zmm19, zmm31
vpmadd52luq zmm12, zmm16, zmm28; vpaddq zmm25, zmm11, zmm31; vpaddq zmm25, zmm11, zmm25; vpmadd52huq zmm11, zmm22, zmm31
vpmadd52luq zmm9, zmm3, qword ptr [{low} + 8]{{1to8}}; vpaddq zmm23, zmm2, zmm31; vpaddq zmm23, zmm2, zmm23
vpmadd52huq zmm2, zmm14, zmm31; vpaddq zmm14, zmm6, zmm31; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm10, zmm26
vmovdqa64 zmm16, zmm30; vpaddq zmm3, zmm7, zmm31; vpmadd52huq zmm16, zmm11, zmm26
vpmadd52luq zmm13, zmm17, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm19, zmm5, zmm24; vpaddq zmm24, zmm0, zmm31
vpmadd52luq zmm4, zmm8, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm24, zmm0, zmm24; vpmadd52huq zmm0, zmm12, zmm31
vpaddq zmm12, zmm6, zmm14; vpmadd52luq zmm22, zmm10, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm16, zmm11, qword ptr [{top} + 24]{{1to8}}; vpaddq zmm18, zmm1, zmm18; vpaddq zmm3, zmm7, zmm3
vpmadd52luq zmm21, zmm15, qword ptr [{low} + 24]{{1to8}}; vpmadd52huq zmm5, zmm4, zmm31
vmovdqu64 zmm15, [{p} + {s3} + 64]; vpsubq zmm20, zmm20, zmm10; vpmadd52huq zmm1, zmm9, zmm31; vmovdqa64 zmm4, zmm30
vpmadd52huq zmm4, zmm20, qword ptr [{top} + 48]{{1to8}}; vmovdqu64 zmm14, [{p} + 64]
vmovdqu64 zmm10, [{p} + 2*{s} + 64]; vpsubq zmm25, zmm25, zmm11; vpmadd52huq zmm7, zmm21, zmm31
vmovdqu64 [{p} + 4*{s} - 64], zmm5; vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm25, qword ptr [{top} + 48]{{1to8}}
vmovdqu64 zmm21, [{p} + {s} + 64]; vmovdqu64 zmm17, [{p} + {s7} + 64]; vpsubq zmm8, zmm23, zmm2
vpaddq zmm23, zmm2, zmm31; vpmadd52luq zmm4, zmm20, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm23, zmm2, zmm23
vmovdqu64 [{p} + 2*{s} - 64], zmm7; vpaddq zmm20, zmm8, zmm31; vpmadd52huq zmm2, zmm22, zmm31
vpmadd52luq zmm11, zmm25, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm22, zmm8, zmm20; vmovdqu64 zmm20, [{p} + {s5} + 64]
vmovdqu64 [{p} - 64], zmm1; vpmadd52huq zmm6, zmm13, zmm31; vpmadd52huq zmm8, zmm4, zmm31; vpsubq zmm4, zmm24, zmm0
vmovdqu64 zmm13, [{p} + 2*{s3} + 64]; vpaddq zmm24, zmm0, zmm31; vpaddq zmm25, zmm4, zmm31; vpaddq zmm24, zmm0, zmm24
vpmadd52huq zmm0, zmm16, zmm31; vmovdqu64 [{p} + 2*{s3} - 64], zmm6; vmovdqu64 zmm16, [{p} + 4*{s} + 64]
vpaddq zmm25, zmm4, zmm25; vpmadd52huq zmm4, zmm11, zmm31; vpsubq zmm19, zmm19, zmm5; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm8, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 [{p} + {s5} - 64], zmm19; vmovdqa64 zmm9, zmm30
vpsubq zmm11, zmm15, zmm27; vpmadd52huq zmm9, zmm2, qword ptr [{low} + 0]{{1to8}}; vpminuq zmm11, zmm15, zmm11
vpsubq zmm1, zmm18, zmm1; vmovdqu64 [{p} + {s} - 64], zmm1; vmovdqa64 zmm19, zmm30; vpsubq zmm15, zmm10, zmm27
vpmadd52huq zmm19, zmm14, qword ptr [{k} + 32]{{1to8}}; vpminuq zmm10, zmm10, zmm15; vpsubq zmm15, zmm21, zmm27
vmovdqa64 zmm18, zmm30; vpsubq zmm7, zmm3, zmm7; vpmadd52huq zmm18, zmm17, zmm29; vpminuq zmm3, zmm21, zmm15
vmovdqu64 [{p} + {s3} - 64], zmm7; vpsubq zmm15, zmm23, zmm2; vpmadd52luq zmm19, zmm14, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm20, zmm29; vpsubq zmm6, zmm12, zmm6; vpmadd52luq zmm18, zmm17, zmm28
vpsubq zmm17, zmm22, zmm8; vmovdqu64 [{p} + {s7} - 64], zmm6; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm13, zmm29
vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm19, zmm31; vpmadd52luq zmm14, zmm20, zmm28; vpsubq zmm7, zmm24, zmm0
vmovdqa64 zmm12, zmm30; vpsubq zmm6, zmm25, zmm4; vpmadd52huq zmm12, zmm16, zmm29; vpmadd52luq zmm22, zmm13, zmm28
vpaddq zmm24, zmm4, zmm31; vmovdqa64 zmm13, zmm30; vpaddq zmm19, zmm0, zmm31
vpmadd52huq zmm13, zmm17, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm20, zmm11, zmm31; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm15, qword ptr [{low} + 16]{{1to8}}; vpaddq zmm20, zmm11, zmm20; vpmadd52huq zmm11, zmm18, zmm31
vpmadd52luq zmm12, zmm16, zmm28; vpaddq zmm25, zmm10, zmm31; vpaddq zmm25, zmm10, zmm25; vpmadd52huq zmm10, zmm22, zmm31
vpmadd52luq zmm9, zmm2, qword ptr [{low} + 8]{{1to8}}; vpaddq zmm23, zmm3, zmm31; vpaddq zmm23, zmm3, zmm23
vpmadd52huq zmm3, zmm14, zmm31; vpaddq zmm14, zmm6, zmm31; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm11, zmm26
vmovdqa64 zmm16, zmm30; vpaddq zmm2, zmm7, zmm31; vpmadd52huq zmm16, zmm10, zmm26
vpmadd52luq zmm13, zmm17, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm18, zmm4, zmm24; vpaddq zmm24, zmm1, zmm31
vpmadd52luq zmm5, zmm8, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm24, zmm1, zmm24; vpmadd52huq zmm1, zmm12, zmm31
vpaddq zmm12, zmm6, zmm14; vpmadd52luq zmm22, zmm11, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm16, zmm10, qword ptr [{top} + 24]{{1to8}}; vpaddq zmm19, zmm0, zmm19; vpaddq zmm2, zmm7, zmm2
vpmadd52luq zmm21, zmm15, qword ptr [{low} + 24]{{1to8}}; vpmadd52huq zmm4, zmm5, zmm31; add {p}, 128; dec {n}; jnz 2b
vpsubq zmm20, zmm20, zmm11; vpmadd52huq zmm0, zmm9, zmm31; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm20, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm25, zmm25, zmm10; vpmadd52huq zmm7, zmm21, zmm31
vmovdqu64 [{p} + 4*{s} - 128], zmm4; vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm25, qword ptr [{top} + 48]{{1to8}}
vpsubq zmm8, zmm23, zmm3; vpaddq zmm23, zmm3, zmm31; vpmadd52luq zmm5, zmm20, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm23, zmm3, zmm23; vmovdqu64 [{p} + 2*{s} - 128], zmm7; vpaddq zmm20, zmm8, zmm31
vpmadd52huq zmm3, zmm22, zmm31; vpmadd52luq zmm10, zmm25, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm22, zmm8, zmm20
vmovdqu64 [{p} - 128], zmm0; vpmadd52huq zmm6, zmm13, zmm31; vpmadd52huq zmm8, zmm5, zmm31; vpsubq zmm5, zmm24, zmm1
vpaddq zmm24, zmm1, zmm31; vpaddq zmm25, zmm5, zmm31; vpaddq zmm24, zmm1, zmm24; vpmadd52huq zmm1, zmm16, zmm31
vmovdqu64 [{p} + 2*{s3} - 128], zmm6; vpaddq zmm25, zmm5, zmm25; vpmadd52huq zmm5, zmm10, zmm31
vpsubq zmm18, zmm18, zmm4; vmovdqa64 zmm4, zmm30; vpmadd52huq zmm4, zmm8, qword ptr [{low} + 32]{{1to8}}
vmovdqu64 [{p} + {s5} - 128], zmm18; vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm3, qword ptr [{low} + 0]{{1to8}}
vpsubq zmm0, zmm19, zmm0; vmovdqu64 [{p} + {s} - 128], zmm0; vpsubq zmm7, zmm2, zmm7; vmovdqu64 [{p} + {s3} - 128], zmm7
vpsubq zmm15, zmm23, zmm3; vpsubq zmm6, zmm12, zmm6; vpsubq zmm17, zmm22, zmm8; vmovdqu64 [{p} + {s7} - 128], zmm6
vpsubq zmm7, zmm24, zmm1; vpsubq zmm6, zmm25, zmm5; vpaddq zmm24, zmm5, zmm31; vmovdqa64 zmm13, zmm30
vpaddq zmm18, zmm1, zmm31; vpmadd52huq zmm13, zmm17, qword ptr [{low} + 48]{{1to8}}; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm15, qword ptr [{low} + 16]{{1to8}}; vpmadd52luq zmm9, zmm3, qword ptr [{low} + 8]{{1to8}}
vpaddq zmm14, zmm6, zmm31; vpaddq zmm3, zmm7, zmm31; vpmadd52luq zmm13, zmm17, qword ptr [{low} + 56]{{1to8}}
vpaddq zmm19, zmm5, zmm24; vpmadd52luq zmm4, zmm8, qword ptr [{low} + 40]{{1to8}}; vpaddq zmm12, zmm6, zmm14
vpaddq zmm18, zmm1, zmm18; vpaddq zmm3, zmm7, zmm3; vpmadd52luq zmm21, zmm15, qword ptr [{low} + 24]{{1to8}}
vpmadd52huq zmm5, zmm4, zmm31; vpmadd52huq zmm1, zmm9, zmm31; vpmadd52huq zmm7, zmm21, zmm31
vmovdqu64 [{p} + 4*{s} - 64], zmm5; vmovdqu64 [{p} + 2*{s} - 64], zmm7; vmovdqu64 [{p} - 64], zmm1
vpmadd52huq zmm6, zmm13, zmm31; vmovdqu64 [{p} + 2*{s3} - 64], zmm6; vpsubq zmm19, zmm19, zmm5
vmovdqu64 [{p} + {s5} - 64], zmm19; vpsubq zmm1, zmm18, zmm1; vmovdqu64 [{p} + {s} - 64], zmm1; vpsubq zmm7, zmm3, zmm7
vmovdqu64 [{p} + {s3} - 64], zmm7; vpsubq zmm6, zmm12, zmm6; vmovdqu64 [{p} + {s7} - 64], zmm6; add {p}, 128
