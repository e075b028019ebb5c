"""Runs where the wheel alone is installed: the method works, and what is missing is named."""

from importlib.metadata import version

import seams_core
from seams_core import Entry, MarginFireTest, build_seams, select_chunks, split_text

assert version("chunk-seams") == seams_core.__version__
text = "The order service accepts stale reads. Billing records are never read stale. " * 40
chunks = split_text(text, document_id="design.md", chunk_size=64, tokenizer=str.split)
assert "".join(chunk.text for chunk in chunks) == text
seams = list(build_seams(chunks, half_width=150, tokenizer=str.split, sentences="english"))
assert len(seams) == len(chunks) - 1
fused = [Entry("seam", "7|8"), Entry("chunk", "12"), Entry("chunk", "7"), Entry("chunk", "3")]
selection = select_chunks(fused, {"7|8": ("7", "8")}, budget=3, fire_test=MarginFireTest(1))
assert selection.chunk_ids == ["7", "8", "12"]
index = seams_core.KeywordIndex.build([("a", "stale reads"), ("b", "billing")])
assert [id for id, _ in index.search("stale", 5)] == ["a"]

said = {}
for package in ("seams_langchain", "seams_llamaindex"):
    try:
        __import__(package)
    except ImportError as error:
        said[package] = str(error)
        print(f"{package}: {error}")
assert 'pip install "chunk-seams[langchain]"' in said["seams_langchain"]
assert 'pip install "chunk-seams[llamaindex]"' in said["seams_llamaindex"]
print("bare ok")
