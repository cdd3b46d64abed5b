import pytest

from helpers.export_targets import stop_servers


@pytest.fixture(scope="session", autouse=True)
def servers_end():
    yield
    stop_servers()
