#!/usr/bin/env python3
"""Makes the client's secret key, and the keys that the server computes with."""

import images
import inference

inference.client_key_generation(images.SUITE, inference.given())
