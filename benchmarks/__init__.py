"""What is measured: the engine alone, and side by side with others."""
