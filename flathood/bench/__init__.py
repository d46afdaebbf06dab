# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that anyone can run: one module each, a table and JSON from every one (`flathood bench`)."""
