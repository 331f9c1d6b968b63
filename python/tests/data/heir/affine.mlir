!Z35184371138561_i64 = !mod_arith.int<35184371138561 : i64>
!Z35184372121601_i64 = !mod_arith.int<35184372121601 : i64>
!Z36028797017456641_i64 = !mod_arith.int<36028797017456641 : i64>
#inverse_canonical_encoding = #lwe.inverse_canonical_encoding<scaling_factor = 45>
#inverse_canonical_encoding1 = #lwe.inverse_canonical_encoding<scaling_factor = 90>
#key = #lwe.key<>
#layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 4 = 0 and 0 <= i0 <= 3 and 0 <= slot <= 7 }">
#modulus_chain_L2_C0 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184371138561 : i64, 35184372121601 : i64>, current = 0>
#modulus_chain_L2_C1 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184371138561 : i64, 35184372121601 : i64>, current = 1>
#modulus_chain_L2_C2 = #lwe.modulus_chain<elements = <36028797017456641 : i64, 35184371138561 : i64, 35184372121601 : i64>, current = 2>
#ring_f64_1_x16384 = #polynomial.ring<coefficientType = f64, polynomialModulus = <1 + x**16384>>
!rns_L0 = !rns.rns<!Z36028797017456641_i64>
!rns_L1 = !rns.rns<!Z36028797017456641_i64, !Z35184371138561_i64>
!rns_L2 = !rns.rns<!Z36028797017456641_i64, !Z35184371138561_i64, !Z35184372121601_i64>
#original_type = #tensor_ext.original_type<originalType = tensor<4xf32>, layout = #layout>
!pt = !lwe.lwe_plaintext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding>>
#ring_rns_L0_1_x16384 = #polynomial.ring<coefficientType = !rns_L0, polynomialModulus = <1 + x**16384>>
#ring_rns_L1_1_x16384 = #polynomial.ring<coefficientType = !rns_L1, polynomialModulus = <1 + x**16384>>
#ring_rns_L2_1_x16384 = #polynomial.ring<coefficientType = !rns_L2, polynomialModulus = <1 + x**16384>>
!pkey_L2 = !lwe.lwe_public_key<key = #key, ring = #ring_rns_L2_1_x16384>
!skey_L0 = !lwe.lwe_secret_key<key = #key, ring = #ring_rns_L0_1_x16384>
#ciphertext_space_L0 = #lwe.ciphertext_space<ring = #ring_rns_L0_1_x16384, encryption_type = mix>
#ciphertext_space_L1 = #lwe.ciphertext_space<ring = #ring_rns_L1_1_x16384, encryption_type = mix>
#ciphertext_space_L1_D3 = #lwe.ciphertext_space<ring = #ring_rns_L1_1_x16384, encryption_type = mix, size = 3>
#ciphertext_space_L2 = #lwe.ciphertext_space<ring = #ring_rns_L2_1_x16384, encryption_type = mix>
!ct_L0 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L0, key = #key, modulus_chain = #modulus_chain_L2_C0>
!ct_L1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L2_C1>
!ct_L1_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L2_C1>
!ct_L1_D3 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L1_D3, key = #key, modulus_chain = #modulus_chain_L2_C1>
!ct_L2 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L2, key = #key, modulus_chain = #modulus_chain_L2_C2>
!ct_L2_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16384, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L2, key = #key, modulus_chain = #modulus_chain_L2_C2>
module attributes {backend.cheddar, ckks.schemeParam = #ckks.scheme_param<logN = 14, Q = [36028797017456641, 35184371138561, 35184372121601], P = [1152921504607338497, 1152921504608747521], logDefaultScale = 45>, scheme.actual_slot_count = 8192 : i64, scheme.ckks, scheme.requested_slot_count = 8 : i64} {
  func.func private @_assign_layout_1669654184692425967(%arg0: tensor<4xf32>) -> tensor<1x8xf32> attributes {heir.interface = {func_name = "affine", roles = ["client.pack"]}} {
    %c8_i32 = arith.constant 8 : i32
    %c0 = arith.constant 0 : index
    %c4_i32 = arith.constant 4 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<1x8xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<1x8xf32>)  : i32 {
      %1 = scf.for %arg3 = %arg1 to %c8_i32 step %c4_i32 iter_args(%arg4 = %arg2) -> (tensor<1x8xf32>)  : i32 {
        %2 = arith.index_cast %arg1 : i32 to index
        %extracted = tensor.extract %arg0[%2] : tensor<4xf32>
        %3 = arith.index_cast %arg3 : i32 to index
        %inserted = tensor.insert %extracted into %arg4[%c0, %3] : tensor<1x8xf32>
        scf.yield %inserted : tensor<1x8xf32>
      }
      scf.yield %1 : tensor<1x8xf32>
    }
    return %0 : tensor<1x8xf32>
  }
  func.func private @_assign_layout_14967295902396457171(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {heir.interface = {func_name = "affine", roles = ["client.pack"]}} {
    %c8_i32 = arith.constant 8 : i32
    %c4_i32 = arith.constant 4 : i32
    %c7_i32 = arith.constant 7 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<4x8xf32>
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<4x8xf32>)  : i32 {
      %1 = scf.for %arg3 = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%arg4 = %arg2) -> (tensor<4x8xf32>)  : i32 {
        %2 = scf.for %arg5 = %arg1 to %c8_i32 step %c4_i32 iter_args(%arg6 = %arg4) -> (tensor<4x8xf32>)  : i32 {
          %3 = arith.subi %arg1, %arg3 : i32
          %4 = arith.addi %3, %c7_i32 : i32
          %5 = arith.floordivsi %4, %c4_i32 : i32
          %6 = arith.muli %5, %c4_i32 : i32
          %7 = arith.subi %4, %6 : i32
          %8 = arith.addi %7, %arg3 : i32
          %9 = arith.subi %8, %arg5 : i32
          %10 = arith.subi %9, %c3_i32 : i32
          %11 = arith.remsi %10, %c8_i32 : i32
          %12 = arith.cmpi eq, %11, %c0_i32 : i32
          %13 = scf.if %12 -> (tensor<4x8xf32>) {
            %14 = arith.subi %arg3, %arg5 : i32
            %15 = arith.addi %14, %c8_i32 : i32
            %16 = arith.floordivsi %15, %c8_i32 : i32
            %17 = arith.muli %16, %c8_i32 : i32
            %18 = arith.subi %15, %17 : i32
            %19 = arith.index_cast %arg1 : i32 to index
            %20 = arith.index_cast %arg3 : i32 to index
            %extracted = tensor.extract %arg0[%19, %20] : tensor<4x8xf32>
            %21 = arith.index_cast %18 : i32 to index
            %22 = arith.index_cast %arg5 : i32 to index
            %inserted = tensor.insert %extracted into %arg6[%21, %22] : tensor<4x8xf32>
            scf.yield %inserted : tensor<4x8xf32>
          } else {
            scf.yield %arg6 : tensor<4x8xf32>
          }
          scf.yield %13 : tensor<4x8xf32>
        }
        scf.yield %2 : tensor<4x8xf32>
      }
      scf.yield %1 : tensor<4x8xf32>
    }
    return %0 : tensor<4x8xf32>
  }
  func.func @affine(%arg0: tensor<1x!ct_L2> {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 8>}, tensor_ext.original_type = #tensor_ext.original_type<originalType = tensor<8xf32>, layout = #tensor_ext.layout<"{ [i0] -> [ct, slot] : ct = 0 and (-i0 + slot) mod 8 = 0 and 0 <= i0 <= 7 and 0 <= slot <= 7 }">>}, %arg1: tensor<4x8xf32>, %arg2: tensor<4xf32>) -> (tensor<1x!ct_L0> {tensor_ext.original_type = #original_type}) attributes {heir.interface = {func_name = "affine", input_types = [tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>], result_types = [tensor<4xf32>], roles = ["entry", "server.evaluate"]}} {
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<8xf32>
    %c0 = arith.constant 0 : index
    %0 = call @_assign_layout_14967295902396457171(%arg1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = call @_assign_layout_1669654184692425967(%arg2) : (tensor<4xf32>) -> tensor<1x8xf32>
    %extracted_slice = tensor.extract_slice %0[2, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %extracted_slice_0 = tensor.extract_slice %0[2, 0] [1, 6] [1, 1] : tensor<4x8xf32> to tensor<1x6xf32>
    %extracted_slice_1 = tensor.extract_slice %0[2, 6] [1, 2] [1, 1] : tensor<4x8xf32> to tensor<1x2xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice_0 into %extracted_slice[0, 2] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<1x8xf32>
    %inserted_slice_2 = tensor.insert_slice %extracted_slice_1 into %inserted_slice[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<1x8xf32>
    %extracted_slice_3 = tensor.extract_slice %0[3, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %extracted_slice_4 = tensor.extract_slice %0[3, 0] [1, 6] [1, 1] : tensor<4x8xf32> to tensor<1x6xf32>
    %extracted_slice_5 = tensor.extract_slice %0[3, 6] [1, 2] [1, 1] : tensor<4x8xf32> to tensor<1x2xf32>
    %inserted_slice_6 = tensor.insert_slice %extracted_slice_4 into %extracted_slice_3[0, 2] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<1x8xf32>
    %inserted_slice_7 = tensor.insert_slice %extracted_slice_5 into %inserted_slice_6[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<1x8xf32>
    %extracted = tensor.extract %arg0[%c0] : tensor<1x!ct_L2>
    %ct = ckks.rotate %extracted, %c1 : index : !ct_L2
    %extracted_slice_8 = tensor.extract_slice %0[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %pt = lwe.rlwe_encode %extracted_slice_8 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 2, scale = 45> : tensor<8xf32> -> !pt
    %ct_9 = ckks.mul_plain %extracted, %pt : (!ct_L2, !pt) -> !ct_L2_1
    %ct_10 = ckks.rescale %ct_9 <to_ring = #ring_rns_L1_1_x16384> : !ct_L2_1 -> !ct_L1
    %pt_11 = lwe.rlwe_encode %cst <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 1, scale = 45> : tensor<8xf32> -> !pt
    %ct_12 = ckks.add_plain %ct_10, %pt_11 : (!ct_L1, !pt) -> !ct_L1
    %extracted_slice_13 = tensor.extract_slice %0[1, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    %pt_14 = lwe.rlwe_encode %extracted_slice_13 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 2, scale = 45> : tensor<8xf32> -> !pt
    %ct_15 = ckks.mul_plain %ct, %pt_14 : (!ct_L2, !pt) -> !ct_L2_1
    %ct_16 = ckks.rescale %ct_15 <to_ring = #ring_rns_L1_1_x16384> : !ct_L2_1 -> !ct_L1
    %ct_17 = ckks.add %ct_12, %ct_16 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_18 = ckks.add_plain %ct_17, %pt_11 : (!ct_L1, !pt) -> !ct_L1
    %extracted_slice_19 = tensor.extract_slice %inserted_slice_2[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> to tensor<8xf32>
    %pt_20 = lwe.rlwe_encode %extracted_slice_19 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 2, scale = 45> : tensor<8xf32> -> !pt
    %ct_21 = ckks.mul_plain %extracted, %pt_20 : (!ct_L2, !pt) -> !ct_L2_1
    %ct_22 = ckks.rescale %ct_21 <to_ring = #ring_rns_L1_1_x16384> : !ct_L2_1 -> !ct_L1
    %ct_23 = ckks.add_plain %ct_22, %pt_11 : (!ct_L1, !pt) -> !ct_L1
    %extracted_slice_24 = tensor.extract_slice %inserted_slice_7[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> to tensor<8xf32>
    %pt_25 = lwe.rlwe_encode %extracted_slice_24 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 2, scale = 45> : tensor<8xf32> -> !pt
    %ct_26 = ckks.mul_plain %ct, %pt_25 : (!ct_L2, !pt) -> !ct_L2_1
    %ct_27 = ckks.rescale %ct_26 <to_ring = #ring_rns_L1_1_x16384> : !ct_L2_1 -> !ct_L1
    %ct_28 = ckks.add %ct_23, %ct_27 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_29 = ckks.rotate %ct_28, %c2 : index : !ct_L1
    %ct_30 = ckks.add %ct_18, %ct_29 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_31 = ckks.rotate %ct_30, %c4 : index : !ct_L1
    %extracted_slice_32 = tensor.extract_slice %1[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> to tensor<8xf32>
    %pt_33 = lwe.rlwe_encode %extracted_slice_32 <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 1, scale = 45> : tensor<8xf32> -> !pt
    %ct_34 = ckks.add_plain %ct_30, %pt_33 : (!ct_L1, !pt) -> !ct_L1
    %ct_35 = ckks.add %ct_34, %ct_31 : (!ct_L1, !ct_L1) -> !ct_L1
    %ct_36 = ckks.mul %ct_35, %ct_35 {heir.kernel_info = {gap_factor = 1 : i64, result_shape = array<i64: 8>}} : (!ct_L1, !ct_L1) -> !ct_L1_D3
    %ct_37 = ckks.relinearize %ct_36 <from_basis = [0, 1, 2], to_basis = [0, 1]> : (!ct_L1_D3) -> !ct_L1_1
    %2 = tensor.empty() : tensor<1x!ct_L0>
    %ct_38 = ckks.rescale %ct_37 <to_ring = #ring_rns_L0_1_x16384> : !ct_L1_1 -> !ct_L0
    %inserted = tensor.insert %ct_38 into %2[%c0] : tensor<1x!ct_L0>
    return %inserted : tensor<1x!ct_L0>
  }
  func.func @affine__encrypt__arg0(%arg0: tensor<8xf32>, %pk: !pkey_L2) -> tensor<1x!ct_L2> attributes {heir.interface = {func_name = "affine", index = 0 : i64, roles = ["client.encrypt"]}} {
    %c0 = arith.constant 0 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<1x8xf32>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c8_i32 = arith.constant 8 : i32
    %0 = scf.for %arg1 = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<1x8xf32>)  : i32 {
      %1 = arith.index_cast %arg1 : i32 to index
      %extracted = tensor.extract %arg0[%1] : tensor<8xf32>
      %inserted = tensor.insert %extracted into %arg2[%c0, %1] : tensor<1x8xf32>
      scf.yield %inserted : tensor<1x8xf32>
    }
    %extracted_slice = tensor.extract_slice %0[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> to tensor<8xf32>
    %pt = lwe.rlwe_encode %extracted_slice <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384, level = 2, scale = 45> : tensor<8xf32> -> !pt
    %ct = lwe.rlwe_encrypt %pt, %pk : (!pt, !pkey_L2) -> !ct_L2
    %from_elements = tensor.from_elements %ct : tensor<1x!ct_L2>
    return %from_elements : tensor<1x!ct_L2>
  }
  func.func @affine__decrypt__result0(%arg0: tensor<1x!ct_L0>, %sk: !skey_L0) -> tensor<4xf32> attributes {heir.interface = {func_name = "affine", index = 0 : i64, roles = ["client.decrypt"]}} {
    %c0 = arith.constant 0 : index
    %c8_i32 = arith.constant 8 : i32
    %c4_i32 = arith.constant 4 : i32
    %c1_i32 = arith.constant 1 : i32
    %c3_i32 = arith.constant 3 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<4xf32>
    %extracted = tensor.extract %arg0[%c0] : tensor<1x!ct_L0>
    %pt = lwe.rlwe_decrypt %extracted, %sk : (!ct_L0, !skey_L0) -> !pt
    %0 = lwe.rlwe_decode %pt <encoding = #inverse_canonical_encoding, ring = #ring_f64_1_x16384> : !pt -> tensor<1x8xf32>
    %1 = scf.for %arg1 = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%arg2 = %cst) -> (tensor<4xf32>)  : i32 {
      %2 = arith.subi %c3_i32, %arg1 : i32
      %3 = scf.for %arg3 = %2 to %c8_i32 step %c4_i32 iter_args(%arg4 = %arg2) -> (tensor<4xf32>)  : i32 {
        %4 = arith.addi %arg1, %c4_i32 : i32
        %5 = arith.floordivsi %4, %c4_i32 : i32
        %6 = arith.muli %5, %c4_i32 : i32
        %7 = arith.addi %2, %6 : i32
        %8 = arith.subi %arg3, %2 : i32
        %9 = arith.subi %7, %8 : i32
        %10 = arith.index_cast %9 : i32 to index
        %extracted_0 = tensor.extract %0[%c0, %10] : tensor<1x8xf32>
        %11 = arith.index_cast %2 : i32 to index
        %inserted = tensor.insert %extracted_0 into %arg4[%11] : tensor<4xf32>
        scf.yield %inserted : tensor<4xf32>
      }
      scf.yield %3 : tensor<4xf32>
    }
    return %1 : tensor<4xf32>
  }
}

