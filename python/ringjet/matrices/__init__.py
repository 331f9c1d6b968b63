"""Encrypted matrices: products, sums, transposes, in ciphertexts that hold them row by row.

Small matrices of one shape share a ciphertext. Products of two encrypted matrices take two levels,
products with a matrix in the clear take one.
"""

from ._matrix import EncryptedMatrix, decrypt_matrix, encrypt_matrix

__all__ = ["EncryptedMatrix", "decrypt_matrix", "encrypt_matrix"]
