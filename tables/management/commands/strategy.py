"""`manage.py strategy`: prints the computed strategy of some house rules."""

from tables.blackjack.ruleset import as_mapping
from tables.blackjack.strategy import solve
from tables.management.engine_command import EngineCommand


class Command(EngineCommand):
    """Compute and print, as `engine-cli.md` says; needs neither database nor server."""

    help = "Print what each action is expected to bring under the given rules, as JSON."

    def handle(self, *args: object, **options: object) -> None:
        """Print the rules in force, the edge and every hand's values."""
        ruleset = self.rules(str(options["rules"]))
        strategy = solve(ruleset)
        self.write_document(
            {"rules": as_mapping(ruleset), "edge": strategy.edge, "hands": strategy.hands}
        )
