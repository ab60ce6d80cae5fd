"""Plants small faults in a file and sees whether the tests that cover it notice."""
