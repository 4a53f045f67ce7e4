"""Manipulation Rummy (Carousel) for reinforcement learning."""
