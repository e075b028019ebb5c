"""The methods that a comparison measures (paper 3.5); each module holds one family."""
