"""vLLM loads this file by its path: every parser of toolweir under ``toolweir-NAME``."""

from toolweir.vllm import register

register()
