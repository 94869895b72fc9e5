"""Models of an answer that goes beyond values and grads, for `report` to render."""
