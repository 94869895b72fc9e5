"""The user's own gradient: is it right, and if not, which mistake gives these numbers?"""
