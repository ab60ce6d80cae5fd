"""Power and images of disks from the page, with a NanoKVM behind it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, FloatRect, expect

from tests.servers.nanokvm_server import NanoKvm
from tests.servers.site import running_in_a_thread
from tests.support.browser import PHONE, keep, needs_browser, opened
from tests.support.page_checks import axe
from tests.support.scripted_service import stage

pytestmark = needs_browser


def test_power_and_media(browser: Browser, tmp_path: Path) -> None:
    kvm = NanoKvm()
    images = kvm.disk_images
    images.files["/data/a.iso"] = b"a"
    images.web["http://mirror.example/b.iso"] = b"b"
    (tmp_path / "new.iso").write_bytes(bytes(300_000))
    with (
        running_in_a_thread(kvm.app()) as place,
        stage("take_over=true", f'kvm="nanokvm://{place}"', 'kvm_password="correct horse"') as live,
    ):
        page = opened(browser, live.url, PHONE, [])
        page.get_by_role("button", name="Power & media").click()
        dialog = page.get_by_role("dialog", name="Power and media")
        expect(dialog.get_by_role("heading", name="Power on")).to_be_visible()
        assert axe(page) == []
        rows: dict[float, list[FloatRect]] = {}
        for each in dialog.get_by_role("button").all():
            box = each.bounding_box()
            assert box
            rows.setdefault(box["y"], []).append(box)
        edges = {(row[0]["x"], row[-1]["x"] + row[-1]["width"]) for row in rows.values()}
        assert len(edges) == 1, "all rows of buttons have the same edges"

        button = dialog.get_by_role("button", name="Force off")
        before = button.bounding_box()
        button.click()
        assert not any(path == "/vm/gpio" for _, path, _ in kvm.asked)
        expect(button).to_have_text("Confirm: Force off")
        assert button.bounding_box() == before
        button.click()
        expect(dialog.get_by_role("status")).to_have_text("Done: Force off")
        expect(dialog.get_by_role("button", name="Force off")).to_be_enabled()
        keep(page, "phone-forced-off")
        assert ("POST", "/vm/gpio", {"type": "power", "duration": 5000}) in kvm.asked

        with page.expect_file_chooser() as chooser:
            dialog.get_by_role("button", name="Upload image").click()
        chooser.value.set_files(tmp_path / "new.iso")
        row = dialog.get_by_role("listitem").filter(has_text="new.iso")
        row.get_by_role("button", name="Mount as disk").click()
        row.get_by_role("button", name="Confirm").click()
        expect(row).to_contain_text("mounted")
        assert images.files["/data/new.iso"] == bytes(300_000)
        assert (images.mounted, images.cdrom) == ("/data/new.iso", False)
        row.get_by_role("button", name="Eject").click()
        row.get_by_role("button", name="Confirm").click()
        expect(row).not_to_contain_text("mounted")

        dialog.get_by_role("textbox").fill("http://mirror.example/missing.iso")
        dialog.get_by_role("button", name="Download to KVM").click()
        expect(dialog.get_by_role("alert")).to_contain_text("failed when checking the url")
        dialog.get_by_role("textbox").fill("http://mirror.example/b.iso")
        dialog.get_by_role("button", name="Download to KVM").click()
        expect(dialog.get_by_role("listitem").filter(has_text="b.iso")).to_be_visible()
        live.begin()
        with page.expect_request("**/api/stop"):
            dialog.get_by_role("button", name="Stop", exact=True).click()
        dialog.get_by_role("button", name="Done", exact=True).click()
        expect(page.locator("#composer #stop")).to_be_visible()
        page.context.close()
