"""Derivation of gradients for shapes of any lengths: found for one choice of lengths, which are
large primes and so can be told from other numbers, and checked at others.
"""
