"""Games being played: their record, who plays, and what may be said of it afterwards."""
