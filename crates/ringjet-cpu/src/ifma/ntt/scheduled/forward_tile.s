/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */
vpbroadcastq zmm31, qword ptr [{k} + 24]
vpbroadcastq zmm30, qword ptr [{k} + 0]
vmovdqu64 zmm29, [{x} + 3584]
vmovdqu64 zmm28, [{x} + 1536]
vpsubq zmm27, zmm28, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm29, qword ptr [{top} + 0]{{1to8}}
vmovdqu64 zmm25, [{x} + 1024]
vmovdqu64 zmm24, [{x} + 2560]
vpminuq zmm23, zmm28, zmm27
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm24, qword ptr [{top} + 0]{{1to8}}
vmovdqu64 zmm21, [{x} + 0]
vpmadd52luq zmm26, zmm29, qword ptr [{top} + 8]{{1to8}}
vmovdqu64 zmm20, [{x} + 512]
vpsubq zmm19, zmm20, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm18, zmm21, qword ptr [{k} + 8]{{1to8}}
prefetcht0 [{pair} + 2688]
vpaddq zmm17, zmm23, zmm30
vmovdqu64 zmm16, [{x} + 3072]
vpsubq zmm15, zmm25, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm16, qword ptr [{top} + 0]{{1to8}}
vpminuq zmm13, zmm20, zmm19
vpminuq zmm12, zmm21, zmm18
vmovdqu64 zmm11, [{x} + 2048]
vpminuq zmm10, zmm25, zmm15
vpaddq zmm9, zmm23, zmm17
vpmadd52huq zmm23, zmm26, zmm30
vpmadd52luq zmm22, zmm24, qword ptr [{top} + 8]{{1to8}}
vmovdqu64 zmm8, [{x} + 1792]
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm11, qword ptr [{top} + 0]{{1to8}}
vmovdqu64 zmm6, [{x} + 3840]
vpmadd52luq zmm14, zmm16, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm5, zmm12, zmm30
vpaddq zmm4, zmm13, zmm30
vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm6, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm2, zmm10, zmm30
vpsubq zmm1, zmm9, zmm23
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm23, qword ptr [{top} + 16]{{1to8}}
vpsubq zmm28, zmm8, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm27, zmm13, zmm4
vpmadd52huq zmm13, zmm22, zmm30
vpminuq zmm29, zmm12, zmm5
vpmadd52luq zmm7, zmm11, qword ptr [{top} + 8]{{1to8}}
vmovdqu64 zmm20, [{x} + 3328]
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm1, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm21, zmm10, zmm2
vpmadd52huq zmm10, zmm14, zmm30
vpminuq zmm18, zmm8, zmm28
vmovdqu64 zmm25, [{x} + 2816]
vpmadd52luq zmm0, zmm23, qword ptr [{top} + 24]{{1to8}}
vmovdqu64 zmm15, [{x} + 768]
vpaddq zmm17, zmm29, zmm30
vpsubq zmm26, zmm27, zmm13
vpaddq zmm24, zmm13, zmm30
vmovdqu64 zmm16, [{x} + 256]
vpmadd52luq zmm3, zmm6, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm9, zmm21, zmm10
vpmadd52luq zmm19, zmm1, qword ptr [{top} + 56]{{1to8}}
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm10, qword ptr [{top} + 16]{{1to8}}
vpaddq zmm22, zmm18, zmm30
vpaddq zmm12, zmm26, zmm30
vpaddq zmm5, zmm13, zmm24
vpaddq zmm11, zmm29, zmm17
vpmadd52huq zmm29, zmm7, zmm30
vmovdqu64 zmm2, [{x} + 1280]
vmovdqu64 zmm14, [{x} + 2304]
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm9, qword ptr [{top} + 48]{{1to8}}
vpsubq zmm28, zmm2, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm13, zmm0, zmm30
vpaddq zmm23, zmm18, zmm22
prefetcht0 [{pair} + 2752]
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm25, qword ptr [{top} + 0]{{1to8}}
vpsubq zmm6, zmm16, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm21, zmm26, zmm12
vpmadd52huq zmm26, zmm19, zmm30
vpsubq zmm1, zmm11, zmm29
vpmadd52luq zmm4, zmm10, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm24, zmm15, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm17, zmm29, zmm30
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm20, qword ptr [{top} + 0]{{1to8}}
vpmadd52luq zmm8, zmm9, qword ptr [{top} + 56]{{1to8}}
vpminuq zmm0, zmm16, zmm6
vpsubq zmm22, zmm5, zmm13
vpminuq zmm12, zmm15, zmm24
vpminuq zmm19, zmm2, zmm28
vpsubq zmm11, zmm21, zmm26
vpmadd52huq zmm18, zmm3, zmm30
vmovdqu64 zmm10, [{x} + 1600]
vmovdqu64 zmm9, [{x} + 3648]
jmp 2f
2:
vpaddq zmm16, zmm1, zmm30
vpaddq zmm6, zmm29, zmm17
vpmadd52huq zmm29, zmm4, zmm30
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm22, qword ptr [{top} + 96]{{1to8}}
vmovdqu64 zmm15, [{x} + 1088]
vpmadd52luq zmm7, zmm20, qword ptr [{top} + 8]{{1to8}}
vpmadd52luq zmm27, zmm25, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm24, zmm0, zmm30
vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm11, qword ptr [{top} + 128]{{1to8}}
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm14, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm21, zmm12, zmm30
vpaddq zmm3, zmm19, zmm30
vpsubq zmm17, zmm10, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm13, qword ptr [{top} + 80]{{1to8}}
vpaddq zmm20, zmm1, zmm16
vpmadd52huq zmm1, zmm8, zmm30
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm9, qword ptr [{top} + 0]{{1to8}}
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm26, qword ptr [{top} + 112]{{1to8}}
vpaddq zmm8, zmm12, zmm21
vpsubq zmm21, zmm23, zmm18
vpmadd52luq zmm5, zmm22, qword ptr [{top} + 104]{{1to8}}
vpaddq zmm23, zmm19, zmm3
vpmadd52huq zmm19, zmm7, zmm30
vpsubq zmm22, zmm6, zmm29
vmovdqu64 zmm3, [{x} + 64]
vpmadd52luq zmm4, zmm13, qword ptr [{top} + 88]{{1to8}}
vpminuq zmm7, zmm0, zmm24
vpmadd52huq zmm12, zmm27, zmm30
vpsubq zmm6, zmm20, zmm1
vmovdqu64 zmm13, [{x} + 3136]
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm21, qword ptr [{top} + 48]{{1to8}}
vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm18, qword ptr [{top} + 16]{{1to8}}
vpminuq zmm27, zmm10, zmm17
vpaddq zmm20, zmm22, zmm30
vpmadd52luq zmm16, zmm26, qword ptr [{top} + 120]{{1to8}}
vpmadd52luq zmm28, zmm14, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm10, zmm6, zmm30
vpaddq zmm17, zmm1, zmm30
prefetcht0 [{pair} + 2816]
vpmadd52luq zmm25, zmm9, qword ptr [{top} + 8]{{1to8}}
vpmadd52luq zmm2, zmm11, qword ptr [{top} + 136]{{1to8}}
vpaddq zmm26, zmm29, zmm30
vpsubq zmm14, zmm23, zmm19
vpaddq zmm9, zmm27, zmm30
vpsubq zmm11, zmm15, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm23, zmm3, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm8, zmm8, zmm12
vpmadd52luq zmm24, zmm18, qword ptr [{top} + 24]{{1to8}}
vpaddq zmm18, zmm7, zmm30
vpaddq zmm26, zmm29, zmm26
vpmadd52huq zmm29, zmm4, zmm30
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm13, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm9, zmm27, zmm9
vpmadd52luq zmm0, zmm21, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm21, zmm12, zmm30
vpmadd52huq zmm27, zmm25, zmm30
vpaddq zmm25, zmm22, zmm20
vpmadd52huq zmm22, zmm5, zmm30
vpaddq zmm20, zmm6, zmm10
vpmadd52huq zmm6, zmm2, zmm30
vmovdqu64 zmm5, [{x} + 2624]
vpaddq zmm10, zmm7, zmm18
vpmadd52huq zmm7, zmm28, zmm30
vmovdqu64 zmm2, [{x} + 576]
vpaddq zmm18, zmm1, zmm17
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm5, qword ptr [{top} + 0]{{1to8}}
vpsubq zmm17, zmm2, qword ptr [{k} + 8]{{1to8}}
vpminuq zmm3, zmm3, zmm23
vpmadd52huq zmm1, zmm16, zmm30
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm19, qword ptr [{top} + 16]{{1to8}}
vpminuq zmm16, zmm15, zmm11
vpaddq zmm15, zmm8, zmm30
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm14, qword ptr [{top} + 48]{{1to8}}
vpminuq zmm2, zmm2, zmm17
vpmadd52luq zmm4, zmm13, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm17, zmm26, zmm29
vpsubq zmm13, zmm25, zmm22
vpmadd52luq zmm28, zmm5, qword ptr [{top} + 8]{{1to8}}
vmovdqu64 zmm26, [{x} + 2112]
vpaddq zmm25, zmm12, zmm21
vpmadd52huq zmm12, zmm24, zmm30
vpaddq zmm5, zmm8, zmm15
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm26, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm24, zmm16, zmm30
vpmadd52huq zmm8, zmm0, zmm30
vpsubq zmm15, zmm3, zmm30
vpaddq zmm0, zmm2, zmm30
jmp 2f
2:
vpsubq zmm10, zmm10, zmm7
vpsubq zmm9, zmm9, zmm27
vpmadd52luq zmm23, zmm19, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm19, zmm18, zmm1
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm27, qword ptr [{top} + 16]{{1to8}}
vpsubq zmm20, zmm20, zmm6
vpaddq zmm24, zmm16, zmm24
vpaddq zmm0, zmm2, zmm0
vpmadd52luq zmm11, zmm14, qword ptr [{top} + 56]{{1to8}}
vpminuq zmm14, zmm3, zmm15
vpunpcklqdq zmm3, zmm29, zmm17
prefetcht0 [{pair} + 2880]
vpunpckhqdq zmm15, zmm22, zmm13
vpmadd52huq zmm16, zmm4, zmm30
vpunpckhqdq zmm4, zmm1, zmm19
vpmadd52huq zmm2, zmm28, zmm30
vpaddq zmm28, zmm7, zmm30
vpunpckhqdq zmm29, zmm29, zmm17
vpsubq zmm17, zmm5, zmm8
vpunpckhqdq zmm5, zmm6, zmm20
vpunpcklqdq zmm1, zmm1, zmm19
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm9, qword ptr [{top} + 48]{{1to8}}
vpunpcklqdq zmm22, zmm22, zmm13
vpsubq zmm13, zmm25, zmm12
vpunpcklqdq zmm25, zmm6, zmm20
vpaddq zmm6, zmm10, zmm30
vmovdqa64 zmm20, [{vectors} + 64]
vpermi2q zmm20, zmm29, zmm15
vpmadd52luq zmm21, zmm26, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm13, qword ptr [{top} + 96]{{1to8}}
vpaddq zmm28, zmm7, zmm28
vpmadd52huq zmm7, zmm23, zmm30
vmovdqa64 zmm23, [{vectors} + 64]
vpermi2q zmm23, zmm3, zmm22
vpaddq zmm6, zmm10, zmm6
vpmadd52huq zmm10, zmm11, zmm30
vmovdqa64 zmm11, [{vectors} + 64]
vpermi2q zmm11, zmm1, zmm25
vpsubq zmm0, zmm0, zmm2
vpmadd52luq zmm19, zmm9, qword ptr [{top} + 56]{{1to8}}
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm12, qword ptr [{top} + 80]{{1to8}}
vpsubq zmm24, zmm24, zmm16
vmovdqu64 [{buffer} + 192], zmm20
vmovdqa64 zmm20, [{vectors} + 64]
vpermi2q zmm20, zmm4, zmm5
vpmadd52luq zmm18, zmm27, qword ptr [{top} + 24]{{1to8}}
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm8, qword ptr [{top} + 112]{{1to8}}
vmovdqu64 [{buffer} + 128], zmm23
vpaddq zmm23, zmm14, zmm30
vpsubq zmm28, zmm28, zmm7
vpmadd52luq zmm26, zmm13, qword ptr [{top} + 104]{{1to8}}
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm17, qword ptr [{top} + 128]{{1to8}}
vpsubq zmm6, zmm6, zmm10
vmovdqu64 [{buffer} + 384], zmm11
vpaddq zmm11, zmm2, zmm30
vmovdqu64 [{buffer} + 448], zmm20
vpaddq zmm20, zmm14, zmm23
vpmadd52huq zmm14, zmm21, zmm30
vpaddq zmm23, zmm0, zmm30
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm16, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm9, zmm12, qword ptr [{top} + 88]{{1to8}}
vmovdqa64 zmm12, [{vectors} + 0]
vpermi2q zmm12, zmm29, zmm15
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm24, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm15, zmm7, zmm30
vpmadd52luq zmm13, zmm17, qword ptr [{top} + 136]{{1to8}}
vmovdqa64 zmm17, [{vectors} + 0]
vpermi2q zmm17, zmm4, zmm5
vpaddq zmm4, zmm2, zmm11
vpmadd52huq zmm2, zmm18, zmm30
vmovdqu64 zmm5, [{x} + 1856]
vpsubq zmm11, zmm5, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm18, zmm28, zmm30
vpmadd52luq zmm27, zmm8, qword ptr [{top} + 120]{{1to8}}
vmovdqa64 zmm8, [{vectors} + 0]
vpermi2q zmm8, zmm3, zmm22
prefetcht0 [{pair} + 2944]
vpmadd52luq zmm21, zmm16, qword ptr [{top} + 24]{{1to8}}
vmovdqu64 zmm3, [{x} + 3904]
vpaddq zmm22, zmm10, zmm30
vpaddq zmm16, zmm0, zmm23
vpmadd52huq zmm0, zmm19, zmm30
vmovdqu64 [{buffer} + 64], zmm12
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm3, qword ptr [{top} + 0]{{1to8}}
vpminuq zmm19, zmm5, zmm11
vmovdqu64 zmm12, [{x} + 1344]
vmovdqa64 zmm5, [{vectors} + 0]
vpermi2q zmm5, zmm1, zmm25
vpaddq zmm11, zmm6, zmm30
vmovdqu64 [{buffer} + 320], zmm17
vmovdqu64 zmm1, [{x} + 2880]
jmp 2f
2:
vpsubq zmm25, zmm12, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm17, zmm28, zmm18
vpaddq zmm18, zmm7, zmm15
vpmadd52huq zmm7, zmm9, zmm30
vmovdqu64 [{buffer} + 0], zmm8
vmovdqu64 zmm15, [{x} + 832]
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm1, qword ptr [{top} + 0]{{1to8}}
vpsubq zmm8, zmm4, zmm2
vpsubq zmm4, zmm20, zmm14
vpaddq zmm20, zmm14, zmm30
vpmadd52luq zmm23, zmm3, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm3, zmm15, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm28, zmm26, zmm30
vpaddq zmm26, zmm19, zmm30
vmovdqu64 [{buffer} + 256], zmm5
vpmadd52luq zmm29, zmm24, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm5, zmm4, zmm30
vpaddq zmm24, zmm10, zmm22
vpaddq zmm22, zmm6, zmm11
vpminuq zmm11, zmm15, zmm3
vpaddq zmm15, zmm19, zmm26
vpmadd52huq zmm6, zmm13, zmm30
vmovdqu64 zmm3, [{x} + 320]
vpmadd52huq zmm10, zmm27, zmm30
vmovdqu64 zmm26, [{x} + 3392]
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm26, qword ptr [{top} + 0]{{1to8}}
vpsubq zmm27, zmm3, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm19, zmm23, zmm30
vpminuq zmm23, zmm12, zmm25
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm2, qword ptr [{top} + 80]{{1to8}}
vpmadd52luq zmm9, zmm1, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm25, zmm16, zmm0
vpaddq zmm1, zmm14, zmm20
vpminuq zmm16, zmm3, zmm27
vpmadd52huq zmm14, zmm21, zmm30
vmovdqu64 zmm20, [{x} + 2368]
vpsubq zmm3, zmm18, zmm7
vpsubq zmm27, zmm24, zmm10
vmovdqu64 zmm21, [{x} + 1664]
vpmadd52luq zmm13, zmm26, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm25, qword ptr [{top} + 128]{{1to8}}
vpaddq zmm24, zmm11, zmm30
vpsubq zmm26, zmm17, zmm28
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm20, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm5, zmm4, zmm5
vpmadd52huq zmm4, zmm29, zmm30
vpaddq zmm29, zmm23, zmm30
vpsubq zmm15, zmm15, zmm19
vpsubq zmm22, zmm22, zmm6
vpaddq zmm24, zmm11, zmm24
vpmadd52huq zmm11, zmm9, zmm30
prefetcht0 [{pair} + 3008]
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm8, qword ptr [{top} + 96]{{1to8}}
vpaddq zmm29, zmm23, zmm29
vpmadd52huq zmm23, zmm13, zmm30
vpsubq zmm13, zmm16, zmm30
vpsubq zmm5, zmm5, zmm4
vpsubq zmm1, zmm1, zmm14
vpmadd52luq zmm12, zmm2, qword ptr [{top} + 88]{{1to8}}
vpunpckhqdq zmm2, zmm28, zmm26
vpunpcklqdq zmm28, zmm28, zmm26
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm19, qword ptr [{top} + 16]{{1to8}}
vpminuq zmm16, zmm16, zmm13
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm0, qword ptr [{top} + 112]{{1to8}}
vpmadd52luq zmm9, zmm8, qword ptr [{top} + 104]{{1to8}}
vpunpckhqdq zmm8, zmm6, zmm22
vpunpcklqdq zmm6, zmm6, zmm22
vpunpcklqdq zmm22, zmm10, zmm27
vpunpckhqdq zmm10, zmm10, zmm27
vpunpckhqdq zmm27, zmm7, zmm3
vpunpcklqdq zmm7, zmm7, zmm3
vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm15, qword ptr [{top} + 48]{{1to8}}
vpmadd52luq zmm13, zmm0, qword ptr [{top} + 120]{{1to8}}
vpaddq zmm0, zmm1, zmm30
vpmadd52luq zmm17, zmm20, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm20, zmm14, zmm30
vpmadd52luq zmm18, zmm25, qword ptr [{top} + 136]{{1to8}}
vmovdqa64 zmm25, [{vectors} + 64]
vpermi2q zmm25, zmm27, zmm2
vpsubq zmm29, zmm29, zmm23
vpsubq zmm24, zmm24, zmm11
vpmadd52luq zmm26, zmm19, qword ptr [{top} + 24]{{1to8}}
vmovdqa64 zmm19, [{vectors} + 64]
vpermi2q zmm19, zmm7, zmm28
vpmadd52luq zmm3, zmm15, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm15, zmm16, zmm30
vpaddq zmm0, zmm1, zmm0
vpmadd52huq zmm1, zmm9, zmm30
vmovdqa64 zmm9, [{vectors} + 64]
vpermi2q zmm9, zmm10, zmm8
vpaddq zmm20, zmm14, zmm20
jmp 2f
2:
vpaddq zmm15, zmm16, zmm15
vpmadd52huq zmm16, zmm17, zmm30
vmovdqa64 zmm17, [{vectors} + 64]
vpermi2q zmm17, zmm22, zmm6
vmovdqu64 [{buffer} + 2240], zmm25
vpaddq zmm25, zmm4, zmm30
vpmadd52huq zmm14, zmm12, zmm30
vpaddq zmm12, zmm5, zmm30
vmovdqu64 [{buffer} + 2176], zmm19
vpsubq zmm19, zmm21, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm25, zmm4, zmm25
vpmadd52huq zmm4, zmm13, zmm30
vpaddq zmm13, zmm24, zmm30
vmovdqu64 [{buffer} + 2496], zmm9
vpaddq zmm9, zmm11, zmm30
vpaddq zmm12, zmm5, zmm12
vpmadd52huq zmm5, zmm18, zmm30
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm23, qword ptr [{top} + 16]{{1to8}}
vpminuq zmm21, zmm21, zmm19
vmovdqu64 [{buffer} + 2432], zmm17
prefetcht0 [{pair} + 3072]
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm29, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm17, zmm11, zmm9
vpmadd52huq zmm11, zmm26, zmm30
vmovdqa64 zmm9, [{vectors} + 0]
vpermi2q zmm9, zmm22, zmm6
vmovdqu64 zmm26, [{x} + 3712]
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm26, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm6, zmm24, zmm13
vpmadd52huq zmm24, zmm3, zmm30
vmovdqa64 zmm13, [{vectors} + 0]
vpermi2q zmm13, zmm27, zmm2
vmovdqu64 zmm3, [{x} + 1152]
vpmadd52luq zmm18, zmm23, qword ptr [{top} + 24]{{1to8}}
vmovdqu64 zmm27, [{x} + 2688]
vmovdqa64 zmm2, [{vectors} + 0]
vpermi2q zmm2, zmm7, zmm28
vpsubq zmm23, zmm20, zmm14
vpaddq zmm7, zmm21, zmm30
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm27, qword ptr [{top} + 0]{{1to8}}
vpsubq zmm20, zmm3, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm0, zmm0, zmm1
vpsubq zmm25, zmm25, zmm4
vmovdqu64 [{buffer} + 2304], zmm9
vpmadd52luq zmm22, zmm26, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm9, [{vectors} + 0]
vpermi2q zmm9, zmm10, zmm8
vmovdqu64 zmm26, [{x} + 3200]
vpunpckhqdq zmm10, zmm14, zmm23
vmovdqu64 [{buffer} + 2112], zmm13
vpaddq zmm8, zmm16, zmm30
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm26, qword ptr [{top} + 0]{{1to8}}
vpmadd52luq zmm19, zmm29, qword ptr [{top} + 56]{{1to8}}
vpunpcklqdq zmm29, zmm1, zmm0
vpsubq zmm15, zmm15, zmm16
vmovdqu64 [{buffer} + 2048], zmm2
vpsubq zmm2, zmm12, zmm5
vpunpcklqdq zmm12, zmm14, zmm23
vpunpckhqdq zmm14, zmm1, zmm0
vmovdqu64 zmm23, [{x} + 128]
vpunpckhqdq zmm1, zmm4, zmm25
vpsubq zmm0, zmm23, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 [{buffer} + 2368], zmm9
vpaddq zmm9, zmm15, zmm30
vpminuq zmm3, zmm3, zmm20
vpsubq zmm20, zmm17, zmm11
vpaddq zmm17, zmm21, zmm7
vpunpckhqdq zmm7, zmm5, zmm2
vpmadd52huq zmm21, zmm22, zmm30
vmovdqa64 zmm22, [{vectors} + 64]
vpermi2q zmm22, zmm12, zmm29
vpminuq zmm23, zmm23, zmm0
vpmadd52luq zmm13, zmm26, qword ptr [{top} + 8]{{1to8}}
vpunpcklqdq zmm0, zmm4, zmm25
vmovdqu64 zmm26, [{x} + 640]
vpsubq zmm4, zmm6, zmm24
vpsubq zmm25, zmm26, qword ptr [{k} + 8]{{1to8}}
vpunpcklqdq zmm6, zmm5, zmm2
vpmadd52luq zmm28, zmm27, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm5, [{vectors} + 64]
vpermi2q zmm5, zmm10, zmm14
vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm11, qword ptr [{top} + 80]{{1to8}}
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm24, qword ptr [{top} + 112]{{1to8}}
vpaddq zmm8, zmm16, zmm8
vpaddq zmm9, zmm15, zmm9
vmovdqu64 [{buffer} + 640], zmm22
vpminuq zmm22, zmm26, zmm25
vpmadd52huq zmm16, zmm18, zmm30
vmovdqa64 zmm26, [{vectors} + 64]
vpermi2q zmm26, zmm0, zmm6
vpaddq zmm25, zmm3, zmm30
prefetcht0 [{pair} + 3136]
vmovdqa64 zmm18, zmm31
jmp 2f
2:
vpmadd52huq zmm18, zmm20, qword ptr [{top} + 96]{{1to8}}
vpmadd52huq zmm15, zmm19, zmm30
vmovdqa64 zmm19, [{vectors} + 64]
vpermi2q zmm19, zmm1, zmm7
vmovdqu64 [{buffer} + 704], zmm5
vpsubq zmm5, zmm23, zmm30
vpsubq zmm17, zmm17, zmm21
vpaddq zmm25, zmm3, zmm25
vpmadd52huq zmm3, zmm13, zmm30
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm4, qword ptr [{top} + 128]{{1to8}}
vpminuq zmm23, zmm23, zmm5
vpaddq zmm5, zmm22, zmm30
vmovdqu64 [{buffer} + 896], zmm26
vpsubq zmm26, zmm8, zmm16
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm21, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm18, zmm20, qword ptr [{top} + 104]{{1to8}}
vmovdqu64 [{buffer} + 960], zmm19
vmovdqa64 zmm20, [{vectors} + 0]
vpermi2q zmm20, zmm12, zmm29
vmovdqu64 zmm19, [{x} + 2176]
vpsubq zmm12, zmm9, zmm15
vmovdqa64 zmm29, [{vectors} + 0]
vpermi2q zmm29, zmm10, zmm14
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm19, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm10, zmm22, zmm5
vpmadd52huq zmm22, zmm28, zmm30
vpaddq zmm14, zmm16, zmm30
vpmadd52luq zmm2, zmm11, qword ptr [{top} + 88]{{1to8}}
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm17, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm28, zmm12, zmm30
vpsubq zmm11, zmm25, zmm3
vpmadd52luq zmm27, zmm24, qword ptr [{top} + 120]{{1to8}}
vpmadd52luq zmm13, zmm4, qword ptr [{top} + 136]{{1to8}}
vpaddq zmm25, zmm26, zmm30
vpaddq zmm24, zmm23, zmm30
vmovdqu64 [{buffer} + 576], zmm29
vpmadd52luq zmm9, zmm19, qword ptr [{top} + 8]{{1to8}}
vmovdqu64 zmm4, [{x} + 3968]
vmovdqa64 zmm29, [{vectors} + 0]
vpermi2q zmm29, zmm1, zmm7
vmovdqa64 zmm19, [{vectors} + 0]
vpermi2q zmm19, zmm0, zmm6
vpaddq zmm1, zmm15, zmm30
vmovdqu64 [{buffer} + 512], zmm20
vmovdqu64 zmm7, [{x} + 1920]
vpmadd52luq zmm8, zmm21, qword ptr [{top} + 24]{{1to8}}
vpaddq zmm0, zmm16, zmm14
vpmadd52huq zmm16, zmm2, zmm30
vpsubq zmm6, zmm10, zmm22
vpsubq zmm20, zmm7, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm4, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm14, zmm22, zmm30
vpaddq zmm2, zmm15, zmm1
vpmadd52huq zmm15, zmm27, zmm30
vpmadd52luq zmm5, zmm17, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm10, zmm26, zmm25
vpaddq zmm1, zmm23, zmm24
vmovdqu64 [{buffer} + 832], zmm29
vmovdqu64 zmm27, [{x} + 2944]
vpmadd52huq zmm26, zmm18, zmm30
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm3, qword ptr [{top} + 16]{{1to8}}
vpminuq zmm25, zmm7, zmm20
vpaddq zmm24, zmm12, zmm28
vmovdqu64 zmm29, [{x} + 896]
vmovdqu64 [{buffer} + 768], zmm19
vpmadd52huq zmm12, zmm13, zmm30
vpmadd52huq zmm23, zmm9, zmm30
vpaddq zmm18, zmm6, zmm30
vpaddq zmm7, zmm22, zmm14
vmovdqu64 zmm20, [{x} + 3456]
vmovdqu64 zmm28, [{x} + 384]
prefetcht0 [{pair} + 3200]
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm11, qword ptr [{top} + 48]{{1to8}}
vpmadd52luq zmm21, zmm4, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm13, zmm2, zmm15
vpsubq zmm9, zmm0, zmm16
vpmadd52huq zmm22, zmm8, zmm30
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm27, qword ptr [{top} + 0]{{1to8}}
vpaddq zmm4, zmm6, zmm18
vmovdqu64 zmm2, [{x} + 1408]
vpaddq zmm0, zmm25, zmm30
vpmadd52huq zmm6, zmm5, zmm30
vpsubq zmm8, zmm2, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm17, zmm3, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm18, zmm10, zmm26
vpsubq zmm5, zmm29, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm3, zmm1, zmm23
vpunpckhqdq zmm10, zmm16, zmm9
vpsubq zmm1, zmm28, qword ptr [{k} + 8]{{1to8}}
vpunpcklqdq zmm16, zmm16, zmm9
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm20, qword ptr [{top} + 0]{{1to8}}
jmp 2f
2:
vpmadd52luq zmm19, zmm11, qword ptr [{top} + 56]{{1to8}}
vpunpcklqdq zmm11, zmm26, zmm18
vpunpckhqdq zmm26, zmm26, zmm18
vpsubq zmm18, zmm24, zmm12
vpminuq zmm24, zmm29, zmm5
vpsubq zmm29, zmm7, zmm22
vpminuq zmm5, zmm28, zmm1
vpaddq zmm7, zmm25, zmm0
vpmadd52huq zmm25, zmm21, zmm30
vpaddq zmm28, zmm3, zmm30
vmovdqu64 zmm1, [{x} + 3776]
vpunpcklqdq zmm0, zmm15, zmm13
vpaddq zmm21, zmm23, zmm30
vpmadd52luq zmm9, zmm20, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm20, [{vectors} + 64]
vpermi2q zmm20, zmm16, zmm11
vpminuq zmm2, zmm2, zmm8
vpsubq zmm8, zmm4, zmm6
vpunpckhqdq zmm4, zmm15, zmm13
vmovdqa64 zmm15, [{vectors} + 64]
vpermi2q zmm15, zmm10, zmm26
vpaddq zmm13, zmm23, zmm21
vpmadd52huq zmm23, zmm17, zmm30
vpunpcklqdq zmm21, zmm12, zmm18
vpunpckhqdq zmm17, zmm12, zmm18
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm29, qword ptr [{top} + 96]{{1to8}}
vpmadd52luq zmm14, zmm27, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm18, zmm24, zmm30
vpsubq zmm27, zmm5, zmm30
vmovdqu64 [{buffer} + 2688], zmm20
vmovdqa64 zmm20, [{vectors} + 64]
vpermi2q zmm20, zmm0, zmm21
vpaddq zmm28, zmm3, zmm28
vpmadd52huq zmm3, zmm19, zmm30
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm22, qword ptr [{top} + 80]{{1to8}}
vmovdqu64 [{buffer} + 2752], zmm15
vpsubq zmm15, zmm7, zmm25
vmovdqa64 zmm7, [{vectors} + 64]
vpermi2q zmm7, zmm4, zmm17
vpaddq zmm18, zmm24, zmm18
vpsubq zmm13, zmm13, zmm23
prefetcht0 [{pair} + 3264]
vpminuq zmm5, zmm5, zmm27
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm6, qword ptr [{top} + 112]{{1to8}}
vpmadd52luq zmm12, zmm29, qword ptr [{top} + 104]{{1to8}}
vpaddq zmm29, zmm2, zmm30
vpmadd52luq zmm19, zmm22, qword ptr [{top} + 88]{{1to8}}
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm1, qword ptr [{top} + 0]{{1to8}}
vmovdqu64 [{buffer} + 2944], zmm20
vmovdqa64 zmm20, [{vectors} + 0]
vpermi2q zmm20, zmm10, zmm26
vpsubq zmm10, zmm28, zmm3
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm25, qword ptr [{top} + 16]{{1to8}}
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm8, qword ptr [{top} + 128]{{1to8}}
vpaddq zmm29, zmm2, zmm29
vmovdqu64 [{buffer} + 3008], zmm7
vmovdqa64 zmm7, [{vectors} + 0]
vpermi2q zmm7, zmm16, zmm11
vpmadd52huq zmm24, zmm14, zmm30
vmovdqu64 zmm16, [{x} + 1728]
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm15, qword ptr [{top} + 48]{{1to8}}
vmovdqa64 zmm14, [{vectors} + 0]
vpermi2q zmm14, zmm4, zmm17
vpaddq zmm4, zmm13, zmm30
vpsubq zmm17, zmm16, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm2, zmm9, zmm30
vpmadd52luq zmm27, zmm6, qword ptr [{top} + 120]{{1to8}}
vpaddq zmm9, zmm5, zmm30
vmovdqu64 [{buffer} + 2624], zmm20
vpmadd52luq zmm28, zmm8, qword ptr [{top} + 136]{{1to8}}
vmovdqu64 zmm6, [{x} + 2432]
vmovdqa64 zmm20, [{vectors} + 0]
vpermi2q zmm20, zmm0, zmm21
vpaddq zmm8, zmm10, zmm30
vpaddq zmm0, zmm23, zmm30
vmovdqu64 [{buffer} + 2560], zmm7
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm6, qword ptr [{top} + 0]{{1to8}}
vpminuq zmm7, zmm16, zmm17
vpmadd52luq zmm22, zmm1, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm16, zmm3, zmm30
vmovdqu64 [{buffer} + 2880], zmm14
vmovdqu64 zmm17, [{x} + 1216]
vpmadd52luq zmm26, zmm25, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm1, zmm18, zmm24
vpaddq zmm14, zmm13, zmm4
vpaddq zmm25, zmm24, zmm30
vpsubq zmm18, zmm17, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm4, zmm29, zmm2
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm2, qword ptr [{top} + 16]{{1to8}}
vpaddq zmm16, zmm3, zmm16
vmovdqu64 [{buffer} + 2816], zmm20
jmp 2f
2:
vpmadd52luq zmm21, zmm6, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm20, zmm7, zmm30
vpaddq zmm6, zmm10, zmm8
vpmadd52huq zmm13, zmm12, zmm30
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm4, qword ptr [{top} + 48]{{1to8}}
vpmadd52luq zmm11, zmm15, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm12, zmm23, zmm0
vpaddq zmm15, zmm5, zmm9
vpmadd52huq zmm23, zmm19, zmm30
vmovdqu64 zmm0, [{x} + 192]
vpaddq zmm9, zmm7, zmm20
vpmadd52huq zmm10, zmm28, zmm30
vmovdqu64 zmm19, [{x} + 3264]
vpminuq zmm20, zmm17, zmm18
vmovdqu64 zmm28, [{x} + 704]
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm19, qword ptr [{top} + 0]{{1to8}}
vpmadd52huq zmm5, zmm21, zmm30
vpaddq zmm18, zmm24, zmm25
vpaddq zmm21, zmm1, zmm30
vpsubq zmm25, zmm0, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm3, zmm27, zmm30
vpsubq zmm27, zmm28, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm7, zmm22, zmm30
prefetcht0 [{pair} + 3328]
vpsubq zmm22, zmm14, zmm13
vpmadd52huq zmm24, zmm26, zmm30
vpaddq zmm14, zmm1, zmm21
vpaddq zmm26, zmm20, zmm30
vpminuq zmm21, zmm28, zmm27
vpminuq zmm28, zmm0, zmm25
vmovdqu64 zmm27, [{x} + 2752]
vpmadd52luq zmm17, zmm19, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm0, zmm6, zmm10
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm27, qword ptr [{top} + 0]{{1to8}}
vpmadd52huq zmm1, zmm11, zmm30
vmovdqu64 zmm19, [{x} + 2240]
vpsubq zmm6, zmm9, zmm7
vpsubq zmm11, zmm16, zmm3
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm19, qword ptr [{top} + 0]{{1to8}}
vpsubq zmm16, zmm12, zmm23
vpmadd52luq zmm29, zmm2, qword ptr [{top} + 24]{{1to8}}
vpaddq zmm12, zmm5, zmm30
vpaddq zmm2, zmm21, zmm30
vpmadd52luq zmm8, zmm4, qword ptr [{top} + 56]{{1to8}}
vpunpcklqdq zmm4, zmm13, zmm22
vpunpckhqdq zmm13, zmm13, zmm22
vpmadd52luq zmm25, zmm27, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm22, zmm28, zmm30
vpunpcklqdq zmm27, zmm23, zmm16
vpsubq zmm15, zmm15, zmm5
vpunpckhqdq zmm23, zmm23, zmm16
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm6, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm26, zmm20, zmm26
vpmadd52huq zmm20, zmm17, zmm30
vpunpcklqdq zmm17, zmm10, zmm0
vpaddq zmm2, zmm21, zmm2
vpminuq zmm28, zmm28, zmm22
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm7, qword ptr [{top} + 16]{{1to8}}
vpmadd52huq zmm21, zmm25, zmm30
vpsubq zmm25, zmm14, zmm1
vpunpckhqdq zmm14, zmm3, zmm11
vpsubq zmm18, zmm18, zmm24
vpunpcklqdq zmm3, zmm3, zmm11
vpaddq zmm11, zmm15, zmm30
vpunpckhqdq zmm10, zmm10, zmm0
vmovdqa64 zmm0, [{vectors} + 64]
vpermi2q zmm0, zmm27, zmm4
vpaddq zmm12, zmm5, zmm12
vpmadd52luq zmm9, zmm19, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm24, qword ptr [{top} + 80]{{1to8}}
vpsubq zmm26, zmm26, zmm20
vpmadd52huq zmm5, zmm29, zmm30
vmovdqa64 zmm29, [{vectors} + 64]
vpermi2q zmm29, zmm14, zmm10
vpmadd52luq zmm22, zmm7, qword ptr [{top} + 24]{{1to8}}
vpaddq zmm7, zmm28, zmm30
vpaddq zmm11, zmm15, zmm11
vpmadd52huq zmm15, zmm8, zmm30
vmovdqa64 zmm8, [{vectors} + 64]
vpermi2q zmm8, zmm23, zmm13
vmovdqu64 [{buffer} + 1152], zmm0
vmovdqa64 zmm0, [{vectors} + 64]
vpermi2q zmm0, zmm3, zmm17
prefetcht0 [{pair} + 3392]
vpmadd52luq zmm16, zmm6, qword ptr [{top} + 56]{{1to8}}
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm1, qword ptr [{top} + 112]{{1to8}}
vpsubq zmm2, zmm2, zmm21
vpaddq zmm7, zmm28, zmm7
vpsubq zmm12, zmm12, zmm5
vmovdqu64 [{buffer} + 1472], zmm29
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm18, qword ptr [{top} + 96]{{1to8}}
jmp 2f
2:
vpmadd52huq zmm28, zmm9, zmm30
vpaddq zmm9, zmm21, zmm30
vmovdqu64 [{buffer} + 1216], zmm8
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm20, qword ptr [{top} + 16]{{1to8}}
vpsubq zmm11, zmm11, zmm15
vpmadd52luq zmm19, zmm24, qword ptr [{top} + 88]{{1to8}}
vpaddq zmm24, zmm2, zmm30
vmovdqu64 [{buffer} + 1408], zmm0
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm25, qword ptr [{top} + 128]{{1to8}}
vpmadd52luq zmm6, zmm1, qword ptr [{top} + 120]{{1to8}}
vpaddq zmm1, zmm21, zmm9
vmovdqa64 zmm9, [{vectors} + 0]
vpermi2q zmm9, zmm27, zmm4
vpmadd52luq zmm29, zmm18, qword ptr [{top} + 104]{{1to8}}
vmovdqu64 zmm27, [{x} + 4032]
vpmadd52huq zmm21, zmm22, zmm30
vpaddq zmm4, zmm5, zmm30
vmovdqa64 zmm18, [{vectors} + 0]
vpermi2q zmm18, zmm14, zmm10
vmovdqu64 zmm22, [{x} + 1984]
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm27, qword ptr [{top} + 0]{{1to8}}
vmovdqa64 zmm10, [{vectors} + 0]
vpermi2q zmm10, zmm23, zmm13
vpaddq zmm23, zmm15, zmm30
vmovdqa64 zmm13, [{vectors} + 0]
vpermi2q zmm13, zmm3, zmm17
vpsubq zmm3, zmm22, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm0, zmm25, qword ptr [{top} + 136]{{1to8}}
vpaddq zmm17, zmm12, zmm30
vpsubq zmm25, zmm7, zmm28
vmovdqu64 [{buffer} + 1024], zmm9
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm26, qword ptr [{top} + 48]{{1to8}}
vpmadd52luq zmm8, zmm20, qword ptr [{top} + 24]{{1to8}}
vpaddq zmm9, zmm2, zmm24
vpaddq zmm20, zmm5, zmm4
vmovdqu64 [{buffer} + 1344], zmm18
vpminuq zmm24, zmm22, zmm3
vmovdqu64 zmm4, [{x} + 960]
vpmadd52luq zmm14, zmm27, qword ptr [{top} + 8]{{1to8}}
vpmadd52huq zmm2, zmm16, zmm30
vpaddq zmm18, zmm12, zmm17
vmovdqu64 [{buffer} + 1088], zmm10
vmovdqu64 zmm22, [{x} + 3008]
vmovdqu64 zmm3, [{x} + 3520]
vpaddq zmm27, zmm11, zmm30
vpmadd52huq zmm12, zmm29, zmm30
vpsubq zmm16, zmm1, zmm21
vpmadd52huq zmm5, zmm19, zmm30
vmovdqu64 [{buffer} + 1280], zmm13
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm22, qword ptr [{top} + 0]{{1to8}}
vmovdqu64 zmm10, [{x} + 448]
vpaddq zmm29, zmm28, zmm30
vpaddq zmm1, zmm25, zmm30
vpaddq zmm19, zmm15, zmm23
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm3, qword ptr [{top} + 0]{{1to8}}
vpmadd52luq zmm7, zmm26, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm23, zmm24, zmm30
vpaddq zmm26, zmm11, zmm27
vpsubq zmm27, zmm4, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm15, zmm6, zmm30
vpsubq zmm6, zmm10, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm9, zmm9, zmm2
prefetcht0 [{pair} + 3456]
vpaddq zmm23, zmm24, zmm23
vpmadd52huq zmm24, zmm14, zmm30
vpmadd52huq zmm11, zmm0, zmm30
vpaddq zmm14, zmm28, zmm29
vpminuq zmm0, zmm4, zmm27
vmovdqu64 zmm29, [{x} + 1472]
vpminuq zmm4, zmm10, zmm6
vpmadd52huq zmm28, zmm8, zmm30
vpsubq zmm27, zmm20, zmm5
vmovdqu64 zmm10, [{x} + 2496]
vpsubq zmm6, zmm29, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm17, zmm22, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm8, zmm18, zmm12
vpaddq zmm20, zmm25, zmm1
vpmadd52luq zmm13, zmm3, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm9, qword ptr [{top} + 128]{{1to8}}
vpsubq zmm18, zmm26, zmm11
vpsubq zmm1, zmm19, zmm15
vpminuq zmm3, zmm29, zmm6
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm10, qword ptr [{top} + 0]{{1to8}}
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm21, qword ptr [{top} + 80]{{1to8}}
vpaddq zmm29, zmm0, zmm30
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm16, qword ptr [{top} + 96]{{1to8}}
vpmadd52huq zmm25, zmm7, zmm30
vpsubq zmm7, zmm4, zmm30
vpsubq zmm23, zmm23, zmm24
vpaddq zmm29, zmm0, zmm29
jmp 2f
2:
vpmadd52huq zmm0, zmm17, zmm30
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm2, qword ptr [{top} + 112]{{1to8}}
vpsubq zmm14, zmm14, zmm28
vpminuq zmm4, zmm4, zmm7
vpaddq zmm7, zmm3, zmm30
vpmadd52luq zmm19, zmm21, qword ptr [{top} + 88]{{1to8}}
vpunpcklqdq zmm21, zmm5, zmm27
vpunpckhqdq zmm5, zmm5, zmm27
vpunpcklqdq zmm27, zmm12, zmm8
vpunpckhqdq zmm12, zmm12, zmm8
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm23, qword ptr [{top} + 48]{{1to8}}
vpaddq zmm7, zmm3, zmm7
vpmadd52huq zmm3, zmm13, zmm30
vpunpcklqdq zmm13, zmm11, zmm18
vpunpckhqdq zmm11, zmm11, zmm18
vpunpcklqdq zmm18, zmm15, zmm1
vpmadd52luq zmm6, zmm16, qword ptr [{top} + 104]{{1to8}}
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm24, qword ptr [{top} + 16]{{1to8}}
vpunpckhqdq zmm15, zmm15, zmm1
vpmadd52luq zmm17, zmm2, qword ptr [{top} + 120]{{1to8}}
vpmadd52luq zmm22, zmm9, qword ptr [{top} + 136]{{1to8}}
vpsubq zmm1, zmm20, zmm25
vpaddq zmm2, zmm28, zmm30
vmovdqa64 zmm9, [{vectors} + 64]
vpermi2q zmm9, zmm21, zmm27
vpmadd52luq zmm26, zmm10, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm20, [{vectors} + 64]
vpermi2q zmm20, zmm5, zmm12
vpaddq zmm10, zmm25, zmm30
prefetcht0 [{pair} + 3520]
vpsubq zmm7, zmm7, zmm3
vpsubq zmm29, zmm29, zmm0
vpmadd52luq zmm16, zmm24, qword ptr [{top} + 24]{{1to8}}
vmovdqa64 zmm24, [{vectors} + 64]
vpermi2q zmm24, zmm15, zmm11
vpmadd52luq zmm8, zmm23, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm23, zmm14, zmm30
vpaddq zmm10, zmm25, zmm10
vpaddq zmm2, zmm28, zmm2
vpmadd52huq zmm28, zmm19, zmm30
vmovdqa64 zmm19, [{vectors} + 64]
vpermi2q zmm19, zmm18, zmm13
vmovdqu64 [{buffer} + 3264], zmm20
vpaddq zmm20, zmm1, zmm30
vpmadd52huq zmm25, zmm17, zmm30
vpaddq zmm17, zmm4, zmm30
vpaddq zmm23, zmm14, zmm23
vpmadd52huq zmm14, zmm6, zmm30
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm3, qword ptr [{top} + 16]{{1to8}}
vmovdqu64 [{buffer} + 3200], zmm9
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm7, qword ptr [{top} + 48]{{1to8}}
vmovdqu64 [{buffer} + 3520], zmm24
vpaddq zmm24, zmm0, zmm30
vpaddq zmm20, zmm1, zmm20
vpmadd52huq zmm1, zmm22, zmm30
vpaddq zmm22, zmm4, zmm17
vpaddq zmm17, zmm29, zmm30
vmovdqu64 [{buffer} + 3456], zmm19
vpmadd52huq zmm4, zmm26, zmm30
vmovdqa64 zmm19, [{vectors} + 0]
vpermi2q zmm19, zmm21, zmm27
vmovdqu64 zmm26, [{pair} + 0]
vpaddq zmm21, zmm0, zmm24
vmovdqa64 zmm27, [{vectors} + 0]
vpermi2q zmm27, zmm5, zmm12
vmovdqa64 zmm24, [{vectors} + 0]
vpermi2q zmm24, zmm18, zmm13
vpsubq zmm5, zmm23, zmm14
vpbroadcastq zmm12, qword ptr [{k} + 32]
vmovdqu64 ymm18, [{buffer} + 2560]
vmovdqa64 zmm13, [{vectors} + 0]
vpermi2q zmm13, zmm15, zmm11
vpaddq zmm23, zmm29, zmm17
vpmadd52huq zmm0, zmm16, zmm30
vpsubq zmm15, zmm20, zmm1
vmovdqu64 ymm11, [{buffer} + 512]
vmovdqu64 ymm17, [{buffer} + 1024]
vpmadd52luq zmm6, zmm3, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm9, zmm7, qword ptr [{top} + 56]{{1to8}}
vpsubq zmm16, zmm2, zmm28
vpsubq zmm20, zmm10, zmm25
vmovdqu64 [{buffer} + 3072], zmm19
vpmadd52huq zmm29, zmm8, zmm30
vpaddq zmm3, zmm4, zmm30
vpunpcklqdq zmm7, zmm14, zmm5
vpsubq zmm2, zmm22, zmm4
vmovdqu64 [{buffer} + 3136], zmm27
vpbroadcastq zmm10, qword ptr [{k} + 40]
vmovdqu64 zmm19, [{pair} + 64]
vpsubq zmm8, zmm21, zmm0
vpunpckhqdq zmm22, zmm28, zmm16
vpunpcklqdq zmm27, zmm28, zmm16
vpunpckhqdq zmm21, zmm14, zmm5
vmovdqu64 [{buffer} + 3392], zmm13
vmovdqu64 ymm28, [{buffer} + 0]
jmp 2f
2:
vmovdqu64 ymm16, [{buffer} + 2048]
vpaddq zmm14, zmm2, zmm30
vpunpcklqdq zmm5, zmm1, zmm15
vpunpcklqdq zmm13, zmm25, zmm20
vpaddq zmm3, zmm4, zmm3
vmovdqu64 [{buffer} + 3328], zmm24
vpunpckhqdq zmm24, zmm1, zmm15
vpunpckhqdq zmm1, zmm25, zmm20
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm8, qword ptr [{top} + 96]{{1to8}}
vmovdqa64 zmm25, [{vectors} + 64]
vpermi2q zmm25, zmm22, zmm21
prefetcht0 [{pair} + 3584]
vmovdqa64 zmm20, [{vectors} + 64]
vpermi2q zmm20, zmm27, zmm7
vpsubq zmm23, zmm23, zmm29
vpaddq zmm14, zmm2, zmm14
vpmadd52huq zmm4, zmm6, zmm30
vmovdqa64 zmm6, [{vectors} + 64]
vpermi2q zmm6, zmm1, zmm24
vpmadd52huq zmm2, zmm9, zmm30
vmovdqa64 zmm9, [{vectors} + 64]
vpermi2q zmm9, zmm13, zmm5
vpmadd52luq zmm15, zmm8, qword ptr [{top} + 104]{{1to8}}
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm0, qword ptr [{top} + 80]{{1to8}}
vmovdqu64 [{buffer} + 1728], zmm25
vmovdqa64 zmm25, [{vectors} + 0]
vpermi2q zmm25, zmm27, zmm7
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm29, qword ptr [{top} + 112]{{1to8}}
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm23, qword ptr [{top} + 128]{{1to8}}
vpsubq zmm3, zmm3, zmm4
vmovdqu64 [{buffer} + 1664], zmm20
vpaddq zmm20, zmm4, zmm30
vmovdqu64 [{buffer} + 1920], zmm9
vpsubq zmm9, zmm14, zmm2
vmovdqa64 zmm14, [{vectors} + 0]
vpermi2q zmm14, zmm22, zmm21
vmovdqa64 zmm22, [{vectors} + 0]
vpermi2q zmm22, zmm13, zmm5
vpaddq zmm21, zmm2, zmm30
vmovdqu64 [{buffer} + 1984], zmm6
vpmadd52luq zmm8, zmm0, qword ptr [{top} + 88]{{1to8}}
vpaddq zmm13, zmm3, zmm30
vmovdqa64 zmm5, [{vectors} + 0]
vpermi2q zmm5, zmm1, zmm24
vpaddq zmm6, zmm4, zmm20
vmovdqu64 ymm0, [{buffer} + 3072]
vpmadd52luq zmm27, zmm29, qword ptr [{top} + 120]{{1to8}}
vpmadd52luq zmm7, zmm23, qword ptr [{top} + 136]{{1to8}}
vpaddq zmm1, zmm9, zmm30
vpaddq zmm24, zmm2, zmm21
vmovdqu64 [{buffer} + 1536], zmm25
vpaddq zmm20, zmm3, zmm13
vmovdqu64 [{buffer} + 1600], zmm14
vpmadd52huq zmm3, zmm15, zmm30
vinserti64x4 zmm29, zmm18, [{buffer} + 2816], 1
vinserti64x4 zmm23, zmm17, [{buffer} + 1280], 1
vpaddq zmm21, zmm9, zmm1
vmovdqu64 [{buffer} + 1856], zmm5
vpmadd52huq zmm4, zmm8, zmm30
vinserti64x4 zmm25, zmm0, [{buffer} + 3328], 1
vinserti64x4 zmm13, zmm11, [{buffer} + 768], 1
vmovdqu64 [{buffer} + 1792], zmm22
vpmadd52huq zmm9, zmm7, zmm30
vpmadd52huq zmm2, zmm27, zmm30
vinserti64x4 zmm14, zmm16, [{buffer} + 2304], 1
vmovdqu64 zmm15, [{pair} + 1280]
vpsubq zmm18, zmm20, zmm3
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm29, zmm26
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm23, zmm12
vinserti64x4 zmm5, zmm28, [{buffer} + 256], 1
vmovdqu64 zmm8, [{pair} + 2176]
vpsubq zmm0, zmm6, zmm4
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm25, zmm26
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm13, zmm12
vmovdqu64 ymm7, [{buffer} + 2592]
vmovdqu64 ymm27, [{buffer} + 544]
vpsubq zmm16, zmm21, zmm9
vpunpckhqdq zmm20, zmm3, zmm18
vpunpcklqdq zmm28, zmm3, zmm18
vpsubq zmm6, zmm24, zmm2
vmovdqu64 ymm21, [{buffer} + 3104]
vmovdqu64 ymm3, [{buffer} + 1056]
prefetcht0 [{pair} + 3648]
vpunpcklqdq zmm18, zmm4, zmm0
vpunpckhqdq zmm24, zmm4, zmm0
vpmadd52luq zmm17, zmm29, zmm19
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm14, zmm26
vpunpcklqdq zmm0, zmm9, zmm16
vpunpckhqdq zmm29, zmm2, zmm6
vpunpckhqdq zmm9, zmm9, zmm16
vpunpcklqdq zmm16, zmm2, zmm6
jmp 2f
2:
vmovdqa64 zmm2, [{vectors} + 64]
vpermi2q zmm2, zmm24, zmm20
vmovdqa64 zmm6, [{vectors} + 64]
vpermi2q zmm6, zmm18, zmm28
vpmadd52luq zmm11, zmm25, zmm19
vmovdqa64 zmm25, [{vectors} + 64]
vpermi2q zmm25, zmm29, zmm9
vpmadd52luq zmm1, zmm23, zmm10
vmovdqa64 zmm23, [{vectors} + 64]
vpermi2q zmm23, zmm16, zmm0
vpmadd52luq zmm22, zmm13, zmm10
vmovdqa64 zmm13, [{vectors} + 0]
vpermi2q zmm13, zmm24, zmm20
vmovdqa64 zmm24, [{vectors} + 0]
vpermi2q zmm24, zmm29, zmm9
vmovdqu64 ymm20, [{buffer} + 1536]
vmovdqu64 [{buffer} + 3712], zmm6
vmovdqa64 zmm29, [{vectors} + 0]
vpermi2q zmm29, zmm16, zmm0
vmovdqa64 zmm9, [{vectors} + 0]
vpermi2q zmm9, zmm18, zmm28
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm5, zmm12
vmovdqu64 ymm16, [{buffer} + 1568]
vmovdqu64 zmm0, [{pair} + 1344]
vmovdqu64 [{buffer} + 3968], zmm23
vinserti64x4 zmm18, zmm20, [{buffer} + 1792], 1
vpsubq zmm28, zmm1, zmm11
vinserti64x4 zmm23, zmm16, [{buffer} + 1824], 1
vpaddq zmm20, zmm1, zmm11
vmovdqu64 [{buffer} + 3776], zmm2
vpsubq zmm16, zmm22, zmm17
vpaddq zmm1, zmm22, zmm17
vpmadd52luq zmm4, zmm14, zmm19
vinserti64x4 zmm11, zmm27, [{buffer} + 800], 1
vmovdqu64 zmm2, [{pair} + 2240]
vmovdqu64 [{buffer} + 4032], zmm25
vpmadd52luq zmm6, zmm5, zmm10
vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm28, zmm30
vinserti64x4 zmm17, zmm21, [{buffer} + 3360], 1
vmovdqu64 ymm14, [{buffer} + 32]
vmovdqu64 [{buffer} + 3648], zmm13
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm18, zmm12
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm1, zmm30
vinserti64x4 zmm5, zmm3, [{buffer} + 1312], 1
vmovdqu64 ymm28, [{buffer} + 2080]
vmovdqu64 [{buffer} + 3584], zmm9
vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm16, zmm30
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm20, zmm30
vinserti64x4 zmm12, zmm7, [{buffer} + 2848], 1
vmovdqu64 ymm1, [{buffer} + 1600]
vmovdqu64 [{buffer} + 3840], zmm29
vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm23, zmm15
vpaddq zmm9, zmm6, zmm4
vpsubq zmm16, zmm6, zmm4
vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm22, [{pair} + 256]
vmovdqu64 zmm7, [{pair} + 896]
vmovdqu64 [{buffer} + 3904], zmm24
vpmadd52luq zmm27, zmm18, zmm10
vpaddq zmm29, zmm25, zmm30
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm11, zmm15
vinserti64x4 zmm4, zmm28, [{buffer} + 2336], 1
vmovdqu64 zmm24, [{pair} + 1792]
prefetcht0 [{pair} + 3712]
vpaddq zmm18, zmm21, zmm30
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm13, [{pair} + 128]
vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm9, zmm30
vinserti64x4 zmm9, zmm14, [{buffer} + 288], 1
vpmadd52luq zmm3, zmm23, zmm0
vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm16, zmm30
vpaddq zmm23, zmm25, zmm29
vinserti64x4 zmm16, zmm1, [{buffer} + 1856], 1
vpaddq zmm29, zmm21, zmm18
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm12, zmm8
vpmadd52luq zmm20, zmm22, [{pair} + 320]
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm5, zmm15
vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm17, zmm8
vpmadd52luq zmm10, zmm13, [{pair} + 192]
vpaddq zmm13, zmm28, zmm30
vpmadd52luq zmm6, zmm11, zmm0
vpaddq zmm11, zmm14, zmm30
vpmadd52luq zmm1, zmm12, zmm2
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm9, zmm15
vpmadd52luq zmm18, zmm5, zmm0
vpmadd52luq zmm22, zmm17, zmm2
jmp 2f
2:
vmovdqu64 ymm15, [{buffer} + 3584]
vpaddq zmm5, zmm28, zmm13
vpaddq zmm17, zmm14, zmm11
vinserti64x4 zmm13, zmm15, [{buffer} + 3840], 1
vpmadd52huq zmm28, zmm10, zmm30
vmovdqu64 ymm11, [{buffer} + 3616]
vpmadd52huq zmm14, zmm20, zmm30
vinserti64x4 zmm15, zmm11, [{buffer} + 3872], 1
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm4, zmm8
vpaddq zmm20, zmm6, zmm1
vpsubq zmm11, zmm6, zmm1
vpsubq zmm6, zmm18, zmm22
vpaddq zmm1, zmm18, zmm22
vpmadd52luq zmm12, zmm9, zmm0
vmovdqu64 ymm18, [{buffer} + 3648]
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm16, zmm7
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm13, zmm26
vinserti64x4 zmm0, zmm18, [{buffer} + 3904], 1
vpsubq zmm26, zmm17, zmm14
vpsubq zmm18, zmm5, zmm28
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm15, zmm8
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm1, zmm30
vpaddq zmm8, zmm28, zmm30
vpaddq zmm1, zmm14, zmm30
vpmadd52luq zmm10, zmm4, zmm2
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm11, zmm30
vpaddq zmm11, zmm18, zmm30
vpmadd52luq zmm9, zmm13, zmm19
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm0, zmm24
vpaddq zmm19, zmm26, zmm30
vpaddq zmm8, zmm28, zmm8
prefetcht0 [{pair} + 3776]
vpmadd52luq zmm17, zmm15, zmm2
vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm20, zmm30
vpaddq zmm2, zmm18, zmm11
vpaddq zmm20, zmm14, zmm1
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm6, zmm30
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm5, [{pair} + 128]
vpaddq zmm6, zmm12, zmm10
vpaddq zmm19, zmm26, zmm19
vpsubq zmm12, zmm12, zmm10
vpaddq zmm10, zmm27, zmm9
vpsubq zmm27, zmm27, zmm9
vpaddq zmm9, zmm4, zmm30
vpaddq zmm9, zmm4, zmm9
vpmadd52luq zmm1, zmm5, [{pair} + 192]
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm10, zmm30
vpsubq zmm10, zmm3, zmm17
vpaddq zmm3, zmm3, zmm17
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm27, zmm30
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm11, [{pair} + 256]
vpmadd52luq zmm27, zmm11, [{pair} + 320]
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm5, [{pair} + 128]
vpmadd52luq zmm11, zmm5, [{pair} + 192]
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm17, [{pair} + 256]
prefetcht0 [{pair} + 3840]
vpmadd52luq zmm5, zmm17, [{pair} + 320]
vpmadd52huq zmm25, zmm11, zmm30
vpaddq zmm17, zmm15, zmm30
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm3, zmm30
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm10, zmm30
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm12, zmm30
vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm6, zmm30
vpaddq zmm6, zmm15, zmm17
vpmadd52huq zmm21, zmm5, zmm30
vpsubq zmm17, zmm23, zmm25
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm25, [{pair} + 384]
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm11, [{pair} + 128]
vpsubq zmm29, zmm29, zmm21
vpmadd52luq zmm5, zmm25, [{pair} + 448]
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm21, [{pair} + 640]
vpmadd52luq zmm23, zmm11, [{pair} + 192]
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm17, [{pair} + 512]
vpmadd52luq zmm25, zmm21, [{pair} + 704]
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm29, [{pair} + 768]
vpmadd52luq zmm11, zmm17, [{pair} + 576]
jmp 2f
2:
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm3, [{pair} + 256]
vpmadd52huq zmm28, zmm5, zmm30
vpmadd52huq zmm15, zmm23, zmm30
vpaddq zmm5, zmm10, zmm30
vpaddq zmm23, zmm12, zmm30
prefetcht0 [{pair} + 3904]
vpmadd52luq zmm21, zmm29, [{pair} + 832]
vpmadd52huq zmm14, zmm25, zmm30
vpmadd52luq zmm17, zmm3, [{pair} + 320]
vmovdqu64 ymm29, [{buffer} + 3136]
vpmadd52huq zmm18, zmm11, zmm30
vpaddq zmm25, zmm10, zmm5
vpaddq zmm3, zmm12, zmm23
vmovdqu64 ymm11, [{buffer} + 2624]
vinserti64x4 zmm5, zmm29, [{buffer} + 3392], 1
vpsubq zmm23, zmm8, zmm28
vmovdqu64 [{x} + 0], zmm28
vpsubq zmm29, zmm6, zmm15
vpmadd52huq zmm12, zmm1, zmm30
vmovdqu64 ymm8, [{buffer} + 1088]
vinserti64x4 zmm28, zmm11, [{buffer} + 2880], 1
vpmadd52huq zmm26, zmm21, zmm30
vpsubq zmm6, zmm20, zmm14
vmovdqu64 [{x} + 2048], zmm14
vpmadd52huq zmm10, zmm27, zmm30
vmovdqu64 ymm1, [{buffer} + 576]
vmovdqu64 zmm11, [{pair} + 960]
vpmadd52huq zmm4, zmm17, zmm30
vpsubq zmm21, zmm2, zmm18
vmovdqu64 [{x} + 512], zmm23
vinserti64x4 zmm20, zmm1, [{buffer} + 832], 1
vpmadd52luq zmm22, zmm16, zmm11
vinserti64x4 zmm14, zmm8, [{buffer} + 1344], 1
vmovdqu64 [{x} + 2560], zmm6
vpsubq zmm27, zmm3, zmm12
vmovdqu64 zmm17, [{pair} + 1856]
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm28, zmm24
vmovdqu64 ymm23, [{buffer} + 2112]
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm5, zmm24
vpsubq zmm16, zmm19, zmm26
vmovdqu64 [{x} + 1536], zmm21
vpsubq zmm8, zmm25, zmm10
vpmadd52luq zmm13, zmm0, zmm17
vmovdqu64 ymm6, [{buffer} + 64]
vmovdqu64 [{x} + 3072], zmm26
vinserti64x4 zmm3, zmm23, [{buffer} + 2368], 1
vpsubq zmm19, zmm9, zmm4
vpaddq zmm21, zmm12, zmm30
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm14, zmm7
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm20, zmm7
vinserti64x4 zmm26, zmm6, [{buffer} + 320], 1
vmovdqu64 [{x} + 1024], zmm18
vmovdqu64 ymm23, [{buffer} + 1632]
vpaddq zmm9, zmm8, zmm30
vpmadd52luq zmm2, zmm28, zmm17
vmovdqu64 [{x} + 3584], zmm16
vpmadd52luq zmm1, zmm5, zmm17
vmovdqu64 ymm6, [{buffer} + 3680]
vinserti64x4 zmm18, zmm23, [{buffer} + 1888], 1
vpaddq zmm28, zmm10, zmm30
vpaddq zmm16, zmm22, zmm13
vpsubq zmm5, zmm22, zmm13
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm4, [{pair} + 640]
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm29, [{pair} + 512]
vpmadd52luq zmm25, zmm14, zmm11
vpmadd52luq zmm0, zmm20, zmm11
vinserti64x4 zmm13, zmm6, [{buffer} + 3936], 1
vmovdqu64 zmm14, [{pair} + 1408]
vpaddq zmm20, zmm27, zmm30
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm5, zmm30
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm16, zmm30
vpaddq zmm16, zmm10, zmm28
vpaddq zmm28, zmm8, zmm9
prefetcht0 [{pair} + 3968]
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm15, [{pair} + 384]
vpmadd52luq zmm23, zmm4, [{pair} + 704]
vpaddq zmm4, zmm27, zmm20
vpaddq zmm20, zmm12, zmm21
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm26, zmm7
vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm3, zmm24
vpsubq zmm24, zmm25, zmm1
vpaddq zmm25, zmm25, zmm1
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm19, [{pair} + 768]
vpmadd52luq zmm22, zmm29, [{pair} + 576]
vpaddq zmm29, zmm0, zmm2
vpsubq zmm0, zmm0, zmm2
vmovdqa64 zmm2, zmm31
jmp 2f
2:
vpmadd52huq zmm2, zmm5, [{pair} + 128]
vpmadd52luq zmm9, zmm15, [{pair} + 448]
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm6, [{pair} + 256]
vpmadd52luq zmm21, zmm26, zmm11
vpmadd52luq zmm1, zmm19, [{pair} + 832]
vpxord zmm26, zmm26, zmm26
vpmadd52huq zmm26, zmm29, zmm30
vmovdqu64 zmm11, [{pair} + 2304]
vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm0, zmm30
vpmadd52luq zmm7, zmm3, zmm17
vmovdqu64 ymm29, [{buffer} + 1120]
vmovdqu64 ymm0, [{buffer} + 3168]
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm25, zmm30
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm24, zmm30
vinserti64x4 zmm25, zmm0, [{buffer} + 3424], 1
vpmadd52luq zmm15, zmm6, [{pair} + 320]
vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm18, zmm14
vinserti64x4 zmm0, zmm29, [{buffer} + 1376], 1
vpaddq zmm6, zmm26, zmm30
vpmadd52luq zmm2, zmm5, [{pair} + 192]
vpxord zmm29, zmm29, zmm29
vpmadd52huq zmm29, zmm13, zmm11
vpsubq zmm5, zmm21, zmm7
vpaddq zmm21, zmm21, zmm7
vpmadd52huq zmm8, zmm1, zmm30
vpmadd52huq zmm27, zmm22, zmm30
vmovdqu64 ymm7, [{buffer} + 2656]
vpaddq zmm1, zmm19, zmm30
vpaddq zmm22, zmm26, zmm6
vpmadd52huq zmm10, zmm23, zmm30
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm3, [{pair} + 128]
vinserti64x4 zmm23, zmm7, [{buffer} + 2912], 1
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm17, [{pair} + 256]
vpmadd52huq zmm12, zmm9, zmm30
vpaddq zmm9, zmm19, zmm1
prefetcht0 [{pair} + 4032]
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm21, zmm30
vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm5, zmm30
vpsubq zmm5, zmm28, zmm8
vpsubq zmm28, zmm4, zmm27
vmovdqu64 [{x} + 3328], zmm8
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm23, zmm11
vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm25, zmm11
vpsubq zmm16, zmm16, zmm10
vmovdqu64 [{x} + 2304], zmm10
vpmadd52huq zmm19, zmm15, zmm30
vpmadd52huq zmm26, zmm2, zmm30
vmovdqu64 zmm10, [{pair} + 2368]
vpsubq zmm15, zmm20, zmm12
vmovdqu64 [{x} + 256], zmm12
vmovdqu64 ymm2, [{buffer} + 608]
vinserti64x4 zmm20, zmm2, [{buffer} + 864], 1
vpmadd52luq zmm29, zmm13, zmm10
vmovdqu64 zmm12, [{pair} + 1472]
vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm0, zmm14
vpaddq zmm13, zmm1, zmm30
vmovdqu64 [{x} + 2816], zmm16
vpmadd52luq zmm24, zmm18, zmm12
vpmadd52luq zmm6, zmm3, [{pair} + 192]
vmovdqu64 ymm16, [{buffer} + 2144]
vpaddq zmm18, zmm21, zmm30
vmovdqu64 [{x} + 3840], zmm5
vpmadd52luq zmm7, zmm17, [{pair} + 320]
vmovdqu64 ymm3, [{buffer} + 96]
vpsubq zmm5, zmm22, zmm26
vmovdqu64 [{x} + 768], zmm15
vpmadd52luq zmm8, zmm25, zmm10
vpaddq zmm17, zmm1, zmm13
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm20, zmm14
vinserti64x4 zmm15, zmm16, [{buffer} + 2400], 1
vinserti64x4 zmm25, zmm3, [{buffer} + 352], 1
vmovdqu64 [{x} + 1792], zmm28
vpsubq zmm13, zmm9, zmm19
vpsubq zmm16, zmm24, zmm29
vpaddq zmm3, zmm24, zmm29
vpmadd52luq zmm2, zmm0, zmm12
vmovdqu64 [{x} + 1280], zmm27
vpaddq zmm28, zmm21, zmm18
vmovdqu64 ymm9, [{buffer} + 1664]
vmovdqu64 ymm24, [{buffer} + 3712]
vpmadd52luq zmm4, zmm23, zmm10
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm13, [{pair} + 768]
vinserti64x4 zmm0, zmm9, [{buffer} + 1920], 1
vpmadd52luq zmm22, zmm20, zmm12
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm3, zmm30
jmp 2f
2:
vinserti64x4 zmm18, zmm24, [{buffer} + 3968], 1
vmovdqu64 zmm23, [{pair} + 1024]
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm15, zmm11
vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm16, zmm30
vpaddq zmm3, zmm2, zmm8
vpsubq zmm24, zmm2, zmm8
vmovdqu64 zmm11, [{pair} + 1920]
vmovdqu64 ymm16, [{buffer} + 640]
vpmadd52huq zmm21, zmm7, zmm30
vpmadd52huq zmm1, zmm6, zmm30
vmovdqu64 ymm2, [{buffer} + 1152]
vmovdqu64 ymm8, [{buffer} + 2688]
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm5, [{pair} + 512]
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm25, zmm14
vpaddq zmm14, zmm22, zmm4
vpsubq zmm22, zmm22, zmm4
prefetcht0 [{pair} + 4096]
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm26, [{pair} + 384]
vpmadd52luq zmm29, zmm13, [{pair} + 832]
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm19, [{pair} + 640]
vpmadd52luq zmm9, zmm15, zmm10
vpsubq zmm15, zmm17, zmm1
vpsubq zmm10, zmm28, zmm21
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm20, [{pair} + 256]
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm27, [{pair} + 128]
vpmadd52luq zmm6, zmm25, zmm12
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm24, zmm30
vpaddq zmm12, zmm1, zmm30
vpaddq zmm24, zmm21, zmm30
vpmadd52luq zmm13, zmm19, [{pair} + 704]
vpmadd52luq zmm4, zmm26, [{pair} + 448]
vpaddq zmm19, zmm10, zmm30
vpaddq zmm26, zmm15, zmm30
vpmadd52luq zmm7, zmm5, [{pair} + 576]
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm22, zmm30
vinserti64x4 zmm22, zmm8, [{buffer} + 2944], 1
vpaddq zmm8, zmm1, zmm12
vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm18, zmm11
vpmadd52luq zmm28, zmm27, [{pair} + 192]
vpaddq zmm27, zmm15, zmm26
vpaddq zmm26, zmm6, zmm9
vpmadd52luq zmm17, zmm20, [{pair} + 320]
vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm0, zmm23
vpsubq zmm6, zmm6, zmm9
vinserti64x4 zmm9, zmm2, [{buffer} + 1408], 1
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm3, zmm30
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm14, zmm30
vpaddq zmm14, zmm21, zmm24
vinserti64x4 zmm24, zmm16, [{buffer} + 896], 1
vpmadd52huq zmm15, zmm7, zmm30
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm25, [{pair} + 256]
vpaddq zmm7, zmm10, zmm19
vpaddq zmm19, zmm5, zmm30
vpmadd52huq zmm1, zmm4, zmm30
vpmadd52huq zmm21, zmm13, zmm30
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm2, [{pair} + 128]
vpmadd52huq zmm10, zmm29, zmm30
vpaddq zmm13, zmm3, zmm30
vpaddq zmm29, zmm5, zmm19
vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm6, zmm30
vpmadd52huq zmm5, zmm17, zmm30
vpsubq zmm6, zmm27, zmm15
vmovdqu64 [{x} + 1088], zmm15
vmovdqu64 ymm17, [{buffer} + 3200]
prefetcht0 [{pair} + 4160]
vinserti64x4 zmm27, zmm17, [{buffer} + 3456], 1
vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm26, zmm30
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm9, zmm23
vpaddq zmm26, zmm3, zmm13
vmovdqu64 [{x} + 64], zmm1
vpmadd52huq zmm3, zmm28, zmm30
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm24, zmm23
vpsubq zmm28, zmm7, zmm10
vpsubq zmm7, zmm14, zmm21
vmovdqu64 [{x} + 1600], zmm6
vpmadd52luq zmm16, zmm25, [{pair} + 320]
vmovdqu64 zmm14, [{pair} + 1088]
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm22, zmm11
vpsubq zmm25, zmm8, zmm1
jmp 2f
2:
vpaddq zmm8, zmm19, zmm30
vmovdqu64 [{x} + 2112], zmm21
vpmadd52luq zmm20, zmm0, zmm14
vmovdqu64 zmm1, [{pair} + 1984]
vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm27, zmm11
vmovdqu64 [{x} + 2624], zmm7
vpaddq zmm0, zmm15, zmm30
vpsubq zmm7, zmm29, zmm5
vpmadd52luq zmm12, zmm18, zmm1
vpmadd52luq zmm4, zmm2, [{pair} + 192]
vmovdqu64 ymm29, [{buffer} + 2176]
vmovdqu64 [{x} + 576], zmm25
vpsubq zmm18, zmm26, zmm3
vpaddq zmm2, zmm19, zmm8
vmovdqu64 ymm25, [{buffer} + 1696]
vmovdqu64 [{x} + 3648], zmm28
vmovdqu64 ymm26, [{buffer} + 128]
vpmadd52luq zmm6, zmm22, zmm1
vpmadd52luq zmm17, zmm9, zmm14
vpaddq zmm8, zmm15, zmm0
vmovdqu64 ymm28, [{buffer} + 3744]
vinserti64x4 zmm22, zmm29, [{buffer} + 2432], 1
vmovdqu64 [{x} + 3136], zmm10
vpmadd52luq zmm21, zmm27, zmm1
vpmadd52luq zmm13, zmm24, zmm14
vinserti64x4 zmm9, zmm28, [{buffer} + 4000], 1
vpsubq zmm0, zmm20, zmm12
vinserti64x4 zmm29, zmm25, [{buffer} + 1952], 1
vpaddq zmm10, zmm20, zmm12
vinserti64x4 zmm27, zmm26, [{buffer} + 384], 1
vmovdqu64 zmm24, [{pair} + 1536]
vpmadd52huq zmm15, zmm4, zmm30
vpmadd52huq zmm19, zmm16, zmm30
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm3, [{pair} + 384]
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm0, zmm30
vmovdqu64 zmm20, [{pair} + 2432]
vpaddq zmm12, zmm17, zmm21
vpsubq zmm26, zmm17, zmm21
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm9, zmm20
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm29, zmm24
vmovdqu64 ymm0, [{buffer} + 1184]
vpsubq zmm17, zmm13, zmm6
vpaddq zmm21, zmm13, zmm6
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm27, zmm23
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm18, [{pair} + 512]
vinserti64x4 zmm23, zmm0, [{buffer} + 1440], 1
vpsubq zmm0, zmm2, zmm19
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm10, zmm30
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm7, [{pair} + 768]
vpsubq zmm8, zmm8, zmm15
vpmadd52luq zmm28, zmm3, [{pair} + 448]
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm22, zmm11
vpaddq zmm11, zmm15, zmm30
prefetcht0 [{pair} + 4224]
vpmadd52luq zmm13, zmm27, zmm14
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm5, [{pair} + 640]
vpaddq zmm14, zmm0, zmm30
vpmadd52luq zmm10, zmm7, [{pair} + 832]
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm2, [{pair} + 128]
vpaddq zmm11, zmm15, zmm11
vpmadd52luq zmm3, zmm22, zmm1
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm25, [{pair} + 256]
vpaddq zmm1, zmm8, zmm30
vpaddq zmm14, zmm0, zmm14
vpmadd52luq zmm27, zmm5, [{pair} + 704]
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm26, zmm30
vpaddq zmm26, zmm19, zmm30
vpmadd52luq zmm6, zmm18, [{pair} + 576]
vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm21, zmm30
vpaddq zmm21, zmm8, zmm1
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm23, zmm24
vpmadd52luq zmm22, zmm25, [{pair} + 320]
vpaddq zmm25, zmm19, zmm26
vpsubq zmm26, zmm13, zmm3
vpmadd52luq zmm7, zmm2, [{pair} + 192]
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm12, zmm30
vpaddq zmm12, zmm13, zmm3
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm17, zmm30
vpaddq zmm3, zmm18, zmm30
vpmadd52huq zmm0, zmm10, zmm30
vpmadd52huq zmm15, zmm28, zmm30
vmovdqu64 ymm17, [{buffer} + 672]
jmp 2f
2:
vpmadd52huq zmm19, zmm27, zmm30
vmovdqu64 ymm10, [{buffer} + 2720]
vinserti64x4 zmm28, zmm17, [{buffer} + 928], 1
vinserti64x4 zmm27, zmm10, [{buffer} + 2976], 1
vpmadd52huq zmm8, zmm6, zmm30
vpaddq zmm17, zmm18, zmm3
vmovdqu64 ymm10, [{buffer} + 3232]
vpaddq zmm6, zmm13, zmm30
vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm2, [{pair} + 128]
vpmadd52huq zmm18, zmm7, zmm30
vpsubq zmm7, zmm14, zmm0
vmovdqu64 [{x} + 3392], zmm0
vinserti64x4 zmm14, zmm10, [{buffer} + 3488], 1
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm5, [{pair} + 256]
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm26, zmm30
vpsubq zmm26, zmm11, zmm15
vmovdqu64 [{x} + 320], zmm15
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm28, zmm24
vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm27, zmm20
vpaddq zmm6, zmm13, zmm6
vpsubq zmm21, zmm21, zmm8
vmovdqu64 [{x} + 3904], zmm7
prefetcht0 [{pair} + 4288]
vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm12, zmm30
vpmadd52huq zmm13, zmm22, zmm30
vpsubq zmm12, zmm25, zmm19
vmovdqu64 [{x} + 832], zmm26
vmovdqu64 zmm22, [{pair} + 2496]
vpsubq zmm25, zmm17, zmm18
vpmadd52luq zmm4, zmm9, zmm22
vmovdqu64 zmm26, [{pair} + 1600]
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm14, zmm20
vpaddq zmm9, zmm10, zmm30
vmovdqu64 [{x} + 2368], zmm19
vpmadd52luq zmm16, zmm29, zmm26
vpmadd52luq zmm1, zmm23, zmm26
vmovdqu64 ymm19, [{buffer} + 2208]
vmovdqu64 [{x} + 2880], zmm12
vmovdqu64 ymm29, [{buffer} + 160]
vinserti64x4 zmm23, zmm19, [{buffer} + 2464], 1
vinserti64x4 zmm12, zmm29, [{buffer} + 416], 1
vpmadd52luq zmm11, zmm28, zmm26
vpaddq zmm19, zmm7, zmm30
vmovdqu64 [{x} + 1856], zmm21
vpmadd52luq zmm17, zmm14, zmm22
vpmadd52luq zmm15, zmm27, zmm22
vmovdqu64 [{x} + 1344], zmm8
vpsubq zmm29, zmm6, zmm13
vpaddq zmm28, zmm10, zmm9
vmovdqu64 ymm21, [{buffer} + 1728]
vmovdqu64 ymm14, [{buffer} + 3776]
vpaddq zmm27, zmm16, zmm4
vpsubq zmm8, zmm16, zmm4
vpmadd52luq zmm0, zmm5, [{pair} + 320]
vpmadd52luq zmm3, zmm2, [{pair} + 192]
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm23, zmm20
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm12, zmm24
vpaddq zmm16, zmm7, zmm19
vinserti64x4 zmm4, zmm14, [{buffer} + 4032], 1
vmovdqu64 zmm5, [{pair} + 1152]
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm27, zmm30
vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm8, zmm30
vpsubq zmm24, zmm11, zmm15
vpsubq zmm19, zmm1, zmm17
vmovdqu64 zmm14, [{pair} + 2048]
vpaddq zmm27, zmm11, zmm15
vpaddq zmm8, zmm1, zmm17
vpmadd52huq zmm10, zmm0, zmm30
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm13, [{pair} + 640]
vmovdqu64 ymm15, [{buffer} + 704]
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm19, zmm30
vpmadd52luq zmm9, zmm12, zmm26
vinserti64x4 zmm17, zmm21, [{buffer} + 1984], 1
vmovdqu64 ymm0, [{buffer} + 3264]
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm2, [{pair} + 128]
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm20, [{pair} + 256]
vpmadd52luq zmm6, zmm23, zmm22
vpxord zmm26, zmm26, zmm26
vpmadd52huq zmm26, zmm27, zmm30
vpsubq zmm21, zmm28, zmm10
vpaddq zmm23, zmm10, zmm30
vmovdqu64 ymm22, [{buffer} + 1216]
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm8, zmm30
vpxord zmm28, zmm28, zmm28
jmp 2f
2:
vpmadd52huq zmm28, zmm24, zmm30
vinserti64x4 zmm8, zmm0, [{buffer} + 3520], 1
prefetcht0 [{pair} + 4352]
vpmadd52huq zmm7, zmm3, zmm30
vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm25, [{pair} + 512]
vpaddq zmm0, zmm21, zmm30
vinserti64x4 zmm3, zmm22, [{buffer} + 1472], 1
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm18, [{pair} + 384]
vpmadd52luq zmm12, zmm20, [{pair} + 320]
vpaddq zmm20, zmm9, zmm6
vpsubq zmm9, zmm9, zmm6
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm29, [{pair} + 768]
vpmadd52luq zmm19, zmm2, [{pair} + 192]
vpaddq zmm2, zmm28, zmm30
vpaddq zmm0, zmm21, zmm0
vpsubq zmm16, zmm16, zmm7
vpmadd52luq zmm24, zmm25, [{pair} + 576]
vpaddq zmm25, zmm26, zmm30
vpmadd52luq zmm11, zmm13, [{pair} + 704]
vpmadd52luq zmm22, zmm18, [{pair} + 448]
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm1, [{pair} + 256]
vpaddq zmm18, zmm7, zmm30
vpaddq zmm2, zmm28, zmm2
vpmadd52luq zmm6, zmm29, [{pair} + 832]
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm27, [{pair} + 128]
vpaddq zmm25, zmm26, zmm25
vpaddq zmm23, zmm10, zmm23
vpmadd52huq zmm26, zmm19, zmm30
vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm9, zmm30
vpaddq zmm9, zmm16, zmm30
vpaddq zmm18, zmm7, zmm18
vpmadd52huq zmm28, zmm12, zmm30
vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm20, zmm30
vinserti64x4 zmm20, zmm15, [{buffer} + 960], 1
vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm4, zmm14
vpmadd52luq zmm13, zmm1, [{pair} + 320]
vpaddq zmm1, zmm16, zmm9
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm17, zmm5
vpmadd52luq zmm29, zmm27, [{pair} + 192]
vpsubq zmm27, zmm25, zmm26
vpaddq zmm25, zmm19, zmm30
vpmadd52huq zmm10, zmm11, zmm30
vpmadd52huq zmm7, zmm22, zmm30
vpaddq zmm11, zmm12, zmm30
vpsubq zmm22, zmm2, zmm28
vpmadd52huq zmm16, zmm24, zmm30
vpmadd52huq zmm21, zmm6, zmm30
vmovdqu64 ymm2, [{buffer} + 2752]
vpaddq zmm24, zmm19, zmm25
vinserti64x4 zmm6, zmm2, [{buffer} + 3008], 1
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm20, zmm5
vpaddq zmm2, zmm12, zmm11
vpmadd52huq zmm12, zmm29, zmm30
prefetcht0 [{pair} + 4416]
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm8, zmm14
vpmadd52huq zmm19, zmm13, zmm30
vpsubq zmm29, zmm18, zmm7
vpsubq zmm13, zmm23, zmm10
vmovdqu64 [{x} + 2176], zmm10
vmovdqu64 zmm18, [{pair} + 1216]
vpmadd52luq zmm9, zmm17, zmm18
vmovdqu64 zmm23, [{pair} + 2112]
vpsubq zmm10, zmm0, zmm21
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm26, [{pair} + 384]
vpsubq zmm0, zmm1, zmm16
vmovdqu64 [{x} + 128], zmm7
vpmadd52luq zmm15, zmm4, zmm23
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm6, zmm14
vmovdqu64 [{x} + 3200], zmm21
vmovdqu64 ymm7, [{buffer} + 192]
vpsubq zmm4, zmm2, zmm12
vpaddq zmm21, zmm12, zmm30
vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm27, [{pair} + 512]
vpsubq zmm24, zmm24, zmm19
vmovdqu64 [{x} + 2688], zmm13
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm28, [{pair} + 640]
vinserti64x4 zmm7, zmm7, [{buffer} + 448], 1
vmovdqu64 [{x} + 3712], zmm10
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm3, zmm5
vpmadd52luq zmm11, zmm8, zmm23
vpaddq zmm8, zmm19, zmm30
vmovdqu64 [{x} + 1664], zmm0
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm22, [{pair} + 768]
jmp 2f
2:
vpmadd52luq zmm25, zmm20, zmm18
vpaddq zmm20, zmm9, zmm15
vpsubq zmm9, zmm9, zmm15
vmovdqu64 [{x} + 640], zmm29
vpmadd52luq zmm1, zmm6, zmm23
vmovdqu64 ymm15, [{buffer} + 2240]
vpmadd52luq zmm13, zmm28, [{pair} + 704]
vpaddq zmm29, zmm4, zmm30
vpaddq zmm6, zmm24, zmm30
vinserti64x4 zmm28, zmm15, [{buffer} + 2496], 1
vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm20, zmm30
vmovdqu64 [{x} + 1152], zmm16
vpmadd52luq zmm10, zmm3, zmm18
vmovdqu64 ymm20, [{buffer} + 3808]
vpaddq zmm16, zmm19, zmm8
vinserti64x4 zmm3, zmm20, [{buffer} + 4064], 1
vpmadd52luq zmm0, zmm22, [{pair} + 832]
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm7, zmm5
vpaddq zmm20, zmm4, zmm29
vmovdqu64 ymm22, [{buffer} + 1760]
vpmadd52luq zmm2, zmm27, [{pair} + 576]
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm9, zmm30
vpsubq zmm29, zmm25, zmm1
vpaddq zmm27, zmm12, zmm21
vinserti64x4 zmm9, zmm22, [{buffer} + 2016], 1
vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm28, zmm14
vpmadd52luq zmm17, zmm26, [{pair} + 448]
vpsubq zmm22, zmm10, zmm11
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm15, [{pair} + 128]
vpmadd52huq zmm19, zmm13, zmm30
vpaddq zmm26, zmm25, zmm1
vmovdqu64 zmm13, [{pair} + 1664]
vpaddq zmm25, zmm24, zmm6
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm5, [{pair} + 256]
vpmadd52huq zmm4, zmm2, zmm30
vpaddq zmm6, zmm10, zmm11
vmovdqu64 zmm2, [{pair} + 2560]
prefetcht0 [{pair} + 4480]
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm9, zmm13
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm3, zmm2
vpmadd52huq zmm12, zmm17, zmm30
vpmadd52huq zmm24, zmm0, zmm30
vpsubq zmm17, zmm16, zmm19
vmovdqu64 [{x} + 2432], zmm19
vmovdqu64 ymm0, [{buffer} + 736]
vinserti64x4 zmm16, zmm0, [{buffer} + 992], 1
vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm29, zmm30
vpmadd52luq zmm21, zmm28, zmm23
vmovdqu64 ymm0, [{buffer} + 1248]
vpsubq zmm29, zmm20, zmm4
vmovdqu64 [{x} + 1408], zmm4
vmovdqu64 ymm28, [{buffer} + 2784]
vmovdqu64 ymm23, [{buffer} + 3296]
vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm26, zmm30
vpmadd52luq zmm8, zmm7, zmm18
vmovdqu64 [{x} + 2944], zmm17
vinserti64x4 zmm4, zmm23, [{buffer} + 3552], 1
vinserti64x4 zmm26, zmm0, [{buffer} + 1504], 1
vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm22, zmm30
vpsubq zmm18, zmm27, zmm12
vmovdqu64 [{x} + 3456], zmm24
vmovdqu64 zmm17, [{pair} + 1728]
vinserti64x4 zmm23, zmm28, [{buffer} + 3040], 1
vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm6, zmm30
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm16, zmm13
vpsubq zmm27, zmm25, zmm24
vmovdqu64 [{x} + 1920], zmm29
vmovdqu64 zmm28, [{pair} + 2624]
vpmadd52luq zmm10, zmm9, zmm17
vpmadd52luq zmm1, zmm5, [{pair} + 320]
vpaddq zmm6, zmm8, zmm21
vpaddq zmm25, zmm20, zmm30
vmovdqu64 [{x} + 896], zmm18
vpmadd52luq zmm11, zmm3, zmm28
vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm26, zmm13
vmovdqu64 ymm29, [{buffer} + 224]
vmovdqu64 ymm9, [{buffer} + 2272]
vpsubq zmm5, zmm8, zmm21
vmovdqu64 [{x} + 3968], zmm27
vpaddq zmm18, zmm19, zmm30
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm4, zmm2
vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm23, zmm2
vinserti64x4 zmm21, zmm29, [{buffer} + 480], 1
vmovdqu64 [{x} + 384], zmm12
jmp 2f
2:
vpaddq zmm27, zmm20, zmm25
vpbroadcastq zmm29, qword ptr [{shared} + 0]
vpmadd52luq zmm14, zmm15, [{pair} + 192]
vinserti64x4 zmm12, zmm9, [{buffer} + 2528], 1
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm5, zmm30
vpaddq zmm15, zmm19, zmm18
vpaddq zmm9, zmm10, zmm11
vpsubq zmm5, zmm10, zmm11
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm7, [{pair} + 256]
vpmadd52luq zmm24, zmm26, zmm17
vpbroadcastq zmm10, qword ptr [{shared} + 8]
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm0, [{pair} + 128]
vpmadd52luq zmm3, zmm4, zmm28
vpxord zmm26, zmm26, zmm26
vpmadd52huq zmm26, zmm5, zmm30
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm12, zmm2
vpaddq zmm5, zmm25, zmm30
prefetcht0 [{pair} + 4544]
vpmadd52luq zmm22, zmm16, zmm17
vpmadd52luq zmm8, zmm23, zmm28
vmovdqu64 zmm2, [{x} + 320]
vpxord zmm16, zmm16, zmm16
vpmadd52huq zmm16, zmm9, zmm30
vpmadd52huq zmm19, zmm1, zmm30
vpaddq zmm23, zmm24, zmm3
vpsubq zmm9, zmm24, zmm3
vmovdqu64 zmm1, [{x} + 0]
vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm6, zmm30
vpmadd52huq zmm20, zmm14, zmm30
vpaddq zmm3, zmm25, zmm5
vmovdqu64 zmm6, [{x} + 256]
vpsubq zmm14, zmm1, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm18, zmm7, [{pair} + 320]
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm21, zmm13
vpsubq zmm7, zmm22, zmm8
vpaddq zmm13, zmm22, zmm8
vpmadd52luq zmm11, zmm0, [{pair} + 192]
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm26, [{pair} + 256]
vpsubq zmm8, zmm15, zmm19
vpminuq zmm0, zmm1, zmm14
vpsubq zmm15, zmm27, zmm20
vpaddq zmm1, zmm24, zmm30
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm16, [{pair} + 128]
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm7, zmm30
vpmadd52luq zmm5, zmm21, zmm17
vpmadd52luq zmm4, zmm12, zmm28
vmovdqu64 zmm7, [{x} + 384]
vmovdqu64 zmm21, [{x} + 128]
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm9, zmm30
vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm23, zmm30
vpaddq zmm28, zmm24, zmm1
vmovdqu64 zmm9, [{x} + 64]
vpaddq zmm23, zmm21, zmm30
vpmadd52huq zmm25, zmm18, zmm30
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm13, zmm30
vpaddq zmm18, zmm27, zmm30
vpsubq zmm13, zmm9, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm14, zmm16, [{pair} + 192]
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm20, [{pair} + 384]
vpaddq zmm23, zmm21, zmm23
vpmadd52huq zmm24, zmm11, zmm30
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm15, [{pair} + 512]
vpaddq zmm18, zmm27, zmm18
vpminuq zmm9, zmm9, zmm13
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm19, [{pair} + 640]
vpmadd52luq zmm22, zmm26, [{pair} + 320]
vpaddq zmm26, zmm1, zmm30
vpsubq zmm3, zmm3, zmm25
vpmadd52luq zmm16, zmm20, [{pair} + 448]
vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm8, [{pair} + 768]
prefetcht0 [{pair} + 4608]
vpsubq zmm28, zmm28, zmm24
vpmadd52luq zmm11, zmm15, [{pair} + 576]
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm17, [{pair} + 256]
vpaddq zmm26, zmm1, zmm26
vpmadd52luq zmm13, zmm19, [{pair} + 704]
vpaddq zmm19, zmm5, zmm4
vpsubq zmm5, zmm5, zmm4
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm12, [{pair} + 128]
vpmadd52huq zmm27, zmm22, zmm30
vpmadd52huq zmm1, zmm14, zmm30
vpaddq zmm22, zmm3, zmm30
jmp 2f
2:
vpaddq zmm14, zmm24, zmm30
vpmadd52luq zmm20, zmm8, [{pair} + 832]
vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm19, zmm30
vpaddq zmm19, zmm28, zmm30
vpmadd52luq zmm15, zmm17, [{pair} + 320]
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm5, zmm30
vpaddq zmm5, zmm25, zmm30
vpaddq zmm14, zmm24, zmm14
vpmadd52luq zmm4, zmm12, [{pair} + 192]
vpaddq zmm12, zmm28, zmm19
vpmadd52huq zmm28, zmm11, zmm30
vpaddq zmm19, zmm3, zmm22
vpaddq zmm11, zmm25, zmm5
vpmadd52huq zmm3, zmm20, zmm30
vpaddq zmm22, zmm8, zmm30
vpmadd52huq zmm25, zmm13, zmm30
vpbroadcastq zmm5, qword ptr [{shared} + 144]
vpaddq zmm20, zmm17, zmm30
vpmadd52huq zmm24, zmm16, zmm30
vpsubq zmm13, zmm18, zmm27
vpsubq zmm16, zmm26, zmm1
vpaddq zmm18, zmm8, zmm22
vpsubq zmm26, zmm12, zmm28
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm1, [{pair} + 384]
vpmadd52huq zmm8, zmm4, zmm30
vmovdqu64 [{x} + 1216], zmm28
vmovdqu64 zmm12, [{x} + 896]
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm16, [{pair} + 512]
vpaddq zmm28, zmm17, zmm20
vpmadd52huq zmm17, zmm15, zmm30
vpsubq zmm20, zmm19, zmm3
vmovdqu64 [{x} + 2240], zmm25
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm27, [{pair} + 640]
vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm13, [{pair} + 768]
vpsubq zmm11, zmm11, zmm25
vpsubq zmm25, zmm14, zmm24
vmovdqu64 [{x} + 192], zmm24
vmovdqu64 [{x} + 3776], zmm20
vpmadd52luq zmm22, zmm1, [{pair} + 448]
vpsubq zmm14, zmm18, zmm8
vpaddq zmm24, zmm8, zmm30
vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm7, zmm29
vmovdqu64 [{x} + 704], zmm25
vpsubq zmm1, zmm28, zmm17
vpmadd52luq zmm4, zmm16, [{pair} + 576]
vpaddq zmm18, zmm17, zmm30
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm2, zmm29
vmovdqu64 [{x} + 1728], zmm26
vpmadd52luq zmm19, zmm13, [{pair} + 832]
vpmadd52luq zmm15, zmm27, [{pair} + 704]
vpaddq zmm28, zmm14, zmm30
vpaddq zmm16, zmm8, zmm24
prefetcht0 [{pair} + 4672]
vmovdqu64 [{x} + 2752], zmm11
vpaddq zmm26, zmm1, zmm30
vpaddq zmm13, zmm17, zmm18
vpmadd52huq zmm8, zmm22, zmm30
vpmadd52luq zmm20, zmm7, zmm10
vpbroadcastq zmm27, qword ptr [{shared} + 152]
vmovdqu64 zmm24, [{x} + 832]
vmovdqu64 [{x} + 3264], zmm3
vpaddq zmm11, zmm14, zmm28
vpmadd52huq zmm14, zmm4, zmm30
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm6, zmm29
vpaddq zmm22, zmm9, zmm30
vmovdqu64 zmm7, [{x} + 576]
vmovdqu64 zmm3, [{x} + 640]
vpaddq zmm28, zmm1, zmm26
vpmadd52huq zmm1, zmm19, zmm30
vpmadd52huq zmm17, zmm15, zmm30
vpaddq zmm4, zmm0, zmm30
vmovdqu64 zmm26, [{x} + 512]
vpsubq zmm19, zmm16, zmm8
vmovdqu64 [{x} + 448], zmm8
vpmadd52huq zmm21, zmm20, zmm30
vpmadd52luq zmm25, zmm2, zmm10
vpaddq zmm15, zmm9, zmm22
vmovdqu64 zmm16, [{x} + 768]
vpbroadcastq zmm8, qword ptr [{shared} + 288]
vpsubq zmm20, zmm11, zmm14
vmovdqu64 [{x} + 1472], zmm14
vpmadd52luq zmm18, zmm6, zmm10
vpaddq zmm2, zmm0, zmm4
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm12, zmm5
vmovdqu64 zmm11, [{x} + 1408]
vmovdqu64 zmm14, [{x} + 1216]
vpsubq zmm6, zmm13, zmm17
vpsubq zmm4, zmm28, zmm1
vmovdqu64 [{x} + 2496], zmm17
vmovdqu64 zmm13, [{x} + 192]
jmp 2f
2:
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm24, zmm5
vpaddq zmm17, zmm3, zmm30
vmovdqu64 [{x} + 3520], zmm1
vpaddq zmm1, zmm13, zmm30
vpsubq zmm23, zmm23, zmm21
vpmadd52huq zmm9, zmm25, zmm30
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm21, qword ptr [{shared} + 16]{{1to8}}
vmovdqu64 [{x} + 1984], zmm20
vpmadd52huq zmm0, zmm18, zmm30
vpmadd52luq zmm22, zmm12, zmm27
vmovdqu64 zmm20, [{x} + 704]
vpsubq zmm18, zmm7, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm12, zmm3, zmm17
vmovdqu64 [{x} + 4032], zmm4
vpaddq zmm17, zmm13, zmm1
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm23, qword ptr [{shared} + 48]{{1to8}}
vpsubq zmm1, zmm26, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm28, zmm24, zmm27
vmovdqu64 [{x} + 3008], zmm6
vpsubq zmm24, zmm15, zmm9
vpmadd52luq zmm25, zmm21, qword ptr [{shared} + 24]{{1to8}}
vpaddq zmm6, zmm9, zmm30
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm16, zmm5
vmovdqu64 [{x} + 960], zmm19
vpsubq zmm21, zmm2, zmm0
vpaddq zmm19, zmm0, zmm30
vpaddq zmm2, zmm20, zmm30
vpminuq zmm7, zmm7, zmm18
vpmadd52luq zmm4, zmm23, qword ptr [{shared} + 56]{{1to8}}
vpaddq zmm18, zmm24, zmm30
vpaddq zmm23, zmm9, zmm6
vpmadd52huq zmm3, zmm22, zmm30
vpaddq zmm6, zmm21, zmm30
vpaddq zmm22, zmm0, zmm19
vpmadd52huq zmm0, zmm25, zmm30
vpaddq zmm19, zmm20, zmm2
prefetcht0 [{pair} + 4736]
vpaddq zmm25, zmm24, zmm18
vpminuq zmm2, zmm26, zmm1
vmovdqu64 zmm18, [{x} + 448]
vpmadd52luq zmm15, zmm16, zmm27
vpaddq zmm26, zmm7, zmm30
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm18, zmm29
vpaddq zmm16, zmm21, zmm6
vpmadd52huq zmm21, zmm4, zmm30
vpsubq zmm29, zmm12, zmm3
vmovdqu64 zmm6, [{x} + 1472]
vpsubq zmm4, zmm22, zmm0
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm0, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm22, zmm7, zmm26
vpmadd52huq zmm7, zmm28, zmm30
vpaddq zmm26, zmm2, zmm30
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm29, qword ptr [{shared} + 192]{{1to8}}
vpmadd52luq zmm1, zmm18, zmm10
vpsubq zmm18, zmm16, zmm21
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm4, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm16, zmm14, zmm30
vpaddq zmm26, zmm2, zmm26
vpmadd52huq zmm2, zmm15, zmm30
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm21, qword ptr [{k} + 32]{{1to8}}
vpsubq zmm22, zmm22, zmm7
vpmadd52luq zmm12, zmm0, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm18, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm16, zmm14, zmm16
vpmadd52huq zmm13, zmm1, zmm30
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm3, qword ptr [{shared} + 160]{{1to8}}
vpmadd52luq zmm10, zmm4, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm15, zmm21, qword ptr [{k} + 40]{{1to8}}
vpsubq zmm4, zmm26, zmm2
vpaddq zmm21, zmm2, zmm30
vpmadd52luq zmm0, zmm18, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm6, zmm8
vpaddq zmm18, zmm22, zmm30
vpsubq zmm17, zmm17, zmm13
vpmadd52luq zmm1, zmm3, qword ptr [{shared} + 168]{{1to8}}
vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm13, qword ptr [{shared} + 16]{{1to8}}
vpaddq zmm21, zmm2, zmm21
vpmadd52luq zmm28, zmm29, qword ptr [{shared} + 200]{{1to8}}
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm11, zmm8
vpaddq zmm18, zmm22, zmm18
prefetcht0 [{pair} + 4800]
vpmadd52luq zmm3, zmm13, qword ptr [{shared} + 24]{{1to8}}
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm17, qword ptr [{shared} + 48]{{1to8}}
vpmadd52huq zmm2, zmm1, zmm30
vpaddq zmm1, zmm4, zmm30
jmp 2f
2:
vpmadd52luq zmm13, zmm17, qword ptr [{shared} + 56]{{1to8}}
vpmadd52huq zmm9, zmm3, zmm30
vpaddq zmm17, zmm7, zmm30
vpaddq zmm3, zmm4, zmm1
vpmadd52huq zmm4, zmm28, zmm30
vpsubq zmm1, zmm21, zmm2
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm2, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm21, zmm7, zmm17
vpmadd52huq zmm24, zmm13, zmm30
vpsubq zmm17, zmm23, zmm9
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm9, qword ptr [{shared} + 80]{{1to8}}
vpsubq zmm23, zmm3, zmm4
vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm4, qword ptr [{k} + 32]{{1to8}}
vpmadd52luq zmm28, zmm2, qword ptr [{k} + 40]{{1to8}}
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm17, qword ptr [{shared} + 96]{{1to8}}
vpsubq zmm25, zmm25, zmm24
vpmadd52luq zmm13, zmm9, qword ptr [{shared} + 88]{{1to8}}
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm24, qword ptr [{shared} + 112]{{1to8}}
vpmadd52luq zmm3, zmm4, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm23, qword ptr [{k} + 32]{{1to8}}
vpmadd52luq zmm2, zmm17, qword ptr [{shared} + 104]{{1to8}}
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm25, qword ptr [{shared} + 128]{{1to8}}
vpmadd52luq zmm9, zmm24, qword ptr [{shared} + 120]{{1to8}}
vpsubq zmm24, zmm12, zmm13
vpaddq zmm12, zmm12, zmm13
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm1, qword ptr [{k} + 32]{{1to8}}
prefetcht0 [{pair} + 4864]
vpmadd52luq zmm4, zmm23, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm17, zmm25, qword ptr [{shared} + 136]{{1to8}}
vpsubq zmm23, zmm10, zmm2
vpaddq zmm25, zmm10, zmm2
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm24, zmm30
vpaddq zmm2, zmm15, zmm9
vpsubq zmm24, zmm15, zmm9
vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm12, zmm30
vpmadd52luq zmm13, zmm1, qword ptr [{k} + 40]{{1to8}}
vmovdqu64 zmm9, [{x} + 960]
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm9, zmm5
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm23, zmm30
vpaddq zmm5, zmm0, zmm17
vpsubq zmm23, zmm0, zmm17
vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm24, zmm30
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm25, zmm30
vmovdqu64 [{x} + 64], zmm10
vmovdqu64 zmm24, [{x} + 1280]
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm2, zmm30
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm24, zmm8
vmovdqu64 [{x} + 0], zmm15
vpmadd52luq zmm12, zmm9, zmm27
vmovdqu64 zmm2, [{x} + 1152]
vpbroadcastq zmm15, qword ptr [{shared} + 296]
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm5, zmm30
vmovdqu64 [{x} + 192], zmm1
vmovdqu64 zmm27, [{x} + 1344]
vpmadd52luq zmm26, zmm6, zmm15
vpmadd52luq zmm29, zmm11, zmm15
vpaddq zmm5, zmm2, zmm30
vmovdqu64 zmm1, [{x} + 1024]
vmovdqu64 [{x} + 128], zmm17
vmovdqu64 zmm6, [{x} + 1088]
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm23, zmm30
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm27, zmm8
vpsubq zmm23, zmm1, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 [{x} + 256], zmm25
vpmadd52huq zmm20, zmm12, zmm30
vpsubq zmm8, zmm6, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm25, zmm2, zmm5
vmovdqu64 [{x} + 320], zmm0
vpmadd52luq zmm10, zmm24, zmm15
vmovdqu64 zmm12, [{x} + 1920]
vpminuq zmm5, zmm1, zmm23
vpmadd52huq zmm2, zmm29, zmm30
vpmadd52huq zmm14, zmm26, zmm30
vmovdqu64 [{x} + 384], zmm9
vpbroadcastq zmm0, qword ptr [{shared} + 432]
vmovdqu64 zmm24, [{x} + 1984]
vpminuq zmm1, zmm6, zmm8
vmovdqu64 [{x} + 448], zmm11
vpmadd52luq zmm17, zmm27, zmm15
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm24, zmm0
jmp 2f
2:
vpbroadcastq zmm29, qword ptr [{shared} + 440]
vmovdqu64 zmm26, [{x} + 1600]
vpsubq zmm9, zmm19, zmm20
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm20, qword ptr [{shared} + 160]{{1to8}}
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm12, zmm0
vmovdqu64 zmm11, [{x} + 1792]
prefetcht0 [{pair} + 4928]
vpsubq zmm27, zmm25, zmm2
vpaddq zmm15, zmm5, zmm30
vpsubq zmm19, zmm16, zmm14
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm14, qword ptr [{shared} + 304]{{1to8}}
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm9, qword ptr [{shared} + 192]{{1to8}}
vpmadd52luq zmm23, zmm24, zmm29
vpaddq zmm24, zmm1, zmm30
vpmadd52luq zmm6, zmm20, qword ptr [{shared} + 168]{{1to8}}
vpaddq zmm20, zmm5, zmm15
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm27, qword ptr [{shared} + 336]{{1to8}}
vpmadd52huq zmm5, zmm10, zmm30
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm19, qword ptr [{shared} + 336]{{1to8}}
vpaddq zmm24, zmm1, zmm24
vpmadd52luq zmm16, zmm9, qword ptr [{shared} + 200]{{1to8}}
vpmadd52huq zmm1, zmm17, zmm30
vpsubq zmm9, zmm26, qword ptr [{k} + 8]{{1to8}}
vpmadd52huq zmm7, zmm6, zmm30
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm2, qword ptr [{shared} + 304]{{1to8}}
vpsubq zmm6, zmm20, zmm5
vpmadd52luq zmm25, zmm14, qword ptr [{shared} + 312]{{1to8}}
vpmadd52luq zmm10, zmm19, qword ptr [{shared} + 344]{{1to8}}
vpaddq zmm20, zmm5, zmm30
vpmadd52huq zmm22, zmm16, zmm30
vpsubq zmm14, zmm24, zmm1
vpmadd52luq zmm15, zmm27, qword ptr [{shared} + 344]{{1to8}}
vpaddq zmm19, zmm1, zmm30
vmovdqu64 zmm16, [{x} + 1728]
vpsubq zmm24, zmm21, zmm7
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm7, qword ptr [{shared} + 224]{{1to8}}
vpmadd52luq zmm17, zmm2, qword ptr [{shared} + 312]{{1to8}}
vpaddq zmm21, zmm6, zmm30
vpaddq zmm2, zmm14, zmm30
vpmadd52luq zmm8, zmm12, zmm29
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm11, zmm0
vpaddq zmm19, zmm1, zmm19
vpsubq zmm18, zmm18, zmm22
vpaddq zmm21, zmm6, zmm21
vpmadd52huq zmm1, zmm25, zmm30
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm24, qword ptr [{shared} + 240]{{1to8}}
vpmadd52luq zmm27, zmm7, qword ptr [{shared} + 232]{{1to8}}
vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm22, qword ptr [{shared} + 256]{{1to8}}
vpaddq zmm2, zmm14, zmm2
vpaddq zmm20, zmm5, zmm20
vpmadd52huq zmm5, zmm17, zmm30
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm18, qword ptr [{shared} + 272]{{1to8}}
vpminuq zmm26, zmm26, zmm9
vpaddq zmm9, zmm16, zmm30
prefetcht0 [{pair} + 4992]
vpmadd52luq zmm25, zmm24, qword ptr [{shared} + 248]{{1to8}}
vpmadd52huq zmm14, zmm10, zmm30
vpsubq zmm24, zmm19, zmm1
vpmadd52luq zmm7, zmm22, qword ptr [{shared} + 264]{{1to8}}
vpsubq zmm10, zmm28, zmm27
vpaddq zmm19, zmm28, zmm27
vmovdqu64 zmm22, [{x} + 1856]
vpmadd52huq zmm6, zmm15, zmm30
vpmadd52luq zmm17, zmm18, qword ptr [{shared} + 280]{{1to8}}
vmovdqu64 zmm28, [{x} + 1536]
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm22, zmm0
vpaddq zmm15, zmm16, zmm9
vpsubq zmm18, zmm20, zmm5
vpsubq zmm0, zmm13, zmm25
vpaddq zmm9, zmm13, zmm25
vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm10, zmm30
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm19, zmm30
vmovdqu64 zmm25, [{x} + 1664]
vpsubq zmm10, zmm3, zmm7
vpaddq zmm19, zmm3, zmm7
vpsubq zmm3, zmm28, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm7, zmm25, zmm30
vpmadd52huq zmm16, zmm23, zmm30
vpaddq zmm23, zmm4, zmm17
vpsubq zmm4, zmm4, zmm17
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm0, zmm30
vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm10, zmm30
vpxord zmm10, zmm10, zmm10
jmp 2f
2:
vpmadd52huq zmm10, zmm9, zmm30
vpaddq zmm9, zmm25, zmm7
vpsubq zmm7, zmm21, zmm6
vmovdqu64 [{x} + 512], zmm13
vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm23, zmm30
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm4, zmm30
vpminuq zmm23, zmm28, zmm3
vpsubq zmm4, zmm2, zmm14
vmovdqu64 [{x} + 576], zmm20
vmovdqu64 zmm28, [{x} + 2432]
vpbroadcastq zmm3, qword ptr [{shared} + 576]
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm19, zmm30
vpmadd52huq zmm25, zmm8, zmm30
vmovdqu64 [{x} + 704], zmm17
vpaddq zmm20, zmm26, zmm30
vpsubq zmm19, zmm15, zmm16
vmovdqu64 zmm8, [{x} + 2496]
vmovdqu64 [{x} + 832], zmm0
vpmadd52luq zmm12, zmm11, zmm29
vpmadd52luq zmm27, zmm22, zmm29
vpbroadcastq zmm17, qword ptr [{shared} + 584]
vmovdqu64 zmm15, [{x} + 2368]
vmovdqu64 [{x} + 960], zmm13
vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm4, qword ptr [{shared} + 416]{{1to8}}
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm14, qword ptr [{shared} + 400]{{1to8}}
vpaddq zmm22, zmm23, zmm30
vpaddq zmm29, zmm26, zmm20
vmovdqu64 [{x} + 768], zmm2
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm7, qword ptr [{k} + 32]{{1to8}}
vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm18, qword ptr [{k} + 32]{{1to8}}
vpsubq zmm2, zmm9, zmm25
vmovdqu64 [{x} + 896], zmm21
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm6, qword ptr [{k} + 32]{{1to8}}
vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm1, qword ptr [{shared} + 368]{{1to8}}
vpaddq zmm22, zmm23, zmm22
prefetcht0 [{pair} + 5056]
vmovdqu64 [{x} + 640], zmm10
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm24, qword ptr [{shared} + 384]{{1to8}}
vpmadd52huq zmm26, zmm27, zmm30
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm5, qword ptr [{k} + 32]{{1to8}}
vpmadd52huq zmm23, zmm12, zmm30
vpmadd52luq zmm20, zmm18, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm2, qword ptr [{shared} + 480]{{1to8}}
vpmadd52luq zmm10, zmm24, qword ptr [{shared} + 392]{{1to8}}
vpmadd52luq zmm21, zmm1, qword ptr [{shared} + 376]{{1to8}}
vpsubq zmm18, zmm29, zmm26
vpaddq zmm24, zmm26, zmm30
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm16, qword ptr [{shared} + 448]{{1to8}}
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm19, qword ptr [{shared} + 480]{{1to8}}
vpsubq zmm22, zmm22, zmm23
vpmadd52luq zmm11, zmm14, qword ptr [{shared} + 408]{{1to8}}
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm25, qword ptr [{shared} + 448]{{1to8}}
vpaddq zmm24, zmm26, zmm24
vpmadd52luq zmm13, zmm7, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm0, zmm4, qword ptr [{shared} + 424]{{1to8}}
vpaddq zmm7, zmm20, zmm10
vpaddq zmm4, zmm18, zmm30
vpmadd52luq zmm27, zmm5, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm9, zmm6, qword ptr [{k} + 40]{{1to8}}
vpsubq zmm5, zmm20, zmm10
vpaddq zmm6, zmm23, zmm30
vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm28, zmm3
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm8, zmm3
vpaddq zmm4, zmm18, zmm4
vpmadd52luq zmm12, zmm2, qword ptr [{shared} + 488]{{1to8}}
vpmadd52luq zmm29, zmm19, qword ptr [{shared} + 488]{{1to8}}
vpaddq zmm2, zmm13, zmm0
vpsubq zmm19, zmm13, zmm0
vpsubq zmm13, zmm27, zmm21
vpmadd52luq zmm1, zmm16, qword ptr [{shared} + 456]{{1to8}}
vpmadd52luq zmm14, zmm25, qword ptr [{shared} + 456]{{1to8}}
vpaddq zmm0, zmm27, zmm21
vpsubq zmm16, zmm9, zmm11
vpaddq zmm25, zmm9, zmm11
vpmadd52luq zmm10, zmm8, zmm17
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm5, zmm30
vmovdqu64 zmm21, [{x} + 2176]
vmovdqu64 zmm9, [{x} + 2304]
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm7, zmm30
vpaddq zmm8, zmm22, zmm30
vpmadd52luq zmm20, zmm28, zmm17
jmp 2f
2:
vmovdqu64 zmm5, [{x} + 2112]
vpaddq zmm7, zmm23, zmm6
vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm25, zmm30
vpmadd52huq zmm26, zmm1, zmm30
vmovdqu64 zmm6, [{x} + 2240]
vpsubq zmm25, zmm5, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm1, zmm21, zmm30
prefetcht0 [{pair} + 5120]
vpmadd52huq zmm18, zmm29, zmm30
vpxord zmm29, zmm29, zmm29
vpmadd52huq zmm29, zmm13, zmm30
vpaddq zmm13, zmm22, zmm8
vpaddq zmm8, zmm6, zmm30
vmovdqu64 [{x} + 1216], zmm27
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm9, zmm3
vpmadd52huq zmm23, zmm14, zmm30
vpaddq zmm14, zmm21, zmm1
vmovdqu64 [{x} + 1152], zmm11
vpminuq zmm1, zmm5, zmm25
vmovdqu64 zmm11, [{x} + 2048]
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm15, zmm3
vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm19, zmm30
vpsubq zmm3, zmm11, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm19, zmm6, zmm8
vmovdqu64 [{x} + 1280], zmm28
vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm16, zmm30
vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm2, zmm30
vmovdqu64 [{x} + 1088], zmm29
vpsubq zmm16, zmm24, zmm26
vpsubq zmm2, zmm4, zmm18
vmovdqu64 zmm29, [{x} + 2944]
vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm0, zmm30
vpmadd52huq zmm22, zmm12, zmm30
vpminuq zmm4, zmm11, zmm3
vpsubq zmm0, zmm7, zmm23
vmovdqu64 zmm12, [{x} + 3008]
vpbroadcastq zmm11, qword ptr [{shared} + 720]
vpmadd52huq zmm21, zmm20, zmm30
vpmadd52huq zmm6, zmm10, zmm30
vmovdqu64 [{x} + 1472], zmm25
vpaddq zmm3, zmm1, zmm30
vpbroadcastq zmm7, qword ptr [{shared} + 728]
vmovdqu64 zmm20, [{x} + 2752]
vmovdqu64 [{x} + 1344], zmm8
vpmadd52luq zmm5, zmm15, zmm17
vpmadd52luq zmm27, zmm9, zmm17
vmovdqu64 zmm10, [{x} + 2624]
vmovdqu64 zmm25, [{x} + 2816]
vpaddq zmm8, zmm20, zmm30
vmovdqu64 [{x} + 1024], zmm24
vpsubq zmm15, zmm13, zmm22
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm26, qword ptr [{shared} + 512]{{1to8}}
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm16, qword ptr [{shared} + 528]{{1to8}}
vpaddq zmm24, zmm4, zmm30
vmovdqu64 [{x} + 1408], zmm28
vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm22, qword ptr [{k} + 32]{{1to8}}
vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm18, qword ptr [{shared} + 544]{{1to8}}
vpsubq zmm19, zmm19, zmm6
vpsubq zmm14, zmm14, zmm21
vpaddq zmm3, zmm1, zmm3
vpmadd52huq zmm1, zmm5, zmm30
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm15, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm24, zmm4, zmm24
vpmadd52huq zmm4, zmm27, zmm30
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm0, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm8, zmm20, zmm8
vpmadd52luq zmm28, zmm18, qword ptr [{shared} + 552]{{1to8}}
vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm2, qword ptr [{shared} + 560]{{1to8}}
vpmadd52luq zmm9, zmm26, qword ptr [{shared} + 520]{{1to8}}
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm23, qword ptr [{k} + 32]{{1to8}}
vpsubq zmm3, zmm3, zmm1
prefetcht0 [{pair} + 5184]
vpmadd52luq zmm13, zmm22, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm14, qword ptr [{shared} + 624]{{1to8}}
vpsubq zmm24, zmm24, zmm4
vpmadd52luq zmm5, zmm15, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm6, qword ptr [{shared} + 592]{{1to8}}
vpmadd52luq zmm17, zmm16, qword ptr [{shared} + 536]{{1to8}}
vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm21, qword ptr [{shared} + 592]{{1to8}}
vpmadd52luq zmm26, zmm23, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm19, qword ptr [{shared} + 624]{{1to8}}
jmp 2f
2:
vpmadd52luq zmm27, zmm0, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm29, zmm11
vpmadd52luq zmm18, zmm2, qword ptr [{shared} + 568]{{1to8}}
vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm12, zmm11
vpmadd52luq zmm15, zmm6, qword ptr [{shared} + 600]{{1to8}}
vpmadd52luq zmm23, zmm19, qword ptr [{shared} + 632]{{1to8}}
vpaddq zmm6, zmm13, zmm28
vpaddq zmm19, zmm26, zmm9
vpmadd52luq zmm16, zmm21, qword ptr [{shared} + 600]{{1to8}}
vpmadd52luq zmm22, zmm14, qword ptr [{shared} + 632]{{1to8}}
vpsubq zmm21, zmm13, zmm28
vpaddq zmm14, zmm1, zmm30
vpsubq zmm13, zmm5, zmm18
vpaddq zmm28, zmm5, zmm18
vpaddq zmm5, zmm27, zmm17
vpaddq zmm18, zmm24, zmm30
vpsubq zmm26, zmm26, zmm9
vpaddq zmm9, zmm3, zmm30
vpsubq zmm27, zmm27, zmm17
vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm6, zmm30
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm13, zmm30
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm19, zmm30
vpaddq zmm19, zmm4, zmm30
vpaddq zmm14, zmm1, zmm14
vpmadd52huq zmm1, zmm15, zmm30
vpmadd52luq zmm0, zmm29, zmm7
vpaddq zmm15, zmm3, zmm9
vpaddq zmm29, zmm24, zmm18
vpaddq zmm9, zmm4, zmm19
vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm26, zmm30
vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm5, zmm30
vpsubq zmm26, zmm10, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 [{x} + 1792], zmm17
prefetcht0 [{pair} + 5248]
vpmadd52luq zmm2, zmm12, zmm7
vmovdqu64 zmm5, [{x} + 2688]
vpmadd52huq zmm3, zmm23, zmm30
vmovdqu64 zmm17, [{x} + 2560]
vmovdqu64 [{x} + 1536], zmm13
vpaddq zmm12, zmm5, zmm30
vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm25, zmm11
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm21, zmm30
vpsubq zmm21, zmm17, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 [{x} + 1984], zmm6
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm27, zmm30
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm28, zmm30
vpminuq zmm28, zmm10, zmm26
vmovdqu64 [{x} + 1600], zmm18
vmovdqu64 zmm10, [{x} + 2880]
vpsubq zmm26, zmm14, zmm1
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm10, zmm11
vpmadd52huq zmm4, zmm16, zmm30
vpaddq zmm14, zmm5, zmm12
vpminuq zmm11, zmm17, zmm21
vmovdqu64 [{x} + 1664], zmm19
vmovdqu64 zmm16, [{x} + 3520]
vpbroadcastq zmm12, qword ptr [{shared} + 864]
vpmadd52huq zmm24, zmm22, zmm30
vpmadd52huq zmm20, zmm2, zmm30
vmovdqu64 [{x} + 1856], zmm13
vpsubq zmm17, zmm15, zmm3
vmovdqu64 zmm21, [{x} + 3456]
vpbroadcastq zmm19, qword ptr [{shared} + 872]
vmovdqu64 [{x} + 1728], zmm6
vpmadd52huq zmm5, zmm0, zmm30
vpmadd52luq zmm23, zmm25, zmm7
vpaddq zmm22, zmm28, zmm30
vmovdqu64 zmm2, [{x} + 3328]
vmovdqu64 zmm13, [{x} + 3200]
vpsubq zmm15, zmm9, zmm4
vmovdqu64 [{x} + 1920], zmm27
vpmadd52luq zmm18, zmm10, zmm7
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm26, qword ptr [{shared} + 672]{{1to8}}
vpaddq zmm0, zmm11, zmm30
vmovdqu64 zmm25, [{x} + 3392]
vpsubq zmm9, zmm29, zmm24
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm17, qword ptr [{shared} + 704]{{1to8}}
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm24, qword ptr [{k} + 32]{{1to8}}
vpsubq zmm7, zmm8, zmm20
vpxord zmm29, zmm29, zmm29
vpmadd52huq zmm29, zmm3, qword ptr [{shared} + 688]{{1to8}}
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm4, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm22, zmm28, zmm22
vpaddq zmm0, zmm11, zmm0
jmp 2f
2:
vpmadd52huq zmm11, zmm23, zmm30
vpxord zmm23, zmm23, zmm23
vpmadd52huq zmm23, zmm1, qword ptr [{shared} + 656]{{1to8}}
vpsubq zmm14, zmm14, zmm5
vpmadd52luq zmm27, zmm17, qword ptr [{shared} + 712]{{1to8}}
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm15, qword ptr [{k} + 32]{{1to8}}
vpmadd52huq zmm28, zmm18, zmm30
vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm9, qword ptr [{k} + 32]{{1to8}}
vpmadd52luq zmm23, zmm1, qword ptr [{shared} + 664]{{1to8}}
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm14, qword ptr [{shared} + 768]{{1to8}}
vpsubq zmm0, zmm0, zmm11
prefetcht0 [{pair} + 5312]
vpmadd52luq zmm8, zmm4, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm7, qword ptr [{shared} + 768]{{1to8}}
vpmadd52luq zmm18, zmm9, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm20, qword ptr [{shared} + 736]{{1to8}}
vpsubq zmm22, zmm22, zmm28
vpmadd52luq zmm6, zmm26, qword ptr [{shared} + 680]{{1to8}}
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm5, qword ptr [{shared} + 736]{{1to8}}
vpmadd52luq zmm17, zmm15, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm29, zmm3, qword ptr [{shared} + 696]{{1to8}}
vpaddq zmm15, zmm8, zmm23
vpaddq zmm3, zmm11, zmm30
vpmadd52luq zmm10, zmm24, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm21, zmm12
vpsubq zmm8, zmm8, zmm23
vpaddq zmm23, zmm18, zmm27
vpmadd52luq zmm26, zmm5, qword ptr [{shared} + 744]{{1to8}}
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm16, zmm12
vpsubq zmm18, zmm18, zmm27
vpaddq zmm27, zmm0, zmm30
vpmadd52luq zmm9, zmm20, qword ptr [{shared} + 744]{{1to8}}
vpmadd52luq zmm4, zmm7, qword ptr [{shared} + 776]{{1to8}}
vpsubq zmm20, zmm17, zmm6
vpaddq zmm7, zmm17, zmm6
vpsubq zmm17, zmm10, zmm29
vpmadd52luq zmm1, zmm14, qword ptr [{shared} + 776]{{1to8}}
vpaddq zmm6, zmm10, zmm29
vpaddq zmm14, zmm28, zmm30
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm23, zmm30
vpxord zmm29, zmm29, zmm29
vpmadd52huq zmm29, zmm20, zmm30
vpaddq zmm23, zmm22, zmm30
vpaddq zmm20, zmm0, zmm27
vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm15, zmm30
vpmadd52luq zmm24, zmm21, zmm19
vpaddq zmm15, zmm11, zmm3
vpaddq zmm21, zmm28, zmm14
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm18, zmm30
vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm7, zmm30
vpaddq zmm18, zmm22, zmm23
vpaddq zmm7, zmm13, zmm30
vpmadd52huq zmm22, zmm4, zmm30
vpxord zmm23, zmm23, zmm23
vpmadd52huq zmm23, zmm17, zmm30
vmovdqu64 [{x} + 2240], zmm29
vmovdqu64 zmm4, [{x} + 3072]
vpmadd52luq zmm5, zmm16, zmm19
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm25, zmm12
vpsubq zmm29, zmm4, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm16, zmm13, zmm7
vmovdqu64 [{x} + 2432], zmm10
prefetcht0 [{pair} + 5376]
vpmadd52huq zmm0, zmm1, zmm30
vmovdqu64 zmm7, [{x} + 3136]
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm6, zmm30
vmovdqu64 [{x} + 2496], zmm3
vmovdqu64 zmm1, [{x} + 3264]
vpmadd52huq zmm11, zmm26, zmm30
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm8, zmm30
vpaddq zmm3, zmm1, zmm30
vpsubq zmm26, zmm7, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 [{x} + 2368], zmm23
vpmadd52huq zmm28, zmm9, zmm30
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm2, zmm12
vpminuq zmm23, zmm4, zmm29
vmovdqu64 [{x} + 2176], zmm14
vpsubq zmm9, zmm18, zmm22
vpbroadcastq zmm12, qword ptr [{shared} + 1008]
vmovdqu64 zmm4, [{x} + 3968]
vpminuq zmm29, zmm7, zmm26
vpmadd52huq zmm13, zmm24, zmm30
vmovdqu64 [{x} + 2304], zmm10
vpaddq zmm14, zmm1, zmm3
jmp 2f
2:
vpmadd52huq zmm1, zmm5, zmm30
vmovdqu64 zmm18, [{x} + 4032]
vmovdqu64 zmm7, [{x} + 3648]
vmovdqu64 [{x} + 2112], zmm6
vpsubq zmm26, zmm15, zmm11
vpsubq zmm24, zmm20, zmm0
vpmadd52luq zmm17, zmm25, zmm19
vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm9, qword ptr [{shared} + 848]{{1to8}}
vpbroadcastq zmm3, qword ptr [{shared} + 1016]
vmovdqu64 [{x} + 2048], zmm27
vpsubq zmm5, zmm21, zmm28
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm22, qword ptr [{shared} + 832]{{1to8}}
vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm11, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm20, zmm23, zmm30
vpmadd52luq zmm8, zmm2, zmm19
vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm26, qword ptr [{k} + 32]{{1to8}}
vpsubq zmm27, zmm14, zmm1
vpaddq zmm21, zmm29, zmm30
vmovdqu64 zmm2, [{x} + 3840]
vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm5, qword ptr [{shared} + 816]{{1to8}}
vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm28, qword ptr [{shared} + 800]{{1to8}}
vpsubq zmm16, zmm16, zmm13
vpaddq zmm20, zmm23, zmm20
vpaddq zmm21, zmm29, zmm21
vpmadd52luq zmm10, zmm9, qword ptr [{shared} + 856]{{1to8}}
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm0, qword ptr [{k} + 32]{{1to8}}
vpmadd52huq zmm23, zmm8, zmm30
vmovdqa64 zmm8, zmm31
vpmadd52huq zmm8, zmm24, qword ptr [{k} + 32]{{1to8}}
vpmadd52luq zmm6, zmm22, qword ptr [{shared} + 840]{{1to8}}
vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm16, qword ptr [{shared} + 912]{{1to8}}
vpmadd52huq zmm29, zmm17, zmm30
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm27, qword ptr [{shared} + 912]{{1to8}}
vpmadd52luq zmm25, zmm26, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm1, qword ptr [{shared} + 880]{{1to8}}
vpsubq zmm20, zmm20, zmm23
prefetcht0 [{pair} + 5440]
vpmadd52luq zmm15, zmm11, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm13, qword ptr [{shared} + 880]{{1to8}}
vpmadd52luq zmm8, zmm24, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm19, zmm5, qword ptr [{shared} + 824]{{1to8}}
vpsubq zmm24, zmm21, zmm29
vpaddq zmm5, zmm29, zmm30
vpmadd52luq zmm14, zmm28, qword ptr [{shared} + 808]{{1to8}}
vmovdqa64 zmm21, zmm31
vpmadd52huq zmm21, zmm4, zmm12
vpaddq zmm28, zmm23, zmm30
vpmadd52luq zmm9, zmm0, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm18, zmm12
vpaddq zmm5, zmm29, zmm5
vpmadd52luq zmm22, zmm16, qword ptr [{shared} + 920]{{1to8}}
vpmadd52luq zmm11, zmm13, qword ptr [{shared} + 888]{{1to8}}
vpsubq zmm16, zmm25, zmm19
vpaddq zmm13, zmm8, zmm10
vpmadd52luq zmm26, zmm1, qword ptr [{shared} + 888]{{1to8}}
vpmadd52luq zmm17, zmm27, qword ptr [{shared} + 920]{{1to8}}
vpaddq zmm1, zmm15, zmm14
vpsubq zmm27, zmm8, zmm10
vpsubq zmm8, zmm9, zmm6
vpsubq zmm10, zmm15, zmm14
vpaddq zmm15, zmm25, zmm19
vpaddq zmm14, zmm9, zmm6
vmovdqu64 zmm25, [{x} + 3712]
vmovdqu64 zmm19, [{x} + 3584]
vpaddq zmm9, zmm24, zmm30
vpmadd52luq zmm0, zmm18, zmm3
vpaddq zmm6, zmm20, zmm30
vpmadd52luq zmm21, zmm4, zmm3
vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm14, zmm30
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm16, zmm30
vpaddq zmm14, zmm23, zmm28
vpsubq zmm16, zmm19, qword ptr [{k} + 8]{{1to8}}
vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm13, zmm30
vpaddq zmm13, zmm24, zmm9
vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm2, zmm12
vpaddq zmm6, zmm20, zmm6
vpmadd52huq zmm20, zmm22, zmm30
vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm1, zmm30
vpaddq zmm1, zmm25, zmm30
vpminuq zmm19, zmm19, zmm16
vpxord zmm16, zmm16, zmm16
vpmadd52huq zmm16, zmm15, zmm30
vpxord zmm15, zmm15, zmm15
jmp 2f
2:
vpmadd52huq zmm15, zmm10, zmm30
vpsubq zmm10, zmm7, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 [{x} + 2816], zmm18
vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm27, zmm30
vpmadd52huq zmm29, zmm26, zmm30
vpaddq zmm27, zmm25, zmm1
vmovdqu64 [{x} + 2752], zmm4
vmovdqu64 zmm26, [{x} + 3776]
prefetcht0 [{pair} + 5504]
vpmadd52huq zmm23, zmm11, zmm30
vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm8, zmm30
vmovdqu64 zmm4, [{x} + 3904]
vpaddq zmm11, zmm26, zmm30
vpminuq zmm8, zmm7, zmm10
vmovdqu64 [{x} + 2560], zmm22
vpmadd52huq zmm24, zmm17, zmm30
vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm4, zmm12
vmovdqu64 [{x} + 2688], zmm16
vpsubq zmm10, zmm6, zmm20
vpaddq zmm22, zmm19, zmm30
vpaddq zmm17, zmm26, zmm11
vpmadd52huq zmm25, zmm21, zmm30
vpmadd52huq zmm26, zmm0, zmm30
vmovdqu64 [{x} + 3008], zmm18
vpsubq zmm12, zmm5, zmm29
vmovdqu64 [{x} + 2880], zmm1
vpsubq zmm16, zmm14, zmm23
vpmadd52luq zmm9, zmm2, zmm3
vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm23, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm11, zmm8, zmm30
vpmadd52luq zmm7, zmm4, zmm3
vmovdqu64 [{x} + 2624], zmm15
vpsubq zmm21, zmm13, zmm24
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm10, qword ptr [{k} + 32]{{1to8}}
vpaddq zmm18, zmm19, zmm22
vmovdqu64 [{x} + 2944], zmm28
vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm16, qword ptr [{k} + 32]{{1to8}}
vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm20, qword ptr [{k} + 32]{{1to8}}
vpsubq zmm14, zmm27, zmm25
vpsubq zmm2, zmm17, zmm26
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm21, qword ptr [{shared} + 992]{{1to8}}
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm29, qword ptr [{shared} + 944]{{1to8}}
vpaddq zmm15, zmm8, zmm11
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm12, qword ptr [{shared} + 960]{{1to8}}
vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm24, qword ptr [{shared} + 976]{{1to8}}
vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm14, qword ptr [{shared} + 1056]{{1to8}}
vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm25, qword ptr [{shared} + 1024]{{1to8}}
vpmadd52huq zmm8, zmm7, zmm30
vpmadd52luq zmm4, zmm21, qword ptr [{shared} + 1000]{{1to8}}
vpmadd52luq zmm5, zmm16, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm6, zmm23, qword ptr [{k} + 40]{{1to8}}
vpmadd52huq zmm19, zmm9, zmm30
vpmadd52luq zmm0, zmm10, qword ptr [{k} + 40]{{1to8}}
vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm26, qword ptr [{shared} + 1024]{{1to8}}
vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm2, qword ptr [{shared} + 1056]{{1to8}}
vpsubq zmm7, zmm15, zmm8
vpaddq zmm21, zmm8, zmm30
vpmadd52luq zmm1, zmm20, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm22, zmm24, qword ptr [{shared} + 984]{{1to8}}
prefetcht0 [{pair} + 5568]
vpmadd52luq zmm3, zmm29, qword ptr [{shared} + 952]{{1to8}}
vpmadd52luq zmm13, zmm12, qword ptr [{shared} + 968]{{1to8}}
vpsubq zmm16, zmm18, zmm19
vpaddq zmm23, zmm0, zmm4
vpmadd52luq zmm27, zmm25, qword ptr [{shared} + 1032]{{1to8}}
vpmadd52luq zmm28, zmm14, qword ptr [{shared} + 1064]{{1to8}}
vpaddq zmm9, zmm19, zmm30
vpsubq zmm10, zmm0, zmm4
vpmadd52luq zmm11, zmm2, qword ptr [{shared} + 1064]{{1to8}}
vpmadd52luq zmm17, zmm26, qword ptr [{shared} + 1032]{{1to8}}
vpaddq zmm15, zmm1, zmm22
vpsubq zmm20, zmm1, zmm22
vpsubq zmm24, zmm5, zmm13
vpsubq zmm29, zmm6, zmm3
vpaddq zmm12, zmm16, zmm30
vpaddq zmm18, zmm6, zmm3
vpaddq zmm25, zmm5, zmm13
vpaddq zmm14, zmm7, zmm30
vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm15, zmm30
vpaddq zmm4, zmm19, zmm9
vpxord zmm2, zmm2, zmm2
vpmadd52huq zmm2, zmm24, zmm30
vpaddq zmm26, zmm8, zmm21
vpmadd52huq zmm8, zmm17, zmm30
jmp 2f
2:
vpaddq zmm1, zmm16, zmm12
vpaddq zmm22, zmm7, zmm14
vpmadd52huq zmm7, zmm11, zmm30
vpmadd52huq zmm16, zmm28, zmm30
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm29, zmm30
vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm23, zmm30
vmovdqu64 [{x} + 3328], zmm0
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm20, zmm30
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm10, zmm30
vmovdqu64 [{x} + 3264], zmm2
vpsubq zmm15, zmm26, zmm8
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm25, zmm30
vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm18, zmm30
vpsubq zmm21, zmm1, zmm16
vpsubq zmm17, zmm22, zmm7
vpmadd52huq zmm19, zmm27, zmm30
vmovdqu64 [{x} + 3456], zmm3
vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm8, qword ptr [{shared} + 1088]{{1to8}}
vmovdqu64 [{x} + 3520], zmm13
vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm16, qword ptr [{k} + 32]{{1to8}}
vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm7, qword ptr [{shared} + 1120]{{1to8}}
vmovdqu64 [{x} + 3136], zmm6
vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm15, qword ptr [{shared} + 1104]{{1to8}}
vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm21, qword ptr [{k} + 32]{{1to8}}
prefetcht0 [{pair} + 5632]
vmovdqu64 [{x} + 3200], zmm9
vpsubq zmm23, zmm4, zmm19
vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm19, qword ptr [{k} + 32]{{1to8}}
vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm17, qword ptr [{shared} + 1136]{{1to8}}
vmovdqu64 [{x} + 3392], zmm5
vpmadd52luq zmm11, zmm7, qword ptr [{shared} + 1128]{{1to8}}
vpmadd52luq zmm12, zmm8, qword ptr [{shared} + 1096]{{1to8}}
vmovdqu64 [{x} + 3072], zmm24
vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm23, qword ptr [{k} + 32]{{1to8}}
vpmadd52luq zmm28, zmm15, qword ptr [{shared} + 1112]{{1to8}}
vpmadd52luq zmm0, zmm19, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm20, zmm17, qword ptr [{shared} + 1144]{{1to8}}
vpmadd52luq zmm29, zmm21, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm14, zmm16, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm10, zmm23, qword ptr [{k} + 40]{{1to8}}
vpaddq zmm2, zmm0, zmm12
vpsubq zmm26, zmm0, zmm12
vpsubq zmm25, zmm14, zmm11
vpsubq zmm18, zmm29, zmm20
vpaddq zmm1, zmm14, zmm11
vpaddq zmm22, zmm29, zmm20
vpaddq zmm27, zmm10, zmm28
vpsubq zmm3, zmm10, zmm28
vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm26, zmm30
vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm2, zmm30
vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm1, zmm30
vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm18, zmm30
vpxord zmm5, zmm5, zmm5
vpmadd52huq zmm5, zmm25, zmm30
vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm3, zmm30
vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm27, zmm30
vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm22, zmm30
vmovdqu64 [{x} + 3584], zmm6
vmovdqu64 [{x} + 3840], zmm9
prefetcht0 [{pair} + 5696]
vmovdqu64 [{x} + 3648], zmm13
vmovdqu64 [{x} + 3968], zmm24
vmovdqu64 [{x} + 4032], zmm4
vmovdqu64 [{x} + 3776], zmm7
vmovdqu64 [{x} + 3712], zmm8
vmovdqu64 [{x} + 3904], zmm5
