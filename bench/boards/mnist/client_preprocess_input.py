#!/usr/bin/env python3
"""Reads the images, and makes of them what the model takes."""

import images
import inference

inference.client_preprocess_input(inference.given(), images.prepare)
