"""Setting a fire test's number on the index that it is used with (paper 3.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from seams_core.calibration.result import Calibration
from seams_core.calibration.sampling import Sample
from seams_core.calibration.work import Work
from seams_core.calibration.writing import AsyncWriter, Writer
from seams_core.fire import CalibratableFireTest, FireTest, MarginFireTest
from seams_core.index import SeamedIndex
from seams_core.retrieval import Retrieval
from seams_core.tokens import checked_positive
from seams_core.trace import Trace

#: A pipeline, or what makes it for a question.
Retrieving: TypeAlias = "Retrieval | Callable[[str], Retrieval]"
_QUIET = MarginFireTest(float("inf"))  # the ranking is the same whatever fires


def calibrate_margin(
    index: SeamedIndex,
    retrieval: Retrieving,
    *,
    write: Writer | None = None,
    fire_test: CalibratableFireTest | Sequence[CalibratableFireTest] | None = None,
    in_use: FireTest | None = None,
    coverage: float = 0.9,
    interval: float = 0.06,
    samples: int | None = None,
    evidence_tokens: Sequence[int] | None = None,
    chunk_tokens: float | None = None,
    embedding: str | None = None,
    filter: Any = None,
    retries: int = 2,
    seed: int = 0,
    resume: Any = None,
    progress: bool = False,
    date: str | None = None,
) -> Calibration:
    """Set the fire test's number so that it keeps quiet for unsplit texts (paper 3.2).

    Sentences near a cut and sentences across one are drawn from the seams' windows, a question is
    written for each and run, and the head start of its seam recorded. The number is set just
    above what ``coverage`` of the unsplit texts reach.

    :param index: The index; it must have seams.
    :param retrieval: The deployment's own pipeline over it, or what makes that for a question.
    :param write: From a text to a question that it answers; without one, a query of its rarest
        words, which is an approximation.
    :param fire_test: The test whose number is set, or several, of which the one that fires for
        most split texts is chosen; ``AnchoredFireTest()`` if none.
    :param in_use: The test that is used now, to compare with.
    :param coverage: Share of unsplit texts whose seam is to stay quiet, from 0 to 1.
    :param interval: Half the width of the 95 % interval of that share, which gives the number of
        texts of each side.
    :param samples: That number itself, instead.
    :param evidence_tokens: Lengths of real evidence, in tokens, to judge how often it is divided.
    :param chunk_tokens: Mean length of a chunk, in tokens; of the first chunks read if none.
    :param embedding: Its name, to be told again.
    :param filter: The deployment's own filter, in the chunk store's syntax.
    :param retries: How often a failing question writer is asked again.
    :param seed: The same seed and index give the same texts.
    :param resume: A file that keeps what was asked, so that a stopped run goes on.
    :param progress: Show a progress bar.
    :param date: ISO 8601; today's if none.
    :raises ValueError: If a setting is wrong.
    :raises SeamsError: If there are no seams, or ``resume`` is of another run.
    """
    work = Work(
        index,
        _made(retrieval, ""),
        fire_test=fire_test,
        in_use=in_use,
        coverage=coverage,
        interval=interval,
        samples=samples,
        evidence_tokens=evidence_tokens,
        chunk_tokens=chunk_tokens,
        embedding=embedding,
        retries=retries,
        seed=seed,
        resume=resume,
        writer=write,
        date=date,
    )
    writer: Writer = work.offline if write is None else write

    def trace(question: str) -> Trace:
        made = _made(retrieval, question)
        found = made.run(question, budget=1, fire_test=_QUIET, filter=filter)
        return found.selection.trace

    with work.bar(progress) as bar:
        for sample in work.todo:
            question, lost = "", ""
            for attempt in range(retries + 1):
                try:
                    question = _cleaned(writer(sample.text))
                    lost = "" if question else "empty"
                    break
                except Exception:
                    lost = "failed"
                    if attempt == retries and work.all_failed:
                        raise
            work.note(sample, question, lost, None if lost else trace(question))
            bar.update()
    return work.result()


async def acalibrate_margin(
    index: SeamedIndex,
    retrieval: Retrieving,
    *,
    write: AsyncWriter | None = None,
    filter: Any = None,
    concurrency: int = 8,
    progress: bool = False,
    **settings: Any,
) -> Calibration:
    """:func:`calibrate_margin` with several questions under way at once.

    :param write: From a text to a question, asynchronously.
    :param concurrency: How many at a time.
    :param settings: The rest of :func:`calibrate_margin`.
    """
    checked_positive("concurrency", concurrency)
    retries = settings.setdefault("retries", 2)
    made = await asyncio.to_thread(_made, retrieval, "")
    work = await asyncio.to_thread(lambda: Work(index, made, writer=write, **settings))
    gate = asyncio.Semaphore(concurrency)

    async def trace(question: str) -> Trace:
        made = await asyncio.to_thread(_made, retrieval, question)
        found = await made.arun(question, budget=1, fire_test=_QUIET, filter=filter)
        return found.selection.trace

    async def ask(sample: Sample, bar: Any) -> None:
        async with gate:
            question, lost = "", ""
            for attempt in range(retries + 1):
                try:
                    answer = (
                        work.offline(sample.text) if write is None else await write(sample.text)
                    )
                    question = _cleaned(answer)
                    lost = "" if question else "empty"
                    break
                except Exception:
                    lost = "failed"
                    if attempt == retries and work.all_failed:
                        raise
            work.note(sample, question, lost, None if lost else await trace(question))
            bar.update()

    with work.bar(progress) as bar:
        tasks = [asyncio.ensure_future(ask(sample, bar)) for sample in work.todo]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
    return work.result()


def _made(retrieval: Retrieving, question: str) -> Retrieval:
    return retrieval if isinstance(retrieval, Retrieval) else retrieval(question)


def _cleaned(question: Any) -> str:
    return " ".join(str(question or "").split())
