"""What several tests need: games made for testing, second implementations, databases to damage, golden transcripts."""

from pathlib import Path

SUPPORT = Path(__file__).parent
ROOT = SUPPORT.parents[1]
