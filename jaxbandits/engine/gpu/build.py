"""The text of a kernel, compiled for XLA: to PTX by NVRTC, to a library by g++."""

import ctypes
import hashlib
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxbandits.engine.gpu.rounds import Text

THREADS = 32  # of a block
# The oldest cards with all instructions in use. The compiler must not fuse products
# and sums: compensated sums depend on it. Subnormal numbers are zero, as in XLA's
# programs for CPUs.
OPTIONS = ("--gpu-architecture=compute_80", "-std=c++17", "-fmad=false", "-ftz=true")
OPTIONS += ("-prec-div=false", "-prec-sqrt=false")
PRELUDE = (Path(__file__).parent / "prelude.h").read_text()
PTX_CALL = "__gpu$xla.gpu.ptx"  # in the GPU plugins of JAX
COMPILER = "g++"
CPU_OPTIONS = ("-O1", "-w", "-std=c++17", "-ffp-contract=off", "-shared", "-fPIC")
_FOLDER = tempfile.TemporaryDirectory(prefix="jaxbandits-")  # deleted at exit


class BuildError(RuntimeError):
    """A compiler is missing, or refuses the text of a kernel."""


def lacking(platform: str) -> str | None:
    """What is missing to build kernels for a platform; None if nothing is."""
    if platform == "cpu":
        return None if shutil.which(COMPILER) else f"{COMPILER}, which was not found"
    try:
        nvrtc()
    except BuildError as error:
        return str(error)
    return None


def on_gpu(text: Text, runs: int, threads: int = THREADS) -> tuple[str, dict[str, Any]]:
    """The call of a kernel on a GPU: the name of the target, and its attributes.

    Args:
      text: the kernel.
      runs: the number of runs that it plays.
      threads: the threads of a block, at most `rounds.MOST_THREADS`.
    """
    number, outputs = len(text.arguments), sum("const" not in x for x in text.arguments)
    sizes = dict.fromkeys(("grid_y", "grid_z", "block_y", "block_z"), 1)
    sizes |= {"grid_x": -(-runs // threads), "block_x": threads, "shared_mem_bytes": 0}
    return PTX_CALL, {
        "name": "leg",
        "kernel_type": "ptx",
        "kernel_data": ptx(text.source),
        "output_indices": np.arange(number - outputs, number, dtype=np.int32),
        **{name: np.int32(size) for name, size in sizes.items()},
    }


@cache
def ptx(source: str) -> str:
    """The PTX of a kernel.

    Raises:
      BuildError: if NVRTC is missing, or refuses the text.
    """
    library, program = nvrtc(), ctypes.c_void_p()

    def call(name, *args):
        code = getattr(library, f"nvrtc{name}")(*args)
        if code and name != "CompileProgram":
            raise BuildError(f"nvrtc{name} failed with code {code}")
        return code

    def output(kind: str) -> str:
        size = ctypes.c_size_t()
        call(f"Get{kind}Size", program, ctypes.byref(size))
        result = ctypes.create_string_buffer(size.value)
        call(f"Get{kind}", program, result)
        return result.value.decode()

    text = (PRELUDE + source).encode()
    call("CreateProgram", ctypes.byref(program), text, b"leg.cu", 0, None, None)
    options = [x.encode() for x in OPTIONS]
    try:
        array = (ctypes.c_char_p * len(options))(*options)
        if call("CompileProgram", program, len(options), array):
            raise BuildError(f"NVRTC refuses a kernel: {output('ProgramLog')[:2000]}")
        return output("PTX")
    finally:
        call("DestroyProgram", ctypes.byref(program))


@cache
def nvrtc() -> ctypes.CDLL:
    """The compiler NVRTC, of NVIDIA's wheels (in ``jax[cuda]``) or of the system.

    Raises:
      BuildError: if there is none.
    """
    pattern = "nvidia/*/lib/libnvrtc.so.*[0-9]"
    wheels = (str(path) for each in sys.path for path in Path(each).glob(pattern))
    for library in [*wheels, "libnvrtc.so"]:
        try:
            # The compiler of a wheel does not find its own second library.
            for other in sorted(Path(library).parent.glob("libnvrtc-builtins.so.*")):
                ctypes.CDLL(str(other), mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(library)
        except OSError:
            continue
    raise BuildError("NVRTC, a library that jax[cuda] brings and was not found")


@cache
def on_cpu(text: Text, runs: int) -> tuple[str, dict[str, Any]]:
    """The call of a kernel on a CPU: a target of XLA's foreign functions.

    Raises:
      BuildError: if the compiler refuses the text.
    """
    del runs
    inputs = sum("const" in each for each in text.arguments)
    pointers = [
        f"({kind})({'in' if k < inputs else 'out'}({k - inputs * (k >= inputs)}))"
        for k, kind in enumerate(text.arguments)
    ]
    handler = HANDLER % {"arguments": ", ".join(pointers)}
    source = "\n".join([PRELUDE, text.source, handler])
    name = "jaxbandits_" + hashlib.sha256(source.encode()).hexdigest()[:16]
    path = Path(_FOLDER.name, name)
    path.with_suffix(".cc").write_text(source)
    command = [COMPILER, *CPU_OPTIONS, f"-I{jax.ffi.include_dir()}"]
    command += [f"{path}.cc", "-o", f"{path}.so"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{COMPILER} refuses a kernel: {done.stderr[:2000]}")
    function = ctypes.CDLL(f"{path}.so").call
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), platform="cpu")
    return name, {}


# One run after the other. An access beyond an array makes the call an error.
HANDLER = """
#include "xla/ffi/api/c_api.h"
extern "C" XLA_FFI_Error* call(XLA_FFI_CallFrame* frame) {
  auto* more = frame->extension_start;
  if (more && more->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)more)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return nullptr;
  }
  auto in = [&](int k) { return ((XLA_FFI_Buffer*)frame->args.args[k])->data; };
  auto out = [&](int k) { return ((XLA_FFI_Buffer*)frame->rets.rets[k])->data; };
  outside = 0;
  for (this_run = 0; this_run < runs; ++this_run) leg(%(arguments)s);
  if (!outside) return nullptr;
  XLA_FFI_Error_Create_Args error = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr,
    "an entry beyond an array was read or written", XLA_FFI_Error_Code_INTERNAL};
  return frame->api->XLA_FFI_Error_Create(&error);
}
"""
