"""Before and beside the page: the login, a second page, the KVM's power and media, a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from anyio.from_thread import start_blocking_portal
from playwright.sync_api import expect

from tests.fleet.simulated import simulated_fleet
from tests.servers.nanokvm_server import NanoKvm
from tests.servers.site import running_in_a_thread
from tests.support.browser import STEP
from tests.support.page_views import service

from .scene import Scene

COMPUTERS = 3


def login(scene: Scene) -> None:
    with service("--auth", "1", "--host", "127.0.0.1") as url:
        page = scene.open(url)
        expect(page.locator("#code")).to_be_visible(timeout=STEP)
        scene.check_stage(page)
        page.locator("#code").fill("000000")
        page.locator("#code").press("Enter")
        expect(page.locator("#pair-error")).to_be_visible(timeout=STEP)
        scene.check_stage(page)
        scene.finish()


def second_page(scene: Scene) -> None:
    with scene.open_stage("exclusive=true", "take_over=true") as (live, first):
        expect(first.locator("#caption .is-live")).to_be_visible(timeout=STEP)
        other = scene.open(live.url)
        expect(other.locator("#refused")).to_be_visible(timeout=STEP)
        scene.check_stage(other)
        scene.press(other.locator("#watch-only"))
        live.begin()
        live.step(1)
        expect(other.locator("article.step").first).to_be_visible(timeout=STEP)
        scene.check_stage(other)
        other.locator("#take").click()
        expect(first.locator("#refused")).to_be_visible(timeout=STEP)
        scene.keep(first, "displaced")


def power_and_media(scene: Scene) -> None:
    kvm = NanoKvm()
    kvm.disk_images.files["/data/debian-12.iso"] = b"a"
    with running_in_a_thread(kvm.app()) as place:
        options = (f'kvm="nanokvm://{place}"', 'kvm_password="correct horse"')
        with scene.open_stage("take_over=true", *options) as (_, page):
            scene.press(page.get_by_role("button", name=scene.t("kvm"), exact=True))
            dialog = page.get_by_role("dialog")
            expect(dialog.get_by_role("listitem").first).to_be_visible(timeout=STEP)
            scene.check_stage(page)


def fleet_grid(scene: Scene) -> None:
    with _fleet() as url:
        page = scene.open(url)
        expect(page.locator(".tile")).to_have_count(COMPUTERS)
        expect(page.locator('.tile img[src^="blob:"]').first).to_be_visible(timeout=STEP)
        scene.check_stage(page)
        page.get_by_label(scene.t("fleet.select_shown")).check()
        page.locator("#box").fill("Type «I am {name} at {labels.site}.»")
        scene.press(page.locator("#send"))
        done = page.locator(".tile[data-state=done]")
        expect(done).to_have_count(COMPUTERS, timeout=STEP)
        scene.check_stage(page)
        scene.finish()


@contextmanager
def _fleet() -> Iterator[str]:
    """The address of a fleet's page, which runs in a thread of its own."""
    with TemporaryDirectory() as folder, start_blocking_portal() as portal:
        computers = simulated_fleet(Path(folder), COMPUTERS)
        with portal.wrap_async_context_manager(computers) as fleet, fleet.page() as url:
            yield url


FLOWS = (login, second_page, power_and_media, fleet_grid)
