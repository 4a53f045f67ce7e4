"""All tests of the package."""
