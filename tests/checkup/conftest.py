from tests.test_web import service as service  # a fixture
