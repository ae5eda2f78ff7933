"""The dashboard's part about the daemons that share a database. Run: python3 Tests/Browser/test_dashboard_nodes.py"""

from __future__ import annotations

import json

from playwright.sync_api import Route, expect

import support
from dashboard import DashboardTest


def node(name: str, state: str = "alive", **more: object) -> dict:
    return {"id": 1, "name": name, "version": "0.1.0", "shards": 128, "beatAgeMs": 400, "lagMs": 0, "state": state, **more}


class Nodes(DashboardTest):
    """What the daemon says of nodes is the test's: their real answer is a matter of Command/Tests/EndToEndTests."""

    def answer(self, *nodes: dict) -> None:
        self.nodes = list(nodes)

        def fulfil(route: Route) -> None:
            route.fulfill(content_type="application/json", body=json.dumps({"shared": True, "nodes": self.nodes}))

        self.page.route("**/v1/nodes", fulfil)

    def test_one_machine(self) -> None:
        """With a store for one machine there is no such part, and nothing asks for nodes repeatedly."""
        asked: list[str] = []
        self.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/v1/nodes") else None)
        self.page.clock.install()
        self.open()
        support.wait_for("the question", lambda: self.page.evaluate("1") and asked)
        expect(self.page.locator("section.nodes")).to_be_hidden()
        self.page.clock.fast_forward(60_000)
        # What was asked before this is answered before it.
        self.page.evaluate("fetch('/v1/health').then((answer) => answer.status)")
        expect(self.page.locator("section.nodes")).to_be_hidden()
        self.assertEqual(len(asked), 1, asked)

    def test_cluster(self) -> None:
        """Each node has a row with its share, its last beat, its lag and its state, and the rows follow the daemon."""
        self.answer(node("<b>one</b>"), node("two", "silent", shards=0, beatAgeMs=4_200, lagMs=61_000))
        self.open()
        rows = self.page.locator("#nodes tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(0).locator("th, td")).to_have_text(["<b>one</b>", "128", "400 ms ago", "–", "alive"])
        expect(rows.nth(1).locator("th, td")).to_have_text(["two", "0", "4.2 s ago", "1 min", "silent"])
        expect(self.page.locator("#nodes-status")).to_have_text("2 nodes")
        self.assert_controls_have_names()
        self.nodes = [node("three", shards=256)]
        expect(rows).to_have_count(1)
        expect(self.page.locator("#nodes-status")).to_have_text("1 node")
        expect(rows.nth(0).locator("th")).to_have_text("three")


if __name__ == "__main__":
    support.main()
