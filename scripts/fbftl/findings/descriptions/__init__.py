"""What goes with published features: what they tell, and descriptions for people and for tools."""
