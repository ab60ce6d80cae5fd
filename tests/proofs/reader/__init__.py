"""Debian's Orca reads the page to nobody: what a blind person would hear, flow by flow."""
