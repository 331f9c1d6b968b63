/* Made by tools/schedule.py: laps of 2 vectors, more than 2 of them. {low} {s5} {s7} */
vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]
vpbroadcastq zmm29, qword ptr [{top} + 0]; vpbroadcastq zmm28, qword ptr [{top} + 8]; vmovdqu64 zmm20, [{p} + {s7}]
vmovdqu64 zmm23, [{p} + {s5}]; vmovdqu64 zmm11, [{p} + 2*{s3}]; vmovdqu64 zmm17, [{p} + {s3}]
vmovdqu64 zmm12, [{p} + {s}]; vmovdqu64 zmm18, [{p} + 2*{s}]; vmovdqu64 zmm7, [{p} + 4*{s}]; vmovdqu64 zmm0, [{p}]
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm20, zmm29; vmovdqa64 zmm13, zmm30; vpmadd52huq zmm13, zmm23, zmm29
vmovdqa64 zmm25, zmm30; vpmadd52huq zmm25, zmm11, zmm29; vpaddq zmm26, zmm17, zmm31; vpaddq zmm26, zmm17, zmm26
vpmadd52luq zmm8, zmm20, zmm28; vpmadd52luq zmm13, zmm23, zmm28; vpaddq zmm27, zmm12, zmm31; vpaddq zmm23, zmm18, zmm31
vpmadd52luq zmm25, zmm11, zmm28; vpaddq zmm23, zmm18, zmm23; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm7, zmm29
vpaddq zmm27, zmm12, zmm27; vpmadd52huq zmm17, zmm8, zmm31; vpmadd52huq zmm12, zmm13, zmm31; vpaddq zmm8, zmm0, zmm31
vpaddq zmm8, zmm0, zmm8; vpmadd52huq zmm18, zmm25, zmm31; vpmadd52luq zmm21, zmm7, zmm28; vmovdqa64 zmm20, zmm30
vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}; vmovdqa64 zmm25, zmm30
vpmadd52huq zmm25, zmm18, qword ptr [{top} + 16]{{1to8}}; vpmadd52huq zmm0, zmm21, zmm31
vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm17, zmm26, zmm17
vpmadd52luq zmm25, zmm18, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm22, zmm27, zmm12; vmovdqa64 zmm26, zmm30
vpmadd52huq zmm26, zmm17, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm23, zmm23, zmm18; vpaddq zmm24, zmm22, zmm31
vpaddq zmm27, zmm12, zmm31; vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm23, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm27, zmm12, zmm27; vpmadd52huq zmm12, zmm20, zmm31; vpmadd52luq zmm26, zmm17, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm24, zmm22, zmm24; vmovdqu64 zmm20, [{p} + {s7} + 64]; vpmadd52luq zmm18, zmm23, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm8, zmm8, zmm0; vmovdqu64 zmm23, [{p} + {s5} + 64]; vmovdqu64 zmm10, [{p} + 2*{s3} + 64]
vpaddq zmm4, zmm0, zmm31; vpaddq zmm17, zmm8, zmm31; vpmadd52huq zmm22, zmm26, zmm31; vpaddq zmm26, zmm8, zmm17
vmovdqu64 zmm17, [{p} + {s3} + 64]; vpaddq zmm4, zmm0, zmm4; vpmadd52huq zmm0, zmm25, zmm31
vpmadd52huq zmm8, zmm18, zmm31; vmovdqu64 zmm13, [{p} + {s} + 64]; vmovdqa64 zmm19, zmm30
vmovdqu64 zmm18, [{p} + 2*{s} + 64]; vpmadd52huq zmm19, zmm12, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 zmm6, [{p} + 4*{s} + 64]; vpsubq zmm27, zmm27, zmm12
vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm27, qword ptr [{low} + 16]{{1to8}}; vmovdqu64 zmm1, [{p} + 64]
vpmadd52luq zmm19, zmm12, qword ptr [{low} + 8]{{1to8}}; vpmadd52luq zmm16, zmm22, qword ptr [{low} + 40]{{1to8}}
vpmadd52luq zmm14, zmm27, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm22, zmm24, zmm22; vmovdqa64 zmm9, zmm30
vpsubq zmm4, zmm4, zmm0; vpmadd52huq zmm9, zmm20, zmm29; vpsubq zmm2, zmm26, zmm8; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm23, zmm29; vmovdqa64 zmm25, zmm30; vpaddq zmm24, zmm2, zmm31; vpmadd52huq zmm25, zmm10, zmm29
vpaddq zmm26, zmm17, zmm31; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, qword ptr [{low} + 48]{{1to8}}
vpaddq zmm26, zmm17, zmm26; vpmadd52luq zmm9, zmm20, zmm28; vpmadd52luq zmm12, zmm23, zmm28; vpaddq zmm27, zmm13, zmm31
vpaddq zmm23, zmm18, zmm31; vpmadd52luq zmm25, zmm10, zmm28; vpaddq zmm23, zmm18, zmm23; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm6, zmm29; vpaddq zmm27, zmm13, zmm27; vpmadd52huq zmm17, zmm9, zmm31
vpmadd52huq zmm13, zmm12, zmm31; vpaddq zmm9, zmm1, zmm31; vpaddq zmm9, zmm1, zmm9; vpmadd52huq zmm18, zmm25, zmm31
vpmadd52luq zmm21, zmm6, zmm28; vpaddq zmm10, zmm4, zmm31; vmovdqa64 zmm20, zmm30; vpaddq zmm6, zmm8, zmm31
vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}; vpmadd52luq zmm15, zmm22, qword ptr [{low} + 56]{{1to8}}
vpaddq zmm12, zmm0, zmm31; vmovdqa64 zmm25, zmm30; vpaddq zmm12, zmm0, zmm12
vpmadd52huq zmm25, zmm18, qword ptr [{top} + 16]{{1to8}}; vpmadd52huq zmm1, zmm21, zmm31; vpaddq zmm21, zmm8, zmm6
vpaddq zmm10, zmm4, zmm10; vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}; vpmadd52huq zmm0, zmm19, zmm31
vpaddq zmm6, zmm2, zmm24; vpsubq zmm17, zmm26, zmm17; vpmadd52luq zmm25, zmm18, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm22, zmm27, zmm13; vmovdqa64 zmm26, zmm30; vpmadd52huq zmm26, zmm17, qword ptr [{top} + 48]{{1to8}}
vpsubq zmm23, zmm23, zmm18; vpaddq zmm24, zmm22, zmm31; vpaddq zmm27, zmm13, zmm31; vmovdqu64 [{p}], zmm0
vmovdqa64 zmm18, zmm30; vpmadd52huq zmm18, zmm23, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm27, zmm13, zmm27
vpmadd52huq zmm13, zmm20, zmm31; vpmadd52luq zmm26, zmm17, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm24, zmm22, zmm24
add {p}, 128; vmovdqu64 zmm20, [{p} + {s7}]; vpmadd52huq zmm8, zmm16, zmm31
vpmadd52luq zmm18, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm9, zmm9, zmm1; vmovdqu64 zmm23, [{p} + {s5}]
vmovdqu64 zmm11, [{p} + 2*{s3}]; vpaddq zmm5, zmm1, zmm31; vpaddq zmm17, zmm9, zmm31; vpmadd52huq zmm22, zmm26, zmm31
vpaddq zmm26, zmm9, zmm17; vmovdqu64 zmm17, [{p} + {s3}]; vmovdqu64 [{p} + 4*{s} - 128], zmm8; vpaddq zmm5, zmm1, zmm5
vpmadd52huq zmm1, zmm25, zmm31; vpmadd52huq zmm9, zmm18, zmm31; vpsubq zmm0, zmm12, zmm0; vmovdqu64 zmm12, [{p} + {s}]
vmovdqu64 [{p} + {s} - 128], zmm0; vmovdqa64 zmm19, zmm30; vmovdqu64 zmm18, [{p} + 2*{s}]
vpmadd52huq zmm19, zmm13, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 zmm7, [{p} + 4*{s}]; vpsubq zmm27, zmm27, zmm13
vpmadd52huq zmm4, zmm14, zmm31; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm27, qword ptr [{low} + 16]{{1to8}}
vmovdqu64 zmm0, [{p}]; vpsubq zmm8, zmm21, zmm8; vpmadd52luq zmm19, zmm13, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm16, zmm22, qword ptr [{low} + 40]{{1to8}}; vmovdqu64 [{p} + 2*{s} - 128], zmm4
vpmadd52huq zmm2, zmm15, zmm31; vpmadd52luq zmm14, zmm27, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm22, zmm24, zmm22
vmovdqu64 [{p} + {s5} - 128], zmm8; vmovdqa64 zmm8, zmm30; vpsubq zmm5, zmm5, zmm1; vpmadd52huq zmm8, zmm20, zmm29
vpsubq zmm3, zmm26, zmm9; vmovdqa64 zmm13, zmm30; vpmadd52huq zmm13, zmm23, zmm29; vmovdqu64 [{p} + 2*{s3} - 128], zmm2
vmovdqa64 zmm25, zmm30; vpaddq zmm24, zmm3, zmm31; vpmadd52huq zmm25, zmm11, zmm29; vpaddq zmm26, zmm17, zmm31
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm22, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm26, zmm17, zmm26
vpmadd52luq zmm8, zmm20, zmm28; vpmadd52luq zmm13, zmm23, zmm28; vpaddq zmm27, zmm12, zmm31; vpaddq zmm23, zmm18, zmm31
vpmadd52luq zmm25, zmm11, zmm28; vpaddq zmm23, zmm18, zmm23; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm7, zmm29
vpaddq zmm27, zmm12, zmm27; vpmadd52huq zmm17, zmm8, zmm31; vpmadd52huq zmm12, zmm13, zmm31; vpaddq zmm8, zmm0, zmm31
vpaddq zmm8, zmm0, zmm8; vpmadd52huq zmm18, zmm25, zmm31; vpmadd52luq zmm21, zmm7, zmm28; vpaddq zmm11, zmm5, zmm31
vmovdqa64 zmm20, zmm30; vpaddq zmm7, zmm9, zmm31; vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm15, zmm22, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm13, zmm1, zmm31; vmovdqa64 zmm25, zmm30
vpaddq zmm13, zmm1, zmm13; vpmadd52huq zmm25, zmm18, qword ptr [{top} + 16]{{1to8}}; vpmadd52huq zmm0, zmm21, zmm31
vpaddq zmm21, zmm9, zmm7; vpaddq zmm11, zmm5, zmm11; vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}
vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm7, zmm3, zmm24; vpsubq zmm17, zmm26, zmm17
vpmadd52luq zmm25, zmm18, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm22, zmm27, zmm12; vmovdqa64 zmm26, zmm30
vpmadd52huq zmm26, zmm17, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm23, zmm23, zmm18; vpaddq zmm24, zmm22, zmm31
vpaddq zmm27, zmm12, zmm31; vmovdqu64 [{p} - 64], zmm1; vmovdqa64 zmm18, zmm30
vpmadd52huq zmm18, zmm23, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm27, zmm12, zmm27; vpmadd52huq zmm12, zmm20, zmm31
vpmadd52luq zmm26, zmm17, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm24, zmm22, zmm24; vmovdqu64 zmm20, [{p} + {s7} + 64]
vpsubq zmm4, zmm10, zmm4; vpmadd52huq zmm9, zmm16, zmm31; vpmadd52luq zmm18, zmm23, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm8, zmm8, zmm0; vmovdqu64 [{p} + {s3} - 128], zmm4; vmovdqu64 zmm23, [{p} + {s5} + 64]
vmovdqu64 zmm10, [{p} + 2*{s3} + 64]; vpaddq zmm4, zmm0, zmm31; vpaddq zmm17, zmm8, zmm31
vpmadd52huq zmm22, zmm26, zmm31; vpaddq zmm26, zmm8, zmm17; vmovdqu64 zmm17, [{p} + {s3} + 64]
vmovdqu64 [{p} + 4*{s} - 64], zmm9; vpaddq zmm4, zmm0, zmm4; vpmadd52huq zmm0, zmm25, zmm31
vpmadd52huq zmm8, zmm18, zmm31; vpsubq zmm1, zmm13, zmm1; vmovdqu64 zmm13, [{p} + {s} + 64]
vmovdqu64 [{p} + {s} - 64], zmm1; vmovdqa64 zmm19, zmm30; vmovdqu64 zmm18, [{p} + 2*{s} + 64]; vpsubq zmm2, zmm6, zmm2
vpmadd52huq zmm19, zmm12, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 zmm6, [{p} + 4*{s} + 64]
vmovdqu64 [{p} + {s7} - 128], zmm2; vpsubq zmm27, zmm27, zmm12; vpmadd52huq zmm5, zmm14, zmm31; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm27, qword ptr [{low} + 16]{{1to8}}; vmovdqu64 zmm1, [{p} + 64]; vpsubq zmm9, zmm21, zmm9
vpmadd52luq zmm19, zmm12, qword ptr [{low} + 8]{{1to8}}; vpmadd52luq zmm16, zmm22, qword ptr [{low} + 40]{{1to8}}
vmovdqu64 [{p} + 2*{s} - 64], zmm5; vpmadd52huq zmm3, zmm15, zmm31
vpmadd52luq zmm14, zmm27, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm22, zmm24, zmm22; vmovdqu64 [{p} + {s5} - 64], zmm9
vmovdqa64 zmm9, zmm30; vpsubq zmm4, zmm4, zmm0; vpmadd52huq zmm9, zmm20, zmm29; vpsubq zmm2, zmm26, zmm8
vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm23, zmm29; vmovdqu64 [{p} + 2*{s3} - 64], zmm3; vmovdqa64 zmm25, zmm30
vpaddq zmm24, zmm2, zmm31; vpmadd52huq zmm25, zmm10, zmm29; vpaddq zmm26, zmm17, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm26, zmm17, zmm26; vpmadd52luq zmm9, zmm20, zmm28
vpmadd52luq zmm12, zmm23, zmm28; vpaddq zmm27, zmm13, zmm31; vpaddq zmm23, zmm18, zmm31; vpmadd52luq zmm25, zmm10, zmm28
vpaddq zmm23, zmm18, zmm23; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm6, zmm29; vpaddq zmm27, zmm13, zmm27
vpmadd52huq zmm17, zmm9, zmm31; vpmadd52huq zmm13, zmm12, zmm31; vpaddq zmm9, zmm1, zmm31; vpaddq zmm9, zmm1, zmm9
vpmadd52huq zmm18, zmm25, zmm31; vpmadd52luq zmm21, zmm6, zmm28; vpaddq zmm10, zmm4, zmm31; vmovdqa64 zmm20, zmm30
vpaddq zmm6, zmm8, zmm31; vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm15, zmm22, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm12, zmm0, zmm31; vmovdqa64 zmm25, zmm30
vpaddq zmm12, zmm0, zmm12; vpmadd52huq zmm25, zmm18, qword ptr [{top} + 16]{{1to8}}; vpmadd52huq zmm1, zmm21, zmm31
vpaddq zmm21, zmm8, zmm6; vpaddq zmm10, zmm4, zmm10; vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}
vpmadd52huq zmm0, zmm19, zmm31; vpaddq zmm6, zmm2, zmm24; vpsubq zmm17, zmm26, zmm17
vpmadd52luq zmm25, zmm18, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm22, zmm27, zmm13; vmovdqa64 zmm26, zmm30
vpmadd52huq zmm26, zmm17, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm23, zmm23, zmm18; vpaddq zmm24, zmm22, zmm31
vpaddq zmm27, zmm13, zmm31; vmovdqu64 [{p}], zmm0; vmovdqa64 zmm18, zmm30
vpmadd52huq zmm18, zmm23, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm27, zmm13, zmm27; vpmadd52huq zmm13, zmm20, zmm31
vpmadd52luq zmm26, zmm17, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm24, zmm22, zmm24; add {p}, 128; shr {n}, 1
sub {n}, 2
2: vmovdqu64 zmm20, [{p} + {s7}]; vpsubq zmm5, zmm11, zmm5; vpmadd52huq zmm8, zmm16, zmm31
vpmadd52luq zmm18, zmm23, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm9, zmm9, zmm1; vmovdqu64 [{p} + {s3} - 192], zmm5
vmovdqu64 zmm23, [{p} + {s5}]; vmovdqu64 zmm11, [{p} + 2*{s3}]; vpaddq zmm5, zmm1, zmm31; vpaddq zmm17, zmm9, zmm31
vpmadd52huq zmm22, zmm26, zmm31; vpaddq zmm26, zmm9, zmm17; vmovdqu64 zmm17, [{p} + {s3}]
vmovdqu64 [{p} + 4*{s} - 128], zmm8; vpaddq zmm5, zmm1, zmm5; vpmadd52huq zmm1, zmm25, zmm31
vpmadd52huq zmm9, zmm18, zmm31; vpsubq zmm0, zmm12, zmm0; vmovdqu64 zmm12, [{p} + {s}]
vmovdqu64 [{p} + {s} - 128], zmm0; vmovdqa64 zmm19, zmm30; vmovdqu64 zmm18, [{p} + 2*{s}]; vpsubq zmm3, zmm7, zmm3
vpmadd52huq zmm19, zmm13, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 zmm7, [{p} + 4*{s}]
vmovdqu64 [{p} + {s7} - 192], zmm3; vpsubq zmm27, zmm27, zmm13; vpmadd52huq zmm4, zmm14, zmm31; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm27, qword ptr [{low} + 16]{{1to8}}; vmovdqu64 zmm0, [{p}]; vpsubq zmm8, zmm21, zmm8
vpmadd52luq zmm19, zmm13, qword ptr [{low} + 8]{{1to8}}; vpmadd52luq zmm16, zmm22, qword ptr [{low} + 40]{{1to8}}
vmovdqu64 [{p} + 2*{s} - 128], zmm4; vpmadd52huq zmm2, zmm15, zmm31
vpmadd52luq zmm14, zmm27, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm22, zmm24, zmm22; vmovdqu64 [{p} + {s5} - 128], zmm8
vmovdqa64 zmm8, zmm30; vpsubq zmm5, zmm5, zmm1; vpmadd52huq zmm8, zmm20, zmm29; vpsubq zmm3, zmm26, zmm9
vmovdqa64 zmm13, zmm30; vpmadd52huq zmm13, zmm23, zmm29; vmovdqu64 [{p} + 2*{s3} - 128], zmm2; vmovdqa64 zmm25, zmm30
vpaddq zmm24, zmm3, zmm31; vpmadd52huq zmm25, zmm11, zmm29; vpaddq zmm26, zmm17, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm26, zmm17, zmm26; vpmadd52luq zmm8, zmm20, zmm28
vpmadd52luq zmm13, zmm23, zmm28; vpaddq zmm27, zmm12, zmm31; vpaddq zmm23, zmm18, zmm31; vpmadd52luq zmm25, zmm11, zmm28
vpaddq zmm23, zmm18, zmm23; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm7, zmm29; vpaddq zmm27, zmm12, zmm27
vpmadd52huq zmm17, zmm8, zmm31; vpmadd52huq zmm12, zmm13, zmm31; vpaddq zmm8, zmm0, zmm31; vpaddq zmm8, zmm0, zmm8
vpmadd52huq zmm18, zmm25, zmm31; vpmadd52luq zmm21, zmm7, zmm28; vpaddq zmm11, zmm5, zmm31; vmovdqa64 zmm20, zmm30
vpaddq zmm7, zmm9, zmm31; vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm15, zmm22, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm13, zmm1, zmm31; vmovdqa64 zmm25, zmm30
vpaddq zmm13, zmm1, zmm13; vpmadd52huq zmm25, zmm18, qword ptr [{top} + 16]{{1to8}}; vpmadd52huq zmm0, zmm21, zmm31
vpaddq zmm21, zmm9, zmm7; vpaddq zmm11, zmm5, zmm11; vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}
vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm7, zmm3, zmm24; vpsubq zmm17, zmm26, zmm17
vpmadd52luq zmm25, zmm18, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm22, zmm27, zmm12; vmovdqa64 zmm26, zmm30
vpmadd52huq zmm26, zmm17, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm23, zmm23, zmm18; vpaddq zmm24, zmm22, zmm31
vpaddq zmm27, zmm12, zmm31; vmovdqu64 [{p} - 64], zmm1; vmovdqa64 zmm18, zmm30
vpmadd52huq zmm18, zmm23, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm27, zmm12, zmm27; vpmadd52huq zmm12, zmm20, zmm31
vpmadd52luq zmm26, zmm17, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm24, zmm22, zmm24; vmovdqu64 zmm20, [{p} + {s7} + 64]
vpsubq zmm4, zmm10, zmm4; vpmadd52huq zmm9, zmm16, zmm31; vpmadd52luq zmm18, zmm23, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm8, zmm8, zmm0; vmovdqu64 [{p} + {s3} - 128], zmm4; vmovdqu64 zmm23, [{p} + {s5} + 64]
vmovdqu64 zmm10, [{p} + 2*{s3} + 64]; vpaddq zmm4, zmm0, zmm31; vpaddq zmm17, zmm8, zmm31
vpmadd52huq zmm22, zmm26, zmm31; vpaddq zmm26, zmm8, zmm17; vmovdqu64 zmm17, [{p} + {s3} + 64]
vmovdqu64 [{p} + 4*{s} - 64], zmm9; vpaddq zmm4, zmm0, zmm4; vpmadd52huq zmm0, zmm25, zmm31
vpmadd52huq zmm8, zmm18, zmm31; vpsubq zmm1, zmm13, zmm1; vmovdqu64 zmm13, [{p} + {s} + 64]
vmovdqu64 [{p} + {s} - 64], zmm1; vmovdqa64 zmm19, zmm30; vmovdqu64 zmm18, [{p} + 2*{s} + 64]; vpsubq zmm2, zmm6, zmm2
vpmadd52huq zmm19, zmm12, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 zmm6, [{p} + 4*{s} + 64]
vmovdqu64 [{p} + {s7} - 128], zmm2; vpsubq zmm27, zmm27, zmm12; vpmadd52huq zmm5, zmm14, zmm31; vmovdqa64 zmm14, zmm30
vpmadd52huq zmm14, zmm27, qword ptr [{low} + 16]{{1to8}}; vmovdqu64 zmm1, [{p} + 64]; vpsubq zmm9, zmm21, zmm9
vpmadd52luq zmm19, zmm12, qword ptr [{low} + 8]{{1to8}}; vpmadd52luq zmm16, zmm22, qword ptr [{low} + 40]{{1to8}}
vmovdqu64 [{p} + 2*{s} - 64], zmm5; vpmadd52huq zmm3, zmm15, zmm31
vpmadd52luq zmm14, zmm27, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm22, zmm24, zmm22; vmovdqu64 [{p} + {s5} - 64], zmm9
vmovdqa64 zmm9, zmm30; vpsubq zmm4, zmm4, zmm0; vpmadd52huq zmm9, zmm20, zmm29; vpsubq zmm2, zmm26, zmm8
vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm23, zmm29; vmovdqu64 [{p} + 2*{s3} - 64], zmm3; vmovdqa64 zmm25, zmm30
vpaddq zmm24, zmm2, zmm31; vpmadd52huq zmm25, zmm10, zmm29; vpaddq zmm26, zmm17, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm26, zmm17, zmm26; vpmadd52luq zmm9, zmm20, zmm28
vpmadd52luq zmm12, zmm23, zmm28; vpaddq zmm27, zmm13, zmm31; vpaddq zmm23, zmm18, zmm31; vpmadd52luq zmm25, zmm10, zmm28
vpaddq zmm23, zmm18, zmm23; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm6, zmm29; vpaddq zmm27, zmm13, zmm27
vpmadd52huq zmm17, zmm9, zmm31; vpmadd52huq zmm13, zmm12, zmm31; vpaddq zmm9, zmm1, zmm31; vpaddq zmm9, zmm1, zmm9
vpmadd52huq zmm18, zmm25, zmm31; vpmadd52luq zmm21, zmm6, zmm28; vpaddq zmm10, zmm4, zmm31; vmovdqa64 zmm20, zmm30
vpaddq zmm6, zmm8, zmm31; vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm15, zmm22, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm12, zmm0, zmm31; vmovdqa64 zmm25, zmm30
vpaddq zmm12, zmm0, zmm12; vpmadd52huq zmm25, zmm18, qword ptr [{top} + 16]{{1to8}}; vpmadd52huq zmm1, zmm21, zmm31
vpaddq zmm21, zmm8, zmm6; vpaddq zmm10, zmm4, zmm10; vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}
vpmadd52huq zmm0, zmm19, zmm31; vpaddq zmm6, zmm2, zmm24; vpsubq zmm17, zmm26, zmm17
vpmadd52luq zmm25, zmm18, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm22, zmm27, zmm13; vmovdqa64 zmm26, zmm30
vpmadd52huq zmm26, zmm17, qword ptr [{top} + 48]{{1to8}}; vpsubq zmm23, zmm23, zmm18; vpaddq zmm24, zmm22, zmm31
vpaddq zmm27, zmm13, zmm31; vmovdqu64 [{p}], zmm0; vmovdqa64 zmm18, zmm30
vpmadd52huq zmm18, zmm23, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm27, zmm13, zmm27; vpmadd52huq zmm13, zmm20, zmm31
vpmadd52luq zmm26, zmm17, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm24, zmm22, zmm24; add {p}, 128; dec {n}; jnz 2b
vpsubq zmm5, zmm11, zmm5; vpmadd52huq zmm8, zmm16, zmm31; vpmadd52luq zmm18, zmm23, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm9, zmm9, zmm1; vmovdqu64 [{p} + {s3} - 192], zmm5; vpaddq zmm5, zmm1, zmm31; vpaddq zmm17, zmm9, zmm31
vpmadd52huq zmm22, zmm26, zmm31; vpaddq zmm26, zmm9, zmm17; vmovdqu64 [{p} + 4*{s} - 128], zmm8; vpaddq zmm5, zmm1, zmm5
vpmadd52huq zmm1, zmm25, zmm31; vpmadd52huq zmm9, zmm18, zmm31; vpsubq zmm0, zmm12, zmm0
vmovdqu64 [{p} + {s} - 128], zmm0; vmovdqa64 zmm19, zmm30; vpsubq zmm3, zmm7, zmm3
vpmadd52huq zmm19, zmm13, qword ptr [{low} + 0]{{1to8}}; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm22, qword ptr [{low} + 32]{{1to8}}; vmovdqu64 [{p} + {s7} - 192], zmm3; vpsubq zmm27, zmm27, zmm13
vpmadd52huq zmm4, zmm14, zmm31; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm27, qword ptr [{low} + 16]{{1to8}}
vpsubq zmm8, zmm21, zmm8; vpmadd52luq zmm19, zmm13, qword ptr [{low} + 8]{{1to8}}
vpmadd52luq zmm16, zmm22, qword ptr [{low} + 40]{{1to8}}; vmovdqu64 [{p} + 2*{s} - 128], zmm4
vpmadd52huq zmm2, zmm15, zmm31; vpmadd52luq zmm14, zmm27, qword ptr [{low} + 24]{{1to8}}; vpsubq zmm22, zmm24, zmm22
vmovdqu64 [{p} + {s5} - 128], zmm8; vpsubq zmm5, zmm5, zmm1; vpsubq zmm3, zmm26, zmm9
vmovdqu64 [{p} + 2*{s3} - 128], zmm2; vpaddq zmm24, zmm3, zmm31; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm22, qword ptr [{low} + 48]{{1to8}}; vpaddq zmm11, zmm5, zmm31; vpaddq zmm7, zmm9, zmm31
vpmadd52luq zmm15, zmm22, qword ptr [{low} + 56]{{1to8}}; vpaddq zmm13, zmm1, zmm31; vpaddq zmm13, zmm1, zmm13
vpaddq zmm21, zmm9, zmm7; vpaddq zmm11, zmm5, zmm11; vpmadd52huq zmm1, zmm19, zmm31; vpaddq zmm7, zmm3, zmm24
vmovdqu64 [{p} - 64], zmm1; vpsubq zmm4, zmm10, zmm4; vpmadd52huq zmm9, zmm16, zmm31; vmovdqu64 [{p} + {s3} - 128], zmm4
vmovdqu64 [{p} + 4*{s} - 64], zmm9; vpsubq zmm1, zmm13, zmm1; vmovdqu64 [{p} + {s} - 64], zmm1; vpsubq zmm2, zmm6, zmm2
vmovdqu64 [{p} + {s7} - 128], zmm2; vpmadd52huq zmm5, zmm14, zmm31; vpsubq zmm9, zmm21, zmm9
vmovdqu64 [{p} + 2*{s} - 64], zmm5; vpmadd52huq zmm3, zmm15, zmm31; vmovdqu64 [{p} + {s5} - 64], zmm9
vmovdqu64 [{p} + 2*{s3} - 64], zmm3; add {p}, 128; vpsubq zmm5, zmm11, zmm5; vmovdqu64 [{p} + {s3} - 192], zmm5
vpsubq zmm3, zmm7, zmm3; vmovdqu64 [{p} + {s7} - 192], zmm3; add {p}, 128
