/* Made by tools/schedule.py: laps of 4 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 0]; vpbroadcastq zmm28, qword ptr [{top} + 8]
vpbroadcastq zmm27, qword ptr [{top} + 16]; vpbroadcastq zmm26, qword ptr [{top} + 24]
vpbroadcastq zmm25, qword ptr [{top} + 32]; vpbroadcastq zmm24, qword ptr [{top} + 40]
vpbroadcastq zmm23, qword ptr [{top} + 48]; vpbroadcastq zmm22, qword ptr [{top} + 56]; vmovdqu64 zmm10, [{p} + 2*{s}]
vmovdqu64 zmm2, [{p}]; vmovdqu64 zmm16, [{p} + {s}]; vmovdqu64 zmm8, [{p} + {s3}]; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm10, zmm29; vpaddq zmm13, zmm2, zmm31; vmovdqu64 zmm15, [{p} + 2*{s} + 64]; vmovdqa64 zmm4, zmm30
vmovdqu64 zmm0, [{p} + 64]; vpaddq zmm13, zmm2, zmm13; vpmadd52huq zmm4, zmm16, zmm27; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm16, zmm23; vmovdqu64 zmm17, [{p} + {s} + 64]; vpmadd52luq zmm12, zmm10, zmm28
vpmadd52luq zmm4, zmm16, zmm26; vpmadd52luq zmm6, zmm16, zmm22; vpmadd52huq zmm2, zmm12, zmm31
vpmadd52huq zmm4, zmm8, zmm25; vpmadd52huq zmm6, zmm8, qword ptr [{top} + 64]{{1to8}}
vmovdqu64 zmm14, [{p} + {s3} + 64]; vpmadd52luq zmm4, zmm8, zmm24; vmovdqa64 zmm11, zmm30
vpmadd52huq zmm11, zmm15, zmm29; vmovdqu64 zmm10, [{p} + 2*{s} + 128]; vpaddq zmm5, zmm0, zmm31
vpmadd52luq zmm6, zmm8, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm8, zmm0, zmm5; vmovdqa64 zmm5, zmm30
vpmadd52huq zmm5, zmm17, zmm27; vmovdqu64 zmm3, [{p} + 128]; vmovdqa64 zmm7, zmm30; vmovdqu64 zmm16, [{p} + {s} + 128]
vpmadd52huq zmm7, zmm17, zmm23; vpmadd52luq zmm11, zmm15, zmm28; vpmadd52luq zmm5, zmm17, zmm26
vpmadd52luq zmm7, zmm17, zmm22; vpmadd52huq zmm0, zmm11, zmm31; vpsubq zmm11, zmm13, zmm2; vpaddq zmm17, zmm2, zmm31
vpmadd52huq zmm5, zmm14, zmm25; vpaddq zmm20, zmm11, zmm31; vmovdqu64 zmm9, [{p} + {s3} + 128]
vpaddq zmm17, zmm2, zmm17; vpmadd52huq zmm7, zmm14, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm2, zmm4, zmm31
vpaddq zmm20, zmm11, zmm20; vpmadd52huq zmm11, zmm6, zmm31; vpmadd52luq zmm5, zmm14, zmm24; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm10, zmm29; vpmadd52luq zmm7, zmm14, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm13, zmm3, zmm31
vmovdqu64 zmm15, [{p} + 2*{s} + 192]; vmovdqu64 [{p} + 2*{s}], zmm11; vmovdqa64 zmm4, zmm30; vmovdqu64 zmm1, [{p} + 192]
vpaddq zmm13, zmm3, zmm13; vpmadd52huq zmm4, zmm16, zmm27; vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm16, zmm23
vmovdqu64 zmm18, [{p} + {s} + 192]; vmovdqu64 [{p}], zmm2; vpmadd52luq zmm12, zmm10, zmm28
vpmadd52luq zmm4, zmm16, zmm26; vpmadd52luq zmm6, zmm16, zmm22; vpmadd52huq zmm3, zmm12, zmm31; vpsubq zmm12, zmm8, zmm0
vpaddq zmm21, zmm0, zmm31; vpaddq zmm19, zmm12, zmm31; vpmadd52huq zmm4, zmm9, zmm25
vpmadd52huq zmm6, zmm9, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm21, zmm0, zmm21; vmovdqu64 zmm14, [{p} + {s3} + 192]
vpaddq zmm19, zmm12, zmm19; vpmadd52huq zmm0, zmm5, zmm31; vpmadd52huq zmm12, zmm7, zmm31; vpsubq zmm2, zmm17, zmm2
vmovdqu64 [{p} + {s}], zmm2; vpsubq zmm11, zmm20, zmm11; vpmadd52luq zmm4, zmm9, zmm24; vmovdqa64 zmm20, zmm30
vpmadd52huq zmm20, zmm15, zmm29; add {p}, 256; shr {n}, 2; sub {n}, 1
2: vmovdqu64 zmm10, [{p} + 2*{s}]; vpaddq zmm5, zmm1, zmm31; vpmadd52luq zmm6, zmm9, qword ptr [{top} + 72]{{1to8}}
vpaddq zmm9, zmm1, zmm5; vmovdqu64 [{p} + 2*{s} - 192], zmm12; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm18, zmm27
vmovdqu64 zmm2, [{p}]; vmovdqa64 zmm7, zmm30; vmovdqu64 zmm16, [{p} + {s}]; vpmadd52huq zmm7, zmm18, zmm23
vpmadd52luq zmm20, zmm15, zmm28; vmovdqu64 [{p} - 192], zmm0; vpmadd52luq zmm5, zmm18, zmm26
vmovdqu64 [{p} + {s3} - 256], zmm11; vpmadd52luq zmm7, zmm18, zmm22; vpmadd52huq zmm1, zmm20, zmm31
vpsubq zmm11, zmm13, zmm3; vpaddq zmm18, zmm3, zmm31; vpmadd52huq zmm5, zmm14, zmm25; vpaddq zmm20, zmm11, zmm31
vmovdqu64 zmm8, [{p} + {s3}]; vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm7, zmm14, qword ptr [{top} + 64]{{1to8}}
vpmadd52huq zmm3, zmm4, zmm31; vpaddq zmm20, zmm11, zmm20; vpsubq zmm0, zmm21, zmm0; vpmadd52huq zmm11, zmm6, zmm31
vpmadd52luq zmm5, zmm14, zmm24; vpsubq zmm19, zmm19, zmm12; vmovdqu64 [{p} + {s} - 192], zmm0; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm10, zmm29; vpmadd52luq zmm7, zmm14, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm13, zmm2, zmm31
vmovdqu64 zmm15, [{p} + 2*{s} + 64]; vmovdqu64 [{p} + 2*{s} - 128], zmm11; vmovdqa64 zmm4, zmm30
vmovdqu64 zmm0, [{p} + 64]; vpaddq zmm13, zmm2, zmm13; vpmadd52huq zmm4, zmm16, zmm27; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm16, zmm23; vmovdqu64 zmm17, [{p} + {s} + 64]; vmovdqu64 [{p} - 128], zmm3
vpmadd52luq zmm12, zmm10, zmm28; vmovdqu64 [{p} + {s3} - 192], zmm19; vpmadd52luq zmm4, zmm16, zmm26
vpmadd52luq zmm6, zmm16, zmm22; vpmadd52huq zmm2, zmm12, zmm31; vpsubq zmm12, zmm9, zmm1; vpaddq zmm21, zmm1, zmm31
vpaddq zmm19, zmm12, zmm31; vpmadd52huq zmm4, zmm8, zmm25; vpmadd52huq zmm6, zmm8, qword ptr [{top} + 64]{{1to8}}
vpaddq zmm21, zmm1, zmm21; vmovdqu64 zmm14, [{p} + {s3} + 64]; vpaddq zmm19, zmm12, zmm19; vpmadd52huq zmm1, zmm5, zmm31
vpmadd52huq zmm12, zmm7, zmm31; vpsubq zmm3, zmm18, zmm3; vmovdqu64 [{p} + {s} - 128], zmm3; vpsubq zmm20, zmm20, zmm11
vpmadd52luq zmm4, zmm8, zmm24; vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm15, zmm29
vmovdqu64 zmm10, [{p} + 2*{s} + 128]; vpaddq zmm5, zmm0, zmm31; vpmadd52luq zmm6, zmm8, qword ptr [{top} + 72]{{1to8}}
vpaddq zmm8, zmm0, zmm5; vmovdqu64 [{p} + 2*{s} - 64], zmm12; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm17, zmm27
vmovdqu64 zmm3, [{p} + 128]; vmovdqa64 zmm7, zmm30; vmovdqu64 zmm16, [{p} + {s} + 128]; vpmadd52huq zmm7, zmm17, zmm23
vpmadd52luq zmm11, zmm15, zmm28; vmovdqu64 [{p} - 64], zmm1; vpmadd52luq zmm5, zmm17, zmm26
vmovdqu64 [{p} + {s3} - 128], zmm20; vpmadd52luq zmm7, zmm17, zmm22; vpmadd52huq zmm0, zmm11, zmm31
vpsubq zmm11, zmm13, zmm2; vpaddq zmm17, zmm2, zmm31; vpmadd52huq zmm5, zmm14, zmm25; vpaddq zmm20, zmm11, zmm31
vmovdqu64 zmm9, [{p} + {s3} + 128]; vpaddq zmm17, zmm2, zmm17; vpmadd52huq zmm7, zmm14, qword ptr [{top} + 64]{{1to8}}
vpmadd52huq zmm2, zmm4, zmm31; vpaddq zmm20, zmm11, zmm20; vpsubq zmm1, zmm21, zmm1; vpmadd52huq zmm11, zmm6, zmm31
vpmadd52luq zmm5, zmm14, zmm24; vpsubq zmm19, zmm19, zmm12; vmovdqu64 [{p} + {s} - 64], zmm1; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm10, zmm29; vpmadd52luq zmm7, zmm14, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm13, zmm3, zmm31
vmovdqu64 zmm15, [{p} + 2*{s} + 192]; vmovdqu64 [{p} + 2*{s}], zmm11; vmovdqa64 zmm4, zmm30; vmovdqu64 zmm1, [{p} + 192]
vpaddq zmm13, zmm3, zmm13; vpmadd52huq zmm4, zmm16, zmm27; vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm16, zmm23
vmovdqu64 zmm18, [{p} + {s} + 192]; vmovdqu64 [{p}], zmm2; vpmadd52luq zmm12, zmm10, zmm28
vmovdqu64 [{p} + {s3} - 64], zmm19; vpmadd52luq zmm4, zmm16, zmm26; vpmadd52luq zmm6, zmm16, zmm22
vpmadd52huq zmm3, zmm12, zmm31; vpsubq zmm12, zmm8, zmm0; vpaddq zmm21, zmm0, zmm31; vpaddq zmm19, zmm12, zmm31
vpmadd52huq zmm4, zmm9, zmm25; vpmadd52huq zmm6, zmm9, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm21, zmm0, zmm21
vmovdqu64 zmm14, [{p} + {s3} + 192]; vpaddq zmm19, zmm12, zmm19; vpmadd52huq zmm0, zmm5, zmm31
vpmadd52huq zmm12, zmm7, zmm31; vpsubq zmm2, zmm17, zmm2; vmovdqu64 [{p} + {s}], zmm2; vpsubq zmm11, zmm20, zmm11
vpmadd52luq zmm4, zmm9, zmm24; vmovdqa64 zmm20, zmm30; vpmadd52huq zmm20, zmm15, zmm29; add {p}, 256; dec {n}; jnz 2b
vpaddq zmm5, zmm1, zmm31; vpmadd52luq zmm6, zmm9, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm9, zmm1, zmm5
vmovdqu64 [{p} + 2*{s} - 192], zmm12; vmovdqa64 zmm5, zmm30; vpmadd52huq zmm5, zmm18, zmm27; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm18, zmm23; vpmadd52luq zmm20, zmm15, zmm28; vmovdqu64 [{p} - 192], zmm0
vpmadd52luq zmm5, zmm18, zmm26; vmovdqu64 [{p} + {s3} - 256], zmm11; vpmadd52luq zmm7, zmm18, zmm22
vpmadd52huq zmm1, zmm20, zmm31; vpsubq zmm11, zmm13, zmm3; vpaddq zmm18, zmm3, zmm31; vpmadd52huq zmm5, zmm14, zmm25
vpaddq zmm20, zmm11, zmm31; vpaddq zmm18, zmm3, zmm18; vpmadd52huq zmm7, zmm14, qword ptr [{top} + 64]{{1to8}}
vpmadd52huq zmm3, zmm4, zmm31; vpaddq zmm20, zmm11, zmm20; vpsubq zmm0, zmm21, zmm0; vpmadd52huq zmm11, zmm6, zmm31
vpmadd52luq zmm5, zmm14, zmm24; vpsubq zmm19, zmm19, zmm12; vmovdqu64 [{p} + {s} - 192], zmm0
vpmadd52luq zmm7, zmm14, qword ptr [{top} + 72]{{1to8}}; vmovdqu64 [{p} + 2*{s} - 128], zmm11
vmovdqu64 [{p} - 128], zmm3; vmovdqu64 [{p} + {s3} - 192], zmm19; vpsubq zmm12, zmm9, zmm1; vpaddq zmm21, zmm1, zmm31
vpaddq zmm19, zmm12, zmm31; vpaddq zmm21, zmm1, zmm21; vpaddq zmm19, zmm12, zmm19; vpmadd52huq zmm1, zmm5, zmm31
vpmadd52huq zmm12, zmm7, zmm31; vpsubq zmm3, zmm18, zmm3; vmovdqu64 [{p} + {s} - 128], zmm3; vpsubq zmm20, zmm20, zmm11
vmovdqu64 [{p} + 2*{s} - 64], zmm12; vmovdqu64 [{p} - 64], zmm1; vmovdqu64 [{p} + {s3} - 128], zmm20
vpsubq zmm1, zmm21, zmm1; vpsubq zmm19, zmm19, zmm12; vmovdqu64 [{p} + {s} - 64], zmm1
vmovdqu64 [{p} + {s3} - 64], zmm19; add {p}, 256
