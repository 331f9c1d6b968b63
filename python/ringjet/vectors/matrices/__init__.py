"""Encrypted matrices of any size: products, sums, transposes. A ciphertext holds a block of a matrix.

Small matrices of one shape share ciphertexts. Products of two encrypted matrices take two levels,
products with a matrix in the clear take one.
"""

from ._matrix import EncryptedMatrix
from ._plan import plan_matrices, simulate_matrices
from ._transfer import decrypt_matrix, encrypt_matrix, load_matrix

__all__ = ["EncryptedMatrix", "decrypt_matrix", "encrypt_matrix", "load_matrix", "plan_matrices", "simulate_matrices"]
