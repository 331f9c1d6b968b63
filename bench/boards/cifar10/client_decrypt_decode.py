#!/usr/bin/env python3
"""Decrypts the scores."""

import images
import inference

inference.client_decrypt_decode(images.SUITE, inference.given())
