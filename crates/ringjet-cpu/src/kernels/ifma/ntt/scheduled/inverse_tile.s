/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */
mov {n}, 4
3: vpbroadcastq zmm31, qword ptr [{k} + 0]; vpbroadcastq zmm30, qword ptr [{k} + 24]; vmovdqu64 zmm29, [{src} + 0]
vmovdqu64 zmm28, [{src} + 256]; vpaddq zmm27, zmm28, zmm31; vpaddq zmm26, zmm29, zmm31; vmovdqu64 zmm25, [{src} + 128]
vmovdqu64 zmm24, [{src} + 384]; vpaddq zmm23, zmm24, zmm31; vpaddq zmm22, zmm25, zmm31; vmovdqu64 zmm21, [{src} + 64]
vmovdqu64 zmm20, [{src} + 192]; vmovdqu64 zmm19, [{src} + 448]; vmovdqu64 zmm18, [{src} + 320]
vpsubq zmm17, zmm26, zmm21; vpaddq zmm16, zmm29, zmm21; vpaddq zmm15, zmm25, zmm20; prefetcht0 [{next} + 0]
vpsubq zmm14, zmm22, zmm20; vpsubq zmm13, zmm27, zmm18; vpsubq zmm12, zmm23, zmm19; vpaddq zmm11, zmm28, zmm18
vmovdqu64 zmm10, [{src} + 640]; vmovdqu64 zmm9, [{src} + 896]; vmovdqa64 zmm8, zmm30
vpmadd52huq zmm8, zmm17, qword ptr [{shared} + 128]{{1to8}}; vpaddq zmm7, zmm16, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm6, zmm24, zmm19; vpaddq zmm5, zmm16, zmm15; vpxord zmm4, zmm4, zmm4
vpmadd52huq zmm4, zmm14, qword ptr [{shared} + 144]{{1to8}}; vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm12, qword ptr [{shared} + 176]{{1to8}}; vpaddq zmm2, zmm10, zmm31; vpaddq zmm1, zmm9, zmm31
prefetcht0 [{pair} + 2688]; vmovdqa64 zmm0, zmm30; vpmadd52huq zmm0, zmm13, qword ptr [{shared} + 160]{{1to8}}
vpaddq zmm26, zmm11, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm29, zmm7, zmm15; vpaddq zmm21, zmm11, zmm6
vpmadd52luq zmm8, zmm17, qword ptr [{shared} + 136]{{1to8}}; vpaddq zmm25, zmm5, qword ptr [{k} + 16]{{1to8}}
vpmadd52luq zmm4, zmm14, qword ptr [{shared} + 152]{{1to8}}; vpmadd52luq zmm3, zmm12, qword ptr [{shared} + 184]{{1to8}}
vpsubq zmm22, zmm26, zmm6; vpaddq zmm20, zmm5, zmm21; vpmadd52luq zmm0, zmm13, qword ptr [{shared} + 168]{{1to8}}
vmovdqa64 zmm27, zmm30; vpmadd52huq zmm27, zmm29, qword ptr [{shared} + 48]{{1to8}}; vpsubq zmm23, zmm25, zmm21
vpxord zmm28, zmm28, zmm28; vpmadd52huq zmm28, zmm22, qword ptr [{shared} + 64]{{1to8}}
vpsubq zmm18, zmm20, qword ptr [{k} + 16]{{1to8}}; vpsubq zmm24, zmm8, zmm4; vpaddq zmm19, zmm8, zmm4
vpsubq zmm16, zmm23, qword ptr [{k} + 16]{{1to8}}; vmovdqu64 zmm7, [{src} + 512]; vpsubq zmm15, zmm0, zmm3
vpaddq zmm11, zmm0, zmm3; vpmadd52luq zmm27, zmm29, qword ptr [{shared} + 56]{{1to8}}; vpminuq zmm17, zmm20, zmm18
vmovdqu64 zmm14, [{src} + 768]; prefetcht0 [{next} + 64]; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm24, zmm31
vpmadd52luq zmm28, zmm22, qword ptr [{shared} + 72]{{1to8}}; vpminuq zmm26, zmm23, zmm16; vmovdqu64 zmm6, [{src} + 704]
vpaddq zmm5, zmm14, zmm31; vpxord zmm13, zmm13, zmm13; vpmadd52huq zmm13, zmm15, zmm31; vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm19, zmm31; vpaddq zmm21, zmm7, zmm31; vmovdqu64 zmm8, [{src} + 576]; vmovdqu64 zmm4, [{src} + 960]
vpsubq zmm0, zmm2, zmm6; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm11, zmm31
vpsubq zmm29, zmm17, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm20, zmm1, zmm4; vmovdqu64 zmm18, [{src} + 832]
vpaddq zmm24, zmm7, zmm8; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm12, qword ptr [{shared} + 48]{{1to8}}
vpsubq zmm23, zmm27, zmm28; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm26, qword ptr [{shared} + 16]{{1to8}}
vpaddq zmm15, zmm27, zmm28; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm13, qword ptr [{shared} + 64]{{1to8}}
vpaddq zmm2, zmm25, zmm31; vpminuq zmm11, zmm17, zmm29; vpsubq zmm1, zmm5, zmm18; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm23, zmm31; vpaddq zmm27, zmm25, zmm3; vpxord zmm28, zmm28, zmm28; jmp 2f
2: vpmadd52huq zmm28, zmm15, zmm31; vpsubq zmm17, zmm21, zmm8
vpmadd52luq zmm22, zmm12, qword ptr [{shared} + 56]{{1to8}}; vpsubq zmm29, zmm2, zmm3
vpmadd52luq zmm16, zmm26, qword ptr [{shared} + 24]{{1to8}}; vpaddq zmm5, zmm14, zmm18; prefetcht0 [{pair} + 2752]
vpmadd52luq zmm19, zmm13, qword ptr [{shared} + 72]{{1to8}}; vpsubq zmm23, zmm11, zmm31; vpsubq zmm25, zmm27, zmm31
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm1, qword ptr [{shared} + 352]{{1to8}}; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm29, qword ptr [{shared} + 16]{{1to8}}; vmovdqa64 zmm8, zmm30
vpmadd52huq zmm8, zmm7, qword ptr [{shared} + 16]{{1to8}}; vmovdqu64 [{buffer} + 128], zmm28; vpaddq zmm12, zmm9, zmm4
vpaddq zmm2, zmm10, zmm6; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm16, zmm31; vpxord zmm26, zmm26, zmm26
vpmadd52huq zmm26, zmm0, qword ptr [{shared} + 336]{{1to8}}; vpminuq zmm14, zmm27, zmm25
vpaddq zmm18, zmm5, qword ptr [{k} + 8]{{1to8}}; prefetcht0 [{next} + 128]; vpsubq zmm13, zmm22, zmm19
vpaddq zmm28, zmm22, zmm19; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm20, qword ptr [{shared} + 368]{{1to8}}
vpminuq zmm4, zmm11, zmm23; vpmadd52luq zmm8, zmm7, qword ptr [{shared} + 24]{{1to8}}
vpmadd52luq zmm21, zmm29, qword ptr [{shared} + 24]{{1to8}}; vpsubq zmm10, zmm18, zmm12; vpaddq zmm6, zmm24, zmm2
vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm13, zmm31; vpxord zmm27, zmm27, zmm27; vpmadd52huq zmm27, zmm28, zmm31
vmovdqu64 [{buffer} + 64], zmm14; vpaddq zmm25, zmm24, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm22, zmm5, zmm12
vmovdqa64 zmm19, zmm30; vpmadd52huq zmm19, zmm17, qword ptr [{shared} + 320]{{1to8}}; vmovdqu64 [{buffer} + 0], zmm4
vpmadd52luq zmm15, zmm1, qword ptr [{shared} + 360]{{1to8}}; vpxord zmm11, zmm11, zmm11; vpmadd52huq zmm11, zmm8, zmm31
vpxord zmm23, zmm23, zmm23; vpmadd52huq zmm23, zmm21, zmm31; vmovdqu64 [{buffer} + 256], zmm3; vpsubq zmm7, zmm25, zmm2
vpaddq zmm29, zmm6, qword ptr [{k} + 16]{{1to8}}; vmovdqa64 zmm18, zmm30
vpmadd52huq zmm18, zmm16, qword ptr [{shared} + 16]{{1to8}}; vmovdqu64 [{buffer} + 192], zmm27
vpmadd52luq zmm26, zmm0, qword ptr [{shared} + 344]{{1to8}}; vpaddq zmm13, zmm6, zmm22
vpmadd52luq zmm19, zmm17, qword ptr [{shared} + 328]{{1to8}}
vpmadd52luq zmm9, zmm20, qword ptr [{shared} + 376]{{1to8}}; vpsubq zmm28, zmm29, zmm22
vmovdqu64 [{buffer} + 384], zmm11; vmovdqa64 zmm14, zmm30; vpmadd52huq zmm14, zmm7, qword ptr [{shared} + 240]{{1to8}}
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm10, qword ptr [{shared} + 256]{{1to8}}
vpmadd52luq zmm18, zmm16, qword ptr [{shared} + 24]{{1to8}}; vmovdqu64 [{buffer} + 320], zmm23
vpsubq zmm5, zmm28, qword ptr [{k} + 16]{{1to8}}; prefetcht0 [{next} + 192]; vpsubq zmm12, zmm15, zmm9
vpsubq zmm4, zmm19, zmm26; vpaddq zmm1, zmm19, zmm26; vpaddq zmm8, zmm15, zmm9
vpmadd52luq zmm14, zmm7, qword ptr [{shared} + 248]{{1to8}}
vpmadd52luq zmm24, zmm10, qword ptr [{shared} + 264]{{1to8}}; vpminuq zmm21, zmm28, zmm5; vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm18, zmm31; vpxord zmm25, zmm25, zmm25; vpmadd52huq zmm25, zmm4, zmm31
vpsubq zmm2, zmm13, qword ptr [{k} + 16]{{1to8}}; prefetcht0 [{pair} + 2816]; vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm12, zmm31; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm1, zmm31; vpxord zmm6, zmm6, zmm6
vpmadd52huq zmm6, zmm8, zmm31; vpsubq zmm17, zmm14, zmm24; vpminuq zmm20, zmm13, zmm2; vmovdqa64 zmm29, zmm30
vpmadd52huq zmm29, zmm21, qword ptr [{shared} + 208]{{1to8}}; vmovdqu64 [{buffer} + 448], zmm3; vmovdqa64 zmm22, zmm30
vpmadd52huq zmm22, zmm25, qword ptr [{shared} + 240]{{1to8}}; vpaddq zmm11, zmm14, zmm24; vpxord zmm16, zmm16, zmm16
vpmadd52huq zmm16, zmm27, qword ptr [{shared} + 256]{{1to8}}; vpaddq zmm23, zmm0, zmm31; jmp 2f
2: vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm17, zmm31; vpaddq zmm26, zmm0, zmm6; vmovdqa64 zmm15, zmm30
vpmadd52huq zmm15, zmm20, qword ptr [{shared} + 192]{{1to8}}
vpmadd52luq zmm29, zmm21, qword ptr [{shared} + 216]{{1to8}}; vmovdqu64 [{buffer} + 640], zmm11
vpmadd52luq zmm22, zmm25, qword ptr [{shared} + 248]{{1to8}}; vpsubq zmm9, zmm23, zmm6
vpmadd52luq zmm16, zmm27, qword ptr [{shared} + 264]{{1to8}}; vmovdqa64 zmm7, zmm30
vpmadd52huq zmm7, zmm26, qword ptr [{shared} + 192]{{1to8}}; prefetcht0 [{next} + 256]; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm9, qword ptr [{shared} + 208]{{1to8}}; vmovdqa64 zmm28, zmm30
vpmadd52huq zmm28, zmm19, qword ptr [{shared} + 208]{{1to8}}; vmovdqu64 [{buffer} + 768], zmm29
vpmadd52luq zmm15, zmm20, qword ptr [{shared} + 200]{{1to8}}; vpsubq zmm5, zmm22, zmm16
vpmadd52luq zmm7, zmm26, qword ptr [{shared} + 200]{{1to8}}; vpaddq zmm18, zmm22, zmm16
vpmadd52luq zmm10, zmm9, qword ptr [{shared} + 216]{{1to8}}
vpmadd52luq zmm28, zmm19, qword ptr [{shared} + 216]{{1to8}}; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm5, zmm31
vmovdqu64 [{buffer} + 512], zmm15; vmovdqu64 [{buffer} + 576], zmm7; vmovdqu64 [{buffer} + 896], zmm28
prefetcht0 [{pair} + 2880]; vmovdqa64 zmm12, zmm30; vpmadd52huq zmm12, zmm4, qword ptr [{shared} + 208]{{1to8}}
vmovdqu64 [{buffer} + 832], zmm10; vmovdqu64 [{buffer} + 704], zmm18; prefetcht0 [{next} + 320]
vpmadd52luq zmm12, zmm4, qword ptr [{shared} + 216]{{1to8}}; vmovdqu64 [{buffer} + 960], zmm12; add {buffer}, 1024
add {next}, 384; add {pair}, 256; add {shared}, 384; add {src}, 1024; dec {n}; jnz 3b; sub {buffer}, 4096
sub {next}, 1536; sub {pair}, 1024; sub {shared}, 1536; sub {src}, 4096; vpbroadcastq zmm31, qword ptr [{k} + 0]
vpbroadcastq zmm30, qword ptr [{k} + 24]; vmovdqu64 zmm29, [{buffer} + 0]; vmovdqu64 zmm28, [{buffer} + 1024]
vmovdqu64 zmm27, [{buffer} + 2048]; vmovdqu64 zmm26, [{buffer} + 512]; vmovdqu64 zmm25, [{buffer} + 1536]
vmovdqu64 zmm24, [{buffer} + 3072]; vpaddq zmm23, zmm29, zmm31; vpaddq zmm22, zmm28, zmm31
vmovdqu64 zmm21, [{buffer} + 2560]; vmovdqu64 zmm20, [{buffer} + 3584]; prefetcht0 [{next} + 1536]
vpaddq zmm19, zmm27, zmm31; vmovdqu64 zmm18, [{vectors} + 128]; vmovdqu64 zmm17, [{buffer} + 1088]
vpaddq zmm16, zmm28, zmm22; vpmadd52huq zmm28, zmm25, zmm31; vpaddq zmm15, zmm24, zmm31; vpaddq zmm14, zmm29, zmm23
vmovdqu64 zmm13, [{buffer} + 64]; vmovdqu64 zmm12, [{buffer} + 2112]; prefetcht0 [{pair} + 3712]
vpmadd52huq zmm29, zmm26, zmm31; vpaddq zmm11, zmm27, zmm19; vpmadd52huq zmm27, zmm21, zmm31
vmovdqu64 zmm10, [{buffer} + 3136]; vmovdqu64 zmm9, [{buffer} + 1600]; vpaddq zmm8, zmm24, zmm15
vpmadd52huq zmm24, zmm20, zmm31; vpsubq zmm7, zmm16, zmm28; vmovdqu64 zmm6, [{buffer} + 576]
vmovdqu64 zmm5, [{buffer} + 2624]; vpaddq zmm4, zmm17, zmm31; vpsubq zmm3, zmm14, zmm29; vpsubq zmm2, zmm11, zmm27
vpaddq zmm1, zmm29, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm0, zmm27, qword ptr [{k} + 8]{{1to8}}
vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm7, [{pair} + 512]; vpsubq zmm25, zmm8, zmm24
vpaddq zmm23, zmm13, zmm31; vmovdqu64 zmm26, [{buffer} + 3648]; vpaddq zmm19, zmm12, zmm31; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm3, [{pair} + 384]; vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm2, [{pair} + 640]
vpsubq zmm20, zmm1, zmm28; vpsubq zmm16, zmm0, zmm24; vpxord zmm14, zmm14, zmm14
vpmadd52huq zmm14, zmm25, [{pair} + 768]; vpmadd52luq zmm22, zmm7, [{pair} + 576]; vpaddq zmm11, zmm17, zmm4
vpaddq zmm8, zmm13, zmm23; prefetcht0 [{next} + 1600]; vpmadd52luq zmm21, zmm3, [{pair} + 448]
vpmadd52luq zmm15, zmm2, [{pair} + 704]; vpaddq zmm1, zmm10, zmm31; vpaddq zmm0, zmm29, zmm28
vpmadd52luq zmm14, zmm25, [{pair} + 832]; vmovdqa64 zmm7, zmm30; vpmadd52huq zmm7, zmm20, [{pair} + 128]
vpaddq zmm4, zmm27, zmm24; vpaddq zmm23, zmm12, zmm19; vpsubq zmm3, zmm21, zmm22; vpmadd52huq zmm17, zmm9, zmm31
vpmadd52huq zmm13, zmm6, zmm31; vpaddq zmm2, zmm10, zmm1; vmovdqu64 zmm29, [{pair} + 0]
vpbroadcastq zmm28, qword ptr [{scale} + 0]; vpsubq zmm25, zmm15, zmm14; vpmadd52huq zmm10, zmm26, zmm31
vpaddq zmm27, zmm21, zmm22; vmovdqa64 zmm24, zmm30; vpmadd52huq zmm24, zmm16, [{pair} + 256]
vpbroadcastq zmm19, qword ptr [{scale} + 8]; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm3, zmm31
vpmadd52huq zmm12, zmm5, zmm31; vpsubq zmm6, zmm0, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm1, zmm8, zmm13
vmovdqu64 zmm26, [{buffer} + 128]; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm25, zmm31
vpmadd52luq zmm7, zmm20, [{pair} + 192]; vpsubq zmm22, zmm11, zmm17; vpaddq zmm3, zmm15, zmm14
vmovdqu64 zmm5, [{buffer} + 1152]; prefetcht0 [{pair} + 3776]; vmovdqa64 zmm8, zmm30
vpmadd52huq zmm8, zmm9, [{pair} + 128]; vpmadd52luq zmm24, zmm16, [{pair} + 320]; vpminuq zmm25, zmm0, zmm6
vpsubq zmm20, zmm2, zmm10; vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm21, [{pair} + 256]; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm27, zmm31; jmp 2f
2: vpsubq zmm14, zmm4, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm16, zmm23, zmm12; prefetcht0 [{next} + 1664]
vpmadd52luq zmm8, zmm9, [{pair} + 192]; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm7, zmm31
vpaddq zmm6, zmm25, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm2, zmm26, zmm31; vpmadd52luq zmm11, zmm21, [{pair} + 320]
vmovdqa64 zmm27, zmm30; vpmadd52huq zmm27, zmm1, [{pair} + 384]; vpminuq zmm23, zmm4, zmm14; vpaddq zmm9, zmm5, zmm31
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm8, zmm31; vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm22, [{pair} + 512]; vpaddq zmm4, zmm15, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm14, zmm26, zmm2
vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm24, zmm31; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm11, zmm31
vpaddq zmm24, zmm0, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm11, zmm25, zmm23
vpaddq zmm25, zmm7, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm21, zmm22, [{pair} + 576]; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm3, zmm31; vpsubq zmm3, zmm6, zmm23; vpmadd52luq zmm27, zmm1, [{pair} + 448]; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm16, [{pair} + 640]; vpsubq zmm23, zmm24, zmm8; vpaddq zmm1, zmm7, zmm2; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm20, [{pair} + 768]; vpaddq zmm7, zmm15, zmm22; vpsubq zmm15, zmm4, zmm22
vpaddq zmm4, zmm13, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm22, zmm25, zmm2; vpaddq zmm25, zmm0, zmm8
vpsubq zmm2, zmm27, zmm21; vpmadd52luq zmm6, zmm16, [{pair} + 704]; vmovdqu64 zmm0, [{pair} + 64]
prefetcht0 [{next} + 1728]; vpmadd52luq zmm24, zmm20, [{pair} + 832]; vmovdqa64 zmm8, zmm18
vpmadd52huq zmm8, zmm15, zmm29; vpsubq zmm16, zmm4, zmm17; vpaddq zmm20, zmm12, qword ptr [{k} + 8]{{1to8}}
vmovdqa64 zmm4, zmm18; vpmadd52huq zmm4, zmm1, zmm28; vpaddq zmm9, zmm5, zmm9; vpaddq zmm13, zmm13, zmm17
vmovdqa64 zmm17, zmm18; vpmadd52huq zmm17, zmm25, zmm28; prefetcht0 [{pair} + 3840]; vpmadd52luq zmm8, zmm15, zmm0
vmovdqa64 zmm15, zmm18; vpmadd52huq zmm15, zmm23, zmm29; vpsubq zmm20, zmm20, zmm10; vpaddq zmm27, zmm27, zmm21
vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm2, zmm31; vmovdqa64 zmm2, zmm18; vpmadd52huq zmm2, zmm3, zmm29
vpaddq zmm12, zmm12, zmm10; vpsubq zmm10, zmm6, zmm24; vpmadd52luq zmm17, zmm25, zmm19; vmovdqa64 zmm25, zmm18
vpmadd52huq zmm25, zmm11, zmm28; vmovdqu64 [{buffer} + 2560], zmm8; vpsubq zmm8, zmm13, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm6, zmm6, zmm24; vmovdqa64 zmm24, zmm18; vpmadd52huq zmm24, zmm22, zmm29; vmovdqa64 zmm29, zmm18
vpmadd52huq zmm29, zmm7, zmm28; vpsubq zmm28, zmm12, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm2, zmm3, zmm0
vpmadd52luq zmm25, zmm11, zmm19; vmovdqu64 zmm3, [{buffer} + 1664]; vmovdqu64 [{buffer} + 1024], zmm17
vmovdqu64 zmm11, [{buffer} + 2176]; vpminuq zmm17, zmm13, zmm8; vmovdqu64 zmm13, [{buffer} + 640]
vpmadd52luq zmm29, zmm7, zmm19; vmovdqu64 zmm8, [{buffer} + 3200]; vpxord zmm7, zmm7, zmm7
vpmadd52huq zmm7, zmm10, zmm31; vpminuq zmm10, zmm12, zmm28; vmovdqa64 zmm12, zmm30
vpmadd52huq zmm12, zmm16, [{pair} + 128]; vpmadd52luq zmm24, zmm22, zmm0; vmovdqu64 zmm28, [{buffer} + 3712]
vmovdqu64 [{buffer} + 2048], zmm2; prefetcht0 [{next} + 1792]; vpmadd52luq zmm4, zmm1, zmm19
vpmadd52luq zmm15, zmm23, zmm0; jmp 2f
2: vmovdqu64 zmm22, [{buffer} + 2688]; vmovdqu64 [{buffer} + 512], zmm29; vpaddq zmm2, zmm11, zmm31
vmovdqu64 zmm1, [{pair} + 1792]; vpaddq zmm19, zmm17, zmm10; vmovdqa64 zmm23, zmm30
vpmadd52huq zmm23, zmm21, [{pair} + 128]; vpmadd52huq zmm5, zmm3, zmm31; vpaddq zmm0, zmm8, zmm31
vmovdqu64 [{buffer} + 0], zmm25; vpaddq zmm29, zmm17, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm26, zmm13, zmm31
vmovdqa64 zmm3, zmm30; vpmadd52huq zmm3, zmm20, [{pair} + 256]; vmovdqu64 [{buffer} + 3072], zmm15
vpaddq zmm25, zmm11, zmm2; vmovdqu64 zmm17, [{pair} + 896]; vmovdqa64 zmm13, zmm30
vpmadd52huq zmm13, zmm7, [{pair} + 256]; vmovdqu64 [{buffer} + 1536], zmm4; vpmadd52luq zmm12, zmm16, [{pair} + 192]
vpaddq zmm15, zmm8, zmm0; vpsubq zmm2, zmm9, zmm5; vpmadd52huq zmm8, zmm28, zmm31; vmovdqu64 [{buffer} + 3584], zmm24
vpmadd52luq zmm23, zmm21, [{pair} + 192]; vpsubq zmm4, zmm14, zmm26; vpsubq zmm16, zmm29, zmm10
vmovdqu64 zmm0, [{buffer} + 192]; vpmadd52huq zmm11, zmm22, zmm31; vpxord zmm9, zmm9, zmm9
vpmadd52huq zmm9, zmm12, zmm31; vpaddq zmm28, zmm26, qword ptr [{k} + 8]{{1to8}}; vmovdqu64 zmm24, [{pair} + 960]
vpaddq zmm21, zmm26, zmm5; prefetcht0 [{pair} + 3904]; vpmadd52luq zmm13, zmm7, [{pair} + 320]
vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm23, zmm31; vpsubq zmm29, zmm15, zmm8
vmovdqu64 zmm10, [{buffer} + 1216]; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm4, [{pair} + 384]
vpsubq zmm12, zmm25, zmm11; vpmadd52luq zmm3, zmm20, [{pair} + 320]; vpsubq zmm26, zmm28, zmm5
prefetcht0 [{next} + 1856]; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm2, [{pair} + 512]; vpxord zmm23, zmm23, zmm23
vpmadd52huq zmm23, zmm27, zmm31; vpaddq zmm15, zmm9, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm25, zmm0, zmm31
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm6, zmm31; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm29, [{pair} + 768]; vpaddq zmm5, zmm14, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm27, zmm10, zmm31
vpxord zmm6, zmm6, zmm6; vpmadd52huq zmm6, zmm3, zmm31; vmovdqa64 zmm3, zmm30; vpmadd52huq zmm3, zmm12, [{pair} + 640]
vpaddq zmm25, zmm0, zmm25; vpmadd52luq zmm7, zmm2, [{pair} + 576]; vpaddq zmm2, zmm23, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm23, zmm23, zmm20; vpaddq zmm27, zmm10, zmm27; vpsubq zmm15, zmm15, zmm6
vpmadd52luq zmm22, zmm4, [{pair} + 448]; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm13, zmm31
vpaddq zmm13, zmm9, zmm6; vmovdqu64 zmm9, [{pair} + 1856]; vpsubq zmm6, zmm2, zmm20
vpmadd52luq zmm28, zmm29, [{pair} + 832]; vpmadd52luq zmm3, zmm12, [{pair} + 704]; vpaddq zmm2, zmm11, zmm8
vpsubq zmm20, zmm5, zmm4; vpaddq zmm29, zmm14, zmm4; vpsubq zmm12, zmm22, zmm7; vmovdqa64 zmm5, zmm18
vpmadd52huq zmm5, zmm13, zmm17; vmovdqu64 zmm14, [{buffer} + 3264]; vmovdqa64 zmm4, zmm18
vpmadd52huq zmm4, zmm23, zmm17; vpaddq zmm11, zmm11, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm22, zmm22, zmm7
vmovdqa64 zmm7, zmm18; vpmadd52huq zmm7, zmm19, zmm17; prefetcht0 [{next} + 1920]; vpmadd52luq zmm5, zmm13, zmm24
vmovdqa64 zmm13, zmm18; vpmadd52huq zmm13, zmm20, zmm1; vpmadd52luq zmm7, zmm19, zmm24; vmovdqa64 zmm19, zmm18
vpmadd52huq zmm19, zmm29, zmm17; vpsubq zmm17, zmm3, zmm28; vpsubq zmm11, zmm11, zmm8; prefetcht0 [{pair} + 3968]
jmp 2f
2: vmovdqa64 zmm8, zmm18; vpmadd52huq zmm8, zmm6, zmm1; vpmadd52luq zmm4, zmm23, zmm24; vpaddq zmm23, zmm14, zmm31
vmovdqu64 [{buffer} + 1088], zmm5; vpsubq zmm5, zmm21, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm13, zmm20, zmm9
vmovdqa64 zmm20, zmm18; vpmadd52huq zmm20, zmm16, zmm1; vmovdqu64 [{buffer} + 64], zmm7; vpaddq zmm7, zmm3, zmm28
vmovdqu64 zmm3, [{buffer} + 704]; vpsubq zmm28, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm8, zmm6, zmm9
vmovdqa64 zmm6, zmm18; vpmadd52huq zmm6, zmm15, zmm1; vmovdqu64 [{buffer} + 576], zmm4
vmovdqu64 zmm1, [{buffer} + 2240]; vpaddq zmm4, zmm14, zmm23; vpminuq zmm23, zmm21, zmm5
vmovdqu64 zmm21, [{buffer} + 1728]; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm12, zmm31; vpxord zmm12, zmm12, zmm12
vpmadd52huq zmm12, zmm17, zmm31; vmovdqu64 [{buffer} + 3648], zmm13; vmovdqu64 zmm17, [{buffer} + 3776]
vpminuq zmm13, zmm2, zmm28; vmovdqu64 zmm2, [{buffer} + 2752]; vpmadd52luq zmm6, zmm15, zmm9
vpmadd52luq zmm20, zmm16, zmm9; vmovdqu64 [{buffer} + 2624], zmm8; vpaddq zmm28, zmm23, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 zmm15, [{pair} + 1920]; vmovdqa64 zmm16, zmm30; vpmadd52huq zmm16, zmm5, [{pair} + 128]
vpmadd52luq zmm19, zmm29, zmm24; vpaddq zmm9, zmm1, zmm31; vmovdqu64 zmm8, [{pair} + 1024]; vpaddq zmm29, zmm23, zmm13
prefetcht0 [{next} + 1984]; vpmadd52huq zmm0, zmm3, zmm31; vmovdqa64 zmm24, zmm30
vpmadd52huq zmm24, zmm26, [{pair} + 128]; vmovdqu64 [{buffer} + 3136], zmm6; vpsubq zmm23, zmm28, zmm13
vmovdqu64 zmm3, [{pair} + 1088]; vpmadd52huq zmm10, zmm21, zmm31; vmovdqa64 zmm6, zmm30
vpmadd52huq zmm6, zmm12, [{pair} + 256]; vmovdqu64 [{buffer} + 1600], zmm19; vpaddq zmm28, zmm1, zmm9
vmovdqu64 zmm13, [{buffer} + 256]; vpmadd52luq zmm24, zmm26, [{pair} + 192]; vmovdqa64 zmm21, zmm30
vpmadd52huq zmm21, zmm11, [{pair} + 256]; vmovdqu64 [{buffer} + 2112], zmm20; vpsubq zmm19, zmm25, zmm0
vpmadd52luq zmm16, zmm5, [{pair} + 192]; vpsubq zmm9, zmm27, zmm10; vpmadd52huq zmm14, zmm17, zmm31
vpaddq zmm26, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm21, zmm11, [{pair} + 320]; vpmadd52huq zmm1, zmm2, zmm31
vmovdqu64 zmm20, [{pair} + 1984]; vpaddq zmm25, zmm13, zmm31; vpaddq zmm5, zmm0, zmm10; vpxord zmm27, zmm27, zmm27
vpmadd52huq zmm27, zmm22, zmm31; vmovdqa64 zmm17, zmm30; vpmadd52huq zmm17, zmm19, [{pair} + 384]
vpsubq zmm11, zmm4, zmm14; vmovdqu64 zmm2, [{buffer} + 1280]; vpsubq zmm0, zmm26, zmm10; vpsubq zmm22, zmm28, zmm1
vpmadd52luq zmm6, zmm12, [{pair} + 320]; vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm24, zmm31
vmovdqu64 zmm26, [{buffer} + 2304]; vpaddq zmm10, zmm13, zmm25; prefetcht0 [{pair} + 4032]; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm9, [{pair} + 512]; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm16, zmm31
vpaddq zmm24, zmm27, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm25, zmm1, zmm14; vpxord zmm16, zmm16, zmm16
vpmadd52huq zmm16, zmm21, zmm31; vmovdqa64 zmm21, zmm30; vpmadd52huq zmm21, zmm22, [{pair} + 640]
vpaddq zmm1, zmm1, qword ptr [{k} + 8]{{1to8}}; prefetcht0 [{next} + 2048]; vpmadd52luq zmm28, zmm9, [{pair} + 576]
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm7, zmm31; vpaddq zmm7, zmm4, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm17, zmm19, [{pair} + 448]; vpxord zmm19, zmm19, zmm19; vpmadd52huq zmm19, zmm6, zmm31; jmp 2f
2: vpaddq zmm6, zmm12, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm4, zmm4, zmm16; vpaddq zmm27, zmm27, zmm9
vpsubq zmm24, zmm24, zmm9; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm11, [{pair} + 768]
vpmadd52luq zmm21, zmm22, [{pair} + 704]; vpsubq zmm22, zmm6, zmm19; vpsubq zmm6, zmm17, zmm28
vpaddq zmm12, zmm12, zmm19; vpsubq zmm19, zmm7, zmm16; vmovdqu64 zmm7, [{buffer} + 768]
vpmadd52luq zmm9, zmm11, [{pair} + 832]; vmovdqa64 zmm16, zmm18; vpmadd52huq zmm16, zmm24, zmm15
vpaddq zmm11, zmm2, zmm31; vpsubq zmm1, zmm1, zmm14; vmovdqa64 zmm14, zmm18; vpmadd52huq zmm14, zmm23, zmm15
vpaddq zmm17, zmm17, zmm28; vmovdqa64 zmm28, zmm18; vpmadd52huq zmm28, zmm4, zmm8; vpmadd52luq zmm16, zmm24, zmm20
vpxord zmm24, zmm24, zmm24; vpmadd52huq zmm24, zmm6, zmm31; vpsubq zmm6, zmm21, zmm9; vpaddq zmm11, zmm2, zmm11
vpmadd52luq zmm28, zmm4, zmm3; vmovdqa64 zmm4, zmm18; vpmadd52huq zmm4, zmm22, zmm15; vpaddq zmm21, zmm21, zmm9
vpaddq zmm9, zmm26, zmm31; prefetcht0 [{next} + 2112]; vpmadd52luq zmm14, zmm23, zmm20; vmovdqa64 zmm23, zmm18
vpmadd52huq zmm23, zmm27, zmm8; vmovdqu64 [{buffer} + 2688], zmm16; vpsubq zmm16, zmm5, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm4, zmm22, zmm20; vmovdqa64 zmm22, zmm18; vpmadd52huq zmm22, zmm29, zmm8
vmovdqu64 [{buffer} + 1152], zmm28; vpaddq zmm28, zmm26, zmm9; vpsubq zmm9, zmm25, qword ptr [{k} + 8]{{1to8}}
prefetcht0 [{pair} + 4096]; vpmadd52luq zmm23, zmm27, zmm3; vmovdqa64 zmm27, zmm18; vpmadd52huq zmm27, zmm12, zmm8
vmovdqu64 [{buffer} + 2176], zmm14; vmovdqu64 zmm8, [{buffer} + 1792]; vpminuq zmm14, zmm5, zmm16
vmovdqu64 zmm5, [{buffer} + 3328]; vmovdqa64 zmm16, zmm18; vpmadd52huq zmm16, zmm19, zmm15
vpmadd52luq zmm22, zmm29, zmm3; vmovdqu64 zmm15, [{buffer} + 3840]; vmovdqu64 [{buffer} + 3712], zmm4
vmovdqu64 zmm29, [{buffer} + 2816]; vpminuq zmm4, zmm25, zmm9; vpxord zmm25, zmm25, zmm25
vpmadd52huq zmm25, zmm6, zmm31; vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm0, [{pair} + 128]
vmovdqu64 [{buffer} + 640], zmm23; vpaddq zmm6, zmm14, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm16, zmm19, zmm20
vpmadd52luq zmm27, zmm12, zmm3; vpaddq zmm23, zmm5, zmm31; vmovdqu64 [{buffer} + 128], zmm22
vmovdqu64 zmm19, [{pair} + 2048]; vmovdqu64 zmm20, [{pair} + 1152]; vpaddq zmm12, zmm14, zmm4; vmovdqa64 zmm3, zmm30
vpmadd52huq zmm3, zmm24, [{pair} + 128]; vpmadd52huq zmm2, zmm8, zmm31; vpsubq zmm22, zmm6, zmm4
vmovdqu64 zmm14, [{buffer} + 1344]; vmovdqu64 [{buffer} + 3200], zmm16; vpmadd52huq zmm13, zmm7, zmm31
vmovdqa64 zmm8, zmm30; vpmadd52huq zmm8, zmm25, [{pair} + 256]; vpaddq zmm6, zmm5, zmm23
vmovdqu64 zmm4, [{pair} + 2112]; prefetcht0 [{next} + 2176]; vmovdqa64 zmm16, zmm30
vpmadd52huq zmm16, zmm1, [{pair} + 256]; vpmadd52luq zmm3, zmm24, [{pair} + 192]; vmovdqu64 [{buffer} + 1664], zmm27
vpsubq zmm7, zmm11, zmm2; vpmadd52luq zmm9, zmm0, [{pair} + 192]; vpmadd52huq zmm5, zmm15, zmm31
vpsubq zmm23, zmm10, zmm13; vpaddq zmm24, zmm13, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm26, zmm29, zmm31
vpxord zmm27, zmm27, zmm27; vpmadd52huq zmm27, zmm17, zmm31; vmovdqu64 zmm11, [{pair} + 1216]
vmovdqu64 zmm0, [{buffer} + 320]; vpaddq zmm15, zmm14, zmm31; vpaddq zmm10, zmm13, zmm2; jmp 2f
2: vpsubq zmm29, zmm6, zmm5; vpmadd52luq zmm8, zmm25, [{pair} + 320]; vpxord zmm17, zmm17, zmm17
vpmadd52huq zmm17, zmm3, zmm31; vmovdqu64 zmm13, [{buffer} + 2368]; vpsubq zmm6, zmm24, zmm2
vpmadd52luq zmm16, zmm1, [{pair} + 320]; vmovdqa64 zmm25, zmm30; vpmadd52huq zmm25, zmm23, [{pair} + 384]
vpsubq zmm3, zmm28, zmm26; vpaddq zmm24, zmm14, zmm15; vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm9, zmm31
vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm7, [{pair} + 512]; vpaddq zmm28, zmm17, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm15, zmm0, zmm31; prefetcht0 [{pair} + 4160]; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm21, zmm31
vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm8, zmm31; vpaddq zmm8, zmm27, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm1, zmm7, [{pair} + 576]; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm16, zmm31
vpaddq zmm16, zmm2, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm15, zmm0, zmm15; prefetcht0 [{next} + 2240]
vpmadd52luq zmm25, zmm23, [{pair} + 448]; vmovdqa64 zmm23, zmm30; vpmadd52huq zmm23, zmm3, [{pair} + 640]
vpsubq zmm8, zmm8, zmm9; vpaddq zmm27, zmm27, zmm9; vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm29, [{pair} + 768]
vpsubq zmm16, zmm16, zmm7; vpsubq zmm28, zmm28, zmm21; vpaddq zmm17, zmm17, zmm21
vpmadd52luq zmm23, zmm3, [{pair} + 704]; vpaddq zmm21, zmm2, zmm7; vpsubq zmm3, zmm25, zmm1; vmovdqa64 zmm2, zmm18
vpmadd52huq zmm2, zmm12, zmm20; vpmadd52luq zmm9, zmm29, [{pair} + 832]; vmovdqa64 zmm7, zmm18
vpmadd52huq zmm7, zmm17, zmm20; vpaddq zmm29, zmm26, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm26, zmm26, zmm5
vpmadd52luq zmm2, zmm12, zmm11; vmovdqa64 zmm12, zmm18; vpmadd52huq zmm12, zmm21, zmm20; vpaddq zmm25, zmm25, zmm1
vpaddq zmm1, zmm13, zmm31; vpmadd52luq zmm7, zmm17, zmm11; vmovdqa64 zmm17, zmm18; vpmadd52huq zmm17, zmm22, zmm19
vpsubq zmm29, zmm29, zmm5; vpsubq zmm5, zmm23, zmm9; vpmadd52luq zmm12, zmm21, zmm11; vmovdqa64 zmm21, zmm18
vpmadd52huq zmm21, zmm8, zmm19; vmovdqu64 [{buffer} + 192], zmm2; vpaddq zmm2, zmm13, zmm1
vpsubq zmm1, zmm10, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm17, zmm22, zmm4; vmovdqa64 zmm22, zmm18
vpmadd52huq zmm22, zmm16, zmm19; vmovdqu64 [{buffer} + 1728], zmm7; vpsubq zmm7, zmm26, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm23, zmm23, zmm9; vmovdqa64 zmm9, zmm18; vpmadd52huq zmm9, zmm27, zmm20; vpxord zmm20, zmm20, zmm20
vpmadd52huq zmm20, zmm3, zmm31; vmovdqu64 [{buffer} + 1216], zmm12; vmovdqu64 zmm3, [{buffer} + 832]
vpminuq zmm12, zmm10, zmm1; vmovdqu64 zmm10, [{buffer} + 1856]; prefetcht0 [{next} + 2304]; vmovdqa64 zmm1, zmm18
vpmadd52huq zmm1, zmm28, zmm19; vpmadd52luq zmm22, zmm16, zmm4; vmovdqu64 zmm19, [{buffer} + 3392]
vmovdqu64 [{buffer} + 2240], zmm17; vmovdqu64 zmm16, [{buffer} + 3904]; vpminuq zmm17, zmm26, zmm7
vpmadd52luq zmm9, zmm27, zmm11; vpxord zmm26, zmm26, zmm26; vpmadd52huq zmm26, zmm5, zmm31
vmovdqu64 zmm7, [{buffer} + 2880]; vmovdqu64 zmm27, [{pair} + 2176]; prefetcht0 [{pair} + 4224]
vpmadd52luq zmm1, zmm28, zmm4; vmovdqa64 zmm11, zmm30; vpmadd52huq zmm11, zmm6, [{pair} + 128]
vmovdqu64 [{buffer} + 3264], zmm22; vmovdqu64 zmm5, [{pair} + 1280]; vpaddq zmm28, zmm12, zmm17
vpmadd52luq zmm21, zmm8, zmm4; jmp 2f
2: vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm20, [{pair} + 128]; vpaddq zmm8, zmm19, zmm31
vmovdqu64 [{buffer} + 704], zmm9; vpaddq zmm4, zmm12, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm14, zmm10, zmm31
vpmadd52huq zmm0, zmm3, zmm31; vmovdqu64 [{buffer} + 3776], zmm1; vmovdqu64 zmm9, [{buffer} + 384]
vmovdqu64 zmm12, [{buffer} + 1408]; vmovdqu64 [{buffer} + 2752], zmm21; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm29, [{pair} + 256]; vpmadd52huq zmm13, zmm7, zmm31; vpaddq zmm3, zmm19, zmm8
vpsubq zmm1, zmm4, zmm17; vmovdqu64 zmm21, [{pair} + 1344]; vpmadd52luq zmm11, zmm6, [{pair} + 192]
vpsubq zmm7, zmm24, zmm14; vpsubq zmm8, zmm15, zmm0; vpmadd52luq zmm22, zmm20, [{pair} + 192]; vmovdqa64 zmm4, zmm30
vpmadd52huq zmm4, zmm26, [{pair} + 256]; vpmadd52huq zmm19, zmm16, zmm31; vpsubq zmm17, zmm2, zmm13
vmovdqu64 zmm6, [{pair} + 2240]; vpaddq zmm24, zmm9, zmm31; prefetcht0 [{next} + 2368]; vpxord zmm15, zmm15, zmm15
vpmadd52huq zmm15, zmm11, zmm31; vpmadd52luq zmm10, zmm29, [{pair} + 320]
vpaddq zmm20, zmm0, qword ptr [{k} + 8]{{1to8}}; vpaddq zmm16, zmm12, zmm31; vpmadd52luq zmm4, zmm26, [{pair} + 320]
vpxord zmm2, zmm2, zmm2; vpmadd52huq zmm2, zmm25, zmm31; vpsubq zmm11, zmm3, zmm19; vmovdqu64 zmm29, [{buffer} + 2432]
vpaddq zmm26, zmm9, zmm24; vpxord zmm25, zmm25, zmm25; vpmadd52huq zmm25, zmm22, zmm31; vmovdqa64 zmm3, zmm30
vpmadd52huq zmm3, zmm8, [{pair} + 384]; vpaddq zmm24, zmm15, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm22, zmm20, zmm14
vpxord zmm20, zmm20, zmm20; vpmadd52huq zmm20, zmm7, [{pair} + 512]; vpaddq zmm16, zmm12, zmm16
vpaddq zmm0, zmm0, zmm14; vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm10, zmm31
vpaddq zmm10, zmm2, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm3, zmm8, [{pair} + 448]; vpxord zmm8, zmm8, zmm8
vpmadd52huq zmm8, zmm23, zmm31; vpaddq zmm23, zmm29, zmm31; vpmadd52luq zmm20, zmm7, [{pair} + 576]
vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm11, [{pair} + 768]; vpaddq zmm15, zmm15, zmm14; vpsubq zmm24, zmm24, zmm14
prefetcht0 [{pair} + 4288]; vpaddq zmm14, zmm25, qword ptr [{k} + 8]{{1to8}}; vpsubq zmm10, zmm10, zmm8
vpaddq zmm2, zmm2, zmm8; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm4, zmm31; vmovdqa64 zmm4, zmm30
vpmadd52huq zmm4, zmm17, [{pair} + 640]; vpmadd52luq zmm7, zmm11, [{pair} + 832]; vpsubq zmm11, zmm3, zmm20
vpaddq zmm3, zmm3, zmm20; prefetcht0 [{next} + 2432]; vpsubq zmm20, zmm14, zmm8; vpaddq zmm14, zmm25, zmm8
vmovdqa64 zmm25, zmm18; vpmadd52huq zmm25, zmm24, zmm27; vmovdqa64 zmm8, zmm18; vpmadd52huq zmm8, zmm15, zmm5
vpmadd52luq zmm4, zmm17, [{pair} + 704]; vmovdqa64 zmm17, zmm18; vpmadd52huq zmm17, zmm10, zmm27
vpaddq zmm23, zmm29, zmm23; vpmadd52luq zmm8, zmm15, zmm21; vmovdqa64 zmm15, zmm18; vpmadd52huq zmm15, zmm14, zmm5
vpmadd52luq zmm25, zmm24, zmm6; vmovdqa64 zmm24, zmm18; vpmadd52huq zmm24, zmm28, zmm5; vpmadd52luq zmm17, zmm10, zmm6
vmovdqa64 zmm10, zmm18; vpmadd52huq zmm10, zmm2, zmm5; vpsubq zmm5, zmm4, zmm7; vmovdqu64 [{buffer} + 1280], zmm8
vpaddq zmm8, zmm13, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm24, zmm28, zmm21; vmovdqa64 zmm28, zmm18
vpmadd52huq zmm28, zmm1, zmm27; vmovdqu64 [{buffer} + 3328], zmm25; vpaddq zmm25, zmm13, zmm19; jmp 2f
2: vpsubq zmm13, zmm0, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm10, zmm2, zmm21; vmovdqa64 zmm2, zmm18
vpmadd52huq zmm2, zmm20, zmm27; vpsubq zmm27, zmm8, zmm19; vmovdqu64 zmm8, [{buffer} + 896]
vmovdqu64 [{buffer} + 2816], zmm17; vmovdqu64 zmm19, [{buffer} + 3456]; vpaddq zmm17, zmm4, zmm7
vmovdqu64 zmm4, [{buffer} + 1920]; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm11, zmm31
vpmadd52luq zmm28, zmm1, zmm6; vmovdqu64 zmm11, [{buffer} + 3968]; vmovdqu64 [{buffer} + 256], zmm24
vpminuq zmm1, zmm0, zmm13; prefetcht0 [{next} + 2496]; vpmadd52luq zmm2, zmm20, zmm6; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm5, zmm31; vmovdqu64 zmm0, [{buffer} + 2944]; vmovdqu64 [{buffer} + 768], zmm10
vpsubq zmm13, zmm25, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm15, zmm14, zmm21; vmovdqa64 zmm20, zmm30
vpmadd52huq zmm20, zmm7, [{pair} + 128]; vmovdqu64 [{buffer} + 2304], zmm28; vpaddq zmm6, zmm19, zmm31
vmovdqu64 zmm5, [{pair} + 2304]; prefetcht0 [{pair} + 4352]; vmovdqa64 zmm10, zmm30
vpmadd52huq zmm10, zmm22, [{pair} + 128]; vpmadd52huq zmm9, zmm8, zmm31; vmovdqu64 [{buffer} + 3840], zmm2
vpminuq zmm14, zmm25, zmm13; vmovdqu64 zmm21, [{pair} + 1408]; vpmadd52huq zmm12, zmm4, zmm31
vmovdqu64 [{buffer} + 1792], zmm15; vmovdqa64 zmm28, zmm30; vpmadd52huq zmm28, zmm24, [{pair} + 256]
vpaddq zmm8, zmm19, zmm6; vpaddq zmm2, zmm1, qword ptr [{k} + 8]{{1to8}}; vmovdqa64 zmm25, zmm30
vpmadd52huq zmm25, zmm27, [{pair} + 256]; vpmadd52luq zmm20, zmm7, [{pair} + 192]; vpsubq zmm13, zmm26, zmm9
vpaddq zmm4, zmm1, zmm14; vpsubq zmm15, zmm16, zmm12; vpmadd52luq zmm10, zmm22, [{pair} + 192]
vpmadd52huq zmm29, zmm0, zmm31; vpsubq zmm6, zmm2, zmm14; vmovdqu64 zmm7, [{pair} + 2368]
vpmadd52huq zmm19, zmm11, zmm31; vpmadd52luq zmm25, zmm27, [{pair} + 320]; vmovdqu64 zmm26, [{pair} + 1472]
vpaddq zmm1, zmm9, zmm12; vpsubq zmm16, zmm23, zmm29; vpxord zmm22, zmm22, zmm22; vpmadd52huq zmm22, zmm3, zmm31
vpmadd52luq zmm28, zmm24, [{pair} + 320]; vmovdqu64 zmm0, [{buffer} + 1472]; vpsubq zmm2, zmm8, zmm19
vpxord zmm14, zmm14, zmm14; vpmadd52huq zmm14, zmm10, zmm31; vpxord zmm11, zmm11, zmm11
vpmadd52huq zmm11, zmm15, [{pair} + 512]; vmovdqu64 zmm27, [{buffer} + 448]; vpaddq zmm23, zmm29, zmm19
prefetcht0 [{next} + 2560]; vmovdqa64 zmm3, zmm30; vpmadd52huq zmm3, zmm13, [{pair} + 384]; vpxord zmm24, zmm24, zmm24
vpmadd52huq zmm24, zmm20, zmm31; vpaddq zmm8, zmm22, qword ptr [{k} + 8]{{1to8}}; vpxord zmm10, zmm10, zmm10
vpmadd52huq zmm10, zmm28, zmm31; vpaddq zmm20, zmm14, qword ptr [{k} + 8]{{1to8}}; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm2, [{pair} + 768]; vpmadd52luq zmm11, zmm15, [{pair} + 576]
vpaddq zmm15, zmm24, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm3, zmm13, [{pair} + 448]; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm17, zmm31; vpaddq zmm17, zmm24, zmm10; vpaddq zmm24, zmm9, qword ptr [{k} + 8]{{1to8}}
vpxord zmm9, zmm9, zmm9; vpmadd52huq zmm9, zmm25, zmm31; vmovdqa64 zmm25, zmm30
vpmadd52huq zmm25, zmm16, [{pair} + 640]; vpsubq zmm15, zmm15, zmm10; vpaddq zmm10, zmm29, qword ptr [{k} + 8]{{1to8}}
vpsubq zmm29, zmm8, zmm13; vpsubq zmm8, zmm3, zmm11; vpaddq zmm22, zmm22, zmm13; vmovdqa64 zmm13, zmm18
vpmadd52huq zmm13, zmm6, zmm5; prefetcht0 [{pair} + 4416]; vpaddq zmm14, zmm14, zmm9; vpsubq zmm20, zmm20, zmm9; jmp 2f
2: vpmadd52luq zmm25, zmm16, [{pair} + 704]; vpmadd52luq zmm28, zmm2, [{pair} + 832]; vmovdqa64 zmm9, zmm18
vpmadd52huq zmm9, zmm4, zmm21; vmovdqa64 zmm16, zmm18; vpmadd52huq zmm16, zmm29, zmm5; vpsubq zmm2, zmm24, zmm12
vmovdqu64 zmm24, [{buffer} + 3520]; vpaddq zmm12, zmm0, zmm31; prefetcht0 [{next} + 2624]; vpmadd52luq zmm13, zmm6, zmm7
vmovdqa64 zmm6, zmm18; vpmadd52huq zmm6, zmm14, zmm21; vpsubq zmm10, zmm10, zmm19; vpsubq zmm19, zmm25, zmm28
vpmadd52luq zmm9, zmm4, zmm26; vmovdqa64 zmm4, zmm18; vpmadd52huq zmm4, zmm20, zmm5; vpaddq zmm12, zmm0, zmm12
vpaddq zmm3, zmm3, zmm11; vmovdqa64 zmm11, zmm18; vpmadd52huq zmm11, zmm17, zmm21; vpmadd52luq zmm6, zmm14, zmm26
vpaddq zmm14, zmm27, zmm31; vmovdqu64 [{buffer} + 2368], zmm13; vpaddq zmm13, zmm24, zmm31
vpmadd52luq zmm16, zmm29, zmm7; vmovdqa64 zmm29, zmm18; vpmadd52huq zmm29, zmm22, zmm21
vmovdqu64 [{buffer} + 320], zmm9; vmovdqu64 zmm21, [{buffer} + 2496]; vpsubq zmm9, zmm1, qword ptr [{k} + 8]{{1to8}}
vpaddq zmm25, zmm25, zmm28; vpxord zmm28, zmm28, zmm28; vpmadd52huq zmm28, zmm8, zmm31; vmovdqa64 zmm8, zmm18
vpmadd52huq zmm8, zmm15, zmm5; vmovdqu64 [{buffer} + 1344], zmm6; vmovdqu64 zmm5, [{buffer} + 1984]
vpaddq zmm6, zmm27, zmm14; vpaddq zmm14, zmm24, zmm13; vpmadd52luq zmm29, zmm22, zmm26
vmovdqu64 zmm13, [{buffer} + 960]; vmovdqa64 zmm22, zmm30; vpmadd52huq zmm22, zmm2, [{pair} + 128]
vmovdqu64 [{buffer} + 2880], zmm16; vpminuq zmm16, zmm1, zmm9; vpmadd52luq zmm8, zmm15, zmm7
vmovdqu64 zmm1, [{buffer} + 3008]; vpmadd52luq zmm11, zmm17, zmm26; vmovdqu64 zmm9, [{buffer} + 4032]
vpaddq zmm15, zmm21, zmm31; vpxord zmm17, zmm17, zmm17; vpmadd52huq zmm17, zmm19, zmm31; vpmadd52luq zmm4, zmm20, zmm7
vmovdqu64 [{buffer} + 832], zmm29; vpsubq zmm26, zmm23, qword ptr [{k} + 8]{{1to8}}; vmovdqu64 zmm19, [{pair} + 2432]
prefetcht0 [{next} + 2688]; vmovdqa64 zmm20, zmm30; vpmadd52huq zmm20, zmm28, [{pair} + 128]
vmovdqu64 [{buffer} + 3904], zmm8; vpmadd52huq zmm0, zmm5, zmm31; vpaddq zmm7, zmm21, zmm15
vpaddq zmm29, zmm16, qword ptr [{k} + 8]{{1to8}}; vpmadd52huq zmm27, zmm13, zmm31; vmovdqu64 [{buffer} + 1856], zmm11
vpmadd52luq zmm22, zmm2, [{pair} + 192]; vpminuq zmm8, zmm23, zmm26; vmovdqu64 zmm5, [{pair} + 1536]
prefetcht0 [{pair} + 4480]; vpmadd52luq zmm20, zmm28, [{pair} + 192]; vmovdqu64 [{buffer} + 3392], zmm4
vmovdqa64 zmm15, zmm30; vpmadd52huq zmm15, zmm17, [{pair} + 256]; vpsubq zmm13, zmm12, zmm0; vmovdqa64 zmm11, zmm30
vpmadd52huq zmm11, zmm10, [{pair} + 256]; vpmadd52huq zmm21, zmm1, zmm31; vpsubq zmm2, zmm6, zmm27
vpsubq zmm23, zmm29, zmm8; vmovdqu64 zmm26, [{pair} + 2496]; vpmadd52huq zmm24, zmm9, zmm31; vpxord zmm28, zmm28, zmm28
vpmadd52huq zmm28, zmm22, zmm31; vpaddq zmm4, zmm16, zmm8; vpaddq zmm12, zmm27, qword ptr [{k} + 8]{{1to8}}
vmovdqu64 zmm1, [{pair} + 1600]; vpmadd52luq zmm11, zmm10, [{pair} + 320]; vpmadd52luq zmm15, zmm17, [{pair} + 320]
vpsubq zmm6, zmm7, zmm21; vpaddq zmm29, zmm27, zmm0; vpsubq zmm9, zmm14, zmm24; vpxord zmm22, zmm22, zmm22
vpmadd52huq zmm22, zmm20, zmm31; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm3, zmm31
vpaddq zmm8, zmm28, qword ptr [{k} + 8]{{1to8}}; vmovdqu64 zmm10, [{pair} + 1664]; vmovdqa64 zmm17, zmm30; jmp 2f
2: vpmadd52huq zmm17, zmm2, [{pair} + 384]; vpxord zmm7, zmm7, zmm7; vpmadd52huq zmm7, zmm13, [{pair} + 512]
vpsubq zmm27, zmm12, zmm0; vpaddq zmm14, zmm21, zmm24; prefetcht0 [{next} + 2752]; vmovdqa64 zmm20, zmm30
vpmadd52huq zmm20, zmm6, [{pair} + 640]; vpxord zmm3, zmm3, zmm3; vpmadd52huq zmm3, zmm9, [{pair} + 768]
vpaddq zmm12, zmm16, qword ptr [{k} + 8]{{1to8}}; vpxord zmm0, zmm0, zmm0; vpmadd52huq zmm0, zmm15, zmm31
vpaddq zmm15, zmm22, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm7, zmm13, [{pair} + 576]; vpxord zmm13, zmm13, zmm13
vpmadd52huq zmm13, zmm25, zmm31; vpaddq zmm25, zmm21, qword ptr [{k} + 8]{{1to8}}; vpxord zmm21, zmm21, zmm21
vpmadd52huq zmm21, zmm11, zmm31; vpaddq zmm11, zmm22, zmm0; vpmadd52luq zmm17, zmm2, [{pair} + 448]
vpsubq zmm22, zmm15, zmm0; vmovdqu64 zmm2, [{pair} + 2560]; vpmadd52luq zmm20, zmm6, [{pair} + 704]
vpmadd52luq zmm3, zmm9, [{pair} + 832]; vpsubq zmm15, zmm12, zmm13; vpaddq zmm0, zmm16, zmm13; vpsubq zmm6, zmm17, zmm7
vpaddq zmm9, zmm28, zmm21; vpsubq zmm12, zmm8, zmm21; vmovdqa64 zmm16, zmm18; vpmadd52huq zmm16, zmm22, zmm19
vmovdqu64 zmm13, [{pair} + 1728]; vmovdqu64 zmm28, [{pair} + 2624]; vpsubq zmm8, zmm20, zmm3; vmovdqa64 zmm21, zmm18
vpmadd52huq zmm21, zmm15, zmm19; vpsubq zmm25, zmm25, zmm24; vmovdqa64 zmm24, zmm18; vpmadd52huq zmm24, zmm11, zmm5
prefetcht0 [{pair} + 4544]; vpmadd52luq zmm16, zmm22, zmm26; vmovdqa64 zmm22, zmm18; vpmadd52huq zmm22, zmm12, zmm19
vpaddq zmm17, zmm17, zmm7; vpsubq zmm7, zmm29, qword ptr [{k} + 8]{{1to8}}; vpmadd52luq zmm21, zmm15, zmm26
vmovdqa64 zmm15, zmm18; vpmadd52huq zmm15, zmm9, zmm5; vpaddq zmm20, zmm20, zmm3
vpsubq zmm3, zmm14, qword ptr [{k} + 8]{{1to8}}; prefetcht0 [{next} + 2816]; vpmadd52luq zmm24, zmm11, zmm1
vmovdqa64 zmm11, zmm18; vpmadd52huq zmm11, zmm4, zmm5; vmovdqu64 [{buffer} + 3968], zmm16; vpminuq zmm16, zmm29, zmm7
vmovdqa64 zmm29, zmm18; vpmadd52huq zmm29, zmm23, zmm19; vmovdqa64 zmm7, zmm18; vpmadd52huq zmm7, zmm0, zmm5
vmovdqu64 [{buffer} + 2944], zmm21; vpminuq zmm19, zmm14, zmm3; vpxord zmm5, zmm5, zmm5; vpmadd52huq zmm5, zmm6, zmm31
vpmadd52luq zmm15, zmm9, zmm1; vmovdqu64 [{buffer} + 1920], zmm24; vpaddq zmm21, zmm16, qword ptr [{k} + 8]{{1to8}}
vpmadd52luq zmm29, zmm23, zmm26; vpmadd52luq zmm7, zmm0, zmm1; vpaddq zmm14, zmm16, zmm19; vpxord zmm3, zmm3, zmm3
vpmadd52huq zmm3, zmm8, zmm31; vpmadd52luq zmm11, zmm4, zmm1; vmovdqu64 [{buffer} + 1408], zmm15
vpsubq zmm6, zmm21, zmm19; vmovdqa64 zmm9, zmm30; vpmadd52huq zmm9, zmm5, [{pair} + 128]
vpmadd52luq zmm22, zmm12, zmm26; vmovdqu64 [{buffer} + 896], zmm7; vmovdqa64 zmm24, zmm30
vpmadd52huq zmm24, zmm27, [{pair} + 128]; vmovdqa64 zmm23, zmm30; vpmadd52huq zmm23, zmm3, [{pair} + 256]
vmovdqu64 [{buffer} + 2432], zmm29; vmovdqu64 [{buffer} + 3456], zmm22; vmovdqa64 zmm0, zmm30
vpmadd52huq zmm0, zmm25, [{pair} + 256]; vpmadd52luq zmm9, zmm5, [{pair} + 192]; prefetcht0 [{next} + 2880]
vmovdqu64 [{buffer} + 384], zmm11; vpmadd52luq zmm24, zmm27, [{pair} + 192]; vpmadd52luq zmm23, zmm3, [{pair} + 320]
vpmadd52luq zmm0, zmm25, [{pair} + 320]; vpxord zmm16, zmm16, zmm16; vpmadd52huq zmm16, zmm17, zmm31
prefetcht0 [{pair} + 4608]; vpxord zmm8, zmm8, zmm8; vpmadd52huq zmm8, zmm24, zmm31; jmp 2f
2: vpxord zmm4, zmm4, zmm4; vpmadd52huq zmm4, zmm9, zmm31; vpxord zmm1, zmm1, zmm1; vpmadd52huq zmm1, zmm0, zmm31
vpaddq zmm15, zmm16, qword ptr [{k} + 8]{{1to8}}; vpxord zmm21, zmm21, zmm21; vpmadd52huq zmm21, zmm23, zmm31
vpaddq zmm19, zmm8, qword ptr [{k} + 8]{{1to8}}; vpxord zmm12, zmm12, zmm12; vpmadd52huq zmm12, zmm20, zmm31
vpaddq zmm26, zmm4, qword ptr [{k} + 8]{{1to8}}; vmovdqa64 zmm7, zmm18; vpmadd52huq zmm7, zmm14, zmm10
vpaddq zmm29, zmm4, zmm21; vpaddq zmm22, zmm8, zmm1; vmovdqa64 zmm30, zmm18; vpmadd52huq zmm30, zmm6, zmm2
vpaddq zmm5, zmm16, zmm12; vpsubq zmm11, zmm15, zmm12; vpsubq zmm27, zmm26, zmm21; vpsubq zmm3, zmm19, zmm1
vmovdqa64 zmm25, zmm18; vpmadd52huq zmm25, zmm29, zmm10; vmovdqa64 zmm17, zmm18; vpmadd52huq zmm17, zmm22, zmm10
prefetcht0 [{next} + 2944]; vmovdqa64 zmm24, zmm18; vpmadd52huq zmm24, zmm27, zmm2; vmovdqa64 zmm9, zmm18
vpmadd52huq zmm9, zmm11, zmm2; vmovdqa64 zmm0, zmm18; vpmadd52huq zmm0, zmm3, zmm2; vmovdqa64 zmm23, zmm18
vpmadd52huq zmm23, zmm5, zmm10; vpmadd52luq zmm24, zmm27, zmm28; vpmadd52luq zmm25, zmm29, zmm13
vpmadd52luq zmm23, zmm5, zmm13; vpmadd52luq zmm0, zmm3, zmm28; vpmadd52luq zmm17, zmm22, zmm13
vpmadd52luq zmm7, zmm14, zmm13; vmovdqu64 [{buffer} + 1984], zmm25; vpmadd52luq zmm9, zmm11, zmm28
vpmadd52luq zmm30, zmm6, zmm28; vmovdqu64 [{buffer} + 3520], zmm0; prefetcht0 [{pair} + 4672]
vmovdqu64 [{buffer} + 448], zmm7; vmovdqu64 [{buffer} + 2496], zmm30; prefetcht0 [{next} + 3008]
vmovdqu64 [{buffer} + 1472], zmm17; vmovdqu64 [{buffer} + 3008], zmm9; vmovdqu64 [{buffer} + 4032], zmm24
vmovdqu64 [{buffer} + 960], zmm23
