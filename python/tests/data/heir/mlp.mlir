!Z35184367828993_i64 = !mod_arith.int<35184367828993 : i64>
!Z35184368025601_i64 = !mod_arith.int<35184368025601 : i64>
!Z35184368877569_i64 = !mod_arith.int<35184368877569 : i64>
!Z35184372744193_i64 = !mod_arith.int<35184372744193 : i64>
!Z35184373006337_i64 = !mod_arith.int<35184373006337 : i64>
!Z35184373989377_i64 = !mod_arith.int<35184373989377 : i64>
!Z36028797017456641_i64 = !mod_arith.int<36028797017456641 : i64>
#inverse_canonical_encoding = #lwe.inverse_canonical_encoding<scaling_factor = 45>
#inverse_canonical_encoding1 = #lwe.inverse_canonical_encoding<scaling_factor = 90>
#key = #lwe.key<>
#layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 16 = 0 and 0 <= i0 <= 9 and 0 <= slot <= 1023 }">
#modulus_chain_L6_C0 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 0>
#modulus_chain_L6_C1 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 1>
#modulus_chain_L6_C2 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 2>
#modulus_chain_L6_C3 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 3>
#modulus_chain_L6_C4 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 4>
#modulus_chain_L6_C5 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 5>
#modulus_chain_L6_C6 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184367828993 : i64, 35184373989377 : i64, 35184368025601 : i64, 35184373006337 : i64, 35184368877569 : i64, 35184372744193 : i64>, current = 6>
#ring_f64_1_x32768 = #polynomial.ring<coefficientType = f64, polynomialModulus = <1 + x**32768>>
!rns_L0 = !rns.rns<!Z36028797017456641_i64>
!rns_L1 = !rns.rns<!Z36028797017456641_i64, !Z35184367828993_i64>
!rns_L2 = !rns.rns<!Z36028797017456641_i64, !Z35184367828993_i64, !Z35184373989377_i64>
!rns_L3 = !rns.rns<!Z36028797017456641_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64>
!rns_L4 = !rns.rns<!Z36028797017456641_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64, !Z35184373006337_i64>
!rns_L5 = !rns.rns<!Z36028797017456641_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64, !Z35184373006337_i64, !Z35184368877569_i64>
!rns_L6 = !rns.rns<!Z36028797017456641_i64, !Z35184367828993_i64, !Z35184373989377_i64, !Z35184368025601_i64, !Z35184373006337_i64, !Z35184368877569_i64, !Z35184372744193_i64>
#original_type = #tensor_ext.original_type<originalType = tensor<10xf32>, layout = #layout>
!pt = !lwe.lwe_plaintext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>>
#ring_rns_L0_1_x32768 = #polynomial.ring<coefficientType = !rns_L0, polynomialModulus = <1 + x**32768>>
#ring_rns_L1_1_x32768 = #polynomial.ring<coefficientType = !rns_L1, polynomialModulus = <1 + x**32768>>
#ring_rns_L2_1_x32768 = #polynomial.ring<coefficientType = !rns_L2, polynomialModulus = <1 + x**32768>>
#ring_rns_L3_1_x32768 = #polynomial.ring<coefficientType = !rns_L3, polynomialModulus = <1 + x**32768>>
#ring_rns_L4_1_x32768 = #polynomial.ring<coefficientType = !rns_L4, polynomialModulus = <1 + x**32768>>
#ring_rns_L5_1_x32768 = #polynomial.ring<coefficientType = !rns_L5, polynomialModulus = <1 + x**32768>>
#ring_rns_L6_1_x32768 = #polynomial.ring<coefficientType = !rns_L6, polynomialModulus = <1 + x**32768>>
!pkey_L0 = !lwe.lwe_public_key<key = #key, ring = #ring_rns_L0_1_x32768>
!pkey_L5 = !lwe.lwe_public_key<key = #key, ring = #ring_rns_L5_1_x32768>
!pkey_L6 = !lwe.lwe_public_key<key = #key, ring = #ring_rns_L6_1_x32768>
!skey_L0 = !lwe.lwe_secret_key<key = #key, ring = #ring_rns_L0_1_x32768>
#ciphertext_space_L0 = #lwe.ciphertext_space<ring = #ring_rns_L0_1_x32768, encryption_type = mix>
#ciphertext_space_L1 = #lwe.ciphertext_space<ring = #ring_rns_L1_1_x32768, encryption_type = mix>
#ciphertext_space_L2 = #lwe.ciphertext_space<ring = #ring_rns_L2_1_x32768, encryption_type = mix>
#ciphertext_space_L3 = #lwe.ciphertext_space<ring = #ring_rns_L3_1_x32768, encryption_type = mix>
#ciphertext_space_L3_D3 = #lwe.ciphertext_space<ring = #ring_rns_L3_1_x32768, encryption_type = mix, size = 3>
#ciphertext_space_L4 = #lwe.ciphertext_space<ring = #ring_rns_L4_1_x32768, encryption_type = mix>
#ciphertext_space_L4_D3 = #lwe.ciphertext_space<ring = #ring_rns_L4_1_x32768, encryption_type = mix, size = 3>
#ciphertext_space_L5 = #lwe.ciphertext_space<ring = #ring_rns_L5_1_x32768, encryption_type = mix>
#ciphertext_space_L6 = #lwe.ciphertext_space<ring = #ring_rns_L6_1_x32768, encryption_type = mix>
!ct_L0 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L0, key = #key, modulus_chain = #modulus_chain_L6_C0>
!ct_L1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L6_C1>
!ct_L1_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L6_C1>
!ct_L2 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L2, key = #key, modulus_chain = #modulus_chain_L6_C2>
!ct_L2_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L2, key = #key, modulus_chain = #modulus_chain_L6_C2>
!ct_L3 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L3, key = #key, modulus_chain = #modulus_chain_L6_C3>
!ct_L3_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L3, key = #key, modulus_chain = #modulus_chain_L6_C3>
!ct_L3_D3 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L3_D3, key = #key, modulus_chain = #modulus_chain_L6_C3>
!ct_L4 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L4, key = #key, modulus_chain = #modulus_chain_L6_C4>
!ct_L4_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L4, key = #key, modulus_chain = #modulus_chain_L6_C4>
!ct_L4_D3 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L4_D3, key = #key, modulus_chain = #modulus_chain_L6_C4>
!ct_L5 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L5, key = #key, modulus_chain = #modulus_chain_L6_C5>
!ct_L5_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L5, key = #key, modulus_chain = #modulus_chain_L6_C5>
!ct_L6 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L6, key = #key, modulus_chain = #modulus_chain_L6_C6>
!ct_L6_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x32768, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L6, key = #key, modulus_chain = #modulus_chain_L6_C6>
module attributes {backend.cheddar, ckks.schemeParam = #ckks.scheme_param<logN = 15, Q = [36028797017456641, 35184367828993, 35184373989377, 35184368025601, 35184373006337, 35184368877569, 35184372744193], P = [1152921504608747521, 1152921504614055937], logDefaultScale = 45>, scheme.actual_slot_count = 16384 : i64, scheme.ckks, scheme.requested_slot_count = 1024 : i64} {
  func.func private @_assign_layout_9736200672152972805(%arg0: tensor<10xf32>) -> tensor<1x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
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
  func.func private @_assign_layout_17708742559131636688(%arg0: tensor<10x512xf32>) -> tensor<16x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
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
  func.func private @_assign_layout_8424006922186108403(%arg0: tensor<512xf32>) -> tensor<1x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
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
  func.func private @_assign_layout_13316321683680581494(%arg0: tensor<512x784xf32>) -> tensor<512x1024xf32> attributes {heir.interface = {func_name = "mlp", roles = ["client.pack"]}} {
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
  func.func @mlp(%arg0: tensor<1x!ct_L6> {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}, tensor_ext.original_type = #tensor_ext.original_type<originalType = tensor<784xf32>, layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 1024 = 0 and 0 <= i0 <= 783 and 0 <= slot <= 1023 }">>}, %arg1: tensor<512x784xf32>, %arg2: tensor<512xf32>, %arg3: tensor<10x512xf32>, %arg4: tensor<10xf32>, %ct: !ct_L5 {client.enc_zero_arg = {func_name = "mlp", index = 0 : i64}}, %ct_0: !ct_L0 {client.enc_zero_arg = {func_name = "mlp", index = 1 : i64}}) -> (tensor<1x!ct_L0> {tensor_ext.original_type = #original_type}) attributes {heir.interface = {func_name = "mlp", input_types = [tensor<784xf32>, tensor<512x784xf32>, tensor<512xf32>, tensor<10x512xf32>, tensor<10xf32>], result_types = [tensor<10xf32>], roles = ["entry", "server.evaluate"]}} {
    %c-4 = arith.constant -4 : index
    %c-23 = arith.constant -23 : index
    %c5 = arith.constant 5 : index
    %c256 = arith.constant 256 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c512 = arith.constant 512 : index
    %c1 = arith.constant 1 : index
    %c23 = arith.constant 23 : index
    %cst = arith.constant dense<-0.253138721> : tensor<512xf32>
    %cst_1 = arith.constant dense<0.861501097> : tensor<512xf32>
    %cst_2 = arith.constant dense<2.000000e+00> : tensor<512xf32>
    %cst_3 = arith.constant dense<1.000000e+00> : tensor<512xf32>
    %cst_4 = arith.constant dense<1.26787984> : tensor<512xf32>
    %cst_5 = arith.constant dense<2.500000e-01> : tensor<512xf32>
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<1024xf32>
    %c1024 = arith.constant 1024 : index
    %c0 = arith.constant 0 : index
    %0 = call @_assign_layout_13316321683680581494(%arg1) : (tensor<512x784xf32>) -> tensor<512x1024xf32>
    %1 = call @_assign_layout_8424006922186108403(%arg2) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %2 = call @_assign_layout_8424006922186108403(%cst_5) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %3 = call @_assign_layout_8424006922186108403(%cst_2) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %4 = call @_assign_layout_8424006922186108403(%cst_4) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %5 = call @_assign_layout_8424006922186108403(%cst_3) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %6 = call @_assign_layout_8424006922186108403(%cst_1) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %7 = call @_assign_layout_8424006922186108403(%cst) : (tensor<512xf32>) -> tensor<1x1024xf32>
    %8 = call @_assign_layout_17708742559131636688(%arg3) : (tensor<10x512xf32>) -> tensor<16x1024xf32>
    %9 = call @_assign_layout_9736200672152972805(%arg4) : (tensor<10xf32>) -> tensor<1x1024xf32>
    %10 = tensor.empty() : tensor<23x!ct_L6>
    %inserted_slice = tensor.insert_slice %arg0 into %10[0] [1] [1] : tensor<1x!ct_L6> into tensor<23x!ct_L6>
    %11 = scf.for %arg5 = %c1 to %c23 step %c1 iter_args(%arg6 = %inserted_slice) -> (tensor<23x!ct_L6>) {
      %22 = tensor.empty() : tensor<1x!ct_L6>
      %extracted_74 = tensor.extract %arg0[%c0] : tensor<1x!ct_L6>
      %ct_75 = ckks.rotate %extracted_74, %arg5 : index : !ct_L6
      %inserted_76 = tensor.insert %ct_75 into %22[%c0] : tensor<1x!ct_L6>
      %inserted_slice_77 = tensor.insert_slice %inserted_76 into %arg6[%arg5] [1] [1] : tensor<1x!ct_L6> into tensor<23x!ct_L6>
      scf.yield %inserted_slice_77 : tensor<23x!ct_L6>
    }
    %extracted_slice = tensor.extract_slice %0[0, 0] [1, 1024] [1, 1] : tensor<512x1024xf32> to tensor<1024xf32>
    %pt = lwe.rlwe_encode %extracted_slice <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 6, scale = 45> : tensor<1024xf32> -> !pt
    %extracted = tensor.extract %11[%c0] : tensor<23x!ct_L6>
    %ct_7 = ckks.mul_plain %extracted, %pt : (!ct_L6, !pt) -> !ct_L6_1
    %ct_8 = ckks.rescale %ct_7 <to_ring = #ring_rns_L5_1_x32768> : !ct_L6_1 -> !ct_L5
    %pt_9 = lwe.rlwe_encode %cst_6 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 5, scale = 45> : tensor<1024xf32> -> !pt
    %12 = tensor.empty() : tensor<1x!ct_L5>
    %ct_10 = ckks.add_plain %ct_8, %pt_9 : (!ct_L5, !pt) -> !ct_L5
    %inserted = tensor.insert %ct_10 into %12[%c0] : tensor<1x!ct_L5>
    %13 = scf.for %arg5 = %c1 to %c23 step %c1 iter_args(%arg6 = %inserted) -> (tensor<1x!ct_L5>) {
      %22 = arith.cmpi slt, %arg5, %c512 : index
      %23 = scf.if %22 -> (tensor<1x!ct_L5>) {
        %extracted_slice_74 = tensor.extract_slice %0[%arg5, 0] [1, 1024] [1, 1] : tensor<512x1024xf32> to tensor<1024xf32>
        %pt_75 = lwe.rlwe_encode %extracted_slice_74 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 6, scale = 45> : tensor<1024xf32> -> !pt
        %extracted_76 = tensor.extract %11[%arg5] : tensor<23x!ct_L6>
        %ct_77 = ckks.mul_plain %extracted_76, %pt_75 : (!ct_L6, !pt) -> !ct_L6_1
        %ct_78 = ckks.rescale %ct_77 <to_ring = #ring_rns_L5_1_x32768> : !ct_L6_1 -> !ct_L5
        %extracted_79 = tensor.extract %arg6[%c0] : tensor<1x!ct_L5>
        %ct_80 = ckks.add %extracted_79, %ct_78 : (!ct_L5, !ct_L5) -> !ct_L5
        %inserted_81 = tensor.insert %ct_80 into %12[%c0] : tensor<1x!ct_L5>
        scf.yield %inserted_81 : tensor<1x!ct_L5>
      } else {
        scf.yield %arg6 : tensor<1x!ct_L5>
      }
      scf.yield %23 : tensor<1x!ct_L5>
    }
    %extracted_11 = tensor.extract %13[%c0] : tensor<1x!ct_L5>
    %ct_12 = ckks.add_plain %extracted_11, %pt_9 : (!ct_L5, !pt) -> !ct_L5
    %inserted_13 = tensor.insert %ct_12 into %12[%c0] : tensor<1x!ct_L5>
    %14 = scf.for %arg5 = %c1 to %c23 step %c1 iter_args(%arg6 = %inserted_13) -> (tensor<1x!ct_L5>) {
      %22 = arith.muli %arg5, %c23 : index
      %23 = arith.cmpi slt, %22, %c512 : index
      %24 = scf.if %23 -> (tensor<1x!ct_L5>) {
        %extracted_slice_79 = tensor.extract_slice %0[%22, 0] [1, 1024] [1, 1] : tensor<512x1024xf32> to tensor<1x1024xf32>
        %26 = arith.muli %arg5, %c-23 : index
        %27 = arith.remsi %26, %c1024 : index
        %28 = arith.addi %27, %c1024 : index
        %29 = arith.remsi %28, %c1024 : index
        %30 = arith.subi %c1024, %29 : index
        %extracted_slice_80 = tensor.extract_slice %0[%22, 0] [1, %29] [1, 1] : tensor<512x1024xf32> to tensor<1x?xf32>
        %extracted_slice_81 = tensor.extract_slice %0[%22, %29] [1, %30] [1, 1] : tensor<512x1024xf32> to tensor<1x?xf32>
        %inserted_slice_82 = tensor.insert_slice %extracted_slice_80 into %extracted_slice_79[0, %30] [1, %29] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
        %inserted_slice_83 = tensor.insert_slice %extracted_slice_81 into %inserted_slice_82[0, 0] [1, %30] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
        %extracted_slice_84 = tensor.extract_slice %inserted_slice_83[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
        %pt_85 = lwe.rlwe_encode %extracted_slice_84 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 6, scale = 45> : tensor<1024xf32> -> !pt
        %ct_86 = ckks.mul_plain %extracted, %pt_85 : (!ct_L6, !pt) -> !ct_L6_1
        %ct_87 = ckks.rescale %ct_86 <to_ring = #ring_rns_L5_1_x32768> : !ct_L6_1 -> !ct_L5
        %ct_88 = ckks.add_plain %ct_87, %pt_9 : (!ct_L5, !pt) -> !ct_L5
        %inserted_89 = tensor.insert %ct_88 into %12[%c0] : tensor<1x!ct_L5>
        scf.yield %inserted_89 : tensor<1x!ct_L5>
      } else {
        %splat = tensor.splat %ct : tensor<1x!ct_L5>
        %extracted_79 = tensor.extract %splat[%c0] : tensor<1x!ct_L5>
        %ct_80 = lwe.radd_plain %extracted_79, %pt_9 : (!ct_L5, !pt) -> !ct_L5
        %inserted_81 = tensor.insert %ct_80 into %12[%c0] : tensor<1x!ct_L5>
        scf.yield %inserted_81 : tensor<1x!ct_L5>
      }
      %25 = scf.for %arg7 = %c1 to %c23 step %c1 iter_args(%arg8 = %24) -> (tensor<1x!ct_L5>) {
        %26 = arith.addi %arg7, %22 : index
        %27 = arith.cmpi slt, %26, %c512 : index
        %28 = scf.if %27 -> (tensor<1x!ct_L5>) {
          %extracted_slice_79 = tensor.extract_slice %0[%26, 0] [1, 1024] [1, 1] : tensor<512x1024xf32> to tensor<1x1024xf32>
          %29 = arith.muli %arg5, %c-23 : index
          %30 = arith.remsi %29, %c1024 : index
          %31 = arith.addi %30, %c1024 : index
          %32 = arith.remsi %31, %c1024 : index
          %33 = arith.subi %c1024, %32 : index
          %extracted_slice_80 = tensor.extract_slice %0[%26, 0] [1, %32] [1, 1] : tensor<512x1024xf32> to tensor<1x?xf32>
          %extracted_slice_81 = tensor.extract_slice %0[%26, %32] [1, %33] [1, 1] : tensor<512x1024xf32> to tensor<1x?xf32>
          %inserted_slice_82 = tensor.insert_slice %extracted_slice_80 into %extracted_slice_79[0, %33] [1, %32] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
          %inserted_slice_83 = tensor.insert_slice %extracted_slice_81 into %inserted_slice_82[0, 0] [1, %33] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
          %extracted_slice_84 = tensor.extract_slice %inserted_slice_83[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
          %pt_85 = lwe.rlwe_encode %extracted_slice_84 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 6, scale = 45> : tensor<1024xf32> -> !pt
          %extracted_86 = tensor.extract %11[%arg7] : tensor<23x!ct_L6>
          %ct_87 = ckks.mul_plain %extracted_86, %pt_85 : (!ct_L6, !pt) -> !ct_L6_1
          %ct_88 = ckks.rescale %ct_87 <to_ring = #ring_rns_L5_1_x32768> : !ct_L6_1 -> !ct_L5
          %extracted_89 = tensor.extract %arg8[%c0] : tensor<1x!ct_L5>
          %ct_90 = ckks.add %extracted_89, %ct_88 : (!ct_L5, !ct_L5) -> !ct_L5
          %inserted_91 = tensor.insert %ct_90 into %12[%c0] : tensor<1x!ct_L5>
          scf.yield %inserted_91 : tensor<1x!ct_L5>
        } else {
          scf.yield %arg8 : tensor<1x!ct_L5>
        }
        scf.yield %28 : tensor<1x!ct_L5>
      }
      %extracted_74 = tensor.extract %25[%c0] : tensor<1x!ct_L5>
      %ct_75 = ckks.rotate %extracted_74, %22 : index : !ct_L5
      %extracted_76 = tensor.extract %arg6[%c0] : tensor<1x!ct_L5>
      %ct_77 = ckks.add %extracted_76, %ct_75 : (!ct_L5, !ct_L5) -> !ct_L5
      %inserted_78 = tensor.insert %ct_77 into %12[%c0] : tensor<1x!ct_L5>
      scf.yield %inserted_78 : tensor<1x!ct_L5>
    }
    %extracted_14 = tensor.extract %14[%c0] : tensor<1x!ct_L5>
    %ct_15 = ckks.rotate %extracted_14, %c512 : index : !ct_L5
    %extracted_slice_16 = tensor.extract_slice %1[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_17 = lwe.rlwe_encode %extracted_slice_16 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 5, scale = 45> : tensor<1024xf32> -> !pt
    %ct_18 = ckks.add_plain %extracted_14, %pt_17 : (!ct_L5, !pt) -> !ct_L5
    %ct_19 = ckks.add %ct_18, %ct_15 : (!ct_L5, !ct_L5) -> !ct_L5
    %extracted_slice_20 = tensor.extract_slice %2[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_21 = lwe.rlwe_encode %extracted_slice_20 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 5, scale = 45> : tensor<1024xf32> -> !pt
    %ct_22 = ckks.mul_plain %ct_19, %pt_21 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L5, !pt) -> !ct_L5_1
    %ct_23 = ckks.rescale %ct_22 <to_ring = #ring_rns_L4_1_x32768> : !ct_L5_1 -> !ct_L4
    %extracted_slice_24 = tensor.extract_slice %3[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_25 = lwe.rlwe_encode %extracted_slice_24 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 4, scale = 45> : tensor<1024xf32> -> !pt
    %ct_26 = ckks.mul_plain %ct_23, %pt_25 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L4, !pt) -> !ct_L4_1
    %ct_27 = ckks.rescale %ct_26 <to_ring = #ring_rns_L3_1_x32768> : !ct_L4_1 -> !ct_L3
    %ct_28 = ckks.mul %ct_23, %ct_23 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L4, !ct_L4) -> !ct_L4_D3
    %ct_29 = ckks.relinearize %ct_28 <from_basis = [0, 1, 2], to_basis = [0, 1]> : (!ct_L4_D3) -> !ct_L4_1
    %ct_30 = ckks.rescale %ct_29 <to_ring = #ring_rns_L3_1_x32768> : !ct_L4_1 -> !ct_L3
    %ct_31 = ckks.add %ct_30, %ct_30 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L3, !ct_L3) -> !ct_L3
    %extracted_slice_32 = tensor.extract_slice %5[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_33 = lwe.rlwe_encode %extracted_slice_32 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 3, scale = 45> : tensor<1024xf32> -> !pt
    %ct_34 = ckks.sub_plain %ct_31, %pt_33 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L3, !pt) -> !ct_L3
    %extracted_slice_35 = tensor.extract_slice %6[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_36 = lwe.rlwe_encode %extracted_slice_35 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 3, scale = 45> : tensor<1024xf32> -> !pt
    %ct_37 = ckks.mul_plain %ct_34, %pt_36 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L3, !pt) -> !ct_L3_1
    %ct_38 = ckks.rescale %ct_37 <to_ring = #ring_rns_L2_1_x32768> : !ct_L3_1 -> !ct_L2
    %ct_39 = ckks.mul %ct_34, %ct_34 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L3, !ct_L3) -> !ct_L3_D3
    %ct_40 = ckks.relinearize %ct_39 <from_basis = [0, 1, 2], to_basis = [0, 1]> : (!ct_L3_D3) -> !ct_L3_1
    %ct_41 = ckks.rescale %ct_40 <to_ring = #ring_rns_L2_1_x32768> : !ct_L3_1 -> !ct_L2
    %ct_42 = ckks.add %ct_41, %ct_41 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L2, !ct_L2) -> !ct_L2
    %pt_43 = lwe.rlwe_encode %extracted_slice_32 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 2, scale = 45> : tensor<1024xf32> -> !pt
    %ct_44 = ckks.sub_plain %ct_42, %pt_43 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L2, !pt) -> !ct_L2
    %extracted_slice_45 = tensor.extract_slice %7[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_46 = lwe.rlwe_encode %extracted_slice_45 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 2, scale = 45> : tensor<1024xf32> -> !pt
    %ct_47 = ckks.mul_plain %ct_44, %pt_46 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 784>}} : (!ct_L2, !pt) -> !ct_L2_1
    %ct_48 = ckks.rescale %ct_47 <to_ring = #ring_rns_L1_1_x32768> : !ct_L2_1 -> !ct_L1
    %extracted_slice_49 = tensor.extract_slice %4[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_50 = lwe.rlwe_encode %extracted_slice_49 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 3, scale = 45> : tensor<1024xf32> -> !pt
    %ct_51 = ckks.add_plain %ct_27, %pt_50 : (!ct_L3, !pt) -> !ct_L3
    %ct_52 = ckks.level_reduce %ct_38 : !ct_L2 -> !ct_L1
    %ct_53 = ckks.add %ct_52, %ct_48 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_54 = ckks.level_reduce %ct_51 <levelToDrop = 2> : !ct_L3 -> !ct_L1
    %15 = tensor.empty() : tensor<1x!ct_L1>
    %ct_55 = ckks.add %ct_54, %ct_53 : (!ct_L1, !ct_L1) -> !ct_L1
    %inserted_56 = tensor.insert %ct_55 into %15[%c0] : tensor<1x!ct_L1>
    %16 = tensor.empty() : tensor<4x!ct_L1>
    %inserted_slice_57 = tensor.insert_slice %inserted_56 into %16[0] [1] [1] : tensor<1x!ct_L1> into tensor<4x!ct_L1>
    %17 = scf.for %arg5 = %c1 to %c4 step %c1 iter_args(%arg6 = %inserted_slice_57) -> (tensor<4x!ct_L1>) {
      %ct_74 = ckks.rotate %ct_55, %arg5 : index : !ct_L1
      %inserted_75 = tensor.insert %ct_74 into %15[%c0] : tensor<1x!ct_L1>
      %inserted_slice_76 = tensor.insert_slice %inserted_75 into %arg6[%arg5] [1] [1] : tensor<1x!ct_L1> into tensor<4x!ct_L1>
      scf.yield %inserted_slice_76 : tensor<4x!ct_L1>
    }
    %extracted_slice_58 = tensor.extract_slice %8[0, 0] [1, 1024] [1, 1] : tensor<16x1024xf32> to tensor<1024xf32>
    %pt_59 = lwe.rlwe_encode %extracted_slice_58 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 1, scale = 45> : tensor<1024xf32> -> !pt
    %extracted_60 = tensor.extract %17[%c0] : tensor<4x!ct_L1>
    %ct_61 = ckks.mul_plain %extracted_60, %pt_59 : (!ct_L1, !pt) -> !ct_L1_1
    %ct_62 = ckks.rescale %ct_61 <to_ring = #ring_rns_L0_1_x32768> : !ct_L1_1 -> !ct_L0
    %pt_63 = lwe.rlwe_encode %cst_6 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 0, scale = 45> : tensor<1024xf32> -> !pt
    %18 = tensor.empty() : tensor<1x!ct_L0>
    %ct_64 = ckks.add_plain %ct_62, %pt_63 : (!ct_L0, !pt) -> !ct_L0
    %inserted_65 = tensor.insert %ct_64 into %18[%c0] : tensor<1x!ct_L0>
    %19 = scf.for %arg5 = %c1 to %c4 step %c1 iter_args(%arg6 = %inserted_65) -> (tensor<1x!ct_L0>) {
      %22 = arith.cmpi slt, %arg5, %c16 : index
      %23 = scf.if %22 -> (tensor<1x!ct_L0>) {
        %extracted_slice_74 = tensor.extract_slice %8[%arg5, 0] [1, 1024] [1, 1] : tensor<16x1024xf32> to tensor<1024xf32>
        %pt_75 = lwe.rlwe_encode %extracted_slice_74 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 1, scale = 45> : tensor<1024xf32> -> !pt
        %extracted_76 = tensor.extract %17[%arg5] : tensor<4x!ct_L1>
        %ct_77 = ckks.mul_plain %extracted_76, %pt_75 : (!ct_L1, !pt) -> !ct_L1_1
        %ct_78 = ckks.rescale %ct_77 <to_ring = #ring_rns_L0_1_x32768> : !ct_L1_1 -> !ct_L0
        %extracted_79 = tensor.extract %arg6[%c0] : tensor<1x!ct_L0>
        %ct_80 = ckks.add %extracted_79, %ct_78 : (!ct_L0, !ct_L0) -> !ct_L0
        %inserted_81 = tensor.insert %ct_80 into %18[%c0] : tensor<1x!ct_L0>
        scf.yield %inserted_81 : tensor<1x!ct_L0>
      } else {
        scf.yield %arg6 : tensor<1x!ct_L0>
      }
      scf.yield %23 : tensor<1x!ct_L0>
    }
    %extracted_66 = tensor.extract %19[%c0] : tensor<1x!ct_L0>
    %ct_67 = ckks.add_plain %extracted_66, %pt_63 : (!ct_L0, !pt) -> !ct_L0
    %inserted_68 = tensor.insert %ct_67 into %18[%c0] : tensor<1x!ct_L0>
    %20 = scf.for %arg5 = %c1 to %c4 step %c1 iter_args(%arg6 = %inserted_68) -> (tensor<1x!ct_L0>) {
      %22 = arith.muli %arg5, %c4 : index
      %23 = arith.cmpi slt, %22, %c16 : index
      %24 = scf.if %23 -> (tensor<1x!ct_L0>) {
        %extracted_slice_79 = tensor.extract_slice %8[%22, 0] [1, 1024] [1, 1] : tensor<16x1024xf32> to tensor<1x1024xf32>
        %26 = arith.muli %arg5, %c-4 : index
        %27 = arith.remsi %26, %c1024 : index
        %28 = arith.addi %27, %c1024 : index
        %29 = arith.remsi %28, %c1024 : index
        %30 = arith.subi %c1024, %29 : index
        %extracted_slice_80 = tensor.extract_slice %8[%22, 0] [1, %29] [1, 1] : tensor<16x1024xf32> to tensor<1x?xf32>
        %extracted_slice_81 = tensor.extract_slice %8[%22, %29] [1, %30] [1, 1] : tensor<16x1024xf32> to tensor<1x?xf32>
        %inserted_slice_82 = tensor.insert_slice %extracted_slice_80 into %extracted_slice_79[0, %30] [1, %29] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
        %inserted_slice_83 = tensor.insert_slice %extracted_slice_81 into %inserted_slice_82[0, 0] [1, %30] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
        %extracted_slice_84 = tensor.extract_slice %inserted_slice_83[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
        %pt_85 = lwe.rlwe_encode %extracted_slice_84 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 1, scale = 45> : tensor<1024xf32> -> !pt
        %ct_86 = ckks.mul_plain %extracted_60, %pt_85 : (!ct_L1, !pt) -> !ct_L1_1
        %ct_87 = ckks.rescale %ct_86 <to_ring = #ring_rns_L0_1_x32768> : !ct_L1_1 -> !ct_L0
        %ct_88 = ckks.add_plain %ct_87, %pt_63 : (!ct_L0, !pt) -> !ct_L0
        %inserted_89 = tensor.insert %ct_88 into %18[%c0] : tensor<1x!ct_L0>
        scf.yield %inserted_89 : tensor<1x!ct_L0>
      } else {
        %splat = tensor.splat %ct_0 : tensor<1x!ct_L0>
        %extracted_79 = tensor.extract %splat[%c0] : tensor<1x!ct_L0>
        %ct_80 = lwe.radd_plain %extracted_79, %pt_63 : (!ct_L0, !pt) -> !ct_L0
        %inserted_81 = tensor.insert %ct_80 into %18[%c0] : tensor<1x!ct_L0>
        scf.yield %inserted_81 : tensor<1x!ct_L0>
      }
      %25 = scf.for %arg7 = %c1 to %c4 step %c1 iter_args(%arg8 = %24) -> (tensor<1x!ct_L0>) {
        %26 = arith.addi %arg7, %22 : index
        %27 = arith.cmpi slt, %26, %c16 : index
        %28 = scf.if %27 -> (tensor<1x!ct_L0>) {
          %extracted_slice_79 = tensor.extract_slice %8[%26, 0] [1, 1024] [1, 1] : tensor<16x1024xf32> to tensor<1x1024xf32>
          %29 = arith.muli %arg5, %c-4 : index
          %30 = arith.remsi %29, %c1024 : index
          %31 = arith.addi %30, %c1024 : index
          %32 = arith.remsi %31, %c1024 : index
          %33 = arith.subi %c1024, %32 : index
          %extracted_slice_80 = tensor.extract_slice %8[%26, 0] [1, %32] [1, 1] : tensor<16x1024xf32> to tensor<1x?xf32>
          %extracted_slice_81 = tensor.extract_slice %8[%26, %32] [1, %33] [1, 1] : tensor<16x1024xf32> to tensor<1x?xf32>
          %inserted_slice_82 = tensor.insert_slice %extracted_slice_80 into %extracted_slice_79[0, %33] [1, %32] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
          %inserted_slice_83 = tensor.insert_slice %extracted_slice_81 into %inserted_slice_82[0, 0] [1, %33] [1, 1] : tensor<1x?xf32> into tensor<1x1024xf32>
          %extracted_slice_84 = tensor.extract_slice %inserted_slice_83[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
          %pt_85 = lwe.rlwe_encode %extracted_slice_84 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 1, scale = 45> : tensor<1024xf32> -> !pt
          %extracted_86 = tensor.extract %17[%arg7] : tensor<4x!ct_L1>
          %ct_87 = ckks.mul_plain %extracted_86, %pt_85 : (!ct_L1, !pt) -> !ct_L1_1
          %ct_88 = ckks.rescale %ct_87 <to_ring = #ring_rns_L0_1_x32768> : !ct_L1_1 -> !ct_L0
          %extracted_89 = tensor.extract %arg8[%c0] : tensor<1x!ct_L0>
          %ct_90 = ckks.add %extracted_89, %ct_88 : (!ct_L0, !ct_L0) -> !ct_L0
          %inserted_91 = tensor.insert %ct_90 into %18[%c0] : tensor<1x!ct_L0>
          scf.yield %inserted_91 : tensor<1x!ct_L0>
        } else {
          scf.yield %arg8 : tensor<1x!ct_L0>
        }
        scf.yield %28 : tensor<1x!ct_L0>
      }
      %extracted_74 = tensor.extract %25[%c0] : tensor<1x!ct_L0>
      %ct_75 = ckks.rotate %extracted_74, %22 : index : !ct_L0
      %extracted_76 = tensor.extract %arg6[%c0] : tensor<1x!ct_L0>
      %ct_77 = ckks.add %extracted_76, %ct_75 : (!ct_L0, !ct_L0) -> !ct_L0
      %inserted_78 = tensor.insert %ct_77 into %18[%c0] : tensor<1x!ct_L0>
      scf.yield %inserted_78 : tensor<1x!ct_L0>
    }
    %21:2 = scf.for %arg5 = %c0 to %c5 step %c1 iter_args(%arg6 = %20, %arg7 = %c256) -> (tensor<1x!ct_L0>, index) {
      %extracted_74 = tensor.extract %arg6[%c0] : tensor<1x!ct_L0>
      %ct_75 = ckks.rotate %extracted_74, %arg7 : index : !ct_L0
      %ct_76 = ckks.add %extracted_74, %ct_75 : (!ct_L0, !ct_L0) -> !ct_L0
      %inserted_77 = tensor.insert %ct_76 into %18[%c0] : tensor<1x!ct_L0>
      %22 = arith.divsi %arg7, %c2 : index
      scf.yield %inserted_77, %22 : tensor<1x!ct_L0>, index
    }
    %extracted_slice_69 = tensor.extract_slice %9[0, 0] [1, 1024] [1, 1] : tensor<1x1024xf32> to tensor<1024xf32>
    %pt_70 = lwe.rlwe_encode %extracted_slice_69 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 0, scale = 45> : tensor<1024xf32> -> !pt
    %extracted_71 = tensor.extract %21#0[%c0] : tensor<1x!ct_L0>
    %ct_72 = ckks.add_plain %extracted_71, %pt_70 : (!ct_L0, !pt) -> !ct_L0
    %inserted_73 = tensor.insert %ct_72 into %18[%c0] : tensor<1x!ct_L0>
    return %inserted_73 : tensor<1x!ct_L0>
  }
  func.func @mlp__encrypt__zero__1(%pk: !pkey_L0) -> !ct_L0 attributes {heir.interface = {func_name = "mlp", index = 1 : i64, roles = ["client.encrypt_zero"]}} {
    %cst = arith.constant dense<0.000000e+00> : tensor<1024xf64>
    %pt = lwe.rlwe_encode %cst <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 0> : tensor<1024xf64> -> !pt
    %ct = lwe.rlwe_encrypt %pt, %pk : (!pt, !pkey_L0) -> !ct_L0
    return %ct : !ct_L0
  }
  func.func @mlp__encrypt__zero__0(%pk: !pkey_L5) -> !ct_L5 attributes {heir.interface = {func_name = "mlp", index = 0 : i64, roles = ["client.encrypt_zero"]}} {
    %cst = arith.constant dense<0.000000e+00> : tensor<1024xf64>
    %pt = lwe.rlwe_encode %cst <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 5> : tensor<1024xf64> -> !pt
    %ct = lwe.rlwe_encrypt %pt, %pk : (!pt, !pkey_L5) -> !ct_L5
    return %ct : !ct_L5
  }
  func.func @mlp__encrypt__arg0(%arg0: tensor<784xf32>, %pk: !pkey_L6) -> tensor<1x!ct_L6> attributes {heir.interface = {func_name = "mlp", index = 0 : i64, roles = ["client.encrypt"]}} {
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
    %pt = lwe.rlwe_encode %extracted_slice <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x32768, level = 6, scale = 45> : tensor<1024xf32> -> !pt
    %ct = lwe.rlwe_encrypt %pt, %pk : (!pt, !pkey_L6) -> !ct_L6
    %from_elements = tensor.from_elements %ct : tensor<1x!ct_L6>
    return %from_elements : tensor<1x!ct_L6>
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

