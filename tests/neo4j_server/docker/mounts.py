"""What other programs mounted below a folder, taken away before the folder is removed."""

from __future__ import annotations

import subprocess
from pathlib import Path

TABLE = Path("/proc/self/mountinfo")


def unmount_below(folder: Path) -> None:
    """Raises :class:`subprocess.CalledProcessError` where one stays: what is mounted must not be removed too."""
    mounted = [line.split()[4] for line in TABLE.read_text(encoding="utf-8").splitlines()]
    # A later one may lie inside an earlier one.
    for path in reversed([path for path in mounted if path.startswith(f"{folder}/")]):
        subprocess.run(["umount", path], check=True)
