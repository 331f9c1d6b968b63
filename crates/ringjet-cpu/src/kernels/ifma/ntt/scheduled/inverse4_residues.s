/* Made by tools/schedule.py: laps of 8 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 16]; vpbroadcastq zmm28, qword ptr [{top} + 24]
vpbroadcastq zmm27, qword ptr [{k} + 8]; vpbroadcastq zmm26, qword ptr [{top} + 48]
vpbroadcastq zmm25, qword ptr [{top} + 56]; vpbroadcastq zmm24, qword ptr [{top} + 64]
vpbroadcastq zmm23, qword ptr [{top} + 72]; vmovdqu64 zmm0, [{p} + 2*{s}]; vmovdqu64 zmm5, [{p}]
vmovdqu64 zmm18, [{p} + {s}]; vmovdqu64 zmm17, [{p} + {s3}]; vpaddq zmm19, zmm0, zmm31; vpaddq zmm8, zmm0, zmm19
vmovdqu64 zmm1, [{p} + 2*{s} + 64]; vpaddq zmm12, zmm5, zmm31; vpaddq zmm12, zmm5, zmm12; vpmadd52huq zmm5, zmm18, zmm31
vmovdqu64 zmm3, [{p} + 64]; vpmadd52huq zmm0, zmm17, zmm31; vmovdqu64 zmm19, [{p} + {s} + 64]
vmovdqu64 zmm18, [{p} + {s3} + 64]; vpaddq zmm10, zmm1, zmm31; vpaddq zmm10, zmm1, zmm10
vmovdqu64 zmm2, [{p} + 2*{s} + 128]; vpaddq zmm15, zmm3, zmm31; vpaddq zmm16, zmm3, zmm15
vpmadd52huq zmm3, zmm19, zmm31; vmovdqu64 zmm4, [{p} + 128]; vpsubq zmm15, zmm8, zmm0; vpmadd52huq zmm1, zmm18, zmm31
vpsubq zmm18, zmm12, zmm5; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm15, zmm24; vmovdqu64 zmm20, [{p} + {s} + 128]
vmovdqa64 zmm8, zmm30; vmovdqu64 zmm19, [{p} + {s3} + 128]; vpaddq zmm12, zmm5, zmm0; vpmadd52huq zmm8, zmm18, zmm26
vpsubq zmm22, zmm12, zmm27; vpaddq zmm5, zmm5, zmm27; vpminuq zmm12, zmm12, zmm22; vpmadd52luq zmm6, zmm15, zmm23
vpsubq zmm0, zmm5, zmm0; vpmadd52luq zmm8, zmm18, zmm25; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm0, zmm29
vpaddq zmm11, zmm2, zmm31; vpmadd52luq zmm18, zmm0, zmm28; vpaddq zmm11, zmm2, zmm11
vmovdqu64 zmm0, [{p} + 2*{s} + 192]; vpaddq zmm17, zmm4, zmm31; vpaddq zmm17, zmm4, zmm17
vpmadd52huq zmm4, zmm20, zmm31; vmovdqu64 zmm5, [{p} + 192]; vpsubq zmm10, zmm10, zmm1; vpmadd52huq zmm2, zmm19, zmm31
vpsubq zmm16, zmm16, zmm3; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm10, zmm24; vmovdqu64 zmm21, [{p} + {s} + 192]
vmovdqa64 zmm9, zmm30; vmovdqu64 zmm20, [{p} + {s3} + 192]; vpaddq zmm19, zmm3, zmm1; vpmadd52huq zmm9, zmm16, zmm26
vpsubq zmm22, zmm19, zmm27; vpaddq zmm3, zmm3, zmm27; vpminuq zmm13, zmm19, zmm22; vpmadd52luq zmm7, zmm10, zmm23
vpsubq zmm1, zmm3, zmm1; vpsubq zmm19, zmm8, zmm6; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm16, zmm12, zmm31
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm19, zmm31; vmovdqa64 zmm19, zmm30; vpaddq zmm6, zmm8, zmm6
vpmadd52huq zmm19, zmm1, zmm29; vpminuq zmm12, zmm12, zmm16; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm18, zmm31
vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm22, zmm29; vpaddq zmm10, zmm0, zmm31; vpmadd52luq zmm19, zmm1, zmm28
vpaddq zmm10, zmm0, zmm10; vmovdqu64 [{p}], zmm12; vpxord zmm15, zmm15, zmm15; vmovdqu64 zmm1, [{p} + 2*{s} + 256]
vpaddq zmm16, zmm5, zmm31; vpmadd52huq zmm15, zmm6, zmm31; vpaddq zmm16, zmm5, zmm16; vpmadd52huq zmm5, zmm21, zmm31
vmovdqu64 [{p} + 2*{s}], zmm8; vmovdqu64 zmm6, [{p} + 256]; vpsubq zmm11, zmm11, zmm2; vpmadd52huq zmm0, zmm20, zmm31
vpsubq zmm17, zmm17, zmm4; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm11, zmm24; vmovdqu64 zmm21, [{p} + {s} + 256]
vmovdqu64 [{p} + {s}], zmm15; vmovdqa64 zmm8, zmm30; vmovdqu64 zmm20, [{p} + {s3} + 256]; vpaddq zmm15, zmm4, zmm2
vpmadd52huq zmm8, zmm17, zmm26; vpmadd52luq zmm14, zmm22, zmm28; vpsubq zmm22, zmm15, zmm27; vpaddq zmm4, zmm4, zmm27
vpminuq zmm12, zmm15, zmm22; vpmadd52luq zmm3, zmm11, zmm23; vpsubq zmm2, zmm4, zmm2; vpsubq zmm18, zmm9, zmm7
vpmadd52luq zmm8, zmm17, zmm25; vpsubq zmm17, zmm13, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm18, zmm31
vmovdqa64 zmm18, zmm30; vpaddq zmm7, zmm9, zmm7; vpmadd52huq zmm18, zmm2, zmm29; vpminuq zmm13, zmm13, zmm17
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm19, zmm31; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, zmm29
vpaddq zmm11, zmm1, zmm31; vpmadd52luq zmm18, zmm2, zmm28; vpaddq zmm11, zmm1, zmm11; vmovdqu64 [{p} + 64], zmm13
vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm14, zmm31; vpxord zmm14, zmm14, zmm14
vmovdqu64 zmm2, [{p} + 2*{s} + 320]; vpaddq zmm17, zmm6, zmm31; vpmadd52huq zmm14, zmm7, zmm31
vpaddq zmm17, zmm6, zmm17; vpmadd52huq zmm6, zmm21, zmm31; vmovdqu64 [{p} + 2*{s} + 64], zmm9
vmovdqu64 zmm7, [{p} + 320]; vpsubq zmm10, zmm10, zmm0; vpmadd52huq zmm1, zmm20, zmm31; vpsubq zmm16, zmm16, zmm5
vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm10, zmm24; vmovdqu64 zmm21, [{p} + {s} + 320]
vmovdqu64 [{p} + {s} + 64], zmm14; vmovdqa64 zmm9, zmm30; vmovdqu64 zmm20, [{p} + {s3} + 320]; vpaddq zmm14, zmm5, zmm0
vpmadd52huq zmm9, zmm16, zmm26; vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm14, zmm27
vmovdqu64 [{p} + {s3}], zmm13; vpaddq zmm5, zmm5, zmm27; vpminuq zmm13, zmm14, zmm22; vpmadd52luq zmm4, zmm10, zmm23
vpsubq zmm10, zmm5, zmm0; vpsubq zmm19, zmm8, zmm3; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm0, zmm12, zmm31
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm19, zmm31; vmovdqa64 zmm19, zmm30; vpaddq zmm8, zmm8, zmm3
vpmadd52huq zmm19, zmm10, zmm29; vpminuq zmm12, zmm12, zmm0; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm18, zmm31
vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm22, zmm29; vpaddq zmm18, zmm2, zmm31; vpmadd52luq zmm19, zmm10, zmm28
vpaddq zmm10, zmm2, zmm18; vmovdqu64 [{p} + 128], zmm12; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm15, zmm31
vpxord zmm5, zmm5, zmm5; vmovdqu64 zmm3, [{p} + 2*{s} + 384]; vpaddq zmm16, zmm7, zmm31; vpmadd52huq zmm5, zmm8, zmm31
vpaddq zmm16, zmm7, zmm16; vpmadd52huq zmm7, zmm21, zmm31; vmovdqu64 [{p} + 2*{s} + 128], zmm0
vmovdqu64 zmm8, [{p} + 384]; vpsubq zmm11, zmm11, zmm1; vpmadd52huq zmm2, zmm20, zmm31; vpsubq zmm17, zmm17, zmm6
vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm11, zmm24; vmovdqu64 zmm21, [{p} + {s} + 384]
vmovdqu64 [{p} + {s} + 128], zmm5; vmovdqa64 zmm5, zmm30; vmovdqu64 zmm20, [{p} + {s3} + 384]; vpaddq zmm15, zmm6, zmm1
vpmadd52huq zmm5, zmm17, zmm26; vpmadd52luq zmm14, zmm22, zmm28; vpsubq zmm22, zmm15, zmm27
vmovdqu64 [{p} + {s3} + 64], zmm12; vpaddq zmm6, zmm6, zmm27; vpminuq zmm12, zmm15, zmm22
vpmadd52luq zmm0, zmm11, zmm23; vpsubq zmm1, zmm6, zmm1; vpsubq zmm11, zmm9, zmm4; vpmadd52luq zmm5, zmm17, zmm25
vpsubq zmm6, zmm13, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm11, zmm31; vmovdqa64 zmm17, zmm30
vpaddq zmm9, zmm9, zmm4; vpmadd52huq zmm17, zmm1, zmm29; vpminuq zmm13, zmm13, zmm6; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm19, zmm31; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, zmm29; vpaddq zmm11, zmm3, zmm31
vpmadd52luq zmm17, zmm1, zmm28; vpaddq zmm11, zmm3, zmm11; vmovdqu64 [{p} + 192], zmm13; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm14, zmm31; vpxord zmm19, zmm19, zmm19; vmovdqu64 zmm4, [{p} + 2*{s} + 448]
vpaddq zmm14, zmm8, zmm31; vpmadd52huq zmm19, zmm9, zmm31; vpaddq zmm14, zmm8, zmm14; vpmadd52huq zmm8, zmm21, zmm31
vmovdqu64 [{p} + 2*{s} + 192], zmm6; vmovdqu64 zmm6, [{p} + 448]; vpsubq zmm21, zmm10, zmm2
vpmadd52huq zmm3, zmm20, zmm31; vpsubq zmm16, zmm16, zmm7; vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm21, zmm24
vmovdqu64 zmm20, [{p} + {s} + 448]; vmovdqu64 [{p} + {s} + 192], zmm19; vmovdqa64 zmm9, zmm30
vmovdqu64 zmm10, [{p} + {s3} + 448]; vpaddq zmm19, zmm7, zmm2; vpmadd52huq zmm9, zmm16, zmm26
vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm19, zmm27; vmovdqu64 [{p} + {s3} + 128], zmm13
vpaddq zmm7, zmm7, zmm27; vpminuq zmm13, zmm19, zmm22; vpmadd52luq zmm1, zmm21, zmm23; vpsubq zmm7, zmm7, zmm2
vpsubq zmm2, zmm5, zmm0; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm21, zmm12, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm2, zmm31; vmovdqa64 zmm19, zmm30; vpaddq zmm5, zmm5, zmm0; vpmadd52huq zmm19, zmm7, zmm29
vpminuq zmm21, zmm12, zmm21; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm17, zmm31; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm22, zmm29; vpaddq zmm17, zmm4, zmm31; vpmadd52luq zmm19, zmm7, zmm28; vpaddq zmm7, zmm4, zmm17
vmovdqu64 [{p} + 256], zmm21; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm15, zmm31; add {p}, 512; shr {n}, 3
sub {n}, 1
2: vpxord zmm15, zmm15, zmm15; vmovdqu64 zmm0, [{p} + 2*{s}]; vpaddq zmm16, zmm6, zmm31; vpmadd52huq zmm15, zmm5, zmm31
vpaddq zmm16, zmm6, zmm16; vpmadd52huq zmm6, zmm20, zmm31; vmovdqu64 [{p} + 2*{s} - 256], zmm2; vmovdqu64 zmm5, [{p}]
vpsubq zmm20, zmm11, zmm3; vpmadd52huq zmm4, zmm10, zmm31; vpsubq zmm14, zmm14, zmm8; vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm20, zmm24; vmovdqu64 zmm18, [{p} + {s}]; vmovdqu64 [{p} + {s} - 256], zmm15; vmovdqa64 zmm10, zmm30
vmovdqu64 zmm17, [{p} + {s3}]; vpaddq zmm11, zmm8, zmm3; vpmadd52huq zmm10, zmm14, zmm26
vpmadd52luq zmm12, zmm22, zmm28; vpsubq zmm22, zmm11, zmm27; vmovdqu64 [{p} + {s3} - 320], zmm21
vpaddq zmm8, zmm8, zmm27; vpminuq zmm11, zmm11, zmm22; vpmadd52luq zmm2, zmm20, zmm23; vpsubq zmm8, zmm8, zmm3
vpsubq zmm20, zmm9, zmm1; vpmadd52luq zmm10, zmm14, zmm25; vpsubq zmm3, zmm13, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm20, zmm31; vmovdqa64 zmm14, zmm30; vpaddq zmm9, zmm9, zmm1; vpmadd52huq zmm14, zmm8, zmm29
vpminuq zmm13, zmm13, zmm3; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm19, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, zmm29; vpaddq zmm19, zmm0, zmm31; vpmadd52luq zmm14, zmm8, zmm28; vpaddq zmm8, zmm0, zmm19
vmovdqu64 [{p} - 192], zmm13; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm12, zmm31; vpxord zmm21, zmm21, zmm21
vmovdqu64 zmm1, [{p} + 2*{s} + 64]; vpaddq zmm12, zmm5, zmm31; vpmadd52huq zmm21, zmm9, zmm31; vpaddq zmm12, zmm5, zmm12
vpmadd52huq zmm5, zmm18, zmm31; vmovdqu64 [{p} + 2*{s} - 192], zmm3; vmovdqu64 zmm3, [{p} + 64]
vpsubq zmm20, zmm7, zmm4; vpmadd52huq zmm0, zmm17, zmm31; vpsubq zmm16, zmm16, zmm6; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm20, zmm24; vmovdqu64 zmm19, [{p} + {s} + 64]; vmovdqu64 [{p} + {s} - 192], zmm21
vmovdqa64 zmm9, zmm30; vmovdqu64 zmm18, [{p} + {s3} + 64]; vpaddq zmm21, zmm6, zmm4; vpmadd52huq zmm9, zmm16, zmm26
vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm21, zmm27; vmovdqu64 [{p} + {s3} - 256], zmm13
vpaddq zmm6, zmm6, zmm27; vpminuq zmm13, zmm21, zmm22; vpmadd52luq zmm7, zmm20, zmm23; vpsubq zmm20, zmm6, zmm4
vpsubq zmm17, zmm10, zmm2; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm4, zmm11, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm17, zmm31; vmovdqa64 zmm17, zmm30; vpaddq zmm16, zmm10, zmm2; vpmadd52huq zmm17, zmm20, zmm29
vpminuq zmm11, zmm11, zmm4; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm14, zmm31; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm22, zmm29; vpaddq zmm10, zmm1, zmm31; vpmadd52luq zmm17, zmm20, zmm28; vpaddq zmm10, zmm1, zmm10
vmovdqu64 [{p} - 128], zmm11; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm15, zmm31; vpxord zmm21, zmm21, zmm21
vmovdqu64 zmm2, [{p} + 2*{s} + 128]; vpaddq zmm15, zmm3, zmm31; vpmadd52huq zmm21, zmm16, zmm31
vpaddq zmm16, zmm3, zmm15; vpmadd52huq zmm3, zmm19, zmm31; vmovdqu64 [{p} + 2*{s} - 128], zmm4
vmovdqu64 zmm4, [{p} + 128]; vpsubq zmm15, zmm8, zmm0; vpmadd52huq zmm1, zmm18, zmm31; vpsubq zmm18, zmm12, zmm5
vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm15, zmm24; vmovdqu64 zmm20, [{p} + {s} + 128]
vmovdqu64 [{p} + {s} - 128], zmm21; vmovdqa64 zmm8, zmm30; vmovdqu64 zmm19, [{p} + {s3} + 128]; vpaddq zmm12, zmm5, zmm0
vpmadd52huq zmm8, zmm18, zmm26; vpmadd52luq zmm14, zmm22, zmm28; vpsubq zmm22, zmm12, zmm27
vmovdqu64 [{p} + {s3} - 192], zmm11; vpaddq zmm5, zmm5, zmm27; vpminuq zmm12, zmm12, zmm22
vpmadd52luq zmm6, zmm15, zmm23; vpsubq zmm0, zmm5, zmm0; vpsubq zmm15, zmm9, zmm7; vpmadd52luq zmm8, zmm18, zmm25
vpsubq zmm5, zmm13, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm15, zmm31; vmovdqa64 zmm18, zmm30
vpaddq zmm7, zmm9, zmm7; vpmadd52huq zmm18, zmm0, zmm29; vpminuq zmm13, zmm13, zmm5; vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm17, zmm31; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, zmm29; vpaddq zmm11, zmm2, zmm31
vpmadd52luq zmm18, zmm0, zmm28; vpaddq zmm11, zmm2, zmm11; vmovdqu64 [{p} - 64], zmm13; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm14, zmm31; vpxord zmm9, zmm9, zmm9; vmovdqu64 zmm0, [{p} + 2*{s} + 192]; vpaddq zmm17, zmm4, zmm31
vpmadd52huq zmm9, zmm7, zmm31; vpaddq zmm17, zmm4, zmm17; vpmadd52huq zmm4, zmm20, zmm31
vmovdqu64 [{p} + 2*{s} - 64], zmm5; vmovdqu64 zmm5, [{p} + 192]; vpsubq zmm10, zmm10, zmm1
vpmadd52huq zmm2, zmm19, zmm31; vpsubq zmm16, zmm16, zmm3; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm10, zmm24
vmovdqu64 zmm21, [{p} + {s} + 192]; vmovdqu64 [{p} + {s} - 64], zmm9; vmovdqa64 zmm9, zmm30
vmovdqu64 zmm20, [{p} + {s3} + 192]; vpaddq zmm19, zmm3, zmm1; vpmadd52huq zmm9, zmm16, zmm26
vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm19, zmm27; vmovdqu64 [{p} + {s3} - 128], zmm13
vpaddq zmm3, zmm3, zmm27; vpminuq zmm13, zmm19, zmm22; vpmadd52luq zmm7, zmm10, zmm23; vpsubq zmm1, zmm3, zmm1
vpsubq zmm19, zmm8, zmm6; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm16, zmm12, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm19, zmm31; vmovdqa64 zmm19, zmm30; vpaddq zmm6, zmm8, zmm6; vpmadd52huq zmm19, zmm1, zmm29
vpminuq zmm12, zmm12, zmm16; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm18, zmm31; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm22, zmm29; vpaddq zmm10, zmm0, zmm31; vpmadd52luq zmm19, zmm1, zmm28; vpaddq zmm10, zmm0, zmm10
vmovdqu64 [{p}], zmm12; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm15, zmm31; vpxord zmm15, zmm15, zmm15
vmovdqu64 zmm1, [{p} + 2*{s} + 256]; vpaddq zmm16, zmm5, zmm31; vpmadd52huq zmm15, zmm6, zmm31
vpaddq zmm16, zmm5, zmm16; vpmadd52huq zmm5, zmm21, zmm31; vmovdqu64 [{p} + 2*{s}], zmm8; vmovdqu64 zmm6, [{p} + 256]
vpsubq zmm11, zmm11, zmm2; vpmadd52huq zmm0, zmm20, zmm31; vpsubq zmm17, zmm17, zmm4; vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm11, zmm24; vmovdqu64 zmm21, [{p} + {s} + 256]; vmovdqu64 [{p} + {s}], zmm15; vmovdqa64 zmm8, zmm30
vmovdqu64 zmm20, [{p} + {s3} + 256]; vpaddq zmm15, zmm4, zmm2; vpmadd52huq zmm8, zmm17, zmm26
vpmadd52luq zmm14, zmm22, zmm28; vpsubq zmm22, zmm15, zmm27; vmovdqu64 [{p} + {s3} - 64], zmm12
vpaddq zmm4, zmm4, zmm27; vpminuq zmm12, zmm15, zmm22; vpmadd52luq zmm3, zmm11, zmm23; vpsubq zmm2, zmm4, zmm2
vpsubq zmm18, zmm9, zmm7; vpmadd52luq zmm8, zmm17, zmm25; vpsubq zmm17, zmm13, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm18, zmm31; vmovdqa64 zmm18, zmm30; vpaddq zmm7, zmm9, zmm7; vpmadd52huq zmm18, zmm2, zmm29
vpminuq zmm13, zmm13, zmm17; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm19, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, zmm29; vpaddq zmm11, zmm1, zmm31; vpmadd52luq zmm18, zmm2, zmm28; vpaddq zmm11, zmm1, zmm11
vmovdqu64 [{p} + 64], zmm13; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm14, zmm31; vpxord zmm14, zmm14, zmm14
vmovdqu64 zmm2, [{p} + 2*{s} + 320]; vpaddq zmm17, zmm6, zmm31; vpmadd52huq zmm14, zmm7, zmm31
vpaddq zmm17, zmm6, zmm17; vpmadd52huq zmm6, zmm21, zmm31; vmovdqu64 [{p} + 2*{s} + 64], zmm9
vmovdqu64 zmm7, [{p} + 320]; vpsubq zmm10, zmm10, zmm0; vpmadd52huq zmm1, zmm20, zmm31; vpsubq zmm16, zmm16, zmm5
vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm10, zmm24; vmovdqu64 zmm21, [{p} + {s} + 320]
vmovdqu64 [{p} + {s} + 64], zmm14; vmovdqa64 zmm9, zmm30; vmovdqu64 zmm20, [{p} + {s3} + 320]; vpaddq zmm14, zmm5, zmm0
vpmadd52huq zmm9, zmm16, zmm26; vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm14, zmm27
vmovdqu64 [{p} + {s3}], zmm13; vpaddq zmm5, zmm5, zmm27; vpminuq zmm13, zmm14, zmm22; vpmadd52luq zmm4, zmm10, zmm23
vpsubq zmm10, zmm5, zmm0; vpsubq zmm19, zmm8, zmm3; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm0, zmm12, zmm31
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm19, zmm31; vmovdqa64 zmm19, zmm30; vpaddq zmm8, zmm8, zmm3
vpmadd52huq zmm19, zmm10, zmm29; vpminuq zmm12, zmm12, zmm0; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm18, zmm31
vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm22, zmm29; vpaddq zmm18, zmm2, zmm31; vpmadd52luq zmm19, zmm10, zmm28
vpaddq zmm10, zmm2, zmm18; vmovdqu64 [{p} + 128], zmm12; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm15, zmm31
vpxord zmm5, zmm5, zmm5; vmovdqu64 zmm3, [{p} + 2*{s} + 384]; vpaddq zmm16, zmm7, zmm31; vpmadd52huq zmm5, zmm8, zmm31
vpaddq zmm16, zmm7, zmm16; vpmadd52huq zmm7, zmm21, zmm31; vmovdqu64 [{p} + 2*{s} + 128], zmm0
vmovdqu64 zmm8, [{p} + 384]; vpsubq zmm11, zmm11, zmm1; vpmadd52huq zmm2, zmm20, zmm31; vpsubq zmm17, zmm17, zmm6
vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm11, zmm24; vmovdqu64 zmm21, [{p} + {s} + 384]
vmovdqu64 [{p} + {s} + 128], zmm5; vmovdqa64 zmm5, zmm30; vmovdqu64 zmm20, [{p} + {s3} + 384]; vpaddq zmm15, zmm6, zmm1
vpmadd52huq zmm5, zmm17, zmm26; vpmadd52luq zmm14, zmm22, zmm28; vpsubq zmm22, zmm15, zmm27
vmovdqu64 [{p} + {s3} + 64], zmm12; vpaddq zmm6, zmm6, zmm27; vpminuq zmm12, zmm15, zmm22
vpmadd52luq zmm0, zmm11, zmm23; vpsubq zmm1, zmm6, zmm1; vpsubq zmm11, zmm9, zmm4; vpmadd52luq zmm5, zmm17, zmm25
vpsubq zmm6, zmm13, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm11, zmm31; vmovdqa64 zmm17, zmm30
vpaddq zmm9, zmm9, zmm4; vpmadd52huq zmm17, zmm1, zmm29; vpminuq zmm13, zmm13, zmm6; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm19, zmm31; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, zmm29; vpaddq zmm11, zmm3, zmm31
vpmadd52luq zmm17, zmm1, zmm28; vpaddq zmm11, zmm3, zmm11; vmovdqu64 [{p} + 192], zmm13; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm14, zmm31; vpxord zmm19, zmm19, zmm19; vmovdqu64 zmm4, [{p} + 2*{s} + 448]
vpaddq zmm14, zmm8, zmm31; vpmadd52huq zmm19, zmm9, zmm31; vpaddq zmm14, zmm8, zmm14; vpmadd52huq zmm8, zmm21, zmm31
vmovdqu64 [{p} + 2*{s} + 192], zmm6; vmovdqu64 zmm6, [{p} + 448]; vpsubq zmm21, zmm10, zmm2
vpmadd52huq zmm3, zmm20, zmm31; vpsubq zmm16, zmm16, zmm7; vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm21, zmm24
vmovdqu64 zmm20, [{p} + {s} + 448]; vmovdqu64 [{p} + {s} + 192], zmm19; vmovdqa64 zmm9, zmm30
vmovdqu64 zmm10, [{p} + {s3} + 448]; vpaddq zmm19, zmm7, zmm2; vpmadd52huq zmm9, zmm16, zmm26
vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm19, zmm27; vmovdqu64 [{p} + {s3} + 128], zmm13
vpaddq zmm7, zmm7, zmm27; vpminuq zmm13, zmm19, zmm22; vpmadd52luq zmm1, zmm21, zmm23; vpsubq zmm7, zmm7, zmm2
vpsubq zmm2, zmm5, zmm0; vpmadd52luq zmm9, zmm16, zmm25; vpsubq zmm21, zmm12, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm2, zmm31; vmovdqa64 zmm19, zmm30; vpaddq zmm5, zmm5, zmm0; vpmadd52huq zmm19, zmm7, zmm29
vpminuq zmm21, zmm12, zmm21; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm17, zmm31; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm22, zmm29; vpaddq zmm17, zmm4, zmm31; vpmadd52luq zmm19, zmm7, zmm28; vpaddq zmm7, zmm4, zmm17
vmovdqu64 [{p} + 256], zmm21; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm15, zmm31; add {p}, 512; dec {n}; jnz 2b
vpxord zmm15, zmm15, zmm15; vpaddq zmm16, zmm6, zmm31; vpmadd52huq zmm15, zmm5, zmm31; vpaddq zmm16, zmm6, zmm16
vpmadd52huq zmm6, zmm20, zmm31; vmovdqu64 [{p} + 2*{s} - 256], zmm2; vpsubq zmm20, zmm11, zmm3
vpmadd52huq zmm4, zmm10, zmm31; vpsubq zmm14, zmm14, zmm8; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm20, zmm24
vmovdqu64 [{p} + {s} - 256], zmm15; vmovdqa64 zmm10, zmm30; vpaddq zmm11, zmm8, zmm3; vpmadd52huq zmm10, zmm14, zmm26
vpmadd52luq zmm12, zmm22, zmm28; vpsubq zmm22, zmm11, zmm27; vmovdqu64 [{p} + {s3} - 320], zmm21
vpaddq zmm8, zmm8, zmm27; vpminuq zmm11, zmm11, zmm22; vpmadd52luq zmm2, zmm20, zmm23; vpsubq zmm8, zmm8, zmm3
vpsubq zmm20, zmm9, zmm1; vpmadd52luq zmm10, zmm14, zmm25; vpsubq zmm3, zmm13, zmm31; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm20, zmm31; vmovdqa64 zmm14, zmm30; vpaddq zmm9, zmm9, zmm1; vpmadd52huq zmm14, zmm8, zmm29
vpminuq zmm13, zmm13, zmm3; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm19, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, zmm29; vpmadd52luq zmm14, zmm8, zmm28; vmovdqu64 [{p} - 192], zmm13
vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm12, zmm31; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm9, zmm31
vmovdqu64 [{p} + 2*{s} - 192], zmm3; vpsubq zmm20, zmm7, zmm4; vpsubq zmm16, zmm16, zmm6; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm20, zmm24; vmovdqu64 [{p} + {s} - 192], zmm21; vmovdqa64 zmm9, zmm30; vpaddq zmm21, zmm6, zmm4
vpmadd52huq zmm9, zmm16, zmm26; vpmadd52luq zmm15, zmm22, zmm28; vpsubq zmm22, zmm21, zmm27
vmovdqu64 [{p} + {s3} - 256], zmm13; vpaddq zmm6, zmm6, zmm27; vpminuq zmm13, zmm21, zmm22
vpmadd52luq zmm7, zmm20, zmm23; vpsubq zmm20, zmm6, zmm4; vpsubq zmm17, zmm10, zmm2; vpmadd52luq zmm9, zmm16, zmm25
vpsubq zmm4, zmm11, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm17, zmm31; vmovdqa64 zmm17, zmm30
vpaddq zmm16, zmm10, zmm2; vpmadd52huq zmm17, zmm20, zmm29; vpminuq zmm11, zmm11, zmm4; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm14, zmm31; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm22, zmm29; vpmadd52luq zmm17, zmm20, zmm28
vmovdqu64 [{p} - 128], zmm11; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm15, zmm31; vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm16, zmm31; vmovdqu64 [{p} + 2*{s} - 128], zmm4; vmovdqu64 [{p} + {s} - 128], zmm21
vpmadd52luq zmm14, zmm22, zmm28; vmovdqu64 [{p} + {s3} - 192], zmm11; vpsubq zmm15, zmm9, zmm7
vpsubq zmm5, zmm13, zmm31; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm15, zmm31; vpaddq zmm7, zmm9, zmm7
vpminuq zmm13, zmm13, zmm5; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm17, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, zmm29; vmovdqu64 [{p} - 64], zmm13; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm14, zmm31; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm7, zmm31
vmovdqu64 [{p} + 2*{s} - 64], zmm5; vmovdqu64 [{p} + {s} - 64], zmm9; vpmadd52luq zmm15, zmm22, zmm28
vmovdqu64 [{p} + {s3} - 128], zmm13; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm15, zmm31
vmovdqu64 [{p} + {s3} - 64], zmm12; add {p}, 512
