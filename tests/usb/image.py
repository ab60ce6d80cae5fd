"""The guest's disk image: an initramfs with busybox, modules of Debian's kernel, and this Python.

The files that belong to the tests are in an archive of their own, made anew every time; a kernel
takes one archive after the other.
"""

from __future__ import annotations

import gzip
import importlib
import json
import lzma
import py_compile
import re
import stat
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from .debian import CACHE, alone, kernel, unpacked
from .descriptors import FUNCTIONS

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MODULES = "xhci-pci usbhid hid-generic evdev virtio_pci virtio_console"
MODULE_FOLDERS = {
    "modules": "",
    "modules/gadget": "configfs libcomposite usb_f_hid dummy_hcd",
    "modules/video": "uvcvideo",
}
"""What they hold beside `MODULES`. The first one is loaded at the start."""
PROGRAM = stat.S_IFREG | 0o755

Files = dict[str, tuple[int, bytes]]
"""Path in the guest -> mode and content; a link's content is where it leads."""


def kernel_image() -> Path:
    (image,) = (unpacked(kernel()) / "boot").glob("vmlinuz-*")
    return image


def initramfs() -> bytes:
    return b"".join(_padded((_base(), _archive(_ours()))))


def _base() -> bytes:
    """What changes only with the kernel, Python or this file; 4 seconds the first time."""
    recipe = zlib.crc32(Path(__file__).read_bytes())
    version = f"{kernel()}-python{sys.version_info.major}.{sys.version_info.minor}-{recipe:08x}"
    path = CACHE / f"{version}.gz"
    with alone(version):
        if not path.exists():
            files: Files = {"bin/busybox": (PROGRAM, _busybox()), **_python()}
            loaded = _modules(MODULES.split())
            for folder, wanted in MODULE_FOLDERS.items():
                for n, (name, data) in enumerate(_modules(f"{MODULES} {wanted}".split()).items()):
                    if folder == "modules" or name not in loaded:
                        files[f"{folder}/{n:02}-{name}.ko"] = (stat.S_IFREG | 0o644, data)
            new = path.with_suffix(".new")
            new.write_bytes(gzip.compress(_archive(files), 1))
            new.rename(path)
    return path.read_bytes()


def _ours() -> Files:
    files: Files = {"init": (PROGRAM, (HERE / "guest/init").read_bytes())}
    for script in (HERE / "guest").iterdir():
        files[f"bin/{script.name}"] = (PROGRAM, script.read_bytes())
    for name in ("kvm", "host", "video"):
        files[f"{name}.py"] = (PROGRAM, (HERE / f"{name}_in_guest.py").read_bytes())
    kvm = (
        ROOT / f"cua/kvms/{name}.py" for name in ("__init__", "v4l2", "capture_chip", "serial_port")
    )
    for module in (*(ROOT / "cua/hid/writer").glob("*.py"), ROOT / "cua/__init__.py", *kvm):
        files[str(module.relative_to(ROOT))] = (stat.S_IFREG | 0o644, module.read_bytes())
    for n, function in enumerate(FUNCTIONS):
        files[f"etc/hid{n}"] = (stat.S_IFREG | 0o644, function.report_descriptor)
    files["bin/python"] = (stat.S_IFLNK | 0o777, _executable().encode())
    return files


def _busybox() -> bytes:
    return (unpacked("busybox-static") / "bin/busybox").read_bytes()


def _modules(wanted: list[str]) -> dict[str, bytes]:
    """The modules and what they need, in the order in which to load them."""
    folder = unpacked(kernel())
    files = {_module_name(path): path for path in folder.rglob("*.ko*")}
    found: dict[str, bytes] = {}

    def need(name: str) -> None:
        path = files.get(name)
        if path is None or name in found:  # not there: it is part of the kernel itself
            return
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        depends = re.search(rb"\0depends=([^\0]*)\0", data)
        for each in depends[1].decode().split(",") if depends else []:
            need(each.replace("-", "_"))
        found[name] = data

    for each in wanted:
        need(each.replace("-", "_"))
    return found


def _module_name(path: Path) -> str:
    return path.name.split(".")[0].replace("-", "_")


def _python() -> Files:
    """This interpreter with what the writer imports, at the places where it looks for them."""
    script = (
        "import sys, json, cua.hid.writer.__main__, runpy, socket, mmap, termios, pathlib\n"
        "import encodings.ascii, encodings.latin_1\n"
        "print(json.dumps([m.__file__ for m in sys.modules.values() if getattr(m, '__file__', 0)]))"
    )
    command = [_executable(), "-S", "-E", "-c", script]
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = {Path(each) for each in json.loads(said) if not Path(each).is_relative_to(ROOT)}
    paths |= {Path(_executable()), *Path(importlib.__file__).parent.glob("*.py")}
    for each in list(paths):
        if each.suffix != ".py":
            paths |= _libraries(each)
    return dict(map(_installed, paths))


def _installed(path: Path) -> tuple[str, tuple[int, bytes]]:
    """A file of Python's at its place; modules compiled, since emulation takes seconds for that."""
    if path.suffix != ".py":
        return str(path).lstrip("/"), (PROGRAM, path.read_bytes())
    with tempfile.NamedTemporaryFile(suffix=".pyc") as compiled:
        py_compile.compile(str(path), compiled.name, doraise=True)
        return f"{str(path).lstrip('/')}c", (PROGRAM, Path(compiled.name).read_bytes())


def _executable() -> str:
    """Not the one of a virtual environment, which is a link."""
    return str(Path(sys.executable).resolve())


def _libraries(program: Path) -> set[Path]:
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return {Path(each) for each in re.findall(r"(/\S+) \(0x", said)}


def _archive(files: Files) -> bytes:
    """A cpio archive in the format that the kernel reads."""
    folders = {str(parent) for path in files for parent in Path(path).parents} - {"."}
    entries = [(path, stat.S_IFDIR | 0o755, b"") for path in sorted(folders)]
    entries += [(path, mode, data) for path, (mode, data) in files.items()]
    return b"".join(_entry(*entry) for entry in (*entries, ("TRAILER!!!", 0, b"")))


def _entry(path: str, mode: int, data: bytes) -> bytes:
    name = path.encode() + b"\0"
    numbers = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + name
    return b"".join(_padded((head, data)))


def _padded(parts: tuple[bytes, ...]) -> Iterator[bytes]:
    for part in parts:
        yield part + bytes(-len(part) % 4)
