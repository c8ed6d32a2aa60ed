"""What is measured by hand: make measure WHAT=name."""
