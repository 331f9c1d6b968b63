/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */
mov {n}, 4
3: vmovdqu64 zmm31, [{buffer} + 192]; vmovdqu64 zmm30, [{buffer} + 448]; vmovdqu64 zmm29, [{buffer} + 256]
vmovdqu64 zmm28, [{buffer} + 320]; vmovdqu64 zmm27, [{buffer} + 128]; vmovdqu64 zmm26, [{buffer} + 0]
vmovdqu64 zmm25, [{buffer} + 384]; vmovdqu64 zmm24, [{buffer} + 64]; vpbroadcastq zmm23, qword ptr [{k} + 0]
vpunpckhqdq zmm22, zmm29, zmm28; vpunpcklqdq zmm21, zmm29, zmm28; vmovdqu64 zmm20, [{buffer} + 896]
vpunpcklqdq zmm19, zmm27, zmm31; vpunpckhqdq zmm18, zmm27, zmm31; vmovdqu64 zmm17, [{buffer} + 512]
vmovdqu64 zmm16, [{buffer} + 832]; prefetcht0 [{next} + 3072]; vpunpckhqdq zmm15, zmm25, zmm30
vpunpckhqdq zmm14, zmm26, zmm24; vpunpcklqdq zmm13, zmm26, zmm24; vpunpcklqdq zmm12, zmm25, zmm30
vmovdqu64 zmm11, [{buffer} + 640]; vmovdqu64 zmm10, [{buffer} + 704]; vmovdqu64 zmm9, [{buffer} + 960]
vmovdqu64 zmm8, [{buffer} + 576]; vshufi64x2 zmm7, zmm14, zmm18, 136; vshufi64x2 zmm6, zmm13, zmm19, 221
vmovdqu64 zmm5, [{buffer} + 768]; vpbroadcastq zmm4, qword ptr [{k} + 24]; prefetcht0 [{pair} + 4736]
vshufi64x2 zmm3, zmm22, zmm15, 221; vshufi64x2 zmm2, zmm21, zmm12, 136; vpunpckhqdq zmm1, zmm11, zmm10
vpunpcklqdq zmm0, zmm11, zmm10; vshufi64x2 zmm29, zmm14, zmm18, 221; vshufi64x2 zmm28, zmm22, zmm15, 136
vpunpckhqdq zmm27, zmm17, zmm8; vpunpcklqdq zmm31, zmm17, zmm8; vshufi64x2 zmm26, zmm21, zmm12, 221
vshufi64x2 zmm24, zmm13, zmm19, 136; vpunpckhqdq zmm25, zmm5, zmm16; vpunpcklqdq zmm30, zmm5, zmm16
vshufi64x2 zmm11, zmm7, zmm28, 221; vshufi64x2 zmm10, zmm7, zmm28, 136; vpunpckhqdq zmm14, zmm20, zmm9
vpunpcklqdq zmm18, zmm20, zmm9; vshufi64x2 zmm22, zmm24, zmm2, 221; vshufi64x2 zmm15, zmm6, zmm26, 136
vshufi64x2 zmm17, zmm29, zmm3, 221; vshufi64x2 zmm8, zmm29, zmm3, 136; vshufi64x2 zmm21, zmm6, zmm26, 221
vshufi64x2 zmm12, zmm24, zmm2, 136; vpsubq zmm13, zmm22, zmm11; vpaddq zmm19, zmm22, zmm11; vpsubq zmm5, zmm15, zmm8
vshufi64x2 zmm16, zmm27, zmm1, 136; vshufi64x2 zmm7, zmm30, zmm18, 136; vpaddq zmm28, zmm15, zmm8
vpsubq zmm20, zmm21, zmm17; vpsubq zmm9, zmm12, zmm10; vshufi64x2 zmm29, zmm27, zmm1, 221
vshufi64x2 zmm3, zmm25, zmm14, 136; prefetcht0 [{next} + 3136]; vshufi64x2 zmm6, zmm25, zmm14, 221
vshufi64x2 zmm26, zmm30, zmm18, 221; vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm5, zmm23
vpaddq zmm2, zmm12, zmm10; vshufi64x2 zmm22, zmm31, zmm0, 221; vshufi64x2 zmm11, zmm31, zmm0, 136
vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm20, zmm23; vpaddq zmm8, zmm21, zmm17; vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm9, zmm23; vshufi64x2 zmm1, zmm29, zmm6, 136; vshufi64x2 zmm25, zmm16, zmm3, 221
vshufi64x2 zmm14, zmm11, zmm7, 136; vpxord zmm30, zmm30, zmm30; vpmadd52huq zmm30, zmm13, zmm23
vshufi64x2 zmm18, zmm22, zmm26, 221; vshufi64x2 zmm5, zmm22, zmm26, 136; vshufi64x2 zmm12, zmm16, zmm3, 136
vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm15, qword ptr [{top} + 176]{{1to8}}
vshufi64x2 zmm31, zmm29, zmm6, 221; vmovdqa64 zmm0, zmm4; vpmadd52huq zmm0, zmm30, qword ptr [{top} + 160]{{1to8}}
vshufi64x2 zmm20, zmm11, zmm7, 221; vpsubq zmm21, zmm5, zmm1; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm24, qword ptr [{top} + 144]{{1to8}}; vmovdqa64 zmm9, zmm4
vpmadd52huq zmm9, zmm27, qword ptr [{top} + 128]{{1to8}}; vpsubq zmm13, zmm14, zmm12; vpsubq zmm22, zmm20, zmm25
vpsubq zmm26, zmm18, zmm31; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm19, zmm23; jmp 2f
2: vpmadd52luq zmm10, zmm15, qword ptr [{top} + 184]{{1to8}}; vpmadd52luq zmm17, zmm24, qword ptr [{top} + 152]{{1to8}}
vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm21, zmm23; vpaddq zmm29, zmm14, zmm12; vpaddq zmm6, zmm20, zmm25
prefetcht0 [{pair} + 4800]; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm26, zmm23; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm22, zmm23; vpaddq zmm19, zmm16, zmm23; vpaddq zmm15, zmm18, zmm31
vpmadd52luq zmm9, zmm27, qword ptr [{top} + 136]{{1to8}}; vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm13, zmm23
vpaddq zmm21, zmm5, zmm1; vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm2, zmm23
vpmadd52luq zmm0, zmm30, qword ptr [{top} + 168]{{1to8}}; prefetcht0 [{next} + 3200]; vpsubq zmm12, zmm9, zmm17
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm3, qword ptr [{top} + 144]{{1to8}}; vmovdqa64 zmm25, zmm4
vpmadd52huq zmm25, zmm7, qword ptr [{top} + 160]{{1to8}}; vpaddq zmm26, zmm9, zmm17; vpaddq zmm22, zmm14, zmm23
vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm8, zmm23; vmovdqa64 zmm31, zmm4
vpmadd52huq zmm31, zmm24, qword ptr [{top} + 128]{{1to8}}; vpsubq zmm27, zmm0, zmm10; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm28, zmm23; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm11, qword ptr [{top} + 176]{{1to8}}
vpaddq zmm1, zmm0, zmm10; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm27, zmm23
vpmadd52luq zmm20, zmm3, qword ptr [{top} + 152]{{1to8}}; vpsubq zmm30, zmm19, zmm18; vpaddq zmm9, zmm16, zmm18
vpsubq zmm17, zmm22, zmm13; vpmadd52luq zmm25, zmm7, qword ptr [{top} + 168]{{1to8}}
vpmadd52luq zmm31, zmm24, qword ptr [{top} + 136]{{1to8}}; vpaddq zmm8, zmm14, zmm13; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm12, zmm23; vpmadd52luq zmm5, zmm11, qword ptr [{top} + 184]{{1to8}}; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm29, zmm23; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm6, zmm23; vpsubq zmm27, zmm31, zmm20
vpaddq zmm3, zmm8, qword ptr [{k} + 8]{{1to8}}; vpxord zmm19, zmm19, zmm19
vpmadd52huq zmm19, zmm2, qword ptr [{top} + 64]{{1to8}}; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm21, zmm23
vpsubq zmm18, zmm25, zmm5; vpaddq zmm22, zmm31, zmm20; vpaddq zmm7, zmm0, zmm23; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm30, qword ptr [{top} + 64]{{1to8}}; vmovdqa64 zmm14, zmm4
vpmadd52huq zmm14, zmm28, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm13, zmm10, zmm23; vmovdqa64 zmm12, zmm4
vpmadd52huq zmm12, zmm17, qword ptr [{top} + 48]{{1to8}}; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm15, zmm23
vpaddq zmm29, zmm8, zmm9; vpsubq zmm6, zmm3, zmm9; vpmadd52luq zmm24, zmm30, qword ptr [{top} + 72]{{1to8}}
vpmadd52luq zmm14, zmm28, qword ptr [{top} + 56]{{1to8}}; vpsubq zmm21, zmm7, zmm16; vpaddq zmm31, zmm25, zmm5
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm27, zmm23; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm18, zmm23
vpsubq zmm8, zmm13, zmm11; vpaddq zmm3, zmm0, zmm16; prefetcht0 [{next} + 3264]; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm26, zmm23; vpmadd52luq zmm19, zmm2, qword ptr [{top} + 72]{{1to8}}
vpsubq zmm30, zmm29, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm28, zmm10, zmm11
vpmadd52luq zmm12, zmm17, qword ptr [{top} + 56]{{1to8}}; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm15, qword ptr [{top} + 64]{{1to8}}; vpsubq zmm25, zmm14, zmm19; vmovdqa64 zmm5, zmm4
vpmadd52huq zmm5, zmm21, qword ptr [{top} + 48]{{1to8}}; vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm8, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm18, zmm9, zmm23; prefetcht0 [{pair} + 4864]; jmp 2f
2: vmovdqa64 zmm13, zmm4; vpmadd52huq zmm13, zmm20, qword ptr [{top} + 48]{{1to8}}; vpxord zmm0, zmm0, zmm0
vpmadd52huq zmm0, zmm1, zmm23; vpsubq zmm16, zmm12, zmm24; vpaddq zmm26, zmm3, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm7, zmm15, qword ptr [{top} + 72]{{1to8}}; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm22, zmm23
vpminuq zmm10, zmm29, zmm30; vpaddq zmm11, zmm3, zmm28; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm16, zmm23
vpsubq zmm1, zmm18, zmm0; vpxord zmm15, zmm15, zmm15; vpmadd52huq zmm15, zmm25, zmm23; vpaddq zmm22, zmm9, zmm0
vpmadd52luq zmm5, zmm21, qword ptr [{top} + 56]{{1to8}}; vpmadd52luq zmm27, zmm8, qword ptr [{top} + 72]{{1to8}}
vpaddq zmm29, zmm2, zmm23; vpaddq zmm30, zmm14, zmm19; vpmadd52luq zmm13, zmm20, qword ptr [{top} + 56]{{1to8}}
vmovdqa64 zmm3, zmm4; vpmadd52huq zmm3, zmm1, qword ptr [{top} + 16]{{1to8}}; vpsubq zmm16, zmm22, zmm23
vpsubq zmm18, zmm26, zmm28; vmovdqa64 zmm25, zmm4; vpmadd52huq zmm25, zmm17, qword ptr [{top} + 16]{{1to8}}
vpsubq zmm9, zmm5, zmm27; vmovdqa64 zmm0, zmm4; vpmadd52huq zmm0, zmm6, qword ptr [{top} + 16]{{1to8}}
vpsubq zmm21, zmm10, zmm23; vpsubq zmm8, zmm13, zmm7; vmovdqa64 zmm14, zmm4
vpmadd52huq zmm14, zmm15, qword ptr [{top} + 16]{{1to8}}; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm31, zmm23
vpaddq zmm20, zmm12, zmm24; vpmadd52luq zmm25, zmm17, qword ptr [{top} + 24]{{1to8}}; vpxord zmm26, zmm26, zmm26
vpmadd52huq zmm26, zmm9, zmm23; vpsubq zmm28, zmm11, qword ptr [{k} + 8]{{1to8}}; vpminuq zmm31, zmm10, zmm21
vpmadd52luq zmm0, zmm6, qword ptr [{top} + 24]{{1to8}}; vpmadd52luq zmm3, zmm1, qword ptr [{top} + 24]{{1to8}}
vpsubq zmm12, zmm29, zmm19; vpminuq zmm24, zmm22, zmm16; prefetcht0 [{next} + 3328]; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm8, zmm23; vpmadd52luq zmm14, zmm15, qword ptr [{top} + 24]{{1to8}}; vpminuq zmm9, zmm11, zmm28
vpaddq zmm10, zmm2, zmm19; vmovdqu64 [{x} + 0], zmm31; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm25, zmm23
vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm20, zmm23; vpaddq zmm1, zmm5, zmm27; vmovdqu64 [{x} + 512], zmm24
vpaddq zmm29, zmm13, zmm7; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm30, zmm23; vmovdqa64 zmm16, zmm4
vpmadd52huq zmm16, zmm26, qword ptr [{top} + 16]{{1to8}}; vpsubq zmm8, zmm10, zmm23; vpsubq zmm15, zmm9, zmm23
vmovdqa64 zmm11, zmm4; vpmadd52huq zmm11, zmm12, qword ptr [{top} + 16]{{1to8}}; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm14, zmm23; vmovdqu64 [{x} + 1024], zmm6; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm3, zmm23
vmovdqa64 zmm19, zmm4; vpmadd52huq zmm19, zmm18, qword ptr [{top} + 16]{{1to8}}; vmovdqu64 [{x} + 3072], zmm21
vpminuq zmm31, zmm10, zmm8; vpxord zmm25, zmm25, zmm25; vpmadd52huq zmm25, zmm0, zmm23; vmovdqa64 zmm20, zmm4
vpmadd52huq zmm20, zmm17, qword ptr [{top} + 16]{{1to8}}; vmovdqu64 [{x} + 3584], zmm28; vpminuq zmm5, zmm9, zmm15
vmovdqu64 [{x} + 2560], zmm2; vpmadd52luq zmm19, zmm18, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm16, zmm26, qword ptr [{top} + 24]{{1to8}}; vpmadd52luq zmm20, zmm17, qword ptr [{top} + 24]{{1to8}}
vmovdqu64 [{x} + 2048], zmm25; vpmadd52luq zmm11, zmm12, qword ptr [{top} + 24]{{1to8}}; vmovdqu64 [{x} + 1536], zmm22
vpxord zmm27, zmm27, zmm27; vpmadd52huq zmm27, zmm1, zmm23; vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm16, zmm23
prefetcht0 [{pair} + 4928]; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm20, zmm23; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm29, zmm23; jmp 2f
2: vmovdqu64 [{x} + 64], zmm5; vpxord zmm30, zmm30, zmm30; vpmadd52huq zmm30, zmm11, zmm23; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm19, zmm23; vmovdqu64 [{x} + 1088], zmm27; vmovdqu64 [{x} + 3136], zmm24
prefetcht0 [{next} + 3392]; vmovdqu64 [{x} + 576], zmm31; vmovdqu64 [{x} + 2624], zmm30; vmovdqu64 [{x} + 2112], zmm14
vmovdqu64 [{x} + 1600], zmm7; vmovdqu64 [{x} + 3648], zmm13; add {buffer}, 1024; add {next}, 384; add {pair}, 256
add {x}, 128; dec {n}; jnz 3b; sub {buffer}, 4096; sub {next}, 1536; sub {pair}, 1024; sub {x}, 512
