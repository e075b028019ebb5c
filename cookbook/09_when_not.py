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
# # 9. When not to use Seams
#
# **What you will have:** four numbers about your own corpus that tell whether a seam could help
# at all.

# %%
from itertools import pairwise

from parts import reference

from seams_core import build_seams, split_text
from seams_core.evaluation import boundary_risk
from seams_core.tokens import as_measure

text = reference()
count = as_measure().count

# %% [markdown]
# **1. Does the corpus fit into the prompt?** Then send it whole and retrieve nothing.

# %%
print(f"{count(text):,} tokens")

# %% [markdown]
# **2. How often can a cut fall inside an answer?** An answer of L tokens is divided by a cut with
# the chance L / C in chunks of C tokens. With short facts there is little to win, whatever the
# method.

# %%
print("answer    chunks of 256     512    1,024   2,048 tokens")
for length in (15, 60, 150, 300):
    risks = [boundary_risk(length, size) for size in (256, 512, 1024, 2048)]
    print(f"{length:4} tokens       " + "  ".join(f"{risk:6.0%}" for risk in risks))

# %% [markdown]
# **3. Do your cuts fall at real section breaks?** Then hardly an answer crosses one. This counts
# the cuts that fall between two paragraphs; with chunks of one section each it is all of them,
# and seams are vectors spent on nothing.

# %%
chunks = split_text(text, document_id="python-reference")
at_break = sum(c.text.endswith("\n\n") or d.text.startswith("\n\n") for c, d in pairwise(chunks))
print(f"{at_break} of {len(chunks) - 1} cuts fall between paragraphs")

# %% [markdown]
# **4. What do seams cost?** About one vector per chunk again, of two windows of k = 150 tokens:
# an overlap of 15 % costs a seventh of that. At 256 tokens a chunk the windows hold more than the
# text itself.

# %%
for size in (256, 1024):
    chunks = split_text(text, document_id="python-reference", chunk_size=size)
    seams = list(build_seams(chunks))
    tokens = sum(count(seam.text) for seam in seams)
    share = f"{tokens / count(text):.0%} of the text embedded again"
    print(f"chunks of {size}: {len(chunks)} vectors, {len(seams)} more, {share}")

# %% [markdown]
# So use plain chunks, or a modest overlap, where answers are short facts, where chunks follow
# sections, where chunks are of 256 tokens or fewer, or where the corpus fits into the prompt.
# Where you are in doubt, page 8 measures it.
