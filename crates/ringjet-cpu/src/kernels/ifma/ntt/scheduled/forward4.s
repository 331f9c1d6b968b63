/* Made by tools/schedule.py: laps of 4 vectors, more than 1 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 0]; vpbroadcastq zmm28, qword ptr [{top} + 8]
vpbroadcastq zmm27, qword ptr [{top} + 16]; vpbroadcastq zmm26, qword ptr [{top} + 24]
vpbroadcastq zmm25, qword ptr [{top} + 32]; vpbroadcastq zmm24, qword ptr [{top} + 40]
vpbroadcastq zmm23, qword ptr [{top} + 48]; vpbroadcastq zmm22, qword ptr [{top} + 56]; vmovdqu64 zmm0, [{p}]
vmovdqu64 zmm12, [{p} + 2*{s}]; vmovdqu64 zmm13, [{p} + {s}]; vmovdqu64 zmm4, [{p} + {s3}]; vmovdqu64 zmm1, [{p} + 64]
vpsubq zmm20, zmm0, qword ptr [{k} + 8]{{1to8}}; vpminuq zmm0, zmm0, zmm20; vmovdqa64 zmm20, zmm30
vmovdqu64 zmm14, [{p} + 2*{s} + 64]; vpmadd52huq zmm20, zmm12, zmm29; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm13, zmm27; vmovdqu64 zmm15, [{p} + {s} + 64]; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm13, zmm23
vpmadd52luq zmm20, zmm12, zmm28; vpmadd52luq zmm6, zmm13, zmm26; vpmadd52luq zmm7, zmm13, zmm22
vpaddq zmm21, zmm0, zmm31; vpaddq zmm21, zmm0, zmm21; vpmadd52huq zmm0, zmm20, zmm31; vpmadd52huq zmm6, zmm4, zmm25
vmovdqu64 zmm5, [{p} + {s3} + 64]; vpmadd52huq zmm7, zmm4, qword ptr [{top} + 64]{{1to8}}; vmovdqu64 zmm2, [{p} + 128]
vpsubq zmm20, zmm1, qword ptr [{k} + 8]{{1to8}}; vpminuq zmm1, zmm1, zmm20; vmovdqa64 zmm20, zmm30
vmovdqu64 zmm13, [{p} + 2*{s} + 128]; vpmadd52huq zmm20, zmm14, zmm29; vmovdqa64 zmm8, zmm30
vpmadd52huq zmm8, zmm15, zmm27; vmovdqu64 zmm12, [{p} + {s} + 128]; vmovdqa64 zmm9, zmm30; vpsubq zmm10, zmm21, zmm0
vpmadd52huq zmm9, zmm15, zmm23; vpmadd52luq zmm7, zmm4, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm18, zmm10, zmm31
vpaddq zmm16, zmm0, zmm31; vpmadd52luq zmm20, zmm14, zmm28; vpmadd52luq zmm8, zmm15, zmm26; vpaddq zmm16, zmm0, zmm16
vpaddq zmm18, zmm10, zmm18; vpmadd52luq zmm9, zmm15, zmm22; vpmadd52luq zmm6, zmm4, zmm24; vpaddq zmm21, zmm1, zmm31
vpaddq zmm21, zmm1, zmm21; vpmadd52huq zmm1, zmm20, zmm31; vpmadd52huq zmm8, zmm5, zmm25
vmovdqu64 zmm4, [{p} + {s3} + 128]; vpmadd52huq zmm9, zmm5, qword ptr [{top} + 64]{{1to8}}
vpmadd52huq zmm0, zmm6, zmm31; vmovdqu64 zmm3, [{p} + 192]; vpsubq zmm20, zmm2, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm10, zmm7, zmm31; vpminuq zmm2, zmm2, zmm20; vmovdqa64 zmm20, zmm30; vmovdqu64 zmm15, [{p} + 2*{s} + 192]
vpmadd52huq zmm20, zmm13, zmm29; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm12, zmm27
vmovdqu64 zmm14, [{p} + {s} + 192]; vmovdqu64 [{p} + 2*{s}], zmm10; vmovdqa64 zmm6, zmm30; vpsubq zmm11, zmm21, zmm1
vpmadd52huq zmm6, zmm12, zmm23; vpmadd52luq zmm9, zmm5, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm19, zmm11, zmm31
vmovdqu64 [{p}], zmm0; vpaddq zmm17, zmm1, zmm31; vpmadd52luq zmm20, zmm13, zmm28; vpmadd52luq zmm7, zmm12, zmm26
vpaddq zmm17, zmm1, zmm17; vpaddq zmm19, zmm11, zmm19; vpmadd52luq zmm6, zmm12, zmm22; vpmadd52luq zmm8, zmm5, zmm24
vpaddq zmm21, zmm2, zmm31; vpaddq zmm21, zmm2, zmm21; vpmadd52huq zmm2, zmm20, zmm31; vpmadd52huq zmm7, zmm4, zmm25
vpsubq zmm10, zmm18, zmm10; vmovdqu64 zmm5, [{p} + {s3} + 192]; vmovdqu64 [{p} + {s3}], zmm10; vpsubq zmm0, zmm16, zmm0
vpmadd52huq zmm6, zmm4, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm1, zmm8, zmm31; add {p}, 256; shr {n}, 2
sub {n}, 1
2: vmovdqu64 [{p} + {s} - 256], zmm0; vmovdqu64 zmm0, [{p}]; vpsubq zmm20, zmm3, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm11, zmm9, zmm31; vpminuq zmm3, zmm3, zmm20; vmovdqa64 zmm20, zmm30; vmovdqu64 zmm12, [{p} + 2*{s}]
vpmadd52huq zmm20, zmm15, zmm29; vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm14, zmm27; vmovdqu64 zmm13, [{p} + {s}]
vmovdqu64 [{p} + 2*{s} - 192], zmm11; vmovdqa64 zmm8, zmm30; vpsubq zmm10, zmm21, zmm2; vpmadd52huq zmm8, zmm14, zmm23
vpmadd52luq zmm6, zmm4, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm18, zmm10, zmm31; vmovdqu64 [{p} - 192], zmm1
vpaddq zmm16, zmm2, zmm31; vpmadd52luq zmm20, zmm15, zmm28; vpmadd52luq zmm9, zmm14, zmm26; vpaddq zmm16, zmm2, zmm16
vpaddq zmm18, zmm10, zmm18; vpmadd52luq zmm8, zmm14, zmm22; vpmadd52luq zmm7, zmm4, zmm24; vpaddq zmm21, zmm3, zmm31
vpaddq zmm21, zmm3, zmm21; vpmadd52huq zmm3, zmm20, zmm31; vpmadd52huq zmm9, zmm5, zmm25; vpsubq zmm11, zmm19, zmm11
vmovdqu64 zmm4, [{p} + {s3}]; vmovdqu64 [{p} + {s3} - 192], zmm11; vpsubq zmm1, zmm17, zmm1
vpmadd52huq zmm8, zmm5, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm2, zmm7, zmm31; vmovdqu64 [{p} + {s} - 192], zmm1
vmovdqu64 zmm1, [{p} + 64]; vpsubq zmm20, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm10, zmm6, zmm31
vpminuq zmm0, zmm0, zmm20; vmovdqa64 zmm20, zmm30; vmovdqu64 zmm14, [{p} + 2*{s} + 64]; vpmadd52huq zmm20, zmm12, zmm29
vmovdqa64 zmm6, zmm30; vpmadd52huq zmm6, zmm13, zmm27; vmovdqu64 zmm15, [{p} + {s} + 64]
vmovdqu64 [{p} + 2*{s} - 128], zmm10; vmovdqa64 zmm7, zmm30; vpsubq zmm11, zmm21, zmm3; vpmadd52huq zmm7, zmm13, zmm23
vpmadd52luq zmm8, zmm5, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm19, zmm11, zmm31; vmovdqu64 [{p} - 128], zmm2
vpaddq zmm17, zmm3, zmm31; vpmadd52luq zmm20, zmm12, zmm28; vpmadd52luq zmm6, zmm13, zmm26; vpaddq zmm17, zmm3, zmm17
vpaddq zmm19, zmm11, zmm19; vpmadd52luq zmm7, zmm13, zmm22; vpmadd52luq zmm9, zmm5, zmm24; vpaddq zmm21, zmm0, zmm31
vpaddq zmm21, zmm0, zmm21; vpmadd52huq zmm0, zmm20, zmm31; vpmadd52huq zmm6, zmm4, zmm25; vpsubq zmm10, zmm18, zmm10
vmovdqu64 zmm5, [{p} + {s3} + 64]; vmovdqu64 [{p} + {s3} - 128], zmm10; vpsubq zmm2, zmm16, zmm2
vpmadd52huq zmm7, zmm4, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm3, zmm9, zmm31; vmovdqu64 [{p} + {s} - 128], zmm2
vmovdqu64 zmm2, [{p} + 128]; vpsubq zmm20, zmm1, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm11, zmm8, zmm31
vpminuq zmm1, zmm1, zmm20; vmovdqa64 zmm20, zmm30; vmovdqu64 zmm13, [{p} + 2*{s} + 128]; vpmadd52huq zmm20, zmm14, zmm29
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm15, zmm27; vmovdqu64 zmm12, [{p} + {s} + 128]
vmovdqu64 [{p} + 2*{s} - 64], zmm11; vmovdqa64 zmm9, zmm30; vpsubq zmm10, zmm21, zmm0; vpmadd52huq zmm9, zmm15, zmm23
vpmadd52luq zmm7, zmm4, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm18, zmm10, zmm31; vmovdqu64 [{p} - 64], zmm3
vpaddq zmm16, zmm0, zmm31; vpmadd52luq zmm20, zmm14, zmm28; vpmadd52luq zmm8, zmm15, zmm26; vpaddq zmm16, zmm0, zmm16
vpaddq zmm18, zmm10, zmm18; vpmadd52luq zmm9, zmm15, zmm22; vpmadd52luq zmm6, zmm4, zmm24; vpaddq zmm21, zmm1, zmm31
vpaddq zmm21, zmm1, zmm21; vpmadd52huq zmm1, zmm20, zmm31; vpmadd52huq zmm8, zmm5, zmm25; vpsubq zmm11, zmm19, zmm11
vmovdqu64 zmm4, [{p} + {s3} + 128]; vmovdqu64 [{p} + {s3} - 64], zmm11; vpsubq zmm3, zmm17, zmm3
vpmadd52huq zmm9, zmm5, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm0, zmm6, zmm31; vmovdqu64 [{p} + {s} - 64], zmm3
vmovdqu64 zmm3, [{p} + 192]; vpsubq zmm20, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm10, zmm7, zmm31
vpminuq zmm2, zmm2, zmm20; vmovdqa64 zmm20, zmm30; vmovdqu64 zmm15, [{p} + 2*{s} + 192]; vpmadd52huq zmm20, zmm13, zmm29
vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm12, zmm27; vmovdqu64 zmm14, [{p} + {s} + 192]
vmovdqu64 [{p} + 2*{s}], zmm10; vmovdqa64 zmm6, zmm30; vpsubq zmm11, zmm21, zmm1; vpmadd52huq zmm6, zmm12, zmm23
vpmadd52luq zmm9, zmm5, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm19, zmm11, zmm31; vmovdqu64 [{p}], zmm0
vpaddq zmm17, zmm1, zmm31; vpmadd52luq zmm20, zmm13, zmm28; vpmadd52luq zmm7, zmm12, zmm26; vpaddq zmm17, zmm1, zmm17
vpaddq zmm19, zmm11, zmm19; vpmadd52luq zmm6, zmm12, zmm22; vpmadd52luq zmm8, zmm5, zmm24; vpaddq zmm21, zmm2, zmm31
vpaddq zmm21, zmm2, zmm21; vpmadd52huq zmm2, zmm20, zmm31; vpmadd52huq zmm7, zmm4, zmm25; vpsubq zmm10, zmm18, zmm10
vmovdqu64 zmm5, [{p} + {s3} + 192]; vmovdqu64 [{p} + {s3}], zmm10; vpsubq zmm0, zmm16, zmm0
vpmadd52huq zmm6, zmm4, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm1, zmm8, zmm31; add {p}, 256; dec {n}; jnz 2b
vmovdqu64 [{p} + {s} - 256], zmm0; vpsubq zmm20, zmm3, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm11, zmm9, zmm31
vpminuq zmm3, zmm3, zmm20; vmovdqa64 zmm20, zmm30; vpmadd52huq zmm20, zmm15, zmm29; vmovdqa64 zmm9, zmm30
vpmadd52huq zmm9, zmm14, zmm27; vmovdqu64 [{p} + 2*{s} - 192], zmm11; vmovdqa64 zmm8, zmm30; vpsubq zmm10, zmm21, zmm2
vpmadd52huq zmm8, zmm14, zmm23; vpmadd52luq zmm6, zmm4, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm18, zmm10, zmm31
vmovdqu64 [{p} - 192], zmm1; vpaddq zmm16, zmm2, zmm31; vpmadd52luq zmm20, zmm15, zmm28; vpmadd52luq zmm9, zmm14, zmm26
vpaddq zmm16, zmm2, zmm16; vpaddq zmm18, zmm10, zmm18; vpmadd52luq zmm8, zmm14, zmm22; vpmadd52luq zmm7, zmm4, zmm24
vpaddq zmm21, zmm3, zmm31; vpaddq zmm21, zmm3, zmm21; vpmadd52huq zmm3, zmm20, zmm31; vpmadd52huq zmm9, zmm5, zmm25
vpsubq zmm11, zmm19, zmm11; vmovdqu64 [{p} + {s3} - 192], zmm11; vpsubq zmm1, zmm17, zmm1
vpmadd52huq zmm8, zmm5, qword ptr [{top} + 64]{{1to8}}; vpmadd52huq zmm2, zmm7, zmm31; vmovdqu64 [{p} + {s} - 192], zmm1
vpmadd52huq zmm10, zmm6, zmm31; vmovdqu64 [{p} + 2*{s} - 128], zmm10; vpsubq zmm11, zmm21, zmm3
vpmadd52luq zmm8, zmm5, qword ptr [{top} + 72]{{1to8}}; vpaddq zmm19, zmm11, zmm31; vmovdqu64 [{p} - 128], zmm2
vpaddq zmm17, zmm3, zmm31; vpaddq zmm17, zmm3, zmm17; vpaddq zmm19, zmm11, zmm19; vpmadd52luq zmm9, zmm5, zmm24
vpsubq zmm10, zmm18, zmm10; vmovdqu64 [{p} + {s3} - 128], zmm10; vpsubq zmm2, zmm16, zmm2; vpmadd52huq zmm3, zmm9, zmm31
vmovdqu64 [{p} + {s} - 128], zmm2; vpmadd52huq zmm11, zmm8, zmm31; vmovdqu64 [{p} + 2*{s} - 64], zmm11
vmovdqu64 [{p} - 64], zmm3; vpsubq zmm11, zmm19, zmm11; vmovdqu64 [{p} + {s3} - 64], zmm11; vpsubq zmm3, zmm17, zmm3
vmovdqu64 [{p} + {s} - 64], zmm3; add {p}, 256
