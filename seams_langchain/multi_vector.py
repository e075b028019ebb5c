"""Seams between the parents of a MultiVectorRetriever or ParentDocumentRetriever."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from seams_langchain.index import SeamIndex
from seams_langchain.parents import ParentStore
from seams_langchain.retriever import SeamsRetriever
from seams_langchain.stores import beside


class SeamsMultiVectorRetriever(SeamsRetriever):
    """Retrieve parents by their small units, with both parents of a cut where a seam finds it.

    Takes an existing set-up as it stands: a vector store of small units, a docstore of parents
    and the ``id_key`` between them. The parents are the chunks, ranked by their best unit. Seams
    go to a collection of their own with two parents each; the set-up is only read, so the old
    retriever works on unchanged and never returns a seam.

    .. code-block:: python

        retriever = SeamsMultiVectorRetriever.attach(existing_multi_vector_retriever, k=5)

    ``k`` counts parents here, not units. ``filter`` speaks of units, as it does there.
    """

    @classmethod
    def attach(  # type: ignore[override]  # the first argument is another thing, so another name
        cls,
        retriever: Any,
        seam_store: Any | None = None,
        *,
        progress: bool = False,
        index_settings: dict[str, Any] | None = None,
        **settings: Any,
    ) -> Self:
        """Add seams beside an existing set-up, then retrieve from both.

        :param retriever: A ``MultiVectorRetriever``, a ``ParentDocumentRetriever`` or anything
            with their ``vectorstore``, ``docstore`` and ``id_key``. A filter in its
            ``search_kwargs`` is kept unless another is given.
        :param seam_store: A vector store for the seams; made beside that of the units if none.
        :param progress: Show a progress bar while seams are added.
        :param index_settings: Settings of :class:`SeamIndex`; parents of a splitter that writes
            no position need ``position_key``.
        :param settings: Fields of the retriever.
        :raises ValueError: If ``retriever`` lacks one of the three.
        """
        missing = [n for n in ("vectorstore", "docstore", "id_key") if not hasattr(retriever, n)]
        if missing:
            raise ValueError(
                f"retriever={type(retriever).__name__} has no {', '.join(missing)}: give a "
                "MultiVectorRetriever, a ParentDocumentRetriever or an object like them"
            )
        vectorstore = retriever.vectorstore
        index = SeamIndex(
            ParentStore(vectorstore, retriever.docstore, retriever.id_key),
            beside(vectorstore) if seam_store is None else seam_store,
            **{"embeddings": vectorstore.embeddings, **(index_settings or {})},
        )
        kept = (getattr(retriever, "search_kwargs", None) or {}).get("filter")
        attached = cls(index=index, **{"filter": kept, **settings})
        index.sync(progress=progress)
        return attached
