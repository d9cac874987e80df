"""The exact analysis behind the strategy: every hand by its cards, from a finite shoe.

`hands` lists the player's hands, `dealer` gives the dealer's chances against each of them,
`play` what standing, hitting and doubling are worth, `splits` what a split is worth.

Everything is worked out for all ten up cards at once and *before* the peek: a value is the mean
result times the event that the dealer has no blackjack, with draws from the shoe as it lies.
Divided by the chance of that event it is the value that a player who saw the dealer peek has.
Kept undivided, values of different hands add up exactly. In the European game there is no peek:
the dealer's blackjack takes the stake, and the event is certain.

Ranks are indices here: 0 is the ace, 1 to 8 are two to nine, 9 is every ten-point card.
"""
