"""A sample conversation, a few facts and questions to them, and the tour that shows them."""
