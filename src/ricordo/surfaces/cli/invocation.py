"""From a function to a sub-command: shared options, settings, the open memory, errors."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import typer
from typer.core import TyperCommand, TyperGroup

from ricordo.errors import RicordoError
from ricordo.surfaces.cli.fast_options import convert_where_needed
from ricordo.surfaces.cli.output import BROKEN_PIPE, Screen, abandon_stdout
from ricordo.surfaces.cli.shared_options import GLOBAL_HEADING, GLOBAL_NAMES, GLOBAL_OPTIONS, GlobalOptions
from ricordo.surfaces.errors import rendering

if TYPE_CHECKING:
    from ricordo.memory import Memory
    from ricordo.settings import Settings

CONFIG_VARIABLE = "RICORDO_CONFIG"
DEFAULT_WORKSPACE = "default"
SETTINGS = ("path", "workspace", "language", "embedder")

Params = ParamSpec("Params")
Function = TypeVar("Function", bound=Callable[..., Any])


class Call:
    """One run of a command.

    Args:
        given: The options that every command takes.

    Attributes:
        screen: Where answers and notes go.
    """

    def __init__(self, given: GlobalOptions) -> None:
        self.given = given
        self.screen = Screen(as_json=given.json, quiet=bool(given.quiet))

    def settings(self, **more: Any) -> Settings:
        """The settings that hold.

        Args:
            **more: Settings from options of the command's own; None where not given.

        Raises:
            InvalidSettings: A name or value cannot be used.
        """
        from ricordo.settings import load_settings

        return load_settings(given={**self.named(), **more}, file=self.config_file())

    def named(self) -> dict[str, Any]:
        """The settings that the options of every command name; None where not given."""
        return {name: getattr(self.given, name) for name in SETTINGS}

    def config_file(self) -> Path | None:
        """The YAML file, from `--config` or the environment."""
        if self.given.config is not None:
            return self.given.config
        named = os.environ.get(CONFIG_VARIABLE)
        return Path(named) if named else None

    @contextmanager
    def memory(self, *, writes: bool = False, settings: Settings | None = None) -> Iterator[Memory]:
        """The open memory.

        Args:
            writes: Make the workspace where it does not exist. A command that only reads makes
                no other than `default`, so that a mistyped name is an error and no empty answer.
            settings: Instead of those of the options.
        """
        from ricordo.memory import Memory

        chosen = settings or self.settings()
        fresh = not chosen.path.expanduser().exists()
        create = writes or chosen.workspace == DEFAULT_WORKSPACE
        with Memory.open(settings=chosen, create=create) as memory:
            if fresh:
                self.screen.note(f"made a new archive: {chosen.path.expanduser()}")
            yield memory

    def ask(self, memory: Memory, operation: str, **values: Any) -> Any:
        """Run an operation of the one table; values that are None are as if not given.

        Raises:
            InvalidInput: A value is not valid.
        """
        from ricordo.engine.validation import checked
        from ricordo.operations import BY_NAME

        found = BY_NAME[operation]
        given = {name: value for name, value in values.items() if value is not None}
        return found.run(memory, checked(found.request, given))


class Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's options."""
        return convert_where_needed(super().get_params(ctx))


class Command(TyperCommand):
    """A command whose help lists the options of every command apart."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's arguments and options."""
        return convert_where_needed(super().get_params(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, own options, and those of every command."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], GLOBAL_HEADING: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                shared = GLOBAL_HEADING if param.name in GLOBAL_NAMES else "Options"
                sections["Arguments" if param.param_type_name == "argument" else shared].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


@contextmanager
def failures(screen: Screen) -> Iterator[None]:
    """Turn errors into one line on stderr and an exit code."""
    try:
        yield
    except RicordoError as error:
        screen.fail(error)
        raise typer.Exit(rendering(error).exit_code) from error
    except BrokenPipeError as error:
        abandon_stdout()
        raise typer.Exit(BROKEN_PIPE) from error


def accept_global_options(body: Function) -> Function:
    """Give a group's callback the options of every command; they are kept for its sub-commands."""

    def run(ctx: typer.Context, **values: Any) -> None:
        ctx.obj = _taken(ctx, values)
        body(**values)

    own = list(inspect.signature(body, eval_str=True).parameters.values())
    return cast(Function, _signed(run, body, own))


def command(
    app: typer.Typer, name: str, *, example: str
) -> Callable[[Callable[Concatenate[Call, Params], None]], Callable[Concatenate[Call, Params], None]]:
    """Register a function as a command of an app.

    Args:
        app: The Typer app.
        name: What is typed.
        example: Lines of the help that can be typed as they stand.
    """

    def register(
        body: Callable[Concatenate[Call, Params], None],
    ) -> Callable[Concatenate[Call, Params], None]:
        do: Callable[..., None] = body

        def run(ctx: typer.Context, **values: Any) -> None:
            call = Call(_taken(ctx, values))
            with failures(call.screen):
                do(call, **values)

        _, *own = inspect.signature(body, eval_str=True).parameters.values()
        app.command(name, cls=Command, epilog=_examples(example))(_signed(run, body, own))
        return body

    return register


def group(name: str, summary: str, *, example: str, kind: type[Group] = Group) -> typer.Typer:
    """A Typer app for a group of commands that takes the options of every command.

    Args:
        name: What is typed.
        summary: What it is for.
        example: Lines of the help that can be typed as they stand.
        kind: Its class.
    """
    made = typer.Typer(
        name=name,
        cls=kind,
        help=summary,
        epilog=_examples(example),
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )

    @made.callback(help=summary, cls=kind)
    @accept_global_options
    def _() -> None: ...

    return made


def single() -> typer.Typer:
    """A Typer app for one command."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)


def _examples(example: str) -> str:
    """Examples as the help shows them, line by line."""
    lines = example.splitlines()
    heading = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join(["\b", heading, *(f"  {line}" for line in lines)])


def _taken(ctx: typer.Context, values: dict[str, Any]) -> GlobalOptions:
    """The options of every command: those given here, over those given before."""
    before = ctx.obj if isinstance(ctx.obj, GlobalOptions) else GlobalOptions()
    return before.updated({name: values.pop(name) for name in GLOBAL_NAMES})


def _signed(run: Callable[..., None], body: Callable[..., Any], own: list[inspect.Parameter]) -> Any:
    """Give a function the signature that Typer reads the command's parameters from."""
    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=GLOBAL_OPTIONS[name])
        for name in GLOBAL_NAMES
    ]
    parameters = [context, *own, *shared]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    run.__doc__ = body.__doc__
    run.__name__ = body.__name__
    return run
