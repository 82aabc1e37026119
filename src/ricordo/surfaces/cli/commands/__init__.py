"""One file a command or group, each with its Typer app under the name `app`."""
