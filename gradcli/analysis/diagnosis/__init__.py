"""A gradient of the user's own: is it right, and which mistake would give these numbers?"""
