# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 8. Measure on your own questions
#
# **What you will have:** a table that tells, on your documents, your questions and your embedding
# model, how often the *whole* answer is in the budget, for plain hybrid search, for both
# neighbours of each hit, and for Seams.

# %%
import re
import tempfile
from pathlib import Path

from demo import QUESTIONS
from parts import model, reference

from seams_core import AnchoredFireTest, MarginFireTest
from seams_core.evaluation import (
    Bench,
    CachedEmbedder,
    EvaluationSet,
    Neighbours,
    Plain,
    Question,
    Seams,
    Span,
    run_methods,
    summarise,
)
from seams_core.evaluation.report import coverage_table

# %% [markdown]
# A question and the places of its answer, in characters. Here they are found by the words that
# begin and end the answer; yours may come from people, or from a file in the format of
# `load_set`.

# %%
text = reference()
questions = []
for number, (question, first, last) in enumerate(QUESTIONS):
    words = (r"\s+".join(map(re.escape, phrase.split())) for phrase in (first, last))
    if match := re.search("(?s)" + ".{0,3000}?".join(words), text):
        span = Span("python-reference", match.start(), match.end())
        questions.append(Question(str(number), question, (span,)))
data = EvaluationSet("python", {"python-reference": text}, questions)
print(len(data.questions), "questions")

# %% [markdown]
# `model()` is the small static model; put any function from texts to vectors in its place.
# Vectors are kept in a folder, so that a second run embeds nothing. Use a folder that stays.

# %%
folder = Path(tempfile.mkdtemp())
bench = Bench(data, CachedEmbedder(model(), folder, "static"))
print(sum(bench.split), "of", len(questions), "answers are divided by a cut")

# %%
methods = [Plain(), Neighbours(), Seams(MarginFireTest(3)), Seams(AnchoredFireTest())]
run = run_methods(bench, methods, budgets=(5, 10))
summary = summarise(run, baseline=Plain().name)
print(coverage_table(summary, ("5", "10")))

# %% [markdown]
# `full` is the share of questions whose whole evidence is in the budget; `split` looks at answers
# that a cut divides alone, `whole` at the others: a gain there that costs much here is none. With
# a handful of questions, as here, a difference means nothing; the interval says so. A hundred
# questions is a start.

# %%
for name, method in summary["methods"].items():
    cell = method["budgets"]["5"]["all"]["full_against_baseline"]
    print(name, cell)

# %% [markdown]
# From the command line, for sets in folders: `python -m seams_core.evaluation DATA --sets mine
# --model mymodule:make_embed --out results`.
