"""``python -m lineage_cli``."""

from lineage_cli.main import run

run()
