"""`python -m ricordo.surfaces.cli`, where the `ricordo` script is not on the path."""

from ricordo.surfaces.cli import main

main()
