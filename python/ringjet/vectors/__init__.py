"""What is computed with the operations of ciphertexts: functions, comparisons, order, statistics, images and
matrices."""
