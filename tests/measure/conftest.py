import pytest
from measure_fakes import FakeClock


@pytest.fixture
def clock():
    return FakeClock()
