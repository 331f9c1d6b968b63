"""The command `train`: a logistic regression trained on encrypted data, from a data set to a report."""
