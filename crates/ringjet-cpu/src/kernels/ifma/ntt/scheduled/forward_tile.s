/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */
mov {n}, 4
3: vpbroadcastq zmm31, qword ptr [{k} + 24]; vpbroadcastq zmm30, qword ptr [{k} + 0]; vmovdqu64 zmm29, [{x} + 1536]
vmovdqu64 zmm28, [{x} + 3584]; vmovdqu64 zmm27, [{x} + 0]; vmovdqu64 zmm26, [{x} + 1024]; vmovdqu64 zmm25, [{x} + 2560]
vmovdqu64 zmm24, [{x} + 512]; vmovdqu64 zmm23, [{x} + 3072]; vmovdqu64 zmm22, [{x} + 3840]
vmovdqu64 zmm21, [{x} + 1792]; vmovdqu64 zmm20, [{x} + 256]; vmovdqa64 zmm19, zmm31
vpmadd52huq zmm19, zmm28, qword ptr [{top} + 0]{{1to8}}; vpsubq zmm18, zmm29, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 zmm17, [{x} + 2048]; vpsubq zmm16, zmm27, qword ptr [{k} + 8]{{1to8}}; vpminuq zmm15, zmm29, zmm18
vmovdqu64 zmm14, [{x} + 768]; vmovdqu64 zmm13, [{x} + 1280]; prefetcht0 [{pair} + 2688]
vpmadd52luq zmm19, zmm28, qword ptr [{top} + 8]{{1to8}}; vpsubq zmm12, zmm26, qword ptr [{k} + 8]{{1to8}}
vpminuq zmm11, zmm27, zmm16; vmovdqu64 zmm10, [{x} + 2816]; vmovdqu64 zmm9, [{x} + 3328]; vpaddq zmm8, zmm15, zmm30
vpsubq zmm7, zmm24, qword ptr [{k} + 8]{{1to8}}; vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm25, qword ptr [{top} + 0]{{1to8}}; vpminuq zmm5, zmm26, zmm12; vpsubq zmm4, zmm11, zmm30
vmovdqa64 zmm3, zmm31; vpmadd52huq zmm3, zmm23, qword ptr [{top} + 0]{{1to8}}; vpaddq zmm2, zmm15, zmm8
vpmadd52huq zmm15, zmm19, zmm30; vpsubq zmm1, zmm21, qword ptr [{k} + 8]{{1to8}}; vpminuq zmm0, zmm24, zmm7
vpsubq zmm29, zmm20, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm18, zmm5, zmm30; vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm17, qword ptr [{top} + 0]{{1to8}}; vpmadd52luq zmm3, zmm23, qword ptr [{top} + 8]{{1to8}}
vmovdqa64 zmm27, zmm31; vpmadd52huq zmm27, zmm22, qword ptr [{top} + 0]{{1to8}}; vpminuq zmm16, zmm11, zmm4
vpsubq zmm26, zmm2, zmm15; vpaddq zmm12, zmm0, zmm30; vpmadd52luq zmm6, zmm25, qword ptr [{top} + 8]{{1to8}}
vpsubq zmm8, zmm14, qword ptr [{k} + 8]{{1to8}}; vpminuq zmm19, zmm21, zmm1; vmovdqu64 zmm24, [{x} + 2304]
vpmadd52luq zmm28, zmm17, qword ptr [{top} + 8]{{1to8}}; vpminuq zmm7, zmm20, zmm29; vpaddq zmm23, zmm5, zmm18
vpmadd52huq zmm5, zmm3, zmm30; vpaddq zmm11, zmm0, zmm12; vpmadd52huq zmm0, zmm6, zmm30
vpmadd52luq zmm27, zmm22, qword ptr [{top} + 8]{{1to8}}; vpsubq zmm4, zmm13, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm2, zmm31; vpmadd52huq zmm2, zmm9, qword ptr [{top} + 0]{{1to8}}; vpaddq zmm25, zmm19, zmm30
vmovdqa64 zmm21, zmm31; vpmadd52huq zmm21, zmm10, qword ptr [{top} + 0]{{1to8}}; vpminuq zmm1, zmm14, zmm8
vpminuq zmm17, zmm13, zmm4; vpaddq zmm20, zmm16, zmm30; vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm15, qword ptr [{top} + 16]{{1to8}}; vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm26, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm3, zmm19, zmm25; vpaddq zmm12, zmm1, zmm30
vpsubq zmm6, zmm11, zmm0; vpmadd52luq zmm21, zmm10, qword ptr [{top} + 8]{{1to8}}; vmovdqa64 zmm22, zmm31
vpmadd52huq zmm22, zmm24, qword ptr [{top} + 0]{{1to8}}; vpmadd52huq zmm19, zmm27, zmm30; vpsubq zmm14, zmm7, zmm30
vpsubq zmm8, zmm23, zmm5; vpaddq zmm13, zmm17, zmm30; vpmadd52luq zmm2, zmm9, qword ptr [{top} + 8]{{1to8}}
vpaddq zmm4, zmm16, zmm20; vpmadd52huq zmm16, zmm28, zmm30; vpmadd52luq zmm29, zmm15, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm25, zmm3, zmm19; vpminuq zmm11, zmm7, zmm14; vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm8, qword ptr [{top} + 48]{{1to8}}; vpmadd52luq zmm18, zmm26, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm27, zmm17, zmm13; vpmadd52huq zmm17, zmm2, zmm30; vpaddq zmm23, zmm6, zmm30; vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm5, qword ptr [{top} + 16]{{1to8}}; vpaddq zmm20, zmm0, zmm30; vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm19, qword ptr [{top} + 16]{{1to8}}; jmp 2f
2: vpaddq zmm15, zmm1, zmm12; prefetcht0 [{pair} + 2752]; vpmadd52huq zmm1, zmm21, zmm30; vpsubq zmm3, zmm4, zmm16
vmovdqa64 zmm7, zmm31; vpmadd52huq zmm7, zmm25, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm14, zmm11, zmm30
vpmadd52luq zmm22, zmm24, qword ptr [{top} + 8]{{1to8}}; vpaddq zmm26, zmm6, zmm23; vpsubq zmm13, zmm27, zmm17
vpmadd52luq zmm9, zmm5, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm2, zmm15, zmm1; vpaddq zmm12, zmm16, zmm30
vpmadd52huq zmm6, zmm18, zmm30; vpaddq zmm21, zmm0, zmm20; vpmadd52huq zmm0, zmm29, zmm30
vpmadd52luq zmm10, zmm8, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm4, zmm11, zmm14; vpaddq zmm24, zmm3, zmm30
vpmadd52huq zmm11, zmm22, zmm30; vpmadd52luq zmm28, zmm19, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm23, zmm26, zmm6
vpaddq zmm27, zmm2, zmm30; vpmadd52luq zmm7, zmm25, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm5, zmm21, zmm0
vmovdqa64 zmm15, zmm31; vpmadd52huq zmm15, zmm17, qword ptr [{top} + 16]{{1to8}}; vpaddq zmm18, zmm16, zmm12
vmovdqa64 zmm20, zmm31; vpmadd52huq zmm20, zmm13, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm29, zmm1, zmm30
vpmadd52huq zmm16, zmm9, zmm30; vpaddq zmm8, zmm3, zmm24; vpmadd52huq zmm3, zmm10, zmm30; vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm5, qword ptr [{top} + 96]{{1to8}}; vpsubq zmm22, zmm4, zmm11; vpaddq zmm19, zmm11, zmm30
vmovdqa64 zmm26, zmm31; vpmadd52huq zmm26, zmm23, qword ptr [{top} + 128]{{1to8}}; vpaddq zmm25, zmm1, zmm29
vpmadd52huq zmm1, zmm28, zmm30; vpaddq zmm21, zmm2, zmm27; vpmadd52luq zmm15, zmm17, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm20, zmm13, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm12, zmm18, zmm16; vpsubq zmm9, zmm8, zmm3
vpmadd52huq zmm2, zmm7, zmm30; vmovdqa64 zmm24, zmm31; vpmadd52huq zmm24, zmm0, qword ptr [{top} + 80]{{1to8}}
vpaddq zmm10, zmm22, zmm30; vpaddq zmm4, zmm11, zmm19; vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm6, qword ptr [{top} + 112]{{1to8}}; vpmadd52luq zmm26, zmm23, qword ptr [{top} + 136]{{1to8}}
vpaddq zmm28, zmm12, zmm30; vpaddq zmm27, zmm3, zmm30; vpmadd52luq zmm14, zmm5, qword ptr [{top} + 104]{{1to8}}
vpsubq zmm17, zmm25, zmm1; vpaddq zmm13, zmm9, zmm30; vpaddq zmm18, zmm22, zmm10
vpmadd52luq zmm29, zmm6, qword ptr [{top} + 120]{{1to8}}; vpmadd52huq zmm22, zmm20, zmm30; vpsubq zmm8, zmm21, zmm2
vpaddq zmm7, zmm16, zmm30; vpmadd52huq zmm11, zmm15, zmm30; vpmadd52luq zmm24, zmm0, qword ptr [{top} + 88]{{1to8}}
vpaddq zmm19, zmm3, zmm27; vpaddq zmm23, zmm12, zmm28; vpaddq zmm5, zmm16, zmm7; vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm8, qword ptr [{top} + 128]{{1to8}}; vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm1, qword ptr [{top} + 80]{{1to8}}; vpaddq zmm6, zmm9, zmm13; vpmadd52huq zmm16, zmm24, zmm30
vpmadd52huq zmm3, zmm29, zmm30; vpsubq zmm20, zmm4, zmm11; vpsubq zmm21, zmm18, zmm22; prefetcht0 [{pair} + 2816]
vpmadd52huq zmm9, zmm26, zmm30; vmovdqa64 zmm15, zmm31; vpmadd52huq zmm15, zmm17, qword ptr [{top} + 96]{{1to8}}
vpaddq zmm0, zmm22, zmm30; vpaddq zmm27, zmm11, zmm30; vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm2, qword ptr [{top} + 112]{{1to8}}; vpmadd52huq zmm12, zmm14, zmm30; vpsubq zmm7, zmm19, zmm3
vpaddq zmm13, zmm21, zmm30; vpmadd52luq zmm10, zmm1, qword ptr [{top} + 88]{{1to8}}; vpsubq zmm24, zmm5, zmm16
vpsubq zmm29, zmm6, zmm9; vpmadd52luq zmm25, zmm8, qword ptr [{top} + 136]{{1to8}}; vpsubq zmm4, zmm23, zmm12
vpmadd52luq zmm28, zmm2, qword ptr [{top} + 120]{{1to8}}; vpaddq zmm18, zmm20, zmm30
vpmadd52luq zmm15, zmm17, qword ptr [{top} + 104]{{1to8}}; vpunpcklqdq zmm26, zmm3, zmm7
vpunpckhqdq zmm31, zmm16, zmm24; jmp 2f
2: vpunpcklqdq zmm14, zmm9, zmm29; vpunpcklqdq zmm19, zmm16, zmm24; vpunpcklqdq zmm1, zmm12, zmm4
vpunpckhqdq zmm5, zmm12, zmm4; vpaddq zmm6, zmm20, zmm18; vpaddq zmm8, zmm21, zmm13; vpunpckhqdq zmm23, zmm3, zmm7
vpunpckhqdq zmm2, zmm9, zmm29; vpmadd52huq zmm21, zmm25, zmm30; vpmadd52huq zmm20, zmm15, zmm30
vmovdqa64 zmm17, [{vectors} + 0]; vpermi2q zmm17, zmm19, zmm1; vpaddq zmm16, zmm22, zmm0
vpmadd52huq zmm22, zmm28, zmm30; vmovdqa64 zmm24, [{vectors} + 0]; vpermi2q zmm24, zmm31, zmm5
vpaddq zmm12, zmm11, zmm27; vpmadd52huq zmm11, zmm10, zmm30; vmovdqa64 zmm4, [{vectors} + 0]; vpermi2q zmm4, zmm23, zmm2
vmovdqa64 zmm18, [{vectors} + 0]; vpermi2q zmm18, zmm26, zmm14; vmovdqa64 zmm13, [{vectors} + 64]
vpermi2q zmm13, zmm31, zmm5; vmovdqa64 zmm3, [{vectors} + 64]; vpermi2q zmm3, zmm23, zmm2; vpsubq zmm7, zmm6, zmm20
vpsubq zmm9, zmm16, zmm22; vmovdqu64 [{buffer} + 64], zmm24; vpsubq zmm29, zmm12, zmm11
vmovdqa64 zmm25, [{vectors} + 64]; vpermi2q zmm25, zmm26, zmm14; vmovdqa64 zmm15, [{vectors} + 64]
vpermi2q zmm15, zmm19, zmm1; vmovdqu64 [{buffer} + 256], zmm18; vpsubq zmm0, zmm8, zmm21
vmovdqu64 [{buffer} + 192], zmm13; vpunpckhqdq zmm28, zmm22, zmm9; vpunpcklqdq zmm27, zmm20, zmm7
vpunpcklqdq zmm10, zmm22, zmm9; vpunpckhqdq zmm30, zmm20, zmm7; vmovdqu64 [{buffer} + 384], zmm25
vpunpcklqdq zmm31, zmm11, zmm29; vpunpckhqdq zmm5, zmm21, zmm0; vpunpcklqdq zmm23, zmm21, zmm0
vpunpckhqdq zmm2, zmm11, zmm29; vmovdqu64 [{buffer} + 128], zmm15; vmovdqu64 [{buffer} + 320], zmm4
vmovdqa64 zmm6, [{vectors} + 0]; vpermi2q zmm6, zmm28, zmm5; vmovdqa64 zmm16, [{vectors} + 64]
vpermi2q zmm16, zmm2, zmm30; vmovdqu64 [{buffer} + 0], zmm17; vmovdqa64 zmm24, [{vectors} + 0]
vpermi2q zmm24, zmm31, zmm27; vmovdqa64 zmm12, [{vectors} + 64]; vpermi2q zmm12, zmm31, zmm27
vmovdqu64 [{buffer} + 448], zmm3; vmovdqa64 zmm26, [{vectors} + 0]; vpermi2q zmm26, zmm2, zmm30
vmovdqa64 zmm14, [{vectors} + 64]; vpermi2q zmm14, zmm28, zmm5; prefetcht0 [{pair} + 2880]
vmovdqa64 zmm19, [{vectors} + 64]; vpermi2q zmm19, zmm10, zmm23; vmovdqa64 zmm1, [{vectors} + 0]
vpermi2q zmm1, zmm10, zmm23; vmovdqu64 [{buffer} + 2240], zmm16; vmovdqu64 [{buffer} + 2368], zmm6
vmovdqu64 [{buffer} + 2304], zmm1; vmovdqu64 [{buffer} + 2176], zmm12; vmovdqu64 [{buffer} + 2112], zmm26
vmovdqu64 [{buffer} + 2048], zmm24; vmovdqu64 [{buffer} + 2496], zmm14; vmovdqu64 [{buffer} + 2432], zmm19
add {buffer}, 512; add {next}, 384; add {pair}, 256; add {x}, 64; dec {n}; jnz 3b; sub {buffer}, 2048; sub {next}, 1536
sub {pair}, 1024; sub {x}, 256; vpbroadcastq zmm31, qword ptr [{k} + 24]; vpbroadcastq zmm30, qword ptr [{k} + 0]
vmovdqu64 ymm29, [{buffer} + 1536]; vmovdqu64 ymm28, [{buffer} + 3584]; vpbroadcastq zmm27, qword ptr [{k} + 32]
vmovdqu64 zmm26, [{pair} + 0]; vmovdqu64 ymm25, [{buffer} + 1024]; vmovdqu64 ymm24, [{buffer} + 2560]
vmovdqu64 ymm23, [{buffer} + 3072]; vmovdqu64 ymm22, [{buffer} + 512]; vmovdqu64 zmm21, [{pair} + 64]
vpbroadcastq zmm20, qword ptr [{k} + 40]; vinserti64x4 zmm19, zmm28, [{buffer} + 3840], 1
vinserti64x4 zmm18, zmm29, [{buffer} + 1792], 1; vmovdqu64 ymm17, [{buffer} + 2048]; vmovdqu64 ymm16, [{buffer} + 0]
vinserti64x4 zmm15, zmm25, [{buffer} + 1280], 1; vinserti64x4 zmm14, zmm24, [{buffer} + 2816], 1
prefetcht0 [{pair} + 3712]; vinserti64x4 zmm13, zmm23, [{buffer} + 3328], 1
vinserti64x4 zmm12, zmm22, [{buffer} + 768], 1; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm19, zmm26
vmovdqa64 zmm10, zmm31; vpmadd52huq zmm10, zmm18, zmm27; vmovdqu64 ymm9, [{buffer} + 1568]
vmovdqu64 ymm8, [{buffer} + 3616]; vmovdqu64 zmm7, [{pair} + 1280]; vmovdqu64 zmm6, [{pair} + 2176]
vmovdqa64 zmm5, zmm31; vpmadd52huq zmm5, zmm15, zmm27; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm14, zmm26
vinserti64x4 zmm3, zmm16, [{buffer} + 256], 1; vmovdqu64 ymm2, [{buffer} + 1056]; vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm13, zmm26; vmovdqa64 zmm0, zmm31; vpmadd52huq zmm0, zmm12, zmm27
vinserti64x4 zmm28, zmm17, [{buffer} + 2304], 1; vmovdqu64 ymm29, [{buffer} + 2592]; vpmadd52luq zmm11, zmm19, zmm21
vpmadd52luq zmm10, zmm18, zmm20; vmovdqu64 ymm25, [{buffer} + 3104]; vmovdqu64 ymm24, [{buffer} + 544]
vinserti64x4 zmm23, zmm8, [{buffer} + 3872], 1; vinserti64x4 zmm22, zmm9, [{buffer} + 1824], 1
vpmadd52luq zmm5, zmm15, zmm20; vpmadd52luq zmm4, zmm14, zmm21; vmovdqu64 zmm16, [{pair} + 2240]
vmovdqu64 zmm17, [{pair} + 1344]; vpmadd52luq zmm1, zmm13, zmm21; vpmadd52luq zmm0, zmm12, zmm20
vinserti64x4 zmm19, zmm2, [{buffer} + 1312], 1; vmovdqu64 ymm18, [{buffer} + 2080]; vpsubq zmm8, zmm10, zmm11
vpaddq zmm9, zmm10, zmm11; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm28, zmm26; vmovdqa64 zmm14, zmm31
vpmadd52huq zmm14, zmm3, zmm27; vmovdqu64 ymm13, [{buffer} + 32]; vmovdqu64 ymm12, [{buffer} + 1600]
vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm23, zmm6; vmovdqa64 zmm10, zmm31; vpmadd52huq zmm10, zmm22, zmm7
vinserti64x4 zmm11, zmm29, [{buffer} + 2848], 1; vmovdqu64 ymm26, [{buffer} + 3648]; vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm9, zmm30; vpxord zmm29, zmm29, zmm29; vpmadd52huq zmm29, zmm8, zmm30
vinserti64x4 zmm9, zmm24, [{buffer} + 800], 1; vmovdqu64 zmm8, [{pair} + 896]; vpaddq zmm24, zmm5, zmm1
vpsubq zmm5, zmm5, zmm1; vpaddq zmm1, zmm0, zmm4; vpsubq zmm0, zmm0, zmm4; vpmadd52luq zmm14, zmm3, zmm20
vpmadd52luq zmm15, zmm28, zmm21; vinserti64x4 zmm4, zmm25, [{buffer} + 3360], 1; vmovdqu64 zmm3, [{pair} + 1792]
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm1, zmm30; vpxord zmm28, zmm28, zmm28; vpmadd52huq zmm28, zmm24, zmm30
vinserti64x4 zmm21, zmm13, [{buffer} + 288], 1; vmovdqu64 ymm25, [{buffer} + 576]; vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm27, [{pair} + 128]; vmovdqa64 zmm24, zmm31; vpmadd52huq zmm24, zmm29, [{pair} + 256]
prefetcht0 [{pair} + 3776]; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm0, zmm30; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm5, zmm30; vinserti64x4 zmm5, zmm18, [{buffer} + 2336], 1; jmp 2f
2: vpsubq zmm18, zmm14, zmm15; vpaddq zmm14, zmm14, zmm15; vpmadd52luq zmm10, zmm22, zmm17
vpmadd52luq zmm2, zmm23, zmm16; vmovdqu64 ymm15, [{buffer} + 3136]; vmovdqu64 ymm22, [{buffer} + 2624]
vmovdqa64 zmm23, zmm31; vpmadd52huq zmm23, zmm28, [{pair} + 128]; vinserti64x4 zmm12, zmm12, [{buffer} + 1856], 1
vpmadd52luq zmm24, zmm29, [{pair} + 320]; vpmadd52luq zmm1, zmm27, [{pair} + 192]; vpaddq zmm29, zmm20, zmm30
vmovdqa64 zmm27, zmm31; vpmadd52huq zmm27, zmm0, [{pair} + 256]; vinserti64x4 zmm26, zmm26, [{buffer} + 3904], 1
vpaddq zmm29, zmm20, zmm29; vinserti64x4 zmm25, zmm25, [{buffer} + 832], 1; vpmadd52luq zmm23, zmm28, [{pair} + 192]
vpaddq zmm28, zmm13, zmm30; vinserti64x4 zmm22, zmm22, [{buffer} + 2880], 1; vpmadd52huq zmm20, zmm1, zmm30
vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm14, zmm30; vpaddq zmm14, zmm10, zmm2; vpsubq zmm10, zmm10, zmm2
vpaddq zmm2, zmm13, zmm28; vpmadd52huq zmm13, zmm24, zmm30; vpxord zmm28, zmm28, zmm28; vpmadd52huq zmm28, zmm18, zmm30
vmovdqu64 zmm24, [{pair} + 960]; vinserti64x4 zmm18, zmm15, [{buffer} + 3392], 1; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm11, zmm6; vpmadd52luq zmm27, zmm0, [{pair} + 320]; vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm9, zmm7; vpsubq zmm29, zmm29, zmm20; vpsubq zmm2, zmm2, zmm13; vpmadd52luq zmm15, zmm11, zmm16
vmovdqa64 zmm11, zmm31; vpmadd52huq zmm11, zmm19, zmm7; vpmadd52luq zmm0, zmm9, zmm17; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm4, zmm6; prefetcht0 [{pair} + 3840]; vpmadd52luq zmm11, zmm19, zmm17; vpaddq zmm19, zmm1, zmm30
vpmadd52luq zmm9, zmm4, zmm16; vpaddq zmm4, zmm28, zmm30; vpaddq zmm19, zmm1, zmm19; vpmadd52huq zmm1, zmm23, zmm30
vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm10, zmm30; vpsubq zmm10, zmm0, zmm15; vpaddq zmm4, zmm28, zmm4
vpmadd52huq zmm28, zmm27, zmm30; vpxord zmm27, zmm27, zmm27; vpmadd52huq zmm27, zmm14, zmm30; vpaddq zmm14, zmm0, zmm15
vmovdqu64 ymm0, [{buffer} + 1088]; vmovdqa64 zmm15, zmm31; vpmadd52huq zmm15, zmm29, [{pair} + 512]
vpsubq zmm19, zmm19, zmm1; vpsubq zmm4, zmm4, zmm28; vpmadd52luq zmm15, zmm29, [{pair} + 576]; vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm2, [{pair} + 768]; vinserti64x4 zmm0, zmm0, [{buffer} + 1344], 1
vpmadd52luq zmm29, zmm2, [{pair} + 832]; vmovdqa64 zmm2, zmm31; vpmadd52huq zmm2, zmm20, [{pair} + 384]
prefetcht0 [{pair} + 3904]; vpmadd52luq zmm2, zmm20, [{pair} + 448]; vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm13, [{pair} + 640]; vpmadd52luq zmm20, zmm13, [{pair} + 704]; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm5, zmm6; vpaddq zmm6, zmm11, zmm9; vpsubq zmm11, zmm11, zmm9; vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm27, [{pair} + 128]; vpmadd52luq zmm13, zmm5, zmm16; vmovdqa64 zmm5, zmm31
vpmadd52huq zmm5, zmm21, zmm7; vpaddq zmm16, zmm1, zmm30; vpaddq zmm7, zmm28, zmm30
vpmadd52luq zmm9, zmm27, [{pair} + 192]; vmovdqa64 zmm27, zmm31; vpmadd52huq zmm27, zmm23, [{pair} + 256]
vpaddq zmm16, zmm1, zmm16; vpmadd52huq zmm1, zmm2, zmm30; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm11, zmm30
vpaddq zmm11, zmm4, zmm30; vpaddq zmm7, zmm28, zmm7; vpmadd52huq zmm28, zmm20, zmm30; vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm6, zmm30; vpaddq zmm6, zmm19, zmm30; jmp 2f
2: vpmadd52luq zmm5, zmm21, zmm17; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm10, zmm30
vpaddq zmm17, zmm4, zmm11; vmovdqu64 zmm10, [{pair} + 1856]; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm14, zmm30
vpmadd52huq zmm4, zmm29, zmm30; vpaddq zmm14, zmm19, zmm6; vmovdqu64 ymm29, [{buffer} + 2112]
vpmadd52luq zmm27, zmm23, [{pair} + 320]; vmovdqa64 zmm6, zmm31; vpmadd52huq zmm6, zmm12, zmm8
vpsubq zmm23, zmm16, zmm1; vmovdqu64 [{x} + 0], zmm1; vmovdqu64 ymm16, [{buffer} + 64]; prefetcht0 [{pair} + 3968]
vpmadd52huq zmm19, zmm15, zmm30; vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm26, zmm3; vpsubq zmm15, zmm7, zmm28
vmovdqu64 [{x} + 2048], zmm28; vmovdqu64 ymm7, [{buffer} + 1632]; vpaddq zmm28, zmm21, zmm30
vmovdqu64 [{x} + 512], zmm23; vpsubq zmm23, zmm5, zmm13; vpaddq zmm5, zmm5, zmm13; vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm20, [{pair} + 128]; vpsubq zmm17, zmm17, zmm4; vmovdqu64 [{x} + 3072], zmm4
vpaddq zmm4, zmm11, zmm30; vpmadd52luq zmm6, zmm12, zmm24; vmovdqa64 zmm12, zmm31
vpmadd52huq zmm12, zmm2, [{pair} + 256]; vpaddq zmm28, zmm21, zmm28; vmovdqu64 [{x} + 2560], zmm15
vinserti64x4 zmm15, zmm29, [{buffer} + 2368], 1; vpxord zmm29, zmm29, zmm29; vpmadd52huq zmm29, zmm23, zmm30
vpmadd52huq zmm21, zmm27, zmm30; vpsubq zmm23, zmm14, zmm19; vpaddq zmm27, zmm11, zmm4; vmovdqu64 [{x} + 3584], zmm17
vmovdqu64 ymm14, [{buffer} + 3680]; vmovdqu64 zmm4, [{pair} + 1408]; vpmadd52luq zmm1, zmm26, zmm10
vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm5, zmm30; vmovdqu64 [{x} + 1024], zmm19
vinserti64x4 zmm26, zmm16, [{buffer} + 320], 1; vmovdqu64 zmm5, [{pair} + 2304]; vpmadd52huq zmm11, zmm9, zmm30
vmovdqu64 [{x} + 1536], zmm23; vmovdqa64 zmm19, zmm31; vpmadd52huq zmm19, zmm0, zmm8
vinserti64x4 zmm16, zmm7, [{buffer} + 1888], 1; vmovdqu64 ymm9, [{buffer} + 3168]
vpmadd52luq zmm12, zmm2, [{pair} + 320]; vpmadd52luq zmm13, zmm20, [{pair} + 192]; vpxord zmm23, zmm23, zmm23
vpmadd52huq zmm23, zmm22, zmm3; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm18, zmm3; vpsubq zmm2, zmm28, zmm21
vpaddq zmm20, zmm29, zmm30; vmovdqa64 zmm28, zmm31; vpmadd52huq zmm28, zmm25, zmm8
vinserti64x4 zmm14, zmm14, [{buffer} + 3936], 1; vpsubq zmm27, zmm27, zmm11; vpmadd52luq zmm19, zmm0, zmm24
vpaddq zmm0, zmm6, zmm1; vpsubq zmm6, zmm6, zmm1; vpaddq zmm1, zmm17, zmm30; vpaddq zmm20, zmm29, zmm20
vpmadd52huq zmm29, zmm12, zmm30; vmovdqa64 zmm12, zmm31; vpmadd52huq zmm12, zmm11, [{pair} + 384]
vpmadd52luq zmm7, zmm18, zmm10; vmovdqa64 zmm18, zmm31; vpmadd52huq zmm18, zmm21, [{pair} + 640]
vinserti64x4 zmm9, zmm9, [{buffer} + 3424], 1; vpaddq zmm1, zmm17, zmm1; vpmadd52huq zmm17, zmm13, zmm30
vmovdqa64 zmm13, zmm31; vpmadd52huq zmm13, zmm2, [{pair} + 768]; vpmadd52luq zmm28, zmm25, zmm24
vpxord zmm25, zmm25, zmm25; vpmadd52huq zmm25, zmm0, zmm30; vmovdqa64 zmm0, zmm31
vpmadd52huq zmm0, zmm27, [{pair} + 512]; vpmadd52luq zmm23, zmm22, zmm10; vpsubq zmm22, zmm20, zmm29
vpaddq zmm20, zmm29, zmm30; prefetcht0 [{pair} + 4032]; vpmadd52luq zmm12, zmm11, [{pair} + 448]
vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm6, zmm30; vpsubq zmm6, zmm19, zmm7; vpaddq zmm19, zmm19, zmm7; jmp 2f
2: vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm15, zmm3; vmovdqa64 zmm3, zmm31; vpmadd52huq zmm3, zmm26, zmm8
vpsubq zmm8, zmm1, zmm17; vpaddq zmm1, zmm22, zmm30; vpmadd52luq zmm13, zmm2, [{pair} + 832]; vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm25, [{pair} + 128]; vpaddq zmm20, zmm29, zmm20; vpmadd52luq zmm0, zmm27, [{pair} + 576]
vpsubq zmm27, zmm28, zmm23; vpaddq zmm28, zmm28, zmm23; vpmadd52luq zmm18, zmm21, [{pair} + 704]; vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm11, [{pair} + 256]; vpaddq zmm21, zmm17, zmm30; vpaddq zmm1, zmm22, zmm1
vpmadd52luq zmm7, zmm15, zmm10; vmovdqu64 ymm15, [{buffer} + 2656]; vpaddq zmm10, zmm8, zmm30
vpmadd52luq zmm3, zmm26, zmm24; vmovdqu64 ymm26, [{buffer} + 1120]; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm6, zmm30; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm19, zmm30; vpaddq zmm19, zmm17, zmm21
vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm27, zmm30; vpxord zmm27, zmm27, zmm27; vpmadd52huq zmm27, zmm28, zmm30
vpaddq zmm28, zmm8, zmm10; vpmadd52luq zmm23, zmm11, [{pair} + 320]; vmovdqu64 ymm10, [{buffer} + 608]
vmovdqa64 zmm11, zmm31; vpmadd52huq zmm11, zmm16, zmm4; vpmadd52luq zmm2, zmm25, [{pair} + 192]
vpmadd52huq zmm22, zmm13, zmm30; vmovdqu64 zmm25, [{pair} + 1472]; vpsubq zmm13, zmm3, zmm7; vpaddq zmm3, zmm3, zmm7
vpmadd52huq zmm29, zmm18, zmm30; vmovdqu64 zmm7, [{pair} + 2368]; vpxord zmm18, zmm18, zmm18
vpmadd52huq zmm18, zmm14, zmm5; vinserti64x4 zmm26, zmm26, [{buffer} + 1376], 1; vpmadd52huq zmm8, zmm0, zmm30
vpmadd52huq zmm17, zmm12, zmm30; vpaddq zmm0, zmm21, zmm30; vpaddq zmm12, zmm27, zmm30
vinserti64x4 zmm15, zmm15, [{buffer} + 2912], 1; vinserti64x4 zmm10, zmm10, [{buffer} + 864], 1
vpaddq zmm12, zmm27, zmm12; vpmadd52huq zmm27, zmm2, zmm30; vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm24, [{pair} + 256]; vmovdqu64 [{x} + 3328], zmm22; vpsubq zmm20, zmm20, zmm29
vpmadd52luq zmm11, zmm16, zmm25; vmovdqa64 zmm16, zmm31; vpmadd52huq zmm16, zmm6, [{pair} + 128]
vpsubq zmm1, zmm1, zmm22; vmovdqu64 [{x} + 2304], zmm29; vmovdqu64 ymm22, [{buffer} + 2144]; vpsubq zmm29, zmm19, zmm17
vpsubq zmm19, zmm28, zmm8; vpmadd52luq zmm18, zmm14, zmm7; vmovdqu64 ymm28, [{buffer} + 96]; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm13, zmm30; vmovdqu64 [{x} + 1280], zmm8; vmovdqu64 ymm13, [{buffer} + 3712]
prefetcht0 [{pair} + 4096]; vpaddq zmm8, zmm21, zmm0; vpmadd52huq zmm21, zmm23, zmm30; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm3, zmm30; vmovdqu64 [{x} + 3840], zmm1; vmovdqu64 ymm23, [{buffer} + 1664]
vmovdqu64 zmm3, [{pair} + 1024]; vmovdqa64 zmm1, zmm31; vpmadd52huq zmm1, zmm10, zmm4; vmovdqu64 [{x} + 2816], zmm20
vmovdqa64 zmm20, zmm31; vpmadd52huq zmm20, zmm26, zmm4; vpsubq zmm12, zmm12, zmm27; vmovdqu64 [{x} + 768], zmm29
vpmadd52luq zmm16, zmm6, [{pair} + 192]; vpxord zmm29, zmm29, zmm29; vpmadd52huq zmm29, zmm15, zmm5
vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm9, zmm5; vmovdqu64 [{x} + 1792], zmm19
vpmadd52luq zmm2, zmm24, [{pair} + 320]; vpsubq zmm19, zmm11, zmm18; vpaddq zmm24, zmm11, zmm18
vmovdqu64 zmm11, [{pair} + 1920]; vmovdqu64 [{x} + 256], zmm17; vpaddq zmm18, zmm0, zmm30; jmp 2f
2: vpsubq zmm17, zmm8, zmm21; vpaddq zmm8, zmm14, zmm30; vinserti64x4 zmm28, zmm28, [{buffer} + 352], 1
vinserti64x4 zmm22, zmm22, [{buffer} + 2400], 1; vpmadd52luq zmm20, zmm26, zmm25; vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm21, [{pair} + 640]; vpmadd52luq zmm29, zmm15, zmm7; vmovdqa64 zmm15, zmm31
vpmadd52huq zmm15, zmm27, [{pair} + 384]; vpaddq zmm8, zmm14, zmm8; vpaddq zmm18, zmm0, zmm18
vpmadd52huq zmm14, zmm2, zmm30; vpmadd52luq zmm6, zmm9, zmm7; vinserti64x4 zmm2, zmm23, [{buffer} + 1920], 1
vmovdqu64 ymm9, [{buffer} + 2688]; vmovdqa64 zmm23, zmm31; vpmadd52huq zmm23, zmm12, [{pair} + 512]
vpmadd52luq zmm1, zmm10, zmm25; vinserti64x4 zmm10, zmm13, [{buffer} + 3968], 1; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm19, zmm30; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm24, zmm30; vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm17, [{pair} + 768]; vpmadd52huq zmm0, zmm16, zmm30; vmovdqa64 zmm16, zmm31
vpmadd52huq zmm16, zmm28, zmm4; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm22, zmm5; vpsubq zmm5, zmm20, zmm6
vpaddq zmm20, zmm20, zmm6; vpmadd52luq zmm23, zmm12, [{pair} + 576]; vpmadd52luq zmm15, zmm27, [{pair} + 448]
vpsubq zmm6, zmm1, zmm29; vpaddq zmm12, zmm1, zmm29; vmovdqa64 zmm27, zmm31; vpmadd52huq zmm27, zmm19, [{pair} + 128]
vmovdqa64 zmm1, zmm31; vpmadd52huq zmm1, zmm13, [{pair} + 256]; vpsubq zmm29, zmm8, zmm14; vpaddq zmm8, zmm14, zmm30
vpmadd52luq zmm26, zmm21, [{pair} + 704]; vpmadd52luq zmm24, zmm17, [{pair} + 832]; vpsubq zmm21, zmm18, zmm0
vpaddq zmm17, zmm0, zmm30; vpaddq zmm18, zmm29, zmm30; vpmadd52luq zmm16, zmm28, zmm25; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm20, zmm30; vmovdqu64 ymm25, [{buffer} + 1152]; vpaddq zmm20, zmm14, zmm8
prefetcht0 [{pair} + 4160]; vpmadd52luq zmm4, zmm22, zmm7; vmovdqu64 ymm8, [{buffer} + 640]; vpaddq zmm22, zmm21, zmm30
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm6, zmm30; vpaddq zmm6, zmm0, zmm17; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm5, zmm30; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm12, zmm30; vpaddq zmm12, zmm29, zmm18
vinserti64x4 zmm18, zmm9, [{buffer} + 2944], 1; vpmadd52huq zmm29, zmm24, zmm30; vmovdqu64 ymm9, [{buffer} + 3200]
vpmadd52luq zmm1, zmm13, [{pair} + 320]; vpaddq zmm24, zmm21, zmm22; vpmadd52huq zmm21, zmm23, zmm30
vmovdqu64 zmm13, [{pair} + 1984]; vpmadd52luq zmm27, zmm19, [{pair} + 192]; vpmadd52huq zmm0, zmm15, zmm30
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm10, zmm11; vmovdqu64 zmm23, [{pair} + 1088]; vpsubq zmm19, zmm16, zmm4
vinserti64x4 zmm15, zmm25, [{buffer} + 1408], 1; vmovdqa64 zmm25, zmm31; vpmadd52huq zmm25, zmm2, zmm3
vpmadd52huq zmm14, zmm26, zmm30; vpaddq zmm26, zmm5, zmm30; vinserti64x4 zmm8, zmm8, [{buffer} + 896], 1
vpaddq zmm16, zmm16, zmm4; vmovdqa64 zmm4, zmm31; vpmadd52huq zmm4, zmm28, [{pair} + 128]; vpsubq zmm12, zmm12, zmm29
vmovdqu64 [{x} + 3136], zmm29; vmovdqa64 zmm29, zmm31; vpmadd52huq zmm29, zmm17, [{pair} + 256]
vinserti64x4 zmm9, zmm9, [{buffer} + 3456], 1; vpaddq zmm26, zmm5, zmm26; vpmadd52huq zmm5, zmm27, zmm30
vpaddq zmm27, zmm7, zmm30; vmovdqu64 [{x} + 1088], zmm21; vpsubq zmm6, zmm6, zmm0; vpmadd52luq zmm22, zmm10, zmm13
vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm16, zmm30; jmp 2f
2: vpsubq zmm16, zmm24, zmm21; vmovdqu64 ymm24, [{buffer} + 2176]; vmovdqu64 [{x} + 3648], zmm12
vmovdqu64 ymm21, [{buffer} + 128]; vpmadd52luq zmm25, zmm2, zmm23; vpaddq zmm12, zmm7, zmm27
vpmadd52huq zmm7, zmm1, zmm30; vpsubq zmm2, zmm20, zmm14; vmovdqu64 [{x} + 64], zmm0; vmovdqu64 ymm27, [{buffer} + 3744]
vmovdqu64 ymm1, [{buffer} + 1696]; vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm19, zmm30
vmovdqu64 [{x} + 1600], zmm16; vmovdqa64 zmm0, zmm31; vpmadd52huq zmm0, zmm15, zmm3; vmovdqu64 zmm19, [{pair} + 1536]
vmovdqu64 [{x} + 576], zmm6; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm9, zmm11; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm18, zmm11; vpsubq zmm26, zmm26, zmm5; vmovdqu64 [{x} + 2624], zmm2
vpmadd52luq zmm29, zmm17, [{pair} + 320]; vmovdqa64 zmm2, zmm31; vpmadd52huq zmm2, zmm8, zmm3
vpaddq zmm17, zmm10, zmm30; vmovdqu64 [{x} + 2112], zmm14; vpmadd52luq zmm4, zmm28, [{pair} + 192]
vpsubq zmm14, zmm12, zmm7; vinserti64x4 zmm28, zmm21, [{buffer} + 384], 1; vpaddq zmm12, zmm25, zmm22
vpaddq zmm21, zmm20, zmm30; vpsubq zmm25, zmm25, zmm22; vinserti64x4 zmm22, zmm24, [{buffer} + 2432], 1
vmovdqa64 zmm24, zmm31; vpmadd52huq zmm24, zmm7, [{pair} + 640]; vpmadd52luq zmm6, zmm18, zmm13
vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm12, zmm30; vpaddq zmm12, zmm10, zmm17
vinserti64x4 zmm17, zmm1, [{buffer} + 1952], 1; prefetcht0 [{pair} + 4224]; vpxord zmm1, zmm1, zmm1
vpmadd52huq zmm1, zmm25, zmm30; vpmadd52luq zmm2, zmm8, zmm23; vpaddq zmm25, zmm20, zmm21
vmovdqu64 zmm8, [{pair} + 2432]; vinserti64x4 zmm21, zmm27, [{buffer} + 4000], 1; vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm26, [{pair} + 512]; vpmadd52huq zmm20, zmm29, zmm30; vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm14, [{pair} + 768]; vpmadd52luq zmm0, zmm15, zmm23; vpmadd52luq zmm16, zmm9, zmm13
vmovdqa64 zmm15, zmm31; vpmadd52huq zmm15, zmm5, [{pair} + 384]; vpmadd52huq zmm10, zmm4, zmm30; vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm28, zmm3; vpaddq zmm4, zmm2, zmm6; vpsubq zmm3, zmm2, zmm6; vmovdqu64 ymm2, [{buffer} + 2720]
vpmadd52luq zmm27, zmm26, [{pair} + 576]; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm22, zmm11
vpsubq zmm26, zmm25, zmm20; vmovdqu64 ymm11, [{buffer} + 1184]; vpaddq zmm25, zmm20, zmm30
vpmadd52luq zmm24, zmm7, [{pair} + 704]; vmovdqa64 zmm7, zmm31; vpmadd52huq zmm7, zmm1, [{pair} + 256]
vpmadd52luq zmm15, zmm5, [{pair} + 448]; vpsubq zmm5, zmm0, zmm16; vpmadd52luq zmm29, zmm14, [{pair} + 832]
vpaddq zmm14, zmm0, zmm16; vpsubq zmm0, zmm12, zmm10; vmovdqa64 zmm16, zmm31; vpmadd52huq zmm16, zmm18, [{pair} + 128]
vpaddq zmm12, zmm26, zmm30; vpmadd52luq zmm9, zmm28, zmm23; vmovdqu64 ymm28, [{buffer} + 3232]
vpaddq zmm23, zmm10, zmm30; vpmadd52luq zmm6, zmm22, zmm13; vmovdqu64 ymm22, [{buffer} + 672]
vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm5, zmm30; vpaddq zmm5, zmm20, zmm25; vpaddq zmm25, zmm0, zmm30
vpmadd52luq zmm7, zmm1, [{pair} + 320]; vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm4, zmm30
vpaddq zmm4, zmm26, zmm12; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm3, zmm30; vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm14, zmm30; vpaddq zmm14, zmm10, zmm23; jmp 2f
2: vinserti64x4 zmm23, zmm2, [{buffer} + 2976], 1; vpmadd52luq zmm16, zmm18, [{pair} + 192]
vmovdqu64 zmm2, [{pair} + 1600]; vpmadd52huq zmm10, zmm15, zmm30; vpaddq zmm18, zmm0, zmm25
vpmadd52huq zmm0, zmm27, zmm30; vpmadd52huq zmm26, zmm29, zmm30; vmovdqu64 zmm15, [{pair} + 2496]
vinserti64x4 zmm25, zmm28, [{buffer} + 3488], 1; vpsubq zmm27, zmm9, zmm6; vpxord zmm29, zmm29, zmm29
vpmadd52huq zmm29, zmm21, zmm8; vmovdqa64 zmm28, zmm31; vpmadd52huq zmm28, zmm17, zmm19
vinserti64x4 zmm22, zmm22, [{buffer} + 928], 1; vpaddq zmm9, zmm9, zmm6; vpmadd52huq zmm20, zmm24, zmm30
vpaddq zmm6, zmm12, zmm30; vpaddq zmm24, zmm1, zmm30; vinserti64x4 zmm11, zmm11, [{buffer} + 1440], 1
prefetcht0 [{pair} + 4288]; vpsubq zmm14, zmm14, zmm10; vmovdqu64 [{x} + 320], zmm10; vmovdqa64 zmm10, zmm31
vpmadd52huq zmm10, zmm3, [{pair} + 128]; vpaddq zmm24, zmm1, zmm24; vpsubq zmm18, zmm18, zmm0; vpaddq zmm6, zmm12, zmm6
vpmadd52huq zmm12, zmm7, zmm30; vmovdqu64 [{x} + 3392], zmm26; vmovdqa64 zmm7, zmm31
vpmadd52huq zmm7, zmm13, [{pair} + 256]; vpmadd52luq zmm29, zmm21, zmm15; vpsubq zmm21, zmm4, zmm26
vmovdqu64 ymm4, [{buffer} + 160]; vmovdqu64 [{x} + 1344], zmm0; vpsubq zmm26, zmm5, zmm20; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm27, zmm30; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm9, zmm30
vmovdqu64 ymm27, [{buffer} + 2208]; vmovdqu64 [{x} + 832], zmm14; vmovdqu64 ymm9, [{buffer} + 3776]
vpmadd52luq zmm28, zmm17, zmm2; vpmadd52huq zmm1, zmm16, zmm30; vmovdqu64 [{x} + 3904], zmm21
vmovdqu64 ymm14, [{buffer} + 1728]; vmovdqu64 zmm17, [{pair} + 2048]; vmovdqu64 [{x} + 2880], zmm26
vpmadd52luq zmm10, zmm3, [{pair} + 192]; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm23, zmm8
vpsubq zmm21, zmm6, zmm12; vmovdqu64 zmm26, [{pair} + 1152]; vpmadd52luq zmm7, zmm13, [{pair} + 320]
vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm25, zmm8; vmovdqu64 [{x} + 1856], zmm18; vmovdqu64 ymm6, [{buffer} + 2752]
vmovdqa64 zmm13, zmm31; vpmadd52huq zmm13, zmm22, zmm19; vmovdqu64 [{x} + 2368], zmm20; vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm11, zmm19; vpaddq zmm20, zmm0, zmm30; vinserti64x4 zmm4, zmm4, [{buffer} + 416], 1
vpsubq zmm24, zmm24, zmm1; vinserti64x4 zmm27, zmm27, [{buffer} + 2464], 1
vinserti64x4 zmm9, zmm9, [{buffer} + 4032], 1; vpmadd52luq zmm16, zmm23, zmm15; vpaddq zmm23, zmm28, zmm29
vpsubq zmm28, zmm28, zmm29; vmovdqa64 zmm29, zmm31; vpmadd52huq zmm29, zmm1, [{pair} + 384]
vpmadd52luq zmm3, zmm25, zmm15; vpaddq zmm25, zmm5, zmm30; vpaddq zmm20, zmm0, zmm20; vpmadd52huq zmm0, zmm7, zmm30
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm23, zmm30; vmovdqa64 zmm23, zmm31
vpmadd52huq zmm23, zmm24, [{pair} + 512]; vinserti64x4 zmm14, zmm14, [{buffer} + 1984], 1; vpaddq zmm25, zmm5, zmm25
vpmadd52luq zmm13, zmm22, zmm2; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm28, zmm30
vinserti64x4 zmm28, zmm6, [{buffer} + 3008], 1; vpmadd52luq zmm18, zmm11, zmm2; vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm12, [{pair} + 640]; vpmadd52huq zmm5, zmm10, zmm30; vmovdqa64 zmm11, zmm31
vpmadd52huq zmm11, zmm21, [{pair} + 768]; vpsubq zmm10, zmm20, zmm0; vpaddq zmm20, zmm0, zmm30
vpmadd52luq zmm23, zmm24, [{pair} + 576]; vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm27, zmm8; jmp 2f
2: prefetcht0 [{pair} + 4352]; vmovdqa64 zmm8, zmm31; vpmadd52huq zmm8, zmm4, zmm19; vpaddq zmm19, zmm13, zmm16
vpmadd52luq zmm29, zmm1, [{pair} + 448]; vpsubq zmm1, zmm13, zmm16; vmovdqu64 ymm13, [{buffer} + 704]
vmovdqa64 zmm16, zmm31; vpmadd52huq zmm16, zmm7, [{pair} + 128]; vpmadd52luq zmm6, zmm12, [{pair} + 704]
vpaddq zmm12, zmm18, zmm3; vpsubq zmm18, zmm18, zmm3; vmovdqa64 zmm3, zmm31; vpmadd52huq zmm3, zmm22, [{pair} + 256]
vpsubq zmm25, zmm25, zmm5; vpmadd52luq zmm11, zmm21, [{pair} + 832]; vpaddq zmm21, zmm5, zmm30
vpmadd52luq zmm24, zmm27, zmm15; vpxord zmm27, zmm27, zmm27; vpmadd52huq zmm27, zmm18, zmm30; vpaddq zmm15, zmm10, zmm30
vpaddq zmm18, zmm0, zmm20; vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm19, zmm30; vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm1, zmm30; vpaddq zmm1, zmm25, zmm30; vpaddq zmm21, zmm5, zmm21; vpmadd52luq zmm8, zmm4, zmm2
vmovdqu64 ymm4, [{buffer} + 3264]; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm12, zmm30; vpaddq zmm12, zmm10, zmm15
vinserti64x4 zmm15, zmm13, [{buffer} + 960], 1; vpmadd52huq zmm5, zmm29, zmm30; vmovdqu64 zmm13, [{pair} + 1216]
vpaddq zmm29, zmm25, zmm1; vpmadd52huq zmm25, zmm23, zmm30; vmovdqu64 ymm1, [{buffer} + 1216]
vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm9, zmm17; vpmadd52huq zmm0, zmm6, zmm30; vmovdqa64 zmm6, zmm31
vpmadd52huq zmm6, zmm14, zmm26; vpmadd52luq zmm16, zmm7, [{pair} + 192]; vpaddq zmm7, zmm19, zmm30
vpmadd52huq zmm10, zmm11, zmm30; vpmadd52luq zmm3, zmm22, [{pair} + 320]; vmovdqu64 zmm11, [{pair} + 2112]
vpaddq zmm22, zmm20, zmm30; vinserti64x4 zmm4, zmm4, [{buffer} + 3520], 1; vpsubq zmm21, zmm21, zmm5
vpsubq zmm29, zmm29, zmm25; vpaddq zmm7, zmm19, zmm7; vmovdqu64 [{x} + 1152], zmm25; vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm27, [{pair} + 256]; vinserti64x4 zmm1, zmm1, [{buffer} + 1472], 1; vpsubq zmm18, zmm18, zmm0
vpaddq zmm22, zmm20, zmm22; vmovdqu64 [{x} + 2176], zmm0; vmovdqa64 zmm0, zmm31; vpmadd52huq zmm0, zmm2, [{pair} + 128]
vpmadd52huq zmm20, zmm16, zmm30; vpaddq zmm16, zmm8, zmm24; vpsubq zmm8, zmm8, zmm24; vmovdqu64 [{x} + 128], zmm5
vmovdqu64 ymm24, [{buffer} + 192]; vpmadd52luq zmm6, zmm14, zmm13; vpsubq zmm5, zmm12, zmm10
vmovdqu64 ymm14, [{buffer} + 2240]; vpmadd52huq zmm19, zmm3, zmm30; vmovdqu64 [{x} + 1664], zmm29
vmovdqu64 ymm12, [{buffer} + 3808]; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm16, zmm30
vpmadd52luq zmm23, zmm9, zmm11; vmovdqu64 [{x} + 3200], zmm10; vmovdqu64 ymm29, [{buffer} + 1760]
vmovdqu64 zmm16, [{pair} + 2560]; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm8, zmm30; vmovdqu64 [{x} + 3712], zmm5
vmovdqa64 zmm10, zmm31; vpmadd52huq zmm10, zmm1, zmm26; vmovdqu64 zmm8, [{pair} + 1664]; prefetcht0 [{pair} + 4416]
vpmadd52luq zmm0, zmm2, [{pair} + 192]; vmovdqu64 [{x} + 2688], zmm18; vpmadd52luq zmm25, zmm27, [{pair} + 320]
vpsubq zmm5, zmm22, zmm20; vmovdqu64 [{x} + 640], zmm21; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm4, zmm17
vmovdqa64 zmm18, zmm31; vpmadd52huq zmm18, zmm15, zmm26; vpsubq zmm27, zmm7, zmm19
vinserti64x4 zmm22, zmm24, [{buffer} + 448], 1; vmovdqu64 ymm21, [{buffer} + 1248]; vpxord zmm7, zmm7, zmm7; jmp 2f
2: vpmadd52huq zmm7, zmm28, zmm17; vpsubq zmm24, zmm6, zmm23; vpaddq zmm6, zmm6, zmm23; vpaddq zmm23, zmm3, zmm30
vpmadd52luq zmm10, zmm1, zmm13; vmovdqa64 zmm1, zmm31; vpmadd52huq zmm1, zmm27, [{pair} + 768]
vinserti64x4 zmm14, zmm14, [{buffer} + 2496], 1; vpaddq zmm23, zmm3, zmm23; vpmadd52huq zmm3, zmm0, zmm30
vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm24, zmm30; vpaddq zmm24, zmm9, zmm30; vpmadd52luq zmm2, zmm4, zmm11
vmovdqa64 zmm4, zmm31; vpmadd52huq zmm4, zmm5, [{pair} + 512]; vinserti64x4 zmm12, zmm12, [{buffer} + 4064], 1
vpaddq zmm24, zmm9, zmm24; vpmadd52huq zmm9, zmm25, zmm30; vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm19, [{pair} + 640]; vinserti64x4 zmm29, zmm29, [{buffer} + 2016], 1
vpmadd52luq zmm7, zmm28, zmm11; vpxord zmm28, zmm28, zmm28; vpmadd52huq zmm28, zmm6, zmm30
vinserti64x4 zmm6, zmm21, [{buffer} + 1504], 1; vmovdqa64 zmm21, zmm31; vpmadd52huq zmm21, zmm20, [{pair} + 384]
vpmadd52luq zmm18, zmm15, zmm13; vpsubq zmm15, zmm23, zmm3; vpaddq zmm23, zmm3, zmm30
vpmadd52luq zmm4, zmm5, [{pair} + 576]; vmovdqa64 zmm5, zmm31; vpmadd52huq zmm5, zmm22, zmm26; vpsubq zmm26, zmm10, zmm2
vpaddq zmm10, zmm10, zmm2; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm14, zmm17; vmovdqa64 zmm17, zmm31
vpmadd52huq zmm17, zmm0, [{pair} + 256]; vpsubq zmm24, zmm24, zmm9; vpaddq zmm23, zmm3, zmm23
vpmadd52luq zmm25, zmm19, [{pair} + 704]; vmovdqa64 zmm19, zmm31; vpmadd52huq zmm19, zmm28, [{pair} + 128]
vpmadd52luq zmm1, zmm27, [{pair} + 832]; vpmadd52luq zmm21, zmm20, [{pair} + 448]; vpaddq zmm27, zmm18, zmm7
vpsubq zmm20, zmm18, zmm7; vpaddq zmm18, zmm15, zmm30; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm26, zmm30
vpxord zmm26, zmm26, zmm26; vpmadd52huq zmm26, zmm10, zmm30; vpaddq zmm10, zmm9, zmm30; vpmadd52luq zmm2, zmm14, zmm11
vmovdqu64 ymm14, [{buffer} + 2784]; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm27, zmm30
vpaddq zmm27, zmm24, zmm30; vpmadd52luq zmm5, zmm22, zmm13; vmovdqu64 ymm22, [{buffer} + 3296]
vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm20, zmm30; vpaddq zmm20, zmm15, zmm18; vpaddq zmm18, zmm9, zmm10
prefetcht0 [{pair} + 4480]; vpmadd52luq zmm17, zmm0, [{pair} + 320]; vmovdqu64 zmm10, [{pair} + 1728]
vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm12, zmm16; vpaddq zmm27, zmm24, zmm27
vpmadd52luq zmm19, zmm28, [{pair} + 192]; vpmadd52huq zmm15, zmm4, zmm30; vmovdqu64 ymm28, [{buffer} + 736]
vpmadd52huq zmm3, zmm21, zmm30; vmovdqu64 zmm4, [{pair} + 2624]; vmovdqa64 zmm21, zmm31; vpmadd52huq zmm21, zmm29, zmm8
vpmadd52huq zmm24, zmm1, zmm30; vpmadd52huq zmm9, zmm25, zmm30; vpaddq zmm1, zmm13, zmm30; vpsubq zmm25, zmm5, zmm2
vinserti64x4 zmm22, zmm22, [{buffer} + 3552], 1; vinserti64x4 zmm14, zmm14, [{buffer} + 3040], 1
vpaddq zmm5, zmm5, zmm2; vpaddq zmm2, zmm11, zmm30; vpsubq zmm20, zmm20, zmm15; vpaddq zmm1, zmm13, zmm1
vpmadd52huq zmm13, zmm17, zmm30; vmovdqa64 zmm17, zmm31; vpmadd52huq zmm17, zmm26, [{pair} + 128]
vmovdqu64 [{x} + 1408], zmm15; vmovdqa64 zmm15, zmm31; vpmadd52huq zmm15, zmm7, [{pair} + 256]
vinserti64x4 zmm28, zmm28, [{buffer} + 992], 1; vpmadd52luq zmm21, zmm29, zmm10; vpsubq zmm29, zmm23, zmm3
vmovdqu64 [{x} + 384], zmm3; vpsubq zmm23, zmm27, zmm24; jmp 2f
2: vpmadd52luq zmm0, zmm12, zmm4; vmovdqu64 ymm3, [{buffer} + 224]; vpsubq zmm27, zmm18, zmm9; vpaddq zmm12, zmm11, zmm2
vmovdqu64 ymm18, [{buffer} + 2272]; vmovdqu64 [{x} + 3456], zmm24; vpmadd52huq zmm11, zmm19, zmm30
vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm25, zmm30; vmovdqu64 [{x} + 2432], zmm9; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm5, zmm30; vmovdqu64 [{x} + 3968], zmm23; vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm22, zmm16; vpsubq zmm25, zmm1, zmm13; vmovdqu64 [{x} + 2944], zmm27
vpmadd52luq zmm15, zmm7, [{pair} + 320]; vpmadd52luq zmm17, zmm26, [{pair} + 192]; vmovdqa64 zmm9, zmm31
vpmadd52huq zmm9, zmm28, zmm8; vmovdqu64 [{x} + 896], zmm29; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm14, zmm16
vpsubq zmm23, zmm21, zmm0; vpaddq zmm1, zmm21, zmm0; vmovdqu64 [{x} + 1920], zmm20; vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm6, zmm8; vpaddq zmm7, zmm2, zmm30; vinserti64x4 zmm26, zmm18, [{buffer} + 2528], 1
vpsubq zmm29, zmm12, zmm11; vpaddq zmm21, zmm24, zmm30; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm1, zmm30
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm23, zmm30; vinserti64x4 zmm18, zmm3, [{buffer} + 480], 1
vmovdqa64 zmm12, zmm31; vpmadd52huq zmm12, zmm13, [{pair} + 640]; vpmadd52luq zmm19, zmm22, zmm4
vpaddq zmm1, zmm2, zmm7; vpmadd52luq zmm9, zmm28, zmm10; vpmadd52huq zmm2, zmm15, zmm30; vpaddq zmm23, zmm24, zmm21
prefetcht0 [{pair} + 4544]; vpmadd52huq zmm24, zmm17, zmm30; vpmadd52luq zmm27, zmm6, zmm10; vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm25, [{pair} + 768]; vmovdqa64 zmm22, zmm31; vpmadd52huq zmm22, zmm11, [{pair} + 384]
vmovdqa64 zmm7, zmm31; vpmadd52huq zmm7, zmm29, [{pair} + 512]; vpmadd52luq zmm5, zmm14, zmm4; vmovdqa64 zmm28, zmm31
vpmadd52huq zmm28, zmm18, zmm8; vpmadd52luq zmm12, zmm13, [{pair} + 704]; vpsubq zmm15, zmm1, zmm2
vpaddq zmm21, zmm2, zmm30; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm26, zmm16; vpsubq zmm6, zmm23, zmm24
vmovdqa64 zmm14, zmm31; vpmadd52huq zmm14, zmm20, [{pair} + 256]; vpaddq zmm8, zmm27, zmm19; vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm0, [{pair} + 128]; vpsubq zmm1, zmm27, zmm19; vpmadd52luq zmm22, zmm11, [{pair} + 448]
vpaddq zmm16, zmm24, zmm30; vpmadd52luq zmm7, zmm29, [{pair} + 576]; vpmadd52luq zmm3, zmm25, [{pair} + 832]
vpaddq zmm23, zmm9, zmm5; vpsubq zmm27, zmm9, zmm5; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm1, zmm30
vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm8, zmm30; vpaddq zmm29, zmm6, zmm30; vpaddq zmm25, zmm15, zmm30
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm23, zmm30; vpmadd52luq zmm17, zmm26, zmm4; vpaddq zmm5, zmm2, zmm21
vpaddq zmm1, zmm24, zmm16; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm27, zmm30; vpmadd52luq zmm28, zmm18, zmm10
vpaddq zmm23, zmm6, zmm29; vpaddq zmm26, zmm15, zmm25; vpmadd52luq zmm14, zmm20, [{pair} + 320]
vpmadd52huq zmm24, zmm22, zmm30; vpmadd52luq zmm13, zmm0, [{pair} + 192]; vpmadd52huq zmm15, zmm3, zmm30
vpmadd52huq zmm6, zmm7, zmm30; vpmadd52huq zmm2, zmm12, zmm30; vpaddq zmm4, zmm9, zmm30; vpaddq zmm21, zmm8, zmm30
vmovdqa64 zmm16, zmm31; jmp 2f
2: vpmadd52huq zmm16, zmm19, [{pair} + 256]; vpsubq zmm27, zmm28, zmm17; vmovdqa64 zmm18, zmm31
vpmadd52huq zmm18, zmm11, [{pair} + 128]; vpaddq zmm10, zmm28, zmm17; vpsubq zmm29, zmm1, zmm24
vpaddq zmm25, zmm9, zmm4; vmovdqu64 [{x} + 192], zmm24; vpsubq zmm20, zmm26, zmm15; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm27, zmm30; vpmadd52huq zmm9, zmm13, zmm30; vpaddq zmm0, zmm8, zmm21; vmovdqu64 [{x} + 3264], zmm15
prefetcht0 [{pair} + 4608]; vpsubq zmm3, zmm5, zmm2; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm10, zmm30
vpmadd52huq zmm8, zmm14, zmm30; vpsubq zmm12, zmm23, zmm6; vmovdqu64 [{x} + 704], zmm29; vmovdqu64 [{x} + 2240], zmm2
vpmadd52luq zmm18, zmm11, [{pair} + 192]; vpmadd52luq zmm16, zmm19, [{pair} + 320]; vmovdqu64 [{x} + 1728], zmm12
vmovdqu64 [{x} + 2752], zmm3; vpaddq zmm28, zmm22, zmm30; vpsubq zmm17, zmm25, zmm9; vmovdqa64 zmm1, zmm31
vpmadd52huq zmm1, zmm9, [{pair} + 384]; vmovdqu64 [{x} + 1216], zmm6; vpaddq zmm4, zmm7, zmm30; vpsubq zmm24, zmm0, zmm8
vmovdqa64 zmm26, zmm31; vpmadd52huq zmm26, zmm8, [{pair} + 640]; vmovdqu64 [{x} + 3776], zmm20; vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm17, [{pair} + 512]; vpaddq zmm13, zmm22, zmm28; vpmadd52huq zmm22, zmm16, zmm30
vpaddq zmm21, zmm7, zmm4; vmovdqa64 zmm15, zmm31; vpmadd52huq zmm15, zmm24, [{pair} + 768]
vpmadd52huq zmm7, zmm18, zmm30; vpmadd52luq zmm1, zmm9, [{pair} + 448]; vpmadd52luq zmm26, zmm8, [{pair} + 704]
vpmadd52luq zmm27, zmm17, [{pair} + 576]; vpsubq zmm5, zmm13, zmm22; vpaddq zmm10, zmm22, zmm30
vpsubq zmm14, zmm21, zmm7; vpmadd52luq zmm15, zmm24, [{pair} + 832]; vpaddq zmm23, zmm7, zmm30
vpaddq zmm29, zmm5, zmm30; vpaddq zmm2, zmm22, zmm10; vpaddq zmm11, zmm14, zmm30; vpaddq zmm19, zmm7, zmm23
vpmadd52huq zmm22, zmm26, zmm30; vpmadd52huq zmm7, zmm1, zmm30; vpaddq zmm12, zmm5, zmm29; vpaddq zmm3, zmm14, zmm11
vpmadd52huq zmm14, zmm27, zmm30; vpmadd52huq zmm5, zmm15, zmm30; prefetcht0 [{pair} + 4672]; vpsubq zmm25, zmm2, zmm22
vpsubq zmm6, zmm19, zmm7; vmovdqu64 [{x} + 448], zmm7; vmovdqu64 [{x} + 2496], zmm22; vpsubq zmm0, zmm3, zmm14
vpsubq zmm20, zmm12, zmm5; vmovdqu64 [{x} + 960], zmm6; vmovdqu64 [{x} + 3008], zmm25; vmovdqu64 [{x} + 1984], zmm0
vmovdqu64 [{x} + 3520], zmm5; vmovdqu64 [{x} + 4032], zmm20; vmovdqu64 [{x} + 1472], zmm14; mov {n}, 4
3: vpbroadcastq zmm31, qword ptr [{k} + 24]; vpbroadcastq zmm30, qword ptr [{k} + 0]; vmovdqu64 zmm29, [{x} + 384]
vpbroadcastq zmm28, qword ptr [{shared} + 0]; vmovdqu64 zmm27, [{x} + 448]; vmovdqu64 zmm26, [{x} + 64]
vpbroadcastq zmm25, qword ptr [{shared} + 8]; vmovdqu64 zmm24, [{x} + 192]; vmovdqu64 zmm23, [{x} + 128]
vmovdqu64 zmm22, [{x} + 320]; vmovdqu64 zmm21, [{x} + 0]; vmovdqu64 zmm20, [{x} + 256]; vmovdqu64 zmm19, [{x} + 960]
vpbroadcastq zmm18, qword ptr [{shared} + 144]; vmovdqu64 zmm17, [{x} + 896]; vmovdqu64 zmm16, [{x} + 512]
vmovdqu64 zmm15, [{x} + 576]; vmovdqa64 zmm14, zmm31; vpmadd52huq zmm14, zmm29, zmm28; vmovdqu64 zmm13, [{x} + 768]
prefetcht0 [{pair} + 4736]; vmovdqa64 zmm12, zmm31; vpmadd52huq zmm12, zmm27, zmm28; vmovdqu64 zmm11, [{x} + 640]
vmovdqu64 zmm10, [{x} + 704]; vpbroadcastq zmm9, qword ptr [{shared} + 152]
vpsubq zmm8, zmm26, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm14, zmm29, zmm25; vpaddq zmm7, zmm24, zmm30
vmovdqu64 zmm6, [{x} + 832]; vpaddq zmm5, zmm23, zmm30; vpmadd52luq zmm12, zmm27, zmm25; vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm22, zmm28; vpsubq zmm3, zmm21, qword ptr [{k} + 8]{{1to8}}; vmovdqa64 zmm2, zmm31
vpmadd52huq zmm2, zmm20, zmm28; vpminuq zmm1, zmm26, zmm8; vpaddq zmm0, zmm24, zmm7; vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm19, zmm18; vpaddq zmm27, zmm23, zmm5; vpmadd52huq zmm24, zmm12, zmm30; vpminuq zmm28, zmm21, zmm3
vmovdqa64 zmm26, zmm31; vpmadd52huq zmm26, zmm17, zmm18; vpmadd52luq zmm2, zmm20, zmm25; vpaddq zmm8, zmm1, zmm30
vpmadd52huq zmm23, zmm14, zmm30; vpmadd52luq zmm4, zmm22, zmm25; vpsubq zmm7, zmm15, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm5, zmm16, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm12, zmm28, zmm30; vpaddq zmm21, zmm1, zmm8
vmovdqa64 zmm3, zmm31; vpmadd52huq zmm3, zmm13, zmm18; vpaddq zmm20, zmm11, zmm30; vpmadd52luq zmm26, zmm17, zmm9
vpmadd52luq zmm29, zmm19, zmm9; vpsubq zmm14, zmm27, zmm23; vpsubq zmm22, zmm0, zmm24; vmovdqa64 zmm25, zmm31
vpmadd52huq zmm25, zmm6, zmm18; vpaddq zmm8, zmm28, zmm12; vpmadd52huq zmm28, zmm2, zmm30; vpaddq zmm17, zmm10, zmm30
vpminuq zmm19, zmm16, zmm5; vpmadd52huq zmm1, zmm4, zmm30; vmovdqa64 zmm27, zmm31
vpmadd52huq zmm27, zmm14, qword ptr [{shared} + 48]{{1to8}}; vpaddq zmm0, zmm11, zmm20; vpminuq zmm18, zmm15, zmm7
vpmadd52huq zmm11, zmm26, zmm30; vmovdqa64 zmm12, zmm31; vpmadd52huq zmm12, zmm24, qword ptr [{shared} + 16]{{1to8}}
vpsubq zmm2, zmm8, zmm28; vpmadd52luq zmm3, zmm13, zmm9; vpmadd52luq zmm25, zmm6, zmm9; vpaddq zmm16, zmm10, zmm17
vpsubq zmm5, zmm21, zmm1; vpmadd52huq zmm10, zmm29, zmm30; vmovdqa64 zmm4, zmm31
vpmadd52huq zmm4, zmm23, qword ptr [{shared} + 16]{{1to8}}; vpaddq zmm20, zmm18, zmm30; vpaddq zmm15, zmm2, zmm30
vmovdqa64 zmm7, zmm31; vpmadd52huq zmm7, zmm22, qword ptr [{shared} + 48]{{1to8}}
vpmadd52luq zmm12, zmm24, qword ptr [{shared} + 24]{{1to8}}; vpsubq zmm26, zmm0, zmm11; vpaddq zmm8, zmm19, zmm30
vpmadd52luq zmm4, zmm23, qword ptr [{shared} + 24]{{1to8}}; vpsubq zmm13, zmm16, zmm10
vpmadd52luq zmm27, zmm14, qword ptr [{shared} + 56]{{1to8}}; vpaddq zmm6, zmm18, zmm20; prefetcht0 [{pair} + 4800]
vpmadd52luq zmm7, zmm22, qword ptr [{shared} + 56]{{1to8}}; vpaddq zmm9, zmm19, zmm8; vpmadd52huq zmm18, zmm25, zmm30
vpaddq zmm17, zmm28, zmm30; jmp 2f
2: vpaddq zmm21, zmm1, zmm30; vpaddq zmm29, zmm5, zmm30; vpmadd52huq zmm19, zmm3, zmm30; vmovdqa64 zmm24, zmm31
vpmadd52huq zmm24, zmm13, qword ptr [{shared} + 192]{{1to8}}; vpaddq zmm0, zmm28, zmm17; vpmadd52huq zmm28, zmm4, zmm30
vmovdqa64 zmm23, zmm31; vpmadd52huq zmm23, zmm10, qword ptr [{shared} + 160]{{1to8}}; vpaddq zmm16, zmm2, zmm15
vpsubq zmm14, zmm9, zmm19; vpmadd52huq zmm2, zmm27, zmm30; vmovdqa64 zmm20, zmm31
vpmadd52huq zmm20, zmm11, qword ptr [{shared} + 160]{{1to8}}; vpsubq zmm22, zmm6, zmm18; vpaddq zmm8, zmm5, zmm29
vpaddq zmm25, zmm1, zmm21; vpmadd52huq zmm1, zmm12, zmm30; vpmadd52huq zmm5, zmm7, zmm30; vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm26, qword ptr [{shared} + 192]{{1to8}}
vpmadd52luq zmm20, zmm11, qword ptr [{shared} + 168]{{1to8}}; vpaddq zmm17, zmm22, zmm30; vpsubq zmm4, zmm0, zmm28
vpmadd52luq zmm24, zmm13, qword ptr [{shared} + 200]{{1to8}}
vpmadd52luq zmm23, zmm10, qword ptr [{shared} + 168]{{1to8}}; vpsubq zmm15, zmm25, zmm1; vpsubq zmm9, zmm8, zmm5
vpmadd52luq zmm3, zmm26, qword ptr [{shared} + 200]{{1to8}}; vpsubq zmm27, zmm16, zmm2; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm1, qword ptr [{shared} + 80]{{1to8}}; vpaddq zmm29, zmm14, zmm30; vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm5, qword ptr [{shared} + 112]{{1to8}}; vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm15, qword ptr [{shared} + 96]{{1to8}}; vpaddq zmm7, zmm19, zmm30; vpaddq zmm11, zmm18, zmm30
vmovdqa64 zmm0, zmm31; vpmadd52huq zmm0, zmm28, qword ptr [{k} + 32]{{1to8}}; vmovdqa64 zmm13, zmm31
vpmadd52huq zmm13, zmm27, qword ptr [{k} + 32]{{1to8}}; vpaddq zmm10, zmm14, zmm29; vpaddq zmm25, zmm22, zmm17
vmovdqa64 zmm8, zmm31; vpmadd52huq zmm8, zmm2, qword ptr [{k} + 32]{{1to8}}; vmovdqa64 zmm26, zmm31
vpmadd52huq zmm26, zmm4, qword ptr [{k} + 32]{{1to8}}; vpaddq zmm16, zmm19, zmm7; vpaddq zmm29, zmm18, zmm11
vpmadd52huq zmm19, zmm20, zmm30; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm9, qword ptr [{shared} + 128]{{1to8}}
vpmadd52huq zmm22, zmm24, zmm30; vpmadd52huq zmm18, zmm23, zmm30; vpmadd52huq zmm14, zmm3, zmm30
vpmadd52luq zmm21, zmm5, qword ptr [{shared} + 120]{{1to8}}; vpsubq zmm7, zmm16, zmm19; vpsubq zmm11, zmm29, zmm18
vpmadd52luq zmm0, zmm28, qword ptr [{k} + 40]{{1to8}}; vpmadd52luq zmm26, zmm4, qword ptr [{k} + 40]{{1to8}}
vpsubq zmm20, zmm25, zmm22; vpsubq zmm24, zmm10, zmm14; vpmadd52luq zmm8, zmm2, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm12, zmm15, qword ptr [{shared} + 104]{{1to8}}; prefetcht0 [{pair} + 4864]
vpmadd52luq zmm13, zmm27, qword ptr [{k} + 40]{{1to8}}; vpmadd52luq zmm6, zmm1, qword ptr [{shared} + 88]{{1to8}}
vpmadd52luq zmm17, zmm9, qword ptr [{shared} + 136]{{1to8}}; vpsubq zmm23, zmm26, zmm12; vmovdqa64 zmm3, zmm31
vpmadd52huq zmm3, zmm14, qword ptr [{k} + 32]{{1to8}}; vpaddq zmm5, zmm26, zmm12; vpxord zmm16, zmm16, zmm16
vpmadd52huq zmm16, zmm22, qword ptr [{shared} + 256]{{1to8}}; vmovdqa64 zmm29, zmm31
vpmadd52huq zmm29, zmm19, qword ptr [{k} + 32]{{1to8}}; vpaddq zmm28, zmm8, zmm21; vpsubq zmm4, zmm8, zmm21
vpsubq zmm25, zmm13, zmm17; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm18, qword ptr [{shared} + 224]{{1to8}}
vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm11, qword ptr [{shared} + 240]{{1to8}}; vpaddq zmm15, zmm13, zmm17
vmovdqa64 zmm27, zmm31; vpmadd52huq zmm27, zmm24, qword ptr [{k} + 32]{{1to8}}; vpsubq zmm1, zmm0, zmm6
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm20, qword ptr [{shared} + 272]{{1to8}}; vpaddq zmm26, zmm0, zmm6
vmovdqa64 zmm12, zmm31; vpmadd52huq zmm12, zmm7, qword ptr [{k} + 32]{{1to8}}; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm25, zmm30; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm26, zmm30; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm1, zmm30; jmp 2f
2: vpmadd52luq zmm29, zmm19, qword ptr [{k} + 40]{{1to8}}; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm5, zmm30
vmovdqu64 [{x} + 448], zmm8; vpmadd52luq zmm10, zmm18, qword ptr [{shared} + 232]{{1to8}}
vpmadd52luq zmm9, zmm20, qword ptr [{shared} + 280]{{1to8}}; vmovdqu64 [{x} + 64], zmm13; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm15, zmm30; vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm23, zmm30; vmovdqu64 [{x} + 128], zmm17
vpmadd52luq zmm16, zmm22, qword ptr [{shared} + 264]{{1to8}}; vpxord zmm31, zmm31, zmm31
vpmadd52huq zmm31, zmm28, zmm30; vpaddq zmm25, zmm29, zmm10; vmovdqu64 [{x} + 0], zmm21; vpsubq zmm26, zmm29, zmm10
vpmadd52luq zmm3, zmm14, qword ptr [{k} + 40]{{1to8}}; vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm4, zmm30
vmovdqu64 [{x} + 384], zmm0; vpmadd52luq zmm12, zmm7, qword ptr [{k} + 40]{{1to8}}
vpmadd52luq zmm2, zmm11, qword ptr [{shared} + 248]{{1to8}}; vmovdqu64 [{x} + 256], zmm31
vpmadd52luq zmm27, zmm24, qword ptr [{k} + 40]{{1to8}}; vpaddq zmm19, zmm3, zmm16; vpsubq zmm5, zmm3, zmm16
vmovdqu64 [{x} + 192], zmm6; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm26, zmm30; vpsubq zmm18, zmm12, zmm2
vmovdqu64 [{x} + 320], zmm1; vpaddq zmm20, zmm12, zmm2; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm25, zmm30
vpsubq zmm15, zmm27, zmm9; vpaddq zmm23, zmm27, zmm9; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm19, zmm30
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm5, zmm30; vmovdqu64 [{x} + 576], zmm8; prefetcht0 [{pair} + 4928]
vpxord zmm28, zmm28, zmm28; vpmadd52huq zmm28, zmm18, zmm30; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm20, zmm30
vmovdqu64 [{x} + 512], zmm13; vpxord zmm29, zmm29, zmm29; vpmadd52huq zmm29, zmm15, zmm30; vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm23, zmm30; vmovdqu64 [{x} + 832], zmm22; vmovdqu64 [{x} + 704], zmm28
vmovdqu64 [{x} + 960], zmm29; vmovdqu64 [{x} + 768], zmm17; vmovdqu64 [{x} + 896], zmm10; vmovdqu64 [{x} + 640], zmm21
add {next}, 384; add {pair}, 256; add {shared}, 288; add {x}, 1024; dec {n}; jnz 3b; sub {next}, 1536; sub {pair}, 1024
sub {shared}, 1152; sub {x}, 4096
