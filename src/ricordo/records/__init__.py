"""What can be remembered, and what is asked and answered: frozen values, no I/O."""
