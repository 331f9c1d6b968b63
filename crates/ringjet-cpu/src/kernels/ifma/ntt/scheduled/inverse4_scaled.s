/* Made by tools/schedule.py: laps of 8 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 0]; vpbroadcastq zmm28, qword ptr [{top} + 8]
vpbroadcastq zmm27, qword ptr [{top} + 16]; vpbroadcastq zmm26, qword ptr [{top} + 24]
vpbroadcastq zmm25, qword ptr [{top} + 48]; vpbroadcastq zmm24, qword ptr [{top} + 56]
vpbroadcastq zmm23, qword ptr [{top} + 64]; vpbroadcastq zmm22, qword ptr [{top} + 72]; vmovdqu64 zmm0, [{p} + 2*{s}]
vmovdqu64 zmm5, [{p}]; vmovdqu64 zmm1, [{p} + {s3}]; vmovdqu64 zmm3, [{p} + {s}]; vpaddq zmm11, zmm0, zmm31
vpaddq zmm12, zmm5, zmm31; vpaddq zmm11, zmm0, zmm11; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm0, zmm1, zmm31
vpmadd52huq zmm5, zmm3, zmm31; vmovdqu64 zmm1, [{p} + 2*{s} + 64]; vmovdqu64 zmm3, [{p} + 64]
vmovdqu64 zmm13, [{p} + {s3} + 64]; vmovdqu64 zmm2, [{p} + {s} + 64]; vpsubq zmm11, zmm11, zmm0
vpsubq zmm14, zmm12, zmm5; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm11, zmm23; vmovdqa64 zmm8, zmm30
vpaddq zmm6, zmm1, zmm31; vpmadd52huq zmm8, zmm14, zmm25; vpaddq zmm12, zmm3, zmm31; vpaddq zmm6, zmm1, zmm6
vpaddq zmm12, zmm3, zmm12; vpmadd52huq zmm1, zmm13, zmm31; vpmadd52huq zmm3, zmm2, zmm31
vmovdqu64 zmm2, [{p} + 2*{s} + 128]; vpaddq zmm17, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm4, zmm11, zmm22
vpmadd52luq zmm8, zmm14, zmm24; vpaddq zmm14, zmm5, zmm0; vmovdqu64 zmm5, [{p} + 128]
vmovdqu64 zmm13, [{p} + {s3} + 128]; vpsubq zmm17, zmm17, zmm0; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm17, zmm27
vmovdqu64 zmm0, [{p} + {s} + 128]; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm14, zmm29
vpmadd52luq zmm7, zmm17, zmm26; vpmadd52luq zmm15, zmm14, zmm28; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm7, zmm31; vpxord zmm10, zmm10, zmm10; vpsubq zmm14, zmm6, zmm1; vpmadd52huq zmm10, zmm15, zmm31
vpsubq zmm15, zmm12, zmm3; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm14, zmm23; vmovdqa64 zmm7, zmm30
vpaddq zmm12, zmm2, zmm31; vpmadd52huq zmm7, zmm15, zmm25; vpaddq zmm17, zmm5, zmm31; vpaddq zmm12, zmm2, zmm12
vmovdqu64 [{p}], zmm10; vpaddq zmm10, zmm5, zmm17; vpmadd52huq zmm2, zmm13, zmm31; vpmadd52huq zmm5, zmm0, zmm31
vpsubq zmm17, zmm8, zmm4; vmovdqu64 [{p} + 2*{s}], zmm11; vmovdqu64 zmm0, [{p} + 2*{s} + 192]
vpaddq zmm16, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm6, zmm14, zmm22; vpmadd52luq zmm7, zmm15, zmm24
vpaddq zmm15, zmm3, zmm1; vmovdqu64 zmm3, [{p} + 192]; vpxord zmm14, zmm14, zmm14; vmovdqu64 zmm13, [{p} + {s3} + 192]
vpsubq zmm16, zmm16, zmm1; vpmadd52huq zmm14, zmm17, zmm31; vpaddq zmm11, zmm8, zmm4; vmovdqa64 zmm4, zmm30
vpmadd52huq zmm4, zmm16, zmm27; vmovdqu64 zmm1, [{p} + {s} + 192]; vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm15, zmm29
vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm14, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm4, zmm16, zmm26
vpmadd52luq zmm8, zmm15, zmm28; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm11, zmm31
vpmadd52luq zmm9, zmm14, qword ptr [{top} + 120]{{1to8}}; vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm4, zmm31
vpxord zmm11, zmm11, zmm11; vpsubq zmm15, zmm12, zmm2; vpmadd52huq zmm11, zmm8, zmm31; vpsubq zmm10, zmm10, zmm5
vmovdqu64 [{p} + {s}], zmm16; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm15, zmm23; vmovdqa64 zmm8, zmm30
vpaddq zmm12, zmm0, zmm31; vpmadd52huq zmm8, zmm10, zmm25; vpaddq zmm16, zmm3, zmm31; vpaddq zmm12, zmm0, zmm12
vmovdqu64 [{p} + 64], zmm11; vpaddq zmm11, zmm3, zmm16; vpmadd52huq zmm0, zmm13, zmm31; vpmadd52huq zmm3, zmm1, zmm31
vpsubq zmm16, zmm7, zmm6; vmovdqu64 [{p} + 2*{s} + 64], zmm14; vmovdqu64 zmm1, [{p} + 2*{s} + 256]
vpaddq zmm17, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm4, zmm15, zmm22; vpmadd52luq zmm8, zmm10, zmm24
vpaddq zmm14, zmm5, zmm2; vmovdqu64 zmm5, [{p} + 256]; vpxord zmm15, zmm15, zmm15; vmovdqu64 zmm13, [{p} + {s3} + 256]
vpsubq zmm17, zmm17, zmm2; vpmadd52huq zmm15, zmm16, zmm31; vpaddq zmm16, zmm7, zmm6; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm17, zmm27; vmovdqu64 zmm2, [{p} + {s} + 256]; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm14, zmm29
vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm9, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm15, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm6, zmm17, zmm26
vpmadd52luq zmm7, zmm14, zmm28; vmovdqu64 [{p} + {s3}], zmm18; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm16, zmm31
vpmadd52luq zmm10, zmm15, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm6, zmm31
vpxord zmm16, zmm16, zmm16; vpsubq zmm6, zmm12, zmm0; vpmadd52huq zmm16, zmm7, zmm31; vpsubq zmm14, zmm11, zmm3
vmovdqu64 [{p} + {s} + 64], zmm9; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm6, zmm23; vmovdqa64 zmm9, zmm30
vpaddq zmm11, zmm1, zmm31; vpmadd52huq zmm9, zmm14, zmm25; vpaddq zmm12, zmm5, zmm31; vpaddq zmm11, zmm1, zmm11
vmovdqu64 [{p} + 128], zmm16; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm1, zmm13, zmm31; vpmadd52huq zmm5, zmm2, zmm31
vpsubq zmm13, zmm8, zmm4; vmovdqu64 [{p} + 2*{s} + 128], zmm15; vmovdqu64 zmm2, [{p} + 2*{s} + 320]
vpaddq zmm16, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm6, zmm22; vpmadd52luq zmm9, zmm14, zmm24
vpaddq zmm14, zmm3, zmm0; vmovdqu64 zmm6, [{p} + 320]; vpxord zmm15, zmm15, zmm15; vmovdqu64 zmm3, [{p} + {s3} + 320]
vpsubq zmm16, zmm16, zmm0; vpmadd52huq zmm15, zmm13, zmm31; vpaddq zmm13, zmm8, zmm4; vmovdqa64 zmm8, zmm30
vpmadd52huq zmm8, zmm16, zmm27; vmovdqu64 zmm4, [{p} + {s} + 320]; vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm14, zmm29
vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm15, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm8, zmm16, zmm26
vpmadd52luq zmm0, zmm14, zmm28; vmovdqu64 [{p} + {s3} + 64], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm13, zmm31; vpmadd52luq zmm10, zmm15, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm8, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm13, zmm11, zmm1; vpmadd52huq zmm16, zmm0, zmm31
vpsubq zmm14, zmm12, zmm5; vmovdqu64 [{p} + {s} + 128], zmm17; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm13, zmm23
vmovdqa64 zmm8, zmm30; vpaddq zmm12, zmm2, zmm31; vpmadd52huq zmm8, zmm14, zmm25; vpaddq zmm11, zmm6, zmm31
vpaddq zmm12, zmm2, zmm12; vmovdqu64 [{p} + 192], zmm16; vpaddq zmm11, zmm6, zmm11; vpmadd52huq zmm2, zmm3, zmm31
vpmadd52huq zmm6, zmm4, zmm31; vpsubq zmm17, zmm9, zmm7; vmovdqu64 [{p} + 2*{s} + 192], zmm15
vmovdqu64 zmm3, [{p} + 2*{s} + 384]; vpaddq zmm16, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm0, zmm13, zmm22
vpmadd52luq zmm8, zmm14, zmm24; vpaddq zmm14, zmm5, zmm1; vmovdqu64 zmm5, [{p} + 384]; vpxord zmm13, zmm13, zmm13
vmovdqu64 zmm4, [{p} + {s3} + 384]; vpsubq zmm16, zmm16, zmm1; vpmadd52huq zmm13, zmm17, zmm31; vpaddq zmm15, zmm9, zmm7
vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm16, zmm27; vmovdqu64 zmm1, [{p} + {s} + 384]; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm13, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm7, zmm16, zmm26
vpmadd52luq zmm9, zmm14, zmm28; vmovdqu64 [{p} + {s3} + 128], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm15, zmm31; vpmadd52luq zmm10, zmm13, qword ptr [{top} + 120]{{1to8}}; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm7, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm15, zmm12, zmm2; vpmadd52huq zmm16, zmm9, zmm31
vpsubq zmm14, zmm11, zmm6; vmovdqu64 [{p} + {s} + 192], zmm17; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm15, zmm23
vmovdqa64 zmm9, zmm30; vpaddq zmm11, zmm3, zmm31; vpmadd52huq zmm9, zmm14, zmm25; vpaddq zmm12, zmm5, zmm31
vpaddq zmm11, zmm3, zmm11; vmovdqu64 [{p} + 256], zmm16; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm3, zmm4, zmm31
vpmadd52huq zmm5, zmm1, zmm31; vpsubq zmm17, zmm8, zmm0; vmovdqu64 [{p} + 2*{s} + 256], zmm13
vmovdqu64 zmm4, [{p} + 2*{s} + 448]; vpaddq zmm16, zmm6, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm15, zmm22
vpmadd52luq zmm9, zmm14, zmm24; vpaddq zmm14, zmm6, zmm2; vmovdqu64 zmm6, [{p} + 448]; vpxord zmm15, zmm15, zmm15
vmovdqu64 zmm1, [{p} + {s3} + 448]; vpsubq zmm16, zmm16, zmm2; vpmadd52huq zmm15, zmm17, zmm31; vpaddq zmm13, zmm8, zmm0
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm16, zmm27; vmovdqu64 zmm0, [{p} + {s} + 448]; vmovdqa64 zmm2, zmm30
vpmadd52huq zmm2, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm15, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm8, zmm16, zmm26
vpmadd52luq zmm2, zmm14, zmm28; vmovdqu64 [{p} + {s3} + 192], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm13, zmm31; vpmadd52luq zmm10, zmm15, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm8, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm13, zmm11, zmm3; vpmadd52huq zmm16, zmm2, zmm31
vpsubq zmm14, zmm12, zmm5; vmovdqu64 [{p} + {s} + 256], zmm17; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm13, zmm23
vmovdqa64 zmm8, zmm30; vpaddq zmm12, zmm4, zmm31; vpmadd52huq zmm8, zmm14, zmm25; vpaddq zmm11, zmm6, zmm31
vpaddq zmm12, zmm4, zmm12; vmovdqu64 [{p} + 320], zmm16; vpaddq zmm11, zmm6, zmm11; vpmadd52huq zmm4, zmm1, zmm31
vpmadd52huq zmm6, zmm0, zmm31; vpsubq zmm17, zmm9, zmm7; add {p}, 512; shr {n}, 3; sub {n}, 1
2: vmovdqu64 [{p} + 2*{s} - 192], zmm15; vmovdqu64 zmm0, [{p} + 2*{s}]; vpaddq zmm16, zmm5, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm2, zmm13, zmm22; vpmadd52luq zmm8, zmm14, zmm24; vpaddq zmm14, zmm5, zmm3; vmovdqu64 zmm5, [{p}]
vpxord zmm13, zmm13, zmm13; vmovdqu64 zmm1, [{p} + {s3}]; vpsubq zmm16, zmm16, zmm3; vpmadd52huq zmm13, zmm17, zmm31
vpaddq zmm15, zmm9, zmm7; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm16, zmm27; vmovdqu64 zmm3, [{p} + {s}]
vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31
vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm13, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm7, zmm16, zmm26
vpmadd52luq zmm9, zmm14, zmm28; vmovdqu64 [{p} + {s3} - 256], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm15, zmm31; vpmadd52luq zmm10, zmm13, qword ptr [{top} + 120]{{1to8}}; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm7, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm15, zmm12, zmm4; vpmadd52huq zmm16, zmm9, zmm31
vpsubq zmm14, zmm11, zmm6; vmovdqu64 [{p} + {s} - 192], zmm17; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm15, zmm23
vmovdqa64 zmm9, zmm30; vpaddq zmm11, zmm0, zmm31; vpmadd52huq zmm9, zmm14, zmm25; vpaddq zmm12, zmm5, zmm31
vpaddq zmm11, zmm0, zmm11; vmovdqu64 [{p} - 128], zmm16; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm0, zmm1, zmm31
vpmadd52huq zmm5, zmm3, zmm31; vpsubq zmm17, zmm8, zmm2; vmovdqu64 [{p} + 2*{s} - 128], zmm13
vmovdqu64 zmm1, [{p} + 2*{s} + 64]; vpaddq zmm16, zmm6, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm15, zmm22
vpmadd52luq zmm9, zmm14, zmm24; vpaddq zmm14, zmm6, zmm4; vmovdqu64 zmm3, [{p} + 64]; vpxord zmm6, zmm6, zmm6
vmovdqu64 zmm13, [{p} + {s3} + 64]; vpsubq zmm16, zmm16, zmm4; vpmadd52huq zmm6, zmm17, zmm31; vpaddq zmm15, zmm8, zmm2
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm16, zmm27; vmovdqu64 zmm2, [{p} + {s} + 64]; vmovdqa64 zmm4, zmm30
vpmadd52huq zmm4, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm6, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm8, zmm16, zmm26; vpmadd52luq zmm4, zmm14, zmm28
vmovdqu64 [{p} + {s3} - 192], zmm17; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm15, zmm31
vpmadd52luq zmm10, zmm6, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm8, zmm31
vpxord zmm16, zmm16, zmm16; vpsubq zmm11, zmm11, zmm0; vpmadd52huq zmm16, zmm4, zmm31; vpsubq zmm14, zmm12, zmm5
vmovdqu64 [{p} + {s} - 128], zmm17; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm11, zmm23; vmovdqa64 zmm8, zmm30
vpaddq zmm6, zmm1, zmm31; vpmadd52huq zmm8, zmm14, zmm25; vpaddq zmm12, zmm3, zmm31; vpaddq zmm6, zmm1, zmm6
vmovdqu64 [{p} - 64], zmm16; vpaddq zmm12, zmm3, zmm12; vpmadd52huq zmm1, zmm13, zmm31; vpmadd52huq zmm3, zmm2, zmm31
vpsubq zmm16, zmm9, zmm7; vmovdqu64 [{p} + 2*{s} - 64], zmm15; vmovdqu64 zmm2, [{p} + 2*{s} + 128]
vpaddq zmm17, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm4, zmm11, zmm22; vpmadd52luq zmm8, zmm14, zmm24
vpaddq zmm14, zmm5, zmm0; vmovdqu64 zmm5, [{p} + 128]; vpxord zmm11, zmm11, zmm11; vmovdqu64 zmm13, [{p} + {s3} + 128]
vpsubq zmm17, zmm17, zmm0; vpmadd52huq zmm11, zmm16, zmm31; vpaddq zmm16, zmm9, zmm7; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm17, zmm27; vmovdqu64 zmm0, [{p} + {s} + 128]; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm14, zmm29; vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm10, zmm31; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm11, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm7, zmm17, zmm26
vpmadd52luq zmm15, zmm14, zmm28; vmovdqu64 [{p} + {s3} - 128], zmm18; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm16, zmm31; vpmadd52luq zmm9, zmm11, qword ptr [{top} + 120]{{1to8}}; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm7, zmm31; vpxord zmm10, zmm10, zmm10; vpsubq zmm14, zmm6, zmm1; vpmadd52huq zmm10, zmm15, zmm31
vpsubq zmm15, zmm12, zmm3; vmovdqu64 [{p} + {s} - 64], zmm17; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm14, zmm23
vmovdqa64 zmm7, zmm30; vpaddq zmm12, zmm2, zmm31; vpmadd52huq zmm7, zmm15, zmm25; vpaddq zmm17, zmm5, zmm31
vpaddq zmm12, zmm2, zmm12; vmovdqu64 [{p}], zmm10; vpaddq zmm10, zmm5, zmm17; vpmadd52huq zmm2, zmm13, zmm31
vpmadd52huq zmm5, zmm0, zmm31; vpsubq zmm17, zmm8, zmm4; vmovdqu64 [{p} + 2*{s}], zmm11
vmovdqu64 zmm0, [{p} + 2*{s} + 192]; vpaddq zmm16, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm6, zmm14, zmm22
vpmadd52luq zmm7, zmm15, zmm24; vpaddq zmm15, zmm3, zmm1; vmovdqu64 zmm3, [{p} + 192]; vpxord zmm14, zmm14, zmm14
vmovdqu64 zmm13, [{p} + {s3} + 192]; vpsubq zmm16, zmm16, zmm1; vpmadd52huq zmm14, zmm17, zmm31
vpaddq zmm11, zmm8, zmm4; vmovdqa64 zmm4, zmm30; vpmadd52huq zmm4, zmm16, zmm27; vmovdqu64 zmm1, [{p} + {s} + 192]
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm15, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm9, zmm31
vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm14, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm4, zmm16, zmm26
vpmadd52luq zmm8, zmm15, zmm28; vmovdqu64 [{p} + {s3} - 64], zmm17; vpxord zmm16, zmm16, zmm16
vpmadd52huq zmm16, zmm11, zmm31; vpmadd52luq zmm9, zmm14, qword ptr [{top} + 120]{{1to8}}; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm4, zmm31; vpxord zmm11, zmm11, zmm11; vpsubq zmm15, zmm12, zmm2; vpmadd52huq zmm11, zmm8, zmm31
vpsubq zmm10, zmm10, zmm5; vmovdqu64 [{p} + {s}], zmm16; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm15, zmm23
vmovdqa64 zmm8, zmm30; vpaddq zmm12, zmm0, zmm31; vpmadd52huq zmm8, zmm10, zmm25; vpaddq zmm16, zmm3, zmm31
vpaddq zmm12, zmm0, zmm12; vmovdqu64 [{p} + 64], zmm11; vpaddq zmm11, zmm3, zmm16; vpmadd52huq zmm0, zmm13, zmm31
vpmadd52huq zmm3, zmm1, zmm31; vpsubq zmm16, zmm7, zmm6; vmovdqu64 [{p} + 2*{s} + 64], zmm14
vmovdqu64 zmm1, [{p} + 2*{s} + 256]; vpaddq zmm17, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm4, zmm15, zmm22
vpmadd52luq zmm8, zmm10, zmm24; vpaddq zmm14, zmm5, zmm2; vmovdqu64 zmm5, [{p} + 256]; vpxord zmm15, zmm15, zmm15
vmovdqu64 zmm13, [{p} + {s3} + 256]; vpsubq zmm17, zmm17, zmm2; vpmadd52huq zmm15, zmm16, zmm31
vpaddq zmm16, zmm7, zmm6; vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm17, zmm27; vmovdqu64 zmm2, [{p} + {s} + 256]
vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm14, zmm29; vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm9, zmm31
vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm15, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm6, zmm17, zmm26
vpmadd52luq zmm7, zmm14, zmm28; vmovdqu64 [{p} + {s3}], zmm18; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm16, zmm31
vpmadd52luq zmm10, zmm15, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm6, zmm31
vpxord zmm16, zmm16, zmm16; vpsubq zmm6, zmm12, zmm0; vpmadd52huq zmm16, zmm7, zmm31; vpsubq zmm14, zmm11, zmm3
vmovdqu64 [{p} + {s} + 64], zmm9; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm6, zmm23; vmovdqa64 zmm9, zmm30
vpaddq zmm11, zmm1, zmm31; vpmadd52huq zmm9, zmm14, zmm25; vpaddq zmm12, zmm5, zmm31; vpaddq zmm11, zmm1, zmm11
vmovdqu64 [{p} + 128], zmm16; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm1, zmm13, zmm31; vpmadd52huq zmm5, zmm2, zmm31
vpsubq zmm13, zmm8, zmm4; vmovdqu64 [{p} + 2*{s} + 128], zmm15; vmovdqu64 zmm2, [{p} + 2*{s} + 320]
vpaddq zmm16, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm6, zmm22; vpmadd52luq zmm9, zmm14, zmm24
vpaddq zmm14, zmm3, zmm0; vmovdqu64 zmm6, [{p} + 320]; vpxord zmm15, zmm15, zmm15; vmovdqu64 zmm3, [{p} + {s3} + 320]
vpsubq zmm16, zmm16, zmm0; vpmadd52huq zmm15, zmm13, zmm31; vpaddq zmm13, zmm8, zmm4; vmovdqa64 zmm8, zmm30
vpmadd52huq zmm8, zmm16, zmm27; vmovdqu64 zmm4, [{p} + {s} + 320]; vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm14, zmm29
vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm15, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm8, zmm16, zmm26
vpmadd52luq zmm0, zmm14, zmm28; vmovdqu64 [{p} + {s3} + 64], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm13, zmm31; vpmadd52luq zmm10, zmm15, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm8, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm13, zmm11, zmm1; vpmadd52huq zmm16, zmm0, zmm31
vpsubq zmm14, zmm12, zmm5; vmovdqu64 [{p} + {s} + 128], zmm17; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm13, zmm23
vmovdqa64 zmm8, zmm30; vpaddq zmm12, zmm2, zmm31; vpmadd52huq zmm8, zmm14, zmm25; vpaddq zmm11, zmm6, zmm31
vpaddq zmm12, zmm2, zmm12; vmovdqu64 [{p} + 192], zmm16; vpaddq zmm11, zmm6, zmm11; vpmadd52huq zmm2, zmm3, zmm31
vpmadd52huq zmm6, zmm4, zmm31; vpsubq zmm17, zmm9, zmm7; vmovdqu64 [{p} + 2*{s} + 192], zmm15
vmovdqu64 zmm3, [{p} + 2*{s} + 384]; vpaddq zmm16, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm0, zmm13, zmm22
vpmadd52luq zmm8, zmm14, zmm24; vpaddq zmm14, zmm5, zmm1; vmovdqu64 zmm5, [{p} + 384]; vpxord zmm13, zmm13, zmm13
vmovdqu64 zmm4, [{p} + {s3} + 384]; vpsubq zmm16, zmm16, zmm1; vpmadd52huq zmm13, zmm17, zmm31; vpaddq zmm15, zmm9, zmm7
vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm16, zmm27; vmovdqu64 zmm1, [{p} + {s} + 384]; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm13, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm7, zmm16, zmm26
vpmadd52luq zmm9, zmm14, zmm28; vmovdqu64 [{p} + {s3} + 128], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm15, zmm31; vpmadd52luq zmm10, zmm13, qword ptr [{top} + 120]{{1to8}}; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm7, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm15, zmm12, zmm2; vpmadd52huq zmm16, zmm9, zmm31
vpsubq zmm14, zmm11, zmm6; vmovdqu64 [{p} + {s} + 192], zmm17; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm15, zmm23
vmovdqa64 zmm9, zmm30; vpaddq zmm11, zmm3, zmm31; vpmadd52huq zmm9, zmm14, zmm25; vpaddq zmm12, zmm5, zmm31
vpaddq zmm11, zmm3, zmm11; vmovdqu64 [{p} + 256], zmm16; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm3, zmm4, zmm31
vpmadd52huq zmm5, zmm1, zmm31; vpsubq zmm17, zmm8, zmm0; vmovdqu64 [{p} + 2*{s} + 256], zmm13
vmovdqu64 zmm4, [{p} + 2*{s} + 448]; vpaddq zmm16, zmm6, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm15, zmm22
vpmadd52luq zmm9, zmm14, zmm24; vpaddq zmm14, zmm6, zmm2; vmovdqu64 zmm6, [{p} + 448]; vpxord zmm15, zmm15, zmm15
vmovdqu64 zmm1, [{p} + {s3} + 448]; vpsubq zmm16, zmm16, zmm2; vpmadd52huq zmm15, zmm17, zmm31; vpaddq zmm13, zmm8, zmm0
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm16, zmm27; vmovdqu64 zmm0, [{p} + {s} + 448]; vmovdqa64 zmm2, zmm30
vpmadd52huq zmm2, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm15, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm8, zmm16, zmm26
vpmadd52luq zmm2, zmm14, zmm28; vmovdqu64 [{p} + {s3} + 192], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm13, zmm31; vpmadd52luq zmm10, zmm15, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm8, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm13, zmm11, zmm3; vpmadd52huq zmm16, zmm2, zmm31
vpsubq zmm14, zmm12, zmm5; vmovdqu64 [{p} + {s} + 256], zmm17; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm13, zmm23
vmovdqa64 zmm8, zmm30; vpaddq zmm12, zmm4, zmm31; vpmadd52huq zmm8, zmm14, zmm25; vpaddq zmm11, zmm6, zmm31
vpaddq zmm12, zmm4, zmm12; vmovdqu64 [{p} + 320], zmm16; vpaddq zmm11, zmm6, zmm11; vpmadd52huq zmm4, zmm1, zmm31
vpmadd52huq zmm6, zmm0, zmm31; vpsubq zmm17, zmm9, zmm7; add {p}, 512; dec {n}; jnz 2b
vmovdqu64 [{p} + 2*{s} - 192], zmm15; vpaddq zmm16, zmm5, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm2, zmm13, zmm22
vpmadd52luq zmm8, zmm14, zmm24; vpaddq zmm14, zmm5, zmm3; vpxord zmm13, zmm13, zmm13; vpsubq zmm16, zmm16, zmm3
vpmadd52huq zmm13, zmm17, zmm31; vpaddq zmm15, zmm9, zmm7; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm16, zmm27
vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31
vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm13, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm7, zmm16, zmm26
vpmadd52luq zmm9, zmm14, zmm28; vmovdqu64 [{p} + {s3} - 256], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm15, zmm31; vpmadd52luq zmm10, zmm13, qword ptr [{top} + 120]{{1to8}}; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm7, zmm31; vpxord zmm16, zmm16, zmm16; vpsubq zmm15, zmm12, zmm4; vpmadd52huq zmm16, zmm9, zmm31
vpsubq zmm14, zmm11, zmm6; vmovdqu64 [{p} + {s} - 192], zmm17; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm15, zmm23
vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm14, zmm25; vmovdqu64 [{p} - 128], zmm16; vpsubq zmm17, zmm8, zmm2
vmovdqu64 [{p} + 2*{s} - 128], zmm13; vpaddq zmm16, zmm6, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm15, zmm22
vpmadd52luq zmm9, zmm14, zmm24; vpaddq zmm14, zmm6, zmm4; vpxord zmm6, zmm6, zmm6; vpsubq zmm16, zmm16, zmm4
vpmadd52huq zmm6, zmm17, zmm31; vpaddq zmm15, zmm8, zmm2; vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm16, zmm27
vmovdqa64 zmm4, zmm30; vpmadd52huq zmm4, zmm14, zmm29; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm10, zmm31
vmovdqa64 zmm10, zmm30; vpmadd52huq zmm10, zmm6, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm8, zmm16, zmm26
vpmadd52luq zmm4, zmm14, zmm28; vmovdqu64 [{p} + {s3} - 192], zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm15, zmm31; vpmadd52luq zmm10, zmm6, qword ptr [{top} + 120]{{1to8}}; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm8, zmm31; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm4, zmm31
vmovdqu64 [{p} + {s} - 128], zmm17; vmovdqu64 [{p} - 64], zmm16; vpsubq zmm16, zmm9, zmm7
vmovdqu64 [{p} + 2*{s} - 64], zmm15; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm16, zmm31
vpaddq zmm16, zmm9, zmm7; vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm10, zmm31; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm11, qword ptr [{top} + 112]{{1to8}}; vmovdqu64 [{p} + {s3} - 128], zmm18
vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm16, zmm31; vpmadd52luq zmm9, zmm11, qword ptr [{top} + 120]{{1to8}}
vmovdqu64 [{p} + {s} - 64], zmm17; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm9, zmm31
vmovdqu64 [{p} + {s3} - 64], zmm17; add {p}, 512
