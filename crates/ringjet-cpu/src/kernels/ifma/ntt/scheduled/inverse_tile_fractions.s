/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */
mov {n}, 4
3: vmovdqu64 zmm31, [{buffer} + 0]; vmovdqu64 zmm30, [{buffer} + 256]; vmovdqu64 zmm29, [{buffer} + 192]
vmovdqu64 zmm28, [{buffer} + 64]; vmovdqu64 zmm27, [{buffer} + 128]; vmovdqu64 zmm26, [{buffer} + 448]
vpunpcklqdq zmm25, zmm31, zmm28; vpunpckhqdq zmm24, zmm31, zmm28; vpunpcklqdq zmm23, zmm27, zmm29
vmovdqu64 zmm22, [{buffer} + 384]; vmovdqu64 zmm21, [{buffer} + 320]; vpunpckhqdq zmm20, zmm27, zmm29
vpunpcklqdq zmm19, zmm30, zmm21; vpunpckhqdq zmm18, zmm22, zmm26; vpunpcklqdq zmm17, zmm22, zmm26
vpunpckhqdq zmm16, zmm30, zmm21; vpbroadcastq zmm15, qword ptr [{k} + 0]; vpbroadcastq zmm14, qword ptr [{k} + 24]
vshufi64x2 zmm13, zmm24, zmm20, 136; vshufi64x2 zmm12, zmm24, zmm20, 221; vmovdqu64 zmm11, [{buffer} + 512]
vmovdqu64 zmm10, [{buffer} + 896]; prefetcht0 [{next} + 3072]; vshufi64x2 zmm9, zmm16, zmm18, 136
vshufi64x2 zmm8, zmm25, zmm23, 221; vmovdqu64 zmm7, [{buffer} + 768]; vmovdqu64 zmm6, [{buffer} + 576]
vshufi64x2 zmm5, zmm19, zmm17, 221; vshufi64x2 zmm4, zmm19, zmm17, 136; vpunpcklqdq zmm3, zmm11, zmm6
vmovdqu64 zmm2, [{buffer} + 960]; vmovdqu64 zmm1, [{buffer} + 704]; vpunpckhqdq zmm0, zmm11, zmm6
vshufi64x2 zmm31, zmm25, zmm23, 136; vshufi64x2 zmm28, zmm16, zmm18, 221; vpunpckhqdq zmm27, zmm10, zmm2
vpunpcklqdq zmm29, zmm10, zmm2; vmovdqu64 zmm22, [{buffer} + 640]; vmovdqu64 zmm26, [{buffer} + 832]
prefetcht0 [{pair} + 4736]; vpunpcklqdq zmm30, zmm22, zmm1; vshufi64x2 zmm21, zmm13, zmm9, 221
vpunpckhqdq zmm24, zmm7, zmm26; vshufi64x2 zmm20, zmm13, zmm9, 136; vshufi64x2 zmm19, zmm8, zmm5, 136
vpunpcklqdq zmm17, zmm7, zmm26; vshufi64x2 zmm11, zmm8, zmm5, 221; vpunpckhqdq zmm6, zmm22, zmm1
vshufi64x2 zmm25, zmm12, zmm28, 221; vshufi64x2 zmm23, zmm12, zmm28, 136; vshufi64x2 zmm16, zmm31, zmm4, 136
vshufi64x2 zmm18, zmm31, zmm4, 221; vshufi64x2 zmm10, zmm3, zmm30, 221; vshufi64x2 zmm2, zmm17, zmm29, 221
vshufi64x2 zmm13, zmm0, zmm6, 221; vshufi64x2 zmm9, zmm24, zmm27, 136; vpsubq zmm7, zmm11, zmm25
vpsubq zmm26, zmm19, zmm23; vshufi64x2 zmm8, zmm3, zmm30, 136; vshufi64x2 zmm5, zmm24, zmm27, 221
vpsubq zmm22, zmm18, zmm21; vpsubq zmm1, zmm16, zmm20; vshufi64x2 zmm12, zmm0, zmm6, 136
vshufi64x2 zmm28, zmm17, zmm29, 136; vpxord zmm31, zmm31, zmm31; vpmadd52huq zmm31, zmm7, zmm15
vpaddq zmm4, zmm16, zmm20; prefetcht0 [{next} + 3136]; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm26, zmm15
vpxord zmm30, zmm30, zmm30; vpmadd52huq zmm30, zmm1, zmm15; vshufi64x2 zmm24, zmm10, zmm2, 221
vpaddq zmm27, zmm18, zmm21; vshufi64x2 zmm0, zmm13, zmm5, 136; vshufi64x2 zmm6, zmm13, zmm5, 221
vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm22, zmm15; vpaddq zmm29, zmm19, zmm23
vshufi64x2 zmm7, zmm8, zmm28, 221; vshufi64x2 zmm16, zmm12, zmm9, 136; vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm31, qword ptr [{top} + 176]{{1to8}}; vpaddq zmm26, zmm11, zmm25; vshufi64x2 zmm1, zmm12, zmm9, 221
vshufi64x2 zmm18, zmm8, zmm28, 136; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm3, qword ptr [{top} + 144]{{1to8}}
vshufi64x2 zmm13, zmm10, zmm2, 136; vmovdqa64 zmm5, zmm14; vpmadd52huq zmm5, zmm17, qword ptr [{top} + 160]{{1to8}}
vpsubq zmm22, zmm24, zmm6; vmovdqa64 zmm19, zmm14; vpmadd52huq zmm19, zmm30, qword ptr [{top} + 128]{{1to8}}
vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm4, zmm15; vpmadd52luq zmm20, zmm31, qword ptr [{top} + 184]{{1to8}}
vpaddq zmm11, zmm24, zmm6; vpsubq zmm25, zmm7, zmm1; jmp 2f
2: vpsubq zmm12, zmm18, zmm16; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm22, zmm15
vpmadd52luq zmm21, zmm3, qword ptr [{top} + 152]{{1to8}}; vpsubq zmm8, zmm13, zmm0
vpmadd52luq zmm5, zmm17, qword ptr [{top} + 168]{{1to8}}; vpmadd52luq zmm19, zmm30, qword ptr [{top} + 136]{{1to8}}
vpaddq zmm28, zmm7, zmm1; prefetcht0 [{pair} + 4800]; vpxord zmm10, zmm10, zmm10; vpmadd52huq zmm10, zmm12, zmm15
vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm25, zmm15; vpaddq zmm4, zmm18, zmm16; vpaddq zmm31, zmm23, zmm15
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm8, zmm15; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm9, qword ptr [{top} + 176]{{1to8}}; vpaddq zmm22, zmm13, zmm0; vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm27, zmm15; vpsubq zmm17, zmm19, zmm21; vpxord zmm30, zmm30, zmm30; vpmadd52huq zmm30, zmm29, zmm15
vpsubq zmm7, zmm5, zmm20; prefetcht0 [{next} + 3200]; vmovdqa64 zmm1, zmm14
vpmadd52huq zmm1, zmm10, qword ptr [{top} + 128]{{1to8}}; vmovdqa64 zmm12, zmm14
vpmadd52huq zmm12, zmm2, qword ptr [{top} + 160]{{1to8}}; vpaddq zmm25, zmm19, zmm21; vpaddq zmm18, zmm5, zmm20
vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm24, qword ptr [{top} + 144]{{1to8}}; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm26, zmm15; vpmadd52luq zmm6, zmm9, qword ptr [{top} + 184]{{1to8}}; vpaddq zmm13, zmm3, zmm15
vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm7, zmm15; vpsubq zmm27, zmm31, zmm30
vpmadd52luq zmm12, zmm2, qword ptr [{top} + 168]{{1to8}}; vpxord zmm29, zmm29, zmm29; vpmadd52huq zmm29, zmm17, zmm15
vpaddq zmm19, zmm23, zmm30; vpmadd52luq zmm16, zmm24, qword ptr [{top} + 152]{{1to8}}
vpmadd52luq zmm1, zmm10, qword ptr [{top} + 136]{{1to8}}; vpsubq zmm21, zmm13, zmm8; vpaddq zmm5, zmm3, zmm8
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm28, zmm15; vpxord zmm26, zmm26, zmm26; vpmadd52huq zmm26, zmm4, zmm15
vpaddq zmm9, zmm19, qword ptr [{k} + 8]{{1to8}}; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm22, zmm15
vpsubq zmm31, zmm12, zmm6; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm0, qword ptr [{top} + 64]{{1to8}}
vpaddq zmm17, zmm19, zmm5; vpsubq zmm23, zmm1, zmm16; vpxord zmm30, zmm30, zmm30
vpmadd52huq zmm30, zmm21, qword ptr [{top} + 64]{{1to8}}; vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm11, zmm15
vpaddq zmm10, zmm1, zmm16; vmovdqa64 zmm13, zmm14; vpmadd52huq zmm13, zmm27, qword ptr [{top} + 48]{{1to8}}
vmovdqa64 zmm3, zmm14; vpmadd52huq zmm3, zmm29, qword ptr [{top} + 48]{{1to8}}; vpaddq zmm8, zmm26, zmm15
vpaddq zmm28, zmm20, zmm15; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm23, zmm15; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm31, zmm15; vpsubq zmm19, zmm9, zmm5; vpaddq zmm11, zmm12, zmm6; vpsubq zmm1, zmm28, zmm24
vpmadd52luq zmm30, zmm21, qword ptr [{top} + 72]{{1to8}}; vpsubq zmm16, zmm8, zmm7
vpmadd52luq zmm2, zmm0, qword ptr [{top} + 72]{{1to8}}; prefetcht0 [{next} + 3264]
vpmadd52luq zmm3, zmm29, qword ptr [{top} + 56]{{1to8}}; vpmadd52luq zmm13, zmm27, qword ptr [{top} + 56]{{1to8}}
vpaddq zmm23, zmm26, zmm7; vpaddq zmm31, zmm20, zmm24; vmovdqa64 zmm9, zmm14
vpmadd52huq zmm9, zmm16, qword ptr [{top} + 48]{{1to8}}; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm25, zmm15
vmovdqa64 zmm12, zmm14; vpmadd52huq zmm12, zmm4, qword ptr [{top} + 48]{{1to8}}; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm1, qword ptr [{top} + 64]{{1to8}}; vpaddq zmm28, zmm23, zmm31; prefetcht0 [{pair} + 4864]
vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm22, qword ptr [{top} + 64]{{1to8}}; jmp 2f
2: vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm18, zmm15; vpsubq zmm0, zmm3, zmm2; vpsubq zmm29, zmm13, zmm30
vpmadd52luq zmm9, zmm16, qword ptr [{top} + 56]{{1to8}}; vpaddq zmm27, zmm5, zmm15; vpxord zmm26, zmm26, zmm26
vpmadd52huq zmm26, zmm10, zmm15; vpaddq zmm7, zmm23, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm6, zmm1, qword ptr [{top} + 72]{{1to8}}; vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm29, zmm15
vpaddq zmm24, zmm3, zmm2; vpaddq zmm25, zmm13, zmm30; vpmadd52luq zmm21, zmm22, qword ptr [{top} + 72]{{1to8}}
vpxord zmm18, zmm18, zmm18; vpmadd52huq zmm18, zmm0, zmm15; vpsubq zmm16, zmm27, zmm8; vpaddq zmm10, zmm5, zmm8
vpmadd52luq zmm12, zmm4, qword ptr [{top} + 56]{{1to8}}; vmovdqa64 zmm23, zmm14
vpmadd52huq zmm23, zmm19, qword ptr [{top} + 16]{{1to8}}; vpaddq zmm1, zmm26, zmm15; vpsubq zmm29, zmm7, zmm31
vmovdqu64 [{x} + 1024], zmm25; vpsubq zmm3, zmm9, zmm6; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm11, zmm15
vmovdqa64 zmm13, zmm14; vpmadd52huq zmm13, zmm20, qword ptr [{top} + 16]{{1to8}}; vmovdqu64 [{x} + 1536], zmm24
vpaddq zmm30, zmm9, zmm6; vmovdqa64 zmm22, zmm14; vpmadd52huq zmm22, zmm18, qword ptr [{top} + 16]{{1to8}}
vmovdqa64 zmm0, zmm14; vpmadd52huq zmm0, zmm10, qword ptr [{top} + 0]{{1to8}}; vpsubq zmm27, zmm12, zmm21
vmovdqa64 zmm5, zmm14; vpmadd52huq zmm5, zmm17, qword ptr [{top} + 0]{{1to8}}; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm3, zmm15; vpaddq zmm4, zmm12, zmm21; vmovdqu64 [{x} + 1088], zmm30; prefetcht0 [{next} + 3328]
vmovdqa64 zmm7, zmm14; vpmadd52huq zmm7, zmm16, qword ptr [{top} + 16]{{1to8}}
vpmadd52luq zmm23, zmm19, qword ptr [{top} + 24]{{1to8}}; vpsubq zmm31, zmm1, zmm2; vpaddq zmm25, zmm26, zmm2
vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm27, zmm15; vpmadd52luq zmm13, zmm20, qword ptr [{top} + 24]{{1to8}}
vmovdqu64 [{x} + 1600], zmm4; vpmadd52luq zmm5, zmm17, qword ptr [{top} + 8]{{1to8}}
vpmadd52luq zmm0, zmm10, qword ptr [{top} + 8]{{1to8}}; vpmadd52luq zmm7, zmm16, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm22, zmm18, qword ptr [{top} + 24]{{1to8}}; vmovdqu64 [{x} + 2048], zmm23; vmovdqa64 zmm24, zmm14
vpmadd52huq zmm24, zmm11, qword ptr [{top} + 16]{{1to8}}; vmovdqa64 zmm9, zmm14
vpmadd52huq zmm9, zmm8, qword ptr [{top} + 16]{{1to8}}; vmovdqu64 [{x} + 3072], zmm13; vmovdqa64 zmm6, zmm14
vpmadd52huq zmm6, zmm28, qword ptr [{top} + 0]{{1to8}}; vmovdqa64 zmm3, zmm14
vpmadd52huq zmm3, zmm25, qword ptr [{top} + 0]{{1to8}}; vmovdqu64 [{x} + 512], zmm0; vmovdqa64 zmm12, zmm14
vpmadd52huq zmm12, zmm31, qword ptr [{top} + 16]{{1to8}}; vmovdqa64 zmm21, zmm14
vpmadd52huq zmm21, zmm29, qword ptr [{top} + 16]{{1to8}}; vmovdqu64 [{x} + 2560], zmm7; vmovdqu64 [{x} + 3584], zmm22
vpmadd52luq zmm24, zmm11, qword ptr [{top} + 24]{{1to8}}; vpmadd52luq zmm9, zmm8, qword ptr [{top} + 24]{{1to8}}
prefetcht0 [{pair} + 4928]; vmovdqu64 [{x} + 0], zmm5; vpmadd52luq zmm3, zmm25, qword ptr [{top} + 8]{{1to8}}
vpmadd52luq zmm6, zmm28, qword ptr [{top} + 8]{{1to8}}; vpmadd52luq zmm12, zmm31, qword ptr [{top} + 24]{{1to8}}
vpmadd52luq zmm21, zmm29, qword ptr [{top} + 24]{{1to8}}; vmovdqu64 [{x} + 3648], zmm24; prefetcht0 [{next} + 3392]
vmovdqu64 [{x} + 64], zmm6; vmovdqu64 [{x} + 2624], zmm12; vmovdqu64 [{x} + 2112], zmm21; vmovdqu64 [{x} + 576], zmm3
vmovdqu64 [{x} + 3136], zmm9; add {buffer}, 1024; add {next}, 384; add {pair}, 256; add {x}, 128; dec {n}; jnz 3b
sub {buffer}, 4096; sub {next}, 1536; sub {pair}, 1024; sub {x}, 512
