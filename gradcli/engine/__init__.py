"""The engine: runs plans over nodes. It knows schedules and buffers, and nothing of derivatives."""
