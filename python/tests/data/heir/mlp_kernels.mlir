!Z35184366911489_i64 = !mod_arith.int<35184366911489 : i64>
!Z35184367828993_i64 = !mod_arith.int<35184367828993 : i64>
!Z35184368025601_i64 = !mod_arith.int<35184368025601 : i64>
!Z35184368877569_i64 = !mod_arith.int<35184368877569 : i64>
!Z35184372744193_i64 = !mod_arith.int<35184372744193 : i64>
!Z35184373006337_i64 = !mod_arith.int<35184373006337 : i64>
!Z35184373989377_i64 = !mod_arith.int<35184373989377 : i64>
!Z35184376545281_i64 = !mod_arith.int<35184376545281 : i64>
!Z36028797017456641_i64 = !mod_arith.int<36028797017456641 : i64>
#inverse_canonical_encoding = #lwe.inverse_canonical_encoding<scaling_factor = 45>
#inverse_canonical_encoding1 = #lwe.inverse_canonical_encoding<scaling_factor = 90>
#key = #lwe.key<>
#layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 16 = 0 and 0 <= i0 <= 9 and 0 <= slot <= 1023 }">
#modulus_chain_L8_C0 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 0>
#modulus_chain_L8_C1 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 1>
#modulus_chain_L8_C2 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 2>
#modulus_chain_L8_C5 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 5>
#modulus_chain_L8_C6 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 6>
#modulus_chain_L8_C7 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 7>
#modulus_chain_L8_C8 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184366911489 : i64, 35184376545281 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 8>
#ring_f64_1_x32768 = #polynomial.ring<coefficientType = f64, polynomialModulus = <1 + x**32768>>
!rns_L0 = !rns.rns<!Z36028797017456641_i64>
!rns_L1 = !rns.rns<!Z36028797017456641_i64, !Z35184366911489_i64>
!rns_L2 = !rns.rns<!Z36028797017456641_i64, !Z35184366911489_i64, !Z35184376545281_i64>
!rns_L5 = !rns.rns<!Z36028797017456641_i64, !Z35184366911489_i64, !Z35184376545281_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64>
!rns_L6 = !rns.rns<!Z36028797017456641_i64, !Z35184366911489_i64, !Z35184376545281_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64, !Z35184373006337_i64>
!rns_L7 = !rns.rns<!Z36028797017456641_i64, !Z35184366911489_i64, !Z35184376545281_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64, !Z35184373006337_i64, !Z35184368877569_i64>
!rns_L8 = !rns.rns<!Z36028797017456641_i64, !Z35184366911489_i64, !Z35184376545281_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64, !Z35184373006337_i64, !Z35184368877569_i64, !Z35184372744193_i64>
#original_type = #tensor_ext.original_type<originalType = tensor<10xf32>, layout = #layout>
!pt = !lwe.lwe_plaintext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>>
#ring_rns_L0_1_x32768 = #polynomial.ring<coefficientType = !rns_L0, polynomialModulus = <1 + x**32768>>
#ring_rns_L1_1_x32768 = #polynomial.ring<coefficientType = !rns_L1, polynomialModulus = <1 + x**32768>>
#ring_rns_L2_1_x32768 = #polynomial.ring<coefficientType = !rns_L2, polynomialModulus = <1 + x**32768>>
#ring_rns_L5_1_x32768 = #polynomial.ring<coefficientType = !rns_L5, polynomialModulus = <1 + x**32768>>
#ring_rns_L6_1_x32768 = #polynomial.ring<coefficientType = !rns_L6, polynomialModulus = <1 + x**32768>>
#ring_rns_L7_1_x32768 = #polynomial.ring<coefficientType = !rns_L7, polynomialModulus = <1 + x**32768>>
#ring_rns_L8_1_x32768 = #polynomial.ring<coefficientType = !rns_L8, polynomialModulus = <1 + x**32768>>
!pkey_L8 = !lwe.lwe_public_key<key = #key, ring = #ring_rns_L8_1_x32768>
!skey_L0 = !lwe.lwe_secret_key<key = #key, ring = #ring_rns_L0_1_x32768>
#ciphertext_space_L0 = #lwe.ciphertext_space<ring = #ring_rns_L0_1_x32768, encryption_type = mix>
#ciphertext_space_L1 = #lwe.ciphertext_space<ring = #ring_rns_L1_1_x32768, encryption_type = mix>
#ciphertext_space_L2 = #lwe.ciphertext_space<ring = #ring_rns_L2_1_x32768, encryption_type = mix>
#ciphertext_space_L5 = #lwe.ciphertext_space<ring = #ring_rns_L5_1_x32768, encryption_type = mix>
#ciphertext_space_L6 = #lwe.ciphertext_space<ring = #ring_rns_L6_1_x32768, encryption_type = mix>
#ciphertext_space_L7 = #lwe.ciphertext_space<ring = #ring_rns_L7_1_x32768, encryption_type = mix>
#ciphertext_space_L8 = #lwe.ciphertext_space<ring = #ring_rns_L8_1_x32768, encryption_type = mix>
!ct_L0 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L0, key = #key, modulus_chain = #modulus_chain_L8_C0>
!ct_L1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L8_C1>
!ct_L1_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L8_C1>
!ct_L2 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L2, key = #key, modulus_chain = #modulus_chain_L8_C2>
!ct_L5 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L5, key = #key, modulus_chain = #modulus_chain_L8_C5>
!ct_L6 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L6, key = #key, modulus_chain = #modulus_chain_L8_C6>
!ct_L6_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L6, key = #key, modulus_chain = #modulus_chain_L8_C6>
!ct_L7 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L7, key = #key, modulus_chain = #modulus_chain_L8_C7>
!ct_L7_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L7, key = #key, modulus_chain = #modulus_chain_L8_C7>
!ct_L8 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L8, key = #key, modulus_chain = #modulus_chain_L8_C8>
module attributes {backend.lattigo, ckks.schemeParam = #ckks.scheme_param<logN = 15, Q = [36028797017456641, 35184366911489, 35184376545281, 35184367828993, 35184373989377, 35184368025601, 35184373006337, 35184368877569, 35184372744193], P = [1152921504608747521, 1152921504614055937, 1152921504615628801], logDefaultScale = 45, encryptionTechnique = extended>, scheme.actual_slot_count = 16384 : i64, scheme.ckks, scheme.requested_slot_count = 1024 : i64} {
  func.func private @_assign_layout_2210161240571556120(%arg0: tensor<10xf32>) -> tensor<1x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
    %c1024_i32 = arith.constant 1024 : i32
    %c0 = arith.constant 0 : index
    %c16_i32 = arith.constant 16 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<1x1024xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c10_i32 = arith.constant 10 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c10_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<1x1024xf32>)  : i32 {
      %1 = scf.for %arg3 = %arg1 to %c1024_i32 step %c16_i32 iter_args(%arg4 = %arg2) -> (tensor<1x1024xf32>)  : i32 {
        %2 = arith.index_cast %arg1 : i32 to index
        %extracted = tensor.extract %arg0[%2] : tensor<10xf32>
        %3 = arith.index_cast %arg3 : i32 to index
        %inserted = tensor.insert %extracted into %arg4[%c0, %3] : tensor<1x1024xf32>
        scf.yield %inserted : tensor<1x1024xf32>
      }
      scf.yield %1 : tensor<1x1024xf32>
    }
    return %0 : tensor<1x1024xf32>
  }
  func.func private @_assign_layout_7645154016631763358(%arg0: tensor<10x512xf32>) -> tensor<16x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
    %c1024_i32 = arith.constant 1024 : i32
    %c512_i32 = arith.constant 512 : i32
    %c15_i32 = arith.constant 15 : i32
    %c16_i32 = arith.constant 16 : i32
    %c511_i32 = arith.constant 511 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<16x1024xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c10_i32 = arith.constant 10 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c10_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<16x1024xf32>)  : i32 {
      %1 = scf.for %arg3 = %c0_i32 to %c512_i32 step %c1_i32 iter_args(%arg4 = %arg2) -> (tensor<16x1024xf32>)  : i32 {
        %2 = scf.for %arg5 = %arg1 to %c1024_i32 step %c16_i32 iter_args(%arg6 = %arg4) -> (tensor<16x1024xf32>)  : i32 {
          %3 = arith.subi %arg1, %arg3 : i32
          %4 = arith.addi %3, %c511_i32 : i32
          %5 = arith.floordivsi %4, %c16_i32 : i32
          %6 = arith.muli %5, %c16_i32 : i32
          %7 = arith.subi %4, %6 : i32
          %8 = arith.addi %7, %arg3 : i32
          %9 = arith.subi %8, %arg5 : i32
          %10 = arith.subi %9, %c15_i32 : i32
          %11 = arith.remsi %10, %c512_i32 : i32
          %12 = arith.cmpi eq, %11, %c0_i32 : i32
          %13 = scf.if %12 -> (tensor<16x1024xf32>) {
            %14 = arith.subi %arg3, %arg5 : i32
            %15 = arith.addi %14, %c1024_i32 : i32
            %16 = arith.floordivsi %15, %c512_i32 : i32
            %17 = arith.muli %16, %c512_i32 : i32
            %18 = arith.subi %15, %17 : i32
            %19 = arith.index_cast %arg1 : i32 to index
            %20 = arith.index_cast %arg3 : i32 to index
            %extracted = tensor.extract %arg0[%19, %20] : tensor<10x512xf32>
            %21 = arith.index_cast %18 : i32 to index
            %22 = arith.index_cast %arg5 : i32 to index
            %inserted = tensor.insert %extracted into %arg6[%21, %22] : tensor<16x1024xf32>
            scf.yield %inserted : tensor<16x1024xf32>
          } else {
            scf.yield %arg6 : tensor<16x1024xf32>
          }
          scf.yield %13 : tensor<16x1024xf32>
        }
        scf.yield %2 : tensor<16x1024xf32>
      }
      scf.yield %1 : tensor<16x1024xf32>
    }
    return %0 : tensor<16x1024xf32>
  }
  func.func private @_assign_layout_10404224229852751768(%arg0: tensor<512xf32>) -> tensor<1x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
    %c1024_i32 = arith.constant 1024 : i32
    %c0 = arith.constant 0 : index
    %c512_i32 = arith.constant 512 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<1x1024xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c512_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<1x1024xf32>)  : i32 {
      %1 = scf.for %arg3 = %arg1 to %c1024_i32 step %c512_i32 iter_args(%arg4 = %arg2) -> (tensor<1x1024xf32>)  : i32 {
        %2 = arith.index_cast %arg1 : i32 to index
        %extracted = tensor.extract %arg0[%2] : tensor<512xf32>
        %3 = arith.index_cast %arg3 : i32 to index
        %inserted = tensor.insert %extracted into %arg4[%c0, %3] : tensor<1x1024xf32>
        scf.yield %inserted : tensor<1x1024xf32>
      }
      scf.yield %1 : tensor<1x1024xf32>
    }
    return %0 : tensor<1x1024xf32>
  }
  func.func private @_assign_layout_6236385487062940184(%arg0: tensor<512x784xf32>) -> tensor<512x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
    %c784_i32 = arith.constant 784 : i32
    %c1024_i32 = arith.constant 1024 : i32
    %c512_i32 = arith.constant 512 : i32
    %c1023_i32 = arith.constant 1023 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<512x1024xf32>
    %c0_i32 = arith.constant 0 : i32
    %c511_i32 = arith.constant 511 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c512_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<512x1024xf32>)  : i32 {
      %1 = scf.for %arg3 = %c0_i32 to %c784_i32 step %c1_i32 iter_args(%arg4 = %arg2) -> (tensor<512x1024xf32>)  : i32 {
        %2 = scf.for %arg5 = %arg1 to %c1024_i32 step %c512_i32 iter_args(%arg6 = %arg4) -> (tensor<512x1024xf32>)  : i32 {
          %3 = arith.subi %arg1, %arg3 : i32
          %4 = arith.addi %3, %c1023_i32 : i32
          %5 = arith.floordivsi %4, %c512_i32 : i32
          %6 = arith.muli %5, %c512_i32 : i32
          %7 = arith.subi %4, %6 : i32
          %8 = arith.addi %7, %arg3 : i32
          %9 = arith.subi %8, %arg5 : i32
          %10 = arith.subi %9, %c511_i32 : i32
          %11 = arith.remsi %10, %c1024_i32 : i32
          %12 = arith.cmpi eq, %11, %c0_i32 : i32
          %13 = scf.if %12 -> (tensor<512x1024xf32>) {
            %14 = arith.subi %arg3, %arg5 : i32
            %15 = arith.addi %14, %c1024_i32 : i32
            %16 = arith.floordivsi %15, %c1024_i32 : i32
            %17 = arith.muli %16, %c1024_i32 : i32
            %18 = arith.subi %15, %17 : i32
            %19 = arith.index_cast %arg1 : i32 to index
            %20 = arith.index_cast %arg3 : i32 to index
            %extracted = tensor.extract %arg0[%19, %20] : tensor<512x784xf32>
            %21 = arith.index_cast %18 : i32 to index
            %22 = arith.index_cast %arg5 : i32 to index
            %inserted = tensor.insert %extracted into %arg6[%21, %22] : tensor<512x1024xf32>
            scf.yield %inserted : tensor<512x1024xf32>
          } else {
            scf.yield %arg6 : tensor<512x1024xf32>
          }
          scf.yield %13 : tensor<512x1024xf32>
        }
        scf.yield %2 : tensor<512x1024xf32>
      }
      scf.yield %1 : tensor<512x1024xf32>
    }
    return %0 : tensor<512x1024xf32>
  }
  func.func @mlp__preprocessing(%arg0: tensor<10xf32>, %arg1: tensor<10x512xf32>, %arg2: tensor<512xf32>, %arg3: tensor<512x784xf32>) -> !preprocessing.storage<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>> attributes {heir.interface = {entry_arg_indices = array<i64: 4, 3, 2, 1>, func_name = "mlp", roles = ["server.preprocessing"]}} {
    %cst = arith.constant dense<1.000000e+00> : tensor<1024xf32>
    %cst_0 = arith.constant dense<2.500000e-01> : tensor<512xf32>
    %0 = preprocessing.empty : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %1 = call @_assign_layout_6236385487062940184(%arg3) : (tensor<512x784xf32>) -> tensor<512x1024xf32>
    %2 = call @_assign_layout_10404224229852751768(%arg2) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %3 = call @_assign_layout_10404224229852751768(%cst_0) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %4 = call @_assign_layout_7645154016631763358(%arg1) : (tensor<10x512xf32>) -> tensor<16x1024xf32>
    %5 = call @_assign_layout_2210161240571556120(%arg0) : (tensor<10xf32>) -> tensor<1x1024xf32>
    %6 = kernel.prepare_linear_transform %1 <diagonal_indices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 329, 330, 331, 332, 333, 334, 335, 336, 337, 338, 339, 340, 341, 342, 343, 344, 345, 346, 347, 348, 349, 350, 351, 352, 353, 354, 355, 356, 357, 358, 359, 360, 361, 362, 363, 364, 365, 366, 367, 368, 369, 370, 371, 372, 373, 374, 375, 376, 377, 378, 379, 380, 381, 382, 383, 384, 385, 386, 387, 388, 389, 390, 391, 392, 393, 394, 395, 396, 397, 398, 399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 419, 420, 421, 422, 423, 424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 435, 436, 437, 438, 439, 440, 441, 442, 443, 444, 445, 446, 447, 448, 449, 450, 451, 452, 453, 454, 455, 456, 457, 458, 459, 460, 461, 462, 463, 464, 465, 466, 467, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477, 478, 479, 480, 481, 482, 483, 484, 485, 486, 487, 488, 489, 490, 491, 492, 493, 494, 495, 496, 497, 498, 499, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511]> : tensor<512x1024xf32> -> <level = 8, slots = 1024, log_bsgs_ratio = 0>
    preprocessing.store %6, %0[] site 0<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>> : !kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %extracted_slice = tensor.extract_slice %2[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt = lwe.rlwe_encode %extracted_slice <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 7, scale = 45> : tensor<1024xf32> -> !pt
    preprocessing.store %pt, %0[] site 1<!pt> : !pt, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %pt_1 = lwe.rlwe_encode %cst <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 7, scale = 45> : tensor<1024xf32> -> !pt
    preprocessing.store %pt_1, %0[] site 2<!pt> : !pt, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %extracted_slice_2 = tensor.extract_slice %3[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_3 = lwe.rlwe_encode %extracted_slice_2 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 6, scale = 45> : tensor<1024xf32> -> !pt
    preprocessing.store %pt_3, %0[] site 3<!pt> : !pt, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %7 = kernel.prepare_linear_transform %4 <diagonal_indices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16x1024xf32> -> <level = 2, slots = 1024, log_bsgs_ratio = 0>
    preprocessing.store %7, %0[] site 4<!kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>> : !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %extracted_slice_4 = tensor.extract_slice %5[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_5 = lwe.rlwe_encode %extracted_slice_4 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 1, scale = 45> : tensor<1024xf32> -> !pt
    preprocessing.store %pt_5, %0[] site 5<!pt> : !pt, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %pt_6 = lwe.rlwe_encode %cst <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 1, scale = 45> : tensor<1024xf32> -> !pt
    preprocessing.store %pt_6, %0[] site 6<!pt> : !pt, <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    return %0 : !preprocessing.storage<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
  }
  func.func @mlp__preprocessed(%arg0: tensor<1x!ct_L8> {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}, tensor_ext.original_type = #tensor_ext.original_type<originalType = tensor<784xf32>, layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 1024 = 0 and 0 <= i0 <= 783 and 0 <= slot <= 1023 }">>}, %arg1: tensor<512x784xf32>, %arg2: tensor<512xf32>, %arg3: tensor<10x512xf32>, %arg4: tensor<10xf32>, %arg5: !preprocessing.storage<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>) -> tensor<1x!ct_L0> attributes {heir.interface = {func_name = "mlp", roles = ["client.preprocessed", "server.evaluate"]}} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %cst = arith.constant dense<2.500000e-01> : tensor<512xf32>
    %c0 = arith.constant 0 : index
    %0 = call @_assign_layout_6236385487062940184(%arg1) : (tensor<512x784xf32>) -> tensor<512x1024xf32>
    %1 = call @_assign_layout_10404224229852751768(%arg2) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %2 = call @_assign_layout_10404224229852751768(%cst) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %3 = call @_assign_layout_7645154016631763358(%arg3) : (tensor<10x512xf32>) -> tensor<16x1024xf32>
    %4 = call @_assign_layout_2210161240571556120(%arg4) : (tensor<10xf32>) -> tensor<1x1024xf32>
    %5 = preprocessing.load %arg5[] site 0<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>
    %extracted = tensor.extract %arg0[%c0] : tensor<1x!ct_L8>
    %ct = kernel.apply_linear_transform %extracted, %5 <diagonal_indices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299, 300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 329, 330, 331, 332, 333, 334, 335, 336, 337, 338, 339, 340, 341, 342, 343, 344, 345, 346, 347, 348, 349, 350, 351, 352, 353, 354, 355, 356, 357, 358, 359, 360, 361, 362, 363, 364, 365, 366, 367, 368, 369, 370, 371, 372, 373, 374, 375, 376, 377, 378, 379, 380, 381, 382, 383, 384, 385, 386, 387, 388, 389, 390, 391, 392, 393, 394, 395, 396, 397, 398, 399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 419, 420, 421, 422, 423, 424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 435, 436, 437, 438, 439, 440, 441, 442, 443, 444, 445, 446, 447, 448, 449, 450, 451, 452, 453, 454, 455, 456, 457, 458, 459, 460, 461, 462, 463, 464, 465, 466, 467, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477, 478, 479, 480, 481, 482, 483, 484, 485, 486, 487, 488, 489, 490, 491, 492, 493, 494, 495, 496, 497, 498, 499, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511], diagonal_width = 1024> : !ct_L8, <level = 8, slots = 1024, log_bsgs_ratio = 0> -> !ct_L7
    %ct_0 = ckks.rotate %ct, %c512 : index : !ct_L7
    %pt = preprocessing.load %arg5[] site 1<!pt> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !pt
    %ct_1 = ckks.add_plain %ct, %pt : (!ct_L7, !pt) -> !ct_L7
    %ct_2 = ckks.add %ct_1, %ct_0 : (!ct_L7, !ct_L7) -> !ct_L7
    %pt_3 = preprocessing.load %arg5[] site 2<!pt> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !pt
    %ct_4 = ckks.mul_plain %ct_2, %pt_3 : (!ct_L7, !pt) -> !ct_L7_1
    %ct_5 = ckks.rescale %ct_4 <to_ring = #ring_rns_L6_1_x32768> : !ct_L7_1 -> !ct_L6
    %pt_6 = preprocessing.load %arg5[] site 3<!pt> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !pt
    %ct_7 = ckks.mul_plain %ct_5, %pt_6 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L6, !pt) -> !ct_L6_1
    %ct_8 = ckks.rescale %ct_7 <to_ring = #ring_rns_L5_1_x32768> : !ct_L6_1 -> !ct_L5
    %ct_9 = kernel.eval_chebyshev %ct_8 <coefficients = [1.26787982056319, 2.000000e+00, 0.86150107335043335, -1.4563069223823E-16, -0.25313872329356568, -3.4280088644310704E-17]> {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : !ct_L5 -> !ct_L2
    %6 = preprocessing.load %arg5[] site 4<!kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>
    %ct_10 = kernel.apply_linear_transform %ct_9, %6 <diagonal_indices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], diagonal_width = 1024> : !ct_L2, <level = 2, slots = 1024, log_bsgs_ratio = 0> -> !ct_L1
    %ct_11 = ckks.rotate %ct_10, %c256 : index : !ct_L1
    %ct_12 = ckks.add %ct_10, %ct_11 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_13 = ckks.rotate %ct_12, %c128 : index : !ct_L1
    %ct_14 = ckks.add %ct_12, %ct_13 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_15 = ckks.rotate %ct_14, %c64 : index : !ct_L1
    %ct_16 = ckks.add %ct_14, %ct_15 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_17 = ckks.rotate %ct_16, %c32 : index : !ct_L1
    %ct_18 = ckks.add %ct_16, %ct_17 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_19 = ckks.rotate %ct_18, %c16 : index : !ct_L1
    %pt_20 = preprocessing.load %arg5[] site 5<!pt> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !pt
    %ct_21 = ckks.add_plain %ct_18, %pt_20 : (!ct_L1, !pt) -> !ct_L1
    %ct_22 = ckks.add %ct_21, %ct_19 : (!ct_L1, !ct_L1) -> !ct_L1
    %pt_23 = preprocessing.load %arg5[] site 6<!pt> : <!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>, !pt
    %ct_24 = ckks.mul_plain %ct_22, %pt_23 : (!ct_L1, !pt) -> !ct_L1_1
    %7 = tensor.empty() : tensor<1x!ct_L0>
    %ct_25 = ckks.rescale %ct_24 <to_ring = #ring_rns_L0_1_x32768> : !ct_L1_1 -> !ct_L0
    %inserted = tensor.insert %ct_25 into %7[%c0] : tensor<1x!ct_L0>
    return %inserted : tensor<1x!ct_L0>
  }
  func.func @mlp(%arg0: tensor<1x!ct_L8> {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}, tensor_ext.original_type = #tensor_ext.original_type<originalType = tensor<784xf32>, layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 1024 = 0 and 0 <= i0 <= 783 and 0 <= slot <= 1023 }">>}, %arg1: tensor<512x784xf32>, %arg2: tensor<512xf32>, %arg3: tensor<10x512xf32>, %arg4: tensor<10xf32>) -> (tensor<1x!ct_L0> {tensor_ext.original_type = #original_type}) attributes {heir.interface = {func_name = "mlp", input_types = [tensor<784xf32>, tensor<512x784xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>], result_types = [tensor<10xf32>], roles = ["entry"]}} {
    %0 = call @mlp__preprocessing(%arg4, %arg3, %arg2, %arg1) : (tensor<10xf32>, tensor<10x512xf32>, tensor<512xf32>, tensor<512x784xf32>) -> !preprocessing.storage<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>
    %1 = call @mlp__preprocessed(%arg0, %arg1, %arg2, %arg3, %arg4, %0) : (tensor<1x!ct_L8>, tensor<512x784xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>, !preprocessing.storage<!kernel.prepared_linear_transform<level = 8, slots = 1024, log_bsgs_ratio = 0>, !pt, !kernel.prepared_linear_transform<level = 2, slots = 1024, log_bsgs_ratio = 0>>) -> tensor<1x!ct_L0>
    return %1 : tensor<1x!ct_L0>
  }
  func.func @mlp__encrypt__arg0(%arg0: tensor<784xf32>, %pk: !pkey_L8) -> tensor<1x!ct_L8> attributes {heir.interface = {func_name = "mlp", index = 0 : i64, roles = ["client.encrypt"]}} {
    %c0 = arith.constant 0 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<1x1024xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c784_i32 = arith.constant 784 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c784_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<1x1024xf32>)  : i32 {
      %1 = arith.index_cast %arg1 : i32 to index
      %extracted = tensor.extract %arg0[%1] : tensor<784xf32>
      %inserted = tensor.insert %extracted into %arg2[%c0, %1] : tensor<1x1024xf32>
      scf.yield %inserted : tensor<1x1024xf32>
    }
    %extracted_slice = tensor.extract_slice %0[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt = lwe.rlwe_encode %extracted_slice <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 8, scale = 45> : tensor<1024xf32> -> !pt
    %ct = lwe.rlwe_encrypt %pt, %pk : (!pt, !pkey_L8) -> !ct_L8
    %from_elements = tensor.from_elements %ct : tensor<1x!ct_L8>
    return %from_elements : tensor<1x!ct_L8>
  }
  func.func @mlp__decrypt__result0(%arg0: tensor<1x!ct_L0>, %sk: !skey_L0) -> tensor<10xf32> attributes {heir.interface = {func_name = "mlp", index = 0 : i64, roles = ["client.decrypt"]}} {
    %c0 = arith.constant 0 : index
    %c1024_i32 = arith.constant 1024 : i32
    %c10_i32 = arith.constant 10 : i32
    %c16_i32 = arith.constant 16 : i32
    %c1_i32 = arith.constant 1 : i32
    %c9_i32 = arith.constant 9 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<10xf32>
    %c1014_i32 = arith.constant 1014 : i32
    %extracted = tensor.extract %arg0[%c0] : tensor<1x!ct_L0>
    %pt = lwe.rlwe_decrypt %extracted, %sk : (!ct_L0, !skey_L0) -> !pt
    %0 = lwe.rlwe_decode %pt <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768> : !pt -> tensor<1x1024xf32>
    %1 = scf.for %arg1 = %c0_i32 to %c10_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<10xf32>)  : i32 {
      %2 = arith.subi %c9_i32, %arg1 : i32
      %3 = scf.for %arg3 = %2 to %c1024_i32 step %c16_i32 iter_args(%arg4 = %arg2) -> (tensor<10xf32>)  : i32 {
        %4 = arith.addi %arg1, %c1014_i32 : i32
        %5 = arith.floordivsi %4, %c16_i32 : i32
        %6 = arith.muli %5, %c16_i32 : i32
        %7 = arith.addi %2, %6 : i32
        %8 = arith.subi %arg3, %2 : i32
        %9 = arith.subi %7, %8 : i32
        %10 = arith.index_cast %9 : i32 to index
        %extracted_0 = tensor.extract %0[%c0, %10] : tensor<1x1024xf32>
        %11 = arith.index_cast %2 : i32 to index
        %inserted = tensor.insert %extracted_0 into %arg4[%11] : tensor<10xf32>
        scf.yield %inserted : tensor<10xf32>
      }
      scf.yield %3 : tensor<10xf32>
    }
    return %1 : tensor<10xf32>
  }
}

