"""The commands. Each opens what it is given, does one thing and says so."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Optional

import typer

from seams_core._version import __version__
from seams_core.cli.embedding import embedding_named
from seams_core.cli.opening import Settings, open_index, open_stores, refuse_nodes_of_llamaindex
from seams_core.cli.output import DONE, INTERRUPTED, OUT_OF_STEP, Quit, messages, show, table
from seams_core.index import IndexStatus

app = typer.Typer(
    name="seams",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find answers that lie across a chunk boundary.\n\n"
    "SOURCE is a Chroma folder, http://HOST:PORT of a Chroma server, or postgresql://USER@HOST/DB; "
    "COLLECTION is the collection or table of the chunks.\n\n"
    "Exit codes: 0 done, 1 the store or the data does not allow it, 2 wrong use, 3 seams are "
    "missing or stale (status), 130 interrupted.",
)


class Snap(str, Enum):
    """How windows meet sentence edges; see :func:`seams_core.build_seams`."""

    outward = "outward"
    inward = "inward"
    none = "none"


Source = Annotated[str, typer.Argument(help="Chroma folder, http://HOST:PORT or postgresql://...")]
Collection = Annotated[str, typer.Argument(help="Collection or table of the chunks.")]
Embedding = Annotated[
    str, typer.Option("--embedding", "-e", help="The chunks' own embedding, MODULE:NAME.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the trace of an error.")]
DocumentKey = Annotated[
    Optional[str],  # noqa: UP045 - typer reads annotations at run time, on Python 3.10 too
    typer.Option(help="Metadata key of a chunk's document; the usual ones if none."),
]
PositionKey = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(help="Metadata key of a chunk's place in it; the usual ones if none."),
]
Language = Annotated[str, typer.Option(help="Of stemmer, stop words and sentence edges.")]
Keywords = Annotated[bool, typer.Option(help="Search by keywords, too.")]
Budget = Annotated[int, typer.Option("-k", min=1, help="Budget, in chunks.")]
Depth = Annotated[int, typer.Option(min=1, help="Hits that each list gives to the fusion.")]
Margin = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(help="m of the paper's fire test, in places; the anchored test if none."),
]


def _version(value: bool) -> None:
    if value:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    pass


@app.command()
def status(
    source: Source, collection: Collection, json: AsJson = False, debug: Debug = False
) -> None:
    """Count chunks, seams and stale seams; exit 3 where there are none or some are stale."""
    with messages(json, debug):
        chunks, seams = open_stores(source, collection, make=False)
        if seams is None:
            number = sum(len(page) for page in chunks.pages(1000))
            found = IndexStatus(number, 0, 0)
        else:
            found = open_index(source, collection, None, Settings()).status()
        attached = seams is not None
        show(
            {**found._asdict(), "attached": attached},
            json,
            lambda: str(found) + ("" if attached else "; not attached yet"),
        )
        if not attached or found.stale:
            raise Quit(OUT_OF_STEP)


@app.command()
def attach(
    source: Source,
    collection: Collection,
    embedding: Embedding,
    half_width: Annotated[int, typer.Option(min=1, help="k, in tokens a side.")] = 150,
    snap: Annotated[Snap, typer.Option(help="How windows meet sentence edges.")] = Snap.outward,
    tokenizer: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="A tiktoken encoding."),
    ] = None,
    document_key: DocumentKey = None,
    position_key: PositionKey = None,
    language: Language = "english",
    batch_size: Annotated[int, typer.Option(min=1, help="Seams embedded at a time.")] = 256,
    json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Add the seams that are missing, delete those without a place; nothing else is embedded.

    Run it again after chunks have changed, or after an interruption: it does what is left.
    """
    with messages(json, debug):
        settings = Settings(
            document_key,
            position_key,
            half_width,
            snap.value,
            tokenizer,
            language,
            batch_size=batch_size,
        )
        named = embedding_named(embedding)
        chunks, _ = open_stores(source, collection, make=False)
        refuse_nodes_of_llamaindex(chunks, collection)
        index = open_index(source, collection, named, settings, make=True)
        report = index.sync(progress=not json)
        show(
            {name: getattr(report, name) for name in type(report).__dataclass_fields__},
            json,
            lambda: str(report),
        )


@app.command()
def search(
    source: Source,
    collection: Collection,
    query: Annotated[str, typer.Argument(help="The question.")],
    embedding: Embedding,
    k: Budget = 5,
    margin: Margin = None,
    depth: Depth = 150,
    keywords: Keywords = True,
    explain: Annotated[bool, typer.Option(help="Show why, as the paper's tables.")] = False,
    top: Annotated[int, typer.Option(min=1, help="Entries of the ranking to explain.")] = 20,
    language: Language = "english",
    json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Answer a question with at most K chunks."""
    from seams_core.fire import MarginFireTest
    from seams_core.retrieval import Retrieval

    with messages(json, debug):
        named = embedding_named(embedding)
        fire_test = None if margin is None else MarginFireTest(margin)
        settings = Settings(keywords=keywords, language=language)
        index = open_index(source, collection, named, settings)
        retrieval = Retrieval(index.chunk_store, index.sources(), named.query, depth=depth)
        found = retrieval.run(query, budget=k, fire_test=fire_test)
        trace, brought_by = found.selection.trace, found.selection.brought_by
        answer: dict[str, Any] = {
            "query": query,
            "chunks": [
                {
                    "rank": rank,
                    "id": row.id,
                    "brought_by": brought_by.get(row.id),
                    "text": row.text,
                    "metadata": dict(row.metadata),
                }
                for rank, row in enumerate(found.rows, 1)
            ],
        }
        if explain:
            answer["trace"] = trace.to_dict()

        def readable() -> Any:
            if explain:
                return trace.render(top=top)
            rows = [
                (
                    rank,
                    row.id,
                    "by a seam" if row.id in brought_by else "",
                    " ".join(row.text.split())[:160],
                )
                for rank, row in enumerate(found.rows, 1)
            ]
            return table(("rank", "chunk", "", "text begins"), rows)

        show(answer, json, readable)


def run() -> int:
    """Run a command and give its exit code; Ctrl-C before one has begun is no trace either."""
    try:
        result = app(standalone_mode=False)
    except Quit as quit:
        return quit.code
    except typer.Exit as exit:
        return exit.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        show_usage = getattr(error, "show", None)  # what click raises for wrong arguments
        if show_usage is None:
            raise
        show_usage()
        return int(getattr(error, "exit_code", 2))
    return result if isinstance(result, int) else DONE
