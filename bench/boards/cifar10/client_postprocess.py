#!/usr/bin/env python3
"""Writes the class with the largest score of each image."""

import images  # noqa: F401 - finds inference
import inference

inference.client_postprocess(inference.given())
