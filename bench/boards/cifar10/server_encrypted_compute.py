#!/usr/bin/env python3
"""Computes the scores of the encrypted images."""

import images
import inference

inference.server_encrypted_compute(images.SUITE, inference.given())
