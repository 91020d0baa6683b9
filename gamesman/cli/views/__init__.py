"""Views show what analysis has found: as text, as pictures and as a page."""
