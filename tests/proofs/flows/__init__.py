"""Every flow of the page, as a person goes through it: a file a panel, a function a flow."""
