// The squares of an affine layer.
func.func @affine(%x: tensor<8xf32> {secret.secret}, %w: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.matvec ins(%w, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %q = arith.mulf %y, %y : tensor<4xf32>
  return %q : tensor<4xf32>
}
