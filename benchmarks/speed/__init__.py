"""Speed, measured side by side with others."""
