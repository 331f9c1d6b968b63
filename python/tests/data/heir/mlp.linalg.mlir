// A perceptron with 784 inputs, 512 hidden units and 10 classes, as it is given to heir-opt.
func.func @mlp(%x: tensor<784xf32> {secret.secret}, %w1: tensor<512x784xf32>, %b1: tensor<512xf32>, %w2: tensor<10x512xf32>, %b2: tensor<10xf32>) -> tensor<10xf32> {
  %h = linalg.matvec ins(%w1, %x : tensor<512x784xf32>, tensor<784xf32>) outs(%b1 : tensor<512xf32>) -> tensor<512xf32>
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %a = arith.maximumf %h, %zero {domain_lower = -4.0 : f64, domain_upper = 4.0 : f64} : tensor<512xf32>
  %y = linalg.matvec ins(%w2, %a : tensor<10x512xf32>, tensor<512xf32>) outs(%b2 : tensor<10xf32>) -> tensor<10xf32>
  return %y : tensor<10xf32>
}
