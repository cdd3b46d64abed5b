"""How many threads run: as many as ``n_jobs`` and the limits around it say, whoever starts them."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import _openmp_helpers
from threadpoolctl import threadpool_limits

from atfnb import ATFNB, NB, FusionNB
from atfnb._pieces import n_threads, on_all_cores, on_cores
from atfnb.evaluation import cross_validate, drift_of, score_on
from atfnb.model_file import load, save
from atfnb.training import TableInMemory, training_rows

CORES = 8
ROWS = np.random.default_rng(0).integers(0, 5, (40_000, 9)).astype(float)
CLASSES = (ROWS[:, :3].sum(axis=1) > 6).astype(int)


@pytest.fixture
def pools(monkeypatch):
    """A machine of 8 cores without limits; what is returned are the sizes of the pools of threads that are started."""
    sizes = []

    class Recorded(ThreadPoolExecutor):
        def __init__(self, workers, **more):
            sizes.append(workers)
            super().__init__(workers, **more)

    monkeypatch.setattr("joblib.cpu_count", lambda: CORES)
    monkeypatch.setitem(_openmp_helpers._CPU_COUNTS, False, CORES)
    monkeypatch.setattr("atfnb._pieces.ThreadPoolExecutor", Recorded)
    with threadpool_limits(CORES):
        yield sizes


LIMITS = {
    "none": (nullcontext, None, CORES),
    "n_jobs": (nullcontext, 2, 2),
    "n_jobs beyond the cores": (nullcontext, 100, CORES),
    "all cores": (nullcontext, -1, CORES),
    "all cores but one": (nullcontext, -2, CORES - 1),
    "parallel_config": (lambda: parallel_config(n_jobs=2), None, 2),
    "parallel_config with all but one": (lambda: parallel_config(n_jobs=-2), None, CORES - 1),
    "parallel_config and n_jobs": (lambda: parallel_config(n_jobs=2), 3, 3),
    "threadpool_limits": (lambda: threadpool_limits(2), None, 2),
    "threadpool_limits of BLAS": (lambda: threadpool_limits(2, user_api="blas"), None, CORES),
    "threadpool_limits and n_jobs": (lambda: threadpool_limits(2), 3, 2),
    "threadpool_limits and all cores": (lambda: threadpool_limits(2), -1, 2),
    "an outer context": (lambda: on_cores(2), 3, 2),
    "one thread": (lambda: threadpool_limits(1), None, 1),
}


@pytest.mark.parametrize(("limit", "n_jobs", "most"), LIMITS.values(), ids=LIMITS)
def test_every_limit_is_obeyed_in_learning_and_in_answering(pools, limit, n_jobs, most):
    def largest():
        found = max(pools, default=1)
        pools.clear()
        return found

    with limit():
        model = NB(n_jobs=n_jobs).fit(ROWS, CLASSES)
        assert largest() == most
        model.predict_proba(ROWS)
        assert largest() == most
        model.explain(ROWS, top=1)
        assert largest() == most
        score_on(model, ROWS, CLASSES)
        assert largest() == most
        drift_of(model, ROWS, CLASSES)
        assert largest() == most
        model.partial_fit(ROWS, CLASSES)
        assert largest() == most
        cross_validate({"NB": model}, ROWS, CLASSES, folds=2)
        assert largest() == most
    assert n_threads() == CORES


def test_a_blas_that_shares_the_limit_of_openmp_does_not_slow_fusion_down(pools, monkeypatch):
    rows = training_rows(TableInMemory(ROWS, CLASSES), FusionNB().row_options)
    monkeypatch.setattr("atfnb.classifiers.fusion.threadpool_limits", lambda **_: threadpool_limits(1))
    pools.clear()
    FusionNB(pairs=0).learn(rows)
    assert max(pools) > 2


@pytest.mark.parametrize("pool", ["cores", "columns"])
def test_threads_that_start_threads_share_the_cores(pools, pool):
    items = range(3) if pool == "columns" else range(100)
    inner = list(on_all_cores(lambda _: n_threads(-1), items))
    assert set(inner) == {CORES // 3 if pool == "columns" else 1}


@pytest.mark.parametrize("variable", ["OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT"])
def test_variables_of_the_environment_are_obeyed(variable):
    program = "from atfnb._pieces import n_threads; print(n_threads(), n_threads(-1), n_threads(5))"
    unset = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", program], env=unset | {variable: "1"}, capture_output=True, check=True)
    assert done.stdout.split() == [b"1", b"1", b"1"]


@pytest.mark.parametrize("n_jobs", [None, -1])
def test_a_search_in_threads_starts_no_others(pools, monkeypatch, n_jobs):
    monkeypatch.setattr("atfnb._pieces._openmp_effective_n_threads", lambda **_: CORES)  # it differs by thread
    with parallel_config(backend="threading", n_jobs=2):
        GridSearchCV(NB(n_jobs=n_jobs), {"alpha": [0.5, 1.0]}, cv=2, refit=False).fit(ROWS, CLASSES)
    assert pools == []


def test_one_job_of_joblib_may_use_all_cores(pools):
    cross_val_score(NB(), ROWS, CLASSES, cv=2, n_jobs=1)
    assert max(pools) == CORES


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_processes_of_joblib_share_the_cores(monkeypatch, backend):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    found = joblib.Parallel(2, backend=backend)(joblib.delayed(n_threads)(-1) for _ in range(4))
    get_reusable_executor().shutdown()  # the processes of loky would outlive the test
    assert max(found) <= max(1, joblib.cpu_count() // 2)


def test_dask_is_given_as_many_threads(pools, monkeypatch, tmp_path):
    pytest.importorskip("dask")
    from dask.base import named_schedulers

    from atfnb.scale import fit_files

    given, run = [], named_schedulers["threads"]
    recorded = lambda *tasks, **how: given.append(how["num_workers"]) or run(*tasks, **how)  # noqa: E731
    monkeypatch.setitem(named_schedulers, "threads", recorded)
    pd.DataFrame(ROWS[:200]).add_prefix("x").assign(y=CLASSES[:200]).to_csv(tmp_path / "part.csv", index=False)
    fit_files(FusionNB(n_jobs=3, pairs=0), tmp_path / "part.csv", "y")
    assert set(given) == {3}
    assert set(pools) <= {2, 3}


def test_the_number_of_threads_is_a_parameter_but_no_part_of_the_model(tmp_path):
    models = [NB(n_jobs=n_jobs).fit(ROWS[:100], CLASSES[:100]) for n_jobs in (None, 2)]
    assert clone(models[1]).get_params()["n_jobs"] == 2
    for model, name in zip(models, "ab", strict=True):
        save(model, tmp_path / name)
    of_one, of_two = (load(tmp_path / name) for name in "ab")
    assert of_one.training_["options"] == of_two.training_["options"]
    assert "n_jobs" not in of_two.training_["options"]
    assert of_two.n_jobs is None


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_no_threads_and_half_threads_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number other than 0, not"):
        NB(n_jobs=n_jobs).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("classifier", [ATFNB, FusionNB])
def test_the_answer_does_not_depend_on_n_jobs(pools, classifier):
    models = [classifier(n_jobs=n_jobs).fit(ROWS[:, :4], CLASSES) for n_jobs in (1, 2, 7)]
    assert max(pools) > 2
    for model in models[1:]:
        np.testing.assert_array_equal(model.table_, models[0].table_)
        np.testing.assert_array_equal(model.predict_proba(ROWS[:, :4]), models[0].predict_proba(ROWS[:, :4]))
