"""The command `train`: logistic regression on encrypted data, from a data set to a report."""
