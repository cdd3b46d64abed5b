"""Where modules of the study were before: their names still load from there, with a warning."""

import importlib

import pytest


@pytest.mark.parametrize(("module", "name"), [("datasets", "catalogue"), ("leaf", "attributes")])
def test_a_former_name_loads_with_a_warning(module, name):
    former = importlib.import_module(f"atfnb.{module}")
    with pytest.warns(DeprecationWarning, match=f"atfnb.{module} is now atfnb_study.{module}"):
        found = getattr(former, name)
    assert found is getattr(importlib.import_module(f"atfnb_study.{module}"), name)
