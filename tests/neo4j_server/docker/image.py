"""The local image: a Debian, a JDK of this machine, the server's jars, and an entry point of our own."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
from pathlib import Path

import docker
from docker.errors import ImageNotFound

from tests.neo4j_server.docker.mounts import unmount_below
from tests.neo4j_server.docker.programs import NoDocker, program, run
from tests.neo4j_server.jars import POM, fetched
from tests.neo4j_server.tools import Missing, java

HERE = Path(__file__).parent
REPOSITORY = "evidence-lineage/neo4j"
SOURCES = ("Container.java", "CypherShell.java")
SCRIPTS = {"entrypoint.sh": "opt/neo4j/entrypoint.sh", "cypher-shell": "usr/local/bin/cypher-shell"}
CONFIGURATION = ('ENTRYPOINT ["/opt/neo4j/entrypoint.sh"]', "VOLUME /data", "EXPOSE 7687")
SECONDS = 600

# Needed to build programs, or to read about them, and half of a JDK's size.
_LEFT_OUT = shutil.ignore_patterns("jmods", "src.zip", "docs", "include", "man", "demo")
# Devices and processes are the engine's.
_EMPTIED = tuple(f"--exclude=./{top}/*" for top in ("dev", "proc", "sys"))


def built(version: str) -> str:
    """The image of one whole version, built where the engine has none. Raises :class:`Missing`."""
    home = Path(java(version)).resolve().parent.parent
    name = f"{REPOSITORY}:{version}-{fingerprint(home)}"
    client = docker.from_env(timeout=SECONDS)
    try:
        client.images.get(name)
        print(f"image {name} is there", flush=True)
    except ImageNotFound:
        print(f"building image {name}", flush=True)
        _build(client, name, version, home)
    finally:
        client.close()
    return name


def fingerprint(home: Path) -> str:
    """Of everything that the image is made of, beside the release of the server."""
    digest = hashlib.sha256(repr((CONFIGURATION, SOURCES, SCRIPTS, str(home))).encode())
    for path in (POM, *(HERE / name for name in (*SOURCES, *SCRIPTS))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _build(client: docker.DockerClient, name: str, version: str, home: Path) -> None:
    if os.geteuid() != 0:
        raise NoDocker(f"the engine has no image {name}, and only root may make one with debootstrap")
    jars = fetched(version)
    bootstrap = program("debootstrap", "debootstrap")
    with tempfile.TemporaryDirectory(prefix="neo4j-image-") as folder:
        root, archive = Path(folder) / "root", Path(folder) / "image.tar"
        try:
            run(bootstrap, "--variant=minbase", _suite(), str(root))
        finally:
            unmount_below(root)
        shutil.rmtree(root / "var" / "cache" / "apt")
        # Links of a packaged JDK lead to other folders of this machine, some to what is not installed.
        shutil.copytree(home, root / "opt" / "java", ignore=_LEFT_OUT, ignore_dangling_symlinks=True)
        shutil.copytree(jars, root / "opt" / "neo4j" / "lib")
        run(
            *(str(home / "bin" / "javac"), "-cp", f"{jars}/*", "-d", str(root / "opt" / "neo4j" / "classes")),
            *(str(HERE / source) for source in SOURCES),
        )
        for script, where in SCRIPTS.items():
            shutil.copy(HERE / script, root / where)
        run("tar", "-C", str(root), *_EMPTIED, "-cf", str(archive), ".")
        repository, _, tag = name.partition(":")
        client.api.import_image(str(archive), repository=repository, tag=tag, changes=list(CONFIGURATION))
    # An import that failed is only told in the text that it returns.
    client.images.get(name)


def _suite() -> str:
    """This machine's own release of Debian: the JDK was built for its libraries."""
    if suite := platform.freedesktop_os_release().get("VERSION_CODENAME"):
        return suite
    raise Missing("/etc/os-release names no VERSION_CODENAME for debootstrap")
