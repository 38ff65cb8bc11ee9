"""The file system that the program sees: one folder of the host's, under its own name."""

import errno
import os


class Files:
    """Descriptors are the host's. Paths outside of the folder are forbidden, as by a sandbox."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self.current = self.folder
        self._open: set[int] = set()

    def path(self, path: bytes, follow: bool = False) -> str:
        """PATH on the host. Links in its folders are followed; its last part only if FOLLOW."""
        text = os.path.join(self.current, os.fsdecode(path))
        if follow:
            real = os.path.realpath(text)
        else:
            folder, leaf = os.path.split(text)
            real = os.path.join(os.path.realpath(folder), leaf)
        if real != self.folder and not real.startswith(self.folder + "/"):
            raise PermissionError(errno.EPERM, f"{real}: outside of {self.folder}")
        return real

    def open(self, path: bytes, flags: int, mode: int) -> int:
        follow = not flags & os.O_NOFOLLOW
        return self.add(os.open(self.path(path, follow), flags, mode))

    def add(self, descriptor: int) -> int:
        self._open.add(descriptor)
        return descriptor

    def close(self, descriptor: int) -> None:
        """A descriptor of the harness is none of the program's."""
        if descriptor not in self._open:
            if descriptor in (0, 1, 2):
                return
            raise OSError(errno.EBADF, "bad file descriptor")
        self._open.discard(descriptor)
        os.close(descriptor)
