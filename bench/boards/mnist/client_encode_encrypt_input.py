#!/usr/bin/env python3
"""Encrypts the images."""

import images
import inference

inference.client_encode_encrypt_input(images.SUITE, inference.given())
