/* Made by tools/schedule.py: laps of 8 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 16]; vpbroadcastq zmm28, qword ptr [{top} + 24]
vpbroadcastq zmm27, qword ptr [{top} + 0]; vpbroadcastq zmm26, qword ptr [{top} + 8]
vpbroadcastq zmm25, qword ptr [{top} + 48]; vpbroadcastq zmm24, qword ptr [{top} + 56]
vpbroadcastq zmm23, qword ptr [{top} + 64]; vpbroadcastq zmm22, qword ptr [{top} + 72]; vmovdqu64 zmm0, [{p}]
vmovdqu64 zmm5, [{p} + 2*{s}]; vmovdqu64 zmm14, [{p} + {s3}]; vmovdqu64 zmm15, [{p} + {s}]; vmovdqu64 zmm1, [{p} + 64]
vpaddq zmm11, zmm0, zmm31; vpaddq zmm8, zmm5, zmm31; vmovdqu64 zmm3, [{p} + 2*{s} + 64]
vmovdqu64 zmm13, [{p} + {s3} + 64]; vpaddq zmm8, zmm5, zmm8; vpmadd52huq zmm5, zmm14, zmm31; vpaddq zmm11, zmm0, zmm11
vpmadd52huq zmm0, zmm15, zmm31; vmovdqu64 zmm15, [{p} + {s} + 64]; vmovdqu64 zmm2, [{p} + 128]
vpaddq zmm12, zmm1, zmm31; vpaddq zmm10, zmm3, zmm31; vmovdqu64 zmm4, [{p} + 2*{s} + 128]
vmovdqu64 zmm14, [{p} + {s3} + 128]; vpaddq zmm10, zmm3, zmm10; vpmadd52huq zmm3, zmm13, zmm31
vpaddq zmm12, zmm1, zmm12; vpmadd52huq zmm1, zmm15, zmm31; vmovdqu64 zmm16, [{p} + {s} + 128]; vpsubq zmm11, zmm11, zmm0
vpsubq zmm20, zmm8, zmm5; vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm11, zmm25; vpxord zmm8, zmm8, zmm8
vpaddq zmm15, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm8, zmm20, zmm23; vpaddq zmm0, zmm0, zmm5
vmovdqa64 zmm21, zmm30; vpsubq zmm18, zmm15, zmm5; vpmadd52huq zmm21, zmm0, zmm27; vpmadd52luq zmm6, zmm11, zmm24
vpmadd52luq zmm8, zmm20, zmm22; vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm18, zmm29; vpmadd52luq zmm21, zmm0, zmm26
vmovdqu64 zmm0, [{p} + 192]; vpaddq zmm13, zmm2, zmm31; vpaddq zmm11, zmm4, zmm31; vmovdqu64 zmm5, [{p} + 2*{s} + 192]
vmovdqu64 zmm15, [{p} + {s3} + 192]; vpaddq zmm11, zmm4, zmm11; vpmadd52huq zmm4, zmm14, zmm31
vpaddq zmm13, zmm2, zmm13; vpmadd52huq zmm2, zmm16, zmm31; vmovdqu64 [{p}], zmm21; vmovdqu64 zmm16, [{p} + {s} + 192]
vpsubq zmm12, zmm12, zmm1; vpmadd52luq zmm19, zmm18, zmm28; vpsubq zmm10, zmm10, zmm3; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm12, zmm25; vpxord zmm9, zmm9, zmm9; vpaddq zmm18, zmm1, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm9, zmm10, zmm23; vpaddq zmm1, zmm1, zmm3; vmovdqu64 [{p} + 2*{s}], zmm19; vmovdqa64 zmm20, zmm30
vpsubq zmm3, zmm18, zmm3; vpmadd52huq zmm20, zmm1, zmm27; vpmadd52luq zmm7, zmm12, zmm24; vpsubq zmm12, zmm6, zmm8
vpmadd52luq zmm9, zmm10, zmm22; vpaddq zmm6, zmm6, zmm8; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm12, zmm31
vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm3, zmm29; vpmadd52luq zmm20, zmm1, zmm26; vmovdqu64 [{p} + {s}], zmm6
vmovdqu64 zmm1, [{p} + 256]; vpaddq zmm12, zmm0, zmm31; vpaddq zmm10, zmm5, zmm31; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 zmm6, [{p} + 2*{s} + 256]; vmovdqu64 zmm14, [{p} + {s3} + 256]
vpaddq zmm10, zmm5, zmm10; vpmadd52huq zmm5, zmm15, zmm31; vpaddq zmm12, zmm0, zmm12; vpmadd52huq zmm0, zmm16, zmm31
vmovdqu64 [{p} + 64], zmm20; vmovdqu64 zmm16, [{p} + {s} + 256]; vpsubq zmm13, zmm13, zmm2
vpmadd52luq zmm18, zmm3, zmm28; vpsubq zmm11, zmm11, zmm4; vmovdqa64 zmm3, zmm30; vpmadd52huq zmm3, zmm13, zmm25
vpxord zmm8, zmm8, zmm8; vpaddq zmm15, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm8, zmm11, zmm23
vpmadd52luq zmm17, zmm19, zmm28; vpaddq zmm2, zmm2, zmm4; vmovdqu64 [{p} + 2*{s} + 64], zmm18; vmovdqa64 zmm20, zmm30
vpsubq zmm4, zmm15, zmm4; vpmadd52huq zmm20, zmm2, zmm27; vpmadd52luq zmm3, zmm13, zmm24; vpsubq zmm13, zmm7, zmm9
vpmadd52luq zmm8, zmm11, zmm22; vpaddq zmm7, zmm7, zmm9; vmovdqu64 [{p} + {s3}], zmm17; vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm13, zmm31; vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm4, zmm29; vpmadd52luq zmm20, zmm2, zmm26
vmovdqu64 [{p} + {s} + 64], zmm7; vmovdqu64 zmm2, [{p} + 320]; vpaddq zmm13, zmm1, zmm31; vpaddq zmm11, zmm6, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm18, zmm29; vmovdqu64 zmm7, [{p} + 2*{s} + 320]
vmovdqu64 zmm15, [{p} + {s3} + 320]; vpaddq zmm11, zmm6, zmm11; vpmadd52huq zmm6, zmm14, zmm31
vpaddq zmm13, zmm1, zmm13; vpmadd52huq zmm1, zmm16, zmm31; vmovdqu64 [{p} + 128], zmm20
vmovdqu64 zmm16, [{p} + {s} + 320]; vpsubq zmm12, zmm12, zmm0; vpmadd52luq zmm19, zmm4, zmm28; vpsubq zmm10, zmm10, zmm5
vmovdqa64 zmm4, zmm30; vpmadd52huq zmm4, zmm12, zmm25; vpxord zmm9, zmm9, zmm9
vpaddq zmm20, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm9, zmm10, zmm23; vpmadd52luq zmm17, zmm18, zmm28
vpaddq zmm14, zmm0, zmm5; vmovdqu64 [{p} + 2*{s} + 128], zmm19; vmovdqa64 zmm0, zmm30; vpsubq zmm5, zmm20, zmm5
vpmadd52huq zmm0, zmm14, zmm27; vpmadd52luq zmm4, zmm12, zmm24; vpsubq zmm12, zmm3, zmm8; vpmadd52luq zmm9, zmm10, zmm22
vpaddq zmm3, zmm3, zmm8; vmovdqu64 [{p} + {s3} + 64], zmm17; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm12, zmm31
vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm5, zmm29; vpmadd52luq zmm0, zmm14, zmm26
vmovdqu64 [{p} + {s} + 128], zmm3; vmovdqu64 zmm3, [{p} + 384]; vpaddq zmm12, zmm2, zmm31; vpaddq zmm10, zmm7, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 zmm8, [{p} + 2*{s} + 384]
vmovdqu64 zmm14, [{p} + {s3} + 384]; vpaddq zmm10, zmm7, zmm10; vpmadd52huq zmm7, zmm15, zmm31
vpaddq zmm12, zmm2, zmm12; vpmadd52huq zmm2, zmm16, zmm31; vmovdqu64 [{p} + 192], zmm0
vmovdqu64 zmm16, [{p} + {s} + 384]; vpsubq zmm13, zmm13, zmm1; vpmadd52luq zmm18, zmm5, zmm28; vpsubq zmm11, zmm11, zmm6
vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm13, zmm25; vpxord zmm5, zmm5, zmm5
vpaddq zmm21, zmm1, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm5, zmm11, zmm23; vpmadd52luq zmm17, zmm19, zmm28
vpaddq zmm15, zmm1, zmm6; vmovdqu64 [{p} + 2*{s} + 192], zmm18; vmovdqa64 zmm20, zmm30; vpsubq zmm1, zmm21, zmm6
vpmadd52huq zmm20, zmm15, zmm27; vpmadd52luq zmm0, zmm13, zmm24; vpsubq zmm13, zmm4, zmm9
vpmadd52luq zmm5, zmm11, zmm22; vpaddq zmm4, zmm4, zmm9; vmovdqu64 [{p} + {s3} + 128], zmm17; vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm13, zmm31; vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm1, zmm29; vpmadd52luq zmm20, zmm15, zmm26
vmovdqu64 [{p} + {s} + 192], zmm4; vmovdqu64 zmm4, [{p} + 448]; vpaddq zmm13, zmm3, zmm31; vpaddq zmm11, zmm8, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm18, zmm29; vmovdqu64 zmm6, [{p} + 2*{s} + 448]
vmovdqu64 zmm15, [{p} + {s3} + 448]; vpaddq zmm11, zmm8, zmm11; vpmadd52huq zmm8, zmm14, zmm31
vpaddq zmm13, zmm3, zmm13; vpmadd52huq zmm3, zmm16, zmm31; vmovdqu64 [{p} + 256], zmm20
vmovdqu64 zmm16, [{p} + {s} + 448]; vpsubq zmm12, zmm12, zmm2; vpmadd52luq zmm19, zmm1, zmm28; vpsubq zmm20, zmm10, zmm7
vmovdqa64 zmm1, zmm30; vpmadd52huq zmm1, zmm12, zmm25; vpxord zmm9, zmm9, zmm9
vpaddq zmm21, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm9, zmm20, zmm23; vpmadd52luq zmm17, zmm18, zmm28
vpaddq zmm14, zmm2, zmm7; vmovdqu64 [{p} + 2*{s} + 256], zmm19; vmovdqa64 zmm10, zmm30; vpsubq zmm2, zmm21, zmm7
vpmadd52huq zmm10, zmm14, zmm27; vpmadd52luq zmm1, zmm12, zmm24; vpsubq zmm12, zmm0, zmm5
vpmadd52luq zmm9, zmm20, zmm22; vpaddq zmm0, zmm0, zmm5; vmovdqu64 [{p} + {s3} + 192], zmm17; vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm12, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm2, zmm29; vpmadd52luq zmm10, zmm14, zmm26
vmovdqu64 [{p} + {s} + 256], zmm0; add {p}, 512; shr {n}, 3; sub {n}, 1
2: vmovdqu64 zmm0, [{p}]; vpaddq zmm12, zmm4, zmm31; vpaddq zmm7, zmm6, zmm31; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 zmm5, [{p} + 2*{s}]; vmovdqu64 zmm14, [{p} + {s3}]; vpaddq zmm7, zmm6, zmm7
vpmadd52huq zmm6, zmm15, zmm31; vpaddq zmm12, zmm4, zmm12; vpmadd52huq zmm4, zmm16, zmm31; vmovdqu64 [{p} - 192], zmm10
vmovdqu64 zmm15, [{p} + {s}]; vpsubq zmm13, zmm13, zmm3; vpmadd52luq zmm18, zmm2, zmm28; vpsubq zmm11, zmm11, zmm8
vmovdqa64 zmm2, zmm30; vpmadd52huq zmm2, zmm13, zmm25; vpxord zmm10, zmm10, zmm10
vpaddq zmm16, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm10, zmm11, zmm23; vpmadd52luq zmm17, zmm19, zmm28
vpaddq zmm3, zmm3, zmm8; vmovdqu64 [{p} + 2*{s} - 192], zmm18; vmovdqa64 zmm20, zmm30; vpsubq zmm18, zmm16, zmm8
vpmadd52huq zmm20, zmm3, zmm27; vpmadd52luq zmm2, zmm13, zmm24; vpsubq zmm13, zmm1, zmm9
vpmadd52luq zmm10, zmm11, zmm22; vpaddq zmm1, zmm1, zmm9; vmovdqu64 [{p} + {s3} - 256], zmm17
vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm13, zmm31; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm18, zmm29
vpmadd52luq zmm20, zmm3, zmm26; vmovdqu64 [{p} + {s} - 192], zmm1; vmovdqu64 zmm1, [{p} + 64]; vpaddq zmm11, zmm0, zmm31
vpaddq zmm8, zmm5, zmm31; vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 zmm3, [{p} + 2*{s} + 64]
vmovdqu64 zmm13, [{p} + {s3} + 64]; vpaddq zmm8, zmm5, zmm8; vpmadd52huq zmm5, zmm14, zmm31; vpaddq zmm11, zmm0, zmm11
vpmadd52huq zmm0, zmm15, zmm31; vmovdqu64 [{p} - 128], zmm20; vmovdqu64 zmm15, [{p} + {s} + 64]
vpsubq zmm12, zmm12, zmm4; vpmadd52luq zmm16, zmm18, zmm28; vpsubq zmm18, zmm7, zmm6; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm12, zmm25; vpxord zmm9, zmm9, zmm9; vpaddq zmm20, zmm4, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm9, zmm18, zmm23; vpmadd52luq zmm17, zmm19, zmm28; vpaddq zmm4, zmm4, zmm6
vmovdqu64 [{p} + 2*{s} - 128], zmm16; vmovdqa64 zmm16, zmm30; vpsubq zmm6, zmm20, zmm6; vpmadd52huq zmm16, zmm4, zmm27
vpmadd52luq zmm7, zmm12, zmm24; vpsubq zmm12, zmm2, zmm10; vpmadd52luq zmm9, zmm18, zmm22; vpaddq zmm2, zmm2, zmm10
vmovdqu64 [{p} + {s3} - 192], zmm17; vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm12, zmm31; vmovdqa64 zmm19, zmm30
vpmadd52huq zmm19, zmm6, zmm29; vpmadd52luq zmm16, zmm4, zmm26; vmovdqu64 [{p} + {s} - 128], zmm2
vmovdqu64 zmm2, [{p} + 128]; vpaddq zmm12, zmm1, zmm31; vpaddq zmm10, zmm3, zmm31; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm18, zmm29; vmovdqu64 zmm4, [{p} + 2*{s} + 128]; vmovdqu64 zmm14, [{p} + {s3} + 128]
vpaddq zmm10, zmm3, zmm10; vpmadd52huq zmm3, zmm13, zmm31; vpaddq zmm12, zmm1, zmm12; vpmadd52huq zmm1, zmm15, zmm31
vmovdqu64 [{p} - 64], zmm16; vmovdqu64 zmm16, [{p} + {s} + 128]; vpsubq zmm11, zmm11, zmm0
vpmadd52luq zmm19, zmm6, zmm28; vpsubq zmm20, zmm8, zmm5; vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm11, zmm25
vpxord zmm8, zmm8, zmm8; vpaddq zmm15, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm8, zmm20, zmm23
vpmadd52luq zmm17, zmm18, zmm28; vpaddq zmm0, zmm0, zmm5; vmovdqu64 [{p} + 2*{s} - 64], zmm19; vmovdqa64 zmm21, zmm30
vpsubq zmm18, zmm15, zmm5; vpmadd52huq zmm21, zmm0, zmm27; vpmadd52luq zmm6, zmm11, zmm24; vpsubq zmm11, zmm7, zmm9
vpmadd52luq zmm8, zmm20, zmm22; vpaddq zmm7, zmm7, zmm9; vmovdqu64 [{p} + {s3} - 128], zmm17; vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm11, zmm31; vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm18, zmm29; vpmadd52luq zmm21, zmm0, zmm26
vmovdqu64 [{p} + {s} - 64], zmm7; vmovdqu64 zmm0, [{p} + 192]; vpaddq zmm13, zmm2, zmm31; vpaddq zmm11, zmm4, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm20, zmm29; vmovdqu64 zmm5, [{p} + 2*{s} + 192]
vmovdqu64 zmm15, [{p} + {s3} + 192]; vpaddq zmm11, zmm4, zmm11; vpmadd52huq zmm4, zmm14, zmm31
vpaddq zmm13, zmm2, zmm13; vpmadd52huq zmm2, zmm16, zmm31; vmovdqu64 [{p}], zmm21; vmovdqu64 zmm16, [{p} + {s} + 192]
vpsubq zmm12, zmm12, zmm1; vpmadd52luq zmm19, zmm18, zmm28; vpsubq zmm10, zmm10, zmm3; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm12, zmm25; vpxord zmm9, zmm9, zmm9; vpaddq zmm18, zmm1, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm9, zmm10, zmm23; vpmadd52luq zmm17, zmm20, zmm28; vpaddq zmm1, zmm1, zmm3; vmovdqu64 [{p} + 2*{s}], zmm19
vmovdqa64 zmm20, zmm30; vpsubq zmm3, zmm18, zmm3; vpmadd52huq zmm20, zmm1, zmm27; vpmadd52luq zmm7, zmm12, zmm24
vpsubq zmm12, zmm6, zmm8; vpmadd52luq zmm9, zmm10, zmm22; vpaddq zmm6, zmm6, zmm8; vmovdqu64 [{p} + {s3} - 64], zmm17
vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm12, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm3, zmm29
vpmadd52luq zmm20, zmm1, zmm26; vmovdqu64 [{p} + {s}], zmm6; vmovdqu64 zmm1, [{p} + 256]; vpaddq zmm12, zmm0, zmm31
vpaddq zmm10, zmm5, zmm31; vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 zmm6, [{p} + 2*{s} + 256]
vmovdqu64 zmm14, [{p} + {s3} + 256]; vpaddq zmm10, zmm5, zmm10; vpmadd52huq zmm5, zmm15, zmm31
vpaddq zmm12, zmm0, zmm12; vpmadd52huq zmm0, zmm16, zmm31; vmovdqu64 [{p} + 64], zmm20
vmovdqu64 zmm16, [{p} + {s} + 256]; vpsubq zmm13, zmm13, zmm2; vpmadd52luq zmm18, zmm3, zmm28; vpsubq zmm11, zmm11, zmm4
vmovdqa64 zmm3, zmm30; vpmadd52huq zmm3, zmm13, zmm25; vpxord zmm8, zmm8, zmm8
vpaddq zmm15, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm8, zmm11, zmm23; vpmadd52luq zmm17, zmm19, zmm28
vpaddq zmm2, zmm2, zmm4; vmovdqu64 [{p} + 2*{s} + 64], zmm18; vmovdqa64 zmm20, zmm30; vpsubq zmm4, zmm15, zmm4
vpmadd52huq zmm20, zmm2, zmm27; vpmadd52luq zmm3, zmm13, zmm24; vpsubq zmm13, zmm7, zmm9; vpmadd52luq zmm8, zmm11, zmm22
vpaddq zmm7, zmm7, zmm9; vmovdqu64 [{p} + {s3}], zmm17; vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm13, zmm31
vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm4, zmm29; vpmadd52luq zmm20, zmm2, zmm26; vmovdqu64 [{p} + {s} + 64], zmm7
vmovdqu64 zmm2, [{p} + 320]; vpaddq zmm13, zmm1, zmm31; vpaddq zmm11, zmm6, zmm31; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm18, zmm29; vmovdqu64 zmm7, [{p} + 2*{s} + 320]; vmovdqu64 zmm15, [{p} + {s3} + 320]
vpaddq zmm11, zmm6, zmm11; vpmadd52huq zmm6, zmm14, zmm31; vpaddq zmm13, zmm1, zmm13; vpmadd52huq zmm1, zmm16, zmm31
vmovdqu64 [{p} + 128], zmm20; vmovdqu64 zmm16, [{p} + {s} + 320]; vpsubq zmm12, zmm12, zmm0
vpmadd52luq zmm19, zmm4, zmm28; vpsubq zmm10, zmm10, zmm5; vmovdqa64 zmm4, zmm30; vpmadd52huq zmm4, zmm12, zmm25
vpxord zmm9, zmm9, zmm9; vpaddq zmm20, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm9, zmm10, zmm23
vpmadd52luq zmm17, zmm18, zmm28; vpaddq zmm14, zmm0, zmm5; vmovdqu64 [{p} + 2*{s} + 128], zmm19; vmovdqa64 zmm0, zmm30
vpsubq zmm5, zmm20, zmm5; vpmadd52huq zmm0, zmm14, zmm27; vpmadd52luq zmm4, zmm12, zmm24; vpsubq zmm12, zmm3, zmm8
vpmadd52luq zmm9, zmm10, zmm22; vpaddq zmm3, zmm3, zmm8; vmovdqu64 [{p} + {s3} + 64], zmm17; vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm12, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm5, zmm29; vpmadd52luq zmm0, zmm14, zmm26
vmovdqu64 [{p} + {s} + 128], zmm3; vmovdqu64 zmm3, [{p} + 384]; vpaddq zmm12, zmm2, zmm31; vpaddq zmm10, zmm7, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 zmm8, [{p} + 2*{s} + 384]
vmovdqu64 zmm14, [{p} + {s3} + 384]; vpaddq zmm10, zmm7, zmm10; vpmadd52huq zmm7, zmm15, zmm31
vpaddq zmm12, zmm2, zmm12; vpmadd52huq zmm2, zmm16, zmm31; vmovdqu64 [{p} + 192], zmm0
vmovdqu64 zmm16, [{p} + {s} + 384]; vpsubq zmm13, zmm13, zmm1; vpmadd52luq zmm18, zmm5, zmm28; vpsubq zmm11, zmm11, zmm6
vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm13, zmm25; vpxord zmm5, zmm5, zmm5
vpaddq zmm21, zmm1, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm5, zmm11, zmm23; vpmadd52luq zmm17, zmm19, zmm28
vpaddq zmm15, zmm1, zmm6; vmovdqu64 [{p} + 2*{s} + 192], zmm18; vmovdqa64 zmm20, zmm30; vpsubq zmm1, zmm21, zmm6
vpmadd52huq zmm20, zmm15, zmm27; vpmadd52luq zmm0, zmm13, zmm24; vpsubq zmm13, zmm4, zmm9
vpmadd52luq zmm5, zmm11, zmm22; vpaddq zmm4, zmm4, zmm9; vmovdqu64 [{p} + {s3} + 128], zmm17; vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm13, zmm31; vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm1, zmm29; vpmadd52luq zmm20, zmm15, zmm26
vmovdqu64 [{p} + {s} + 192], zmm4; vmovdqu64 zmm4, [{p} + 448]; vpaddq zmm13, zmm3, zmm31; vpaddq zmm11, zmm8, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm18, zmm29; vmovdqu64 zmm6, [{p} + 2*{s} + 448]
vmovdqu64 zmm15, [{p} + {s3} + 448]; vpaddq zmm11, zmm8, zmm11; vpmadd52huq zmm8, zmm14, zmm31
vpaddq zmm13, zmm3, zmm13; vpmadd52huq zmm3, zmm16, zmm31; vmovdqu64 [{p} + 256], zmm20
vmovdqu64 zmm16, [{p} + {s} + 448]; vpsubq zmm12, zmm12, zmm2; vpmadd52luq zmm19, zmm1, zmm28; vpsubq zmm20, zmm10, zmm7
vmovdqa64 zmm1, zmm30; vpmadd52huq zmm1, zmm12, zmm25; vpxord zmm9, zmm9, zmm9
vpaddq zmm21, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm9, zmm20, zmm23; vpmadd52luq zmm17, zmm18, zmm28
vpaddq zmm14, zmm2, zmm7; vmovdqu64 [{p} + 2*{s} + 256], zmm19; vmovdqa64 zmm10, zmm30; vpsubq zmm2, zmm21, zmm7
vpmadd52huq zmm10, zmm14, zmm27; vpmadd52luq zmm1, zmm12, zmm24; vpsubq zmm12, zmm0, zmm5
vpmadd52luq zmm9, zmm20, zmm22; vpaddq zmm0, zmm0, zmm5; vmovdqu64 [{p} + {s3} + 192], zmm17; vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm12, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm2, zmm29; vpmadd52luq zmm10, zmm14, zmm26
vmovdqu64 [{p} + {s} + 256], zmm0; add {p}, 512; dec {n}; jnz 2b; vpaddq zmm12, zmm4, zmm31; vpaddq zmm7, zmm6, zmm31
vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm19, zmm29; vpaddq zmm7, zmm6, zmm7; vpmadd52huq zmm6, zmm15, zmm31
vpaddq zmm12, zmm4, zmm12; vpmadd52huq zmm4, zmm16, zmm31; vmovdqu64 [{p} - 192], zmm10; vpsubq zmm13, zmm13, zmm3
vpmadd52luq zmm18, zmm2, zmm28; vpsubq zmm11, zmm11, zmm8; vmovdqa64 zmm2, zmm30; vpmadd52huq zmm2, zmm13, zmm25
vpxord zmm10, zmm10, zmm10; vpaddq zmm16, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm10, zmm11, zmm23
vpmadd52luq zmm17, zmm19, zmm28; vpaddq zmm3, zmm3, zmm8; vmovdqu64 [{p} + 2*{s} - 192], zmm18; vmovdqa64 zmm20, zmm30
vpsubq zmm18, zmm16, zmm8; vpmadd52huq zmm20, zmm3, zmm27; vpmadd52luq zmm2, zmm13, zmm24; vpsubq zmm13, zmm1, zmm9
vpmadd52luq zmm10, zmm11, zmm22; vpaddq zmm1, zmm1, zmm9; vmovdqu64 [{p} + {s3} - 256], zmm17
vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm13, zmm31; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm18, zmm29
vpmadd52luq zmm20, zmm3, zmm26; vmovdqu64 [{p} + {s} - 192], zmm1; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm19, zmm29; vmovdqu64 [{p} - 128], zmm20; vpsubq zmm12, zmm12, zmm4
vpmadd52luq zmm16, zmm18, zmm28; vpsubq zmm18, zmm7, zmm6; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm12, zmm25
vpxord zmm9, zmm9, zmm9; vpaddq zmm20, zmm4, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm9, zmm18, zmm23
vpmadd52luq zmm17, zmm19, zmm28; vpaddq zmm4, zmm4, zmm6; vmovdqu64 [{p} + 2*{s} - 128], zmm16; vmovdqa64 zmm16, zmm30
vpsubq zmm6, zmm20, zmm6; vpmadd52huq zmm16, zmm4, zmm27; vpmadd52luq zmm7, zmm12, zmm24; vpsubq zmm12, zmm2, zmm10
vpmadd52luq zmm9, zmm18, zmm22; vpaddq zmm2, zmm2, zmm10; vmovdqu64 [{p} + {s3} - 192], zmm17
vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm12, zmm31; vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm6, zmm29
vpmadd52luq zmm16, zmm4, zmm26; vmovdqu64 [{p} + {s} - 128], zmm2; vmovdqa64 zmm17, zmm30
vpmadd52huq zmm17, zmm18, zmm29; vmovdqu64 [{p} - 64], zmm16; vpmadd52luq zmm19, zmm6, zmm28
vpmadd52luq zmm17, zmm18, zmm28; vmovdqu64 [{p} + 2*{s} - 64], zmm19; vpsubq zmm11, zmm7, zmm9; vpaddq zmm7, zmm7, zmm9
vmovdqu64 [{p} + {s3} - 128], zmm17; vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm11, zmm31
vmovdqu64 [{p} + {s} - 64], zmm7; vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm20, zmm29
vpmadd52luq zmm17, zmm20, zmm28; vmovdqu64 [{p} + {s3} - 64], zmm17; add {p}, 512
