"""libSystem: all modules that declare its functions."""

import libc_files  # noqa: F401
import libc_memory  # noqa: F401
import libc_output  # noqa: F401
import libc_process  # noqa: F401
