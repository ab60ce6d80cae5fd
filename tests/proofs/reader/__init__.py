"""What Debian's Orca says of the page, flow by flow."""
