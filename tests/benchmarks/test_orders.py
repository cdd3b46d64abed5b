"""The measurement of orders, on a small drawn table."""

from benchmarks.orders import ORDERS, VALUES, drawn, scores


def test_orders_that_the_class_follows_lower_the_log_loss(monkeypatch):
    monkeypatch.setattr("benchmarks.orders.DIVISIONS", 1)
    X, y = drawn(rising=True)
    ((_, without), (_, ordered)) = scores(X[:400], y[:400], dict.fromkeys("abcde", VALUES), 60)[0]
    assert ordered < without


def test_each_order_names_different_values():
    assert all(len({*order}) == len(order) > 2 for orders in ORDERS.values() for order in orders.values())
