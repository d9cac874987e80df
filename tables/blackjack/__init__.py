"""The rules of blackjack as this project plays it: pure values, without clock, dice or Django."""
