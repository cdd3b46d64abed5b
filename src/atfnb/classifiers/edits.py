"""Edits of a fitted classifier: a new model that keeps what was learned, what was changed, and why."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec
import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import counted
from atfnb._streams import printable
from atfnb._version import __version__
from atfnb.counts import spread
from atfnb.editing import AnyEdit, Draft, EditError, EditSkippedWarning

if TYPE_CHECKING:
    from atfnb.classifiers.base import BaseNB


class EditingMixin:
    """Methods that change the scores of a fitted classifier, with a record of what was changed."""

    edits_: tuple[AnyEdit, ...] = ()
    """The edits of the model, in the order in which they apply: what, why, when, and by which version of atfnb."""
    learned_: Self | None = None
    """The model before its edits; None if it has none."""

    def edit(self, edits: Iterable[Mapping[str, Any] | AnyEdit], *, skip: bool = False) -> Self:
        """Return a new model with further edits of what its columns add; this model stays as it is.

        The new model predicts, explains, draws and exports the edited scores: ``table_``, ``class_log_prior_`` and
        ``pair_effects_``. It keeps the model before all edits in ``learned_``, and the edits in ``edits_``. A column
        that was removed has a weight of 0, and the weights of a FusionNB are the spreads of the edited scores; all
        else that was learned stays in place, ``value_effects_`` for example, and describes ``learned_``. The standard
        errors of edited values, in ``effect_errors_``, are NaN: they were not measured.

        Parameters
        ----------
        edits : list of dict
            What to do with a column, and the reason in words: see the guide page "What you know". ``"do"`` is
            "remove", "flatten", "set", "smooth", "rising", "falling" or "merge".
        skip : bool, default=False
            Whether to leave out edits that do not apply, with a warning for each, instead of raising an error.

        Returns
        -------
        model
            A new one; ``undo`` takes edits back.

        Raises
        ------
        ValueError
            If something is no edit, or does not apply to this model; the message says which, and why.

        Examples
        --------
        >>> from atfnb import NB
        >>> model = NB().fit([["red", 1.0], ["red", 2.0], ["red", 5.0], ["blue", 6.0]], ["a", "a", "b", "b"])
        >>> edited = model.edit([{"do": "remove", "column": "x1", "reason": "it is not known in time"}])
        >>> model.predict([["red", 5.0]]), edited.predict([["red", 5.0]]), edited.weights_
        (array(['b'], dtype='<U1'), array(['a'], dtype='<U1'), array([1., 0.]))
        """
        try:
            new = msgspec.convert(msgspec.to_builtins(list(edits)), list[AnyEdit])
        except (msgspec.ValidationError, TypeError) as error:
            raise ValueError(f"the edits cannot be read: {error}.") from None
        now = {"when": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "by": __version__}
        stamped = (msgspec.structs.replace(e, **{k: v for k, v in now.items() if getattr(e, k) is None}) for e in new)
        return self.replayed([*self.edits_, *stamped], skip=skip)

    def undo(self, number: int) -> Self:
        """Return a new model without one of its edits: the others are replayed on what was learned.

        Parameters
        ----------
        number : int
            The number of the edit, from 1 on, in the order of ``edits_``.

        Examples
        --------
        >>> from atfnb import NB
        >>> model = NB().fit([["red"], ["blue"]], ["a", "b"])
        >>> edited = model.edit([{"do": "remove", "column": "x0", "reason": "it is an artefact"}])
        >>> edited.undo(1).edits_
        ()
        """
        if not 1 <= number <= len(self.edits_):
            raise ValueError(f"there is no edit {number}: the model has {counted(len(self.edits_), 'edit')}.")
        return self.replayed([*self.edits_[: number - 1], *self.edits_[number:]])

    def replayed(self, edits: Sequence[AnyEdit], *, skip: bool = False) -> Self:
        """Return a model with these edits, and no others, of what was learned."""
        check_is_fitted(self)
        learned: Any = self if self.learned_ is None else self.learned_
        names = (learned.encoder_.attributes, learned.classes_.tolist(), learned.class_labels)
        model, applied, refused = Draft.of(learned.model_, learned.counts_, *names).replayed(edits)
        if refused and not skip:
            raise EditError(refused[0])
        for sentence in refused:
            warnings.warn(sentence, EditSkippedWarning, stacklevel=3)
        if not applied:
            return copy(learned)  # type: ignore[no-any-return]
        made: Any = copy(learned)
        made.model_, made.edits_, made.learned_ = model, tuple(applied), learned
        if "training_" in vars(made):  # how well the learned model fits its rows is not how well this one does
            made.training_ = {name: entry for name, entry in made.training_.items() if name != "fit"}
        acted, acts = (each.counts_.per_attribute(np.abs(each.table_)).any(axis=1) for each in (learned, made))
        weights = spread(made.table_, made.counts_) if made.weights_meaning == "spread" else made.weights_
        made.weights_ = np.where(acted & ~acts, 0.0, weights)
        return made  # type: ignore[no-any-return]


def edits_in_words(model: BaseNB) -> list[str]:
    """Return a sentence on how many edits a model has, and one on each; nothing for a model without edits.

    Each is on one line, without characters that a terminal or a page would obey.

    >>> from atfnb import NB
    >>> model = NB().fit([["red"], ["blue"]], ["a", "b"])
    >>> edit = {"do": "remove", "column": "x0", "reason": "an artefact", "when": "2026-01-31T12:00:00Z", "by": "0.4.0"}
    >>> print(*edits_in_words(model.edit([edit])), sep="; ")
    This model was edited: 1 edit.; 1. remove 'x0': an artefact (2026-01-31T12:00:00Z, atfnb 0.4.0)
    """
    if not model.edits_:
        return []
    lines = (f"{edit.what}: {edit.reason} ({edit.when}, atfnb {edit.by})" for edit in model.edits_)
    first = f"This model was edited: {counted(len(model.edits_), 'edit')}."
    return [first, *(f"{k}. {printable(' '.join(line.split()))}" for k, line in enumerate(lines, start=1))]
