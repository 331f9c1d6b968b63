#!/usr/bin/env python3
"""Reads the compiled models, which suite.py made."""

import images
import inference

inference.server_preprocess_model(images.SUITE)
