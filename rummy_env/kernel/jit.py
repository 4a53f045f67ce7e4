"""The only door to Numba: the decorators and four operations.

**Compile time.** Numba links a copy of all that a function calls into that function,
and optimizes it again there: twenty levels of calls compile the bottom twenty times.
So some functions on the way are *outlined*: compiled once, and called by address. The
addresses stand in the record that such a function takes first, its workspace.

**Many processes.** Compiled code is kept on disk, and processes that begin together, as
the workers of a training run do, read there what others have just written. Numba tells
apart what it links by a function's name and a number that counts what the process has
compiled; both agree for two functions made by one function that makes functions, if
another process counted otherwise. One of them was then linked in place of the other.
So all functions have names of their own here (`_name_apart`). Numba also numbers the
files, and two processes may take the same number; so each process has names of its own
for files, too (`_keep_apart`): what is lost then is compiled anew, never mistaken.
"""

from __future__ import annotations

import inspect
import uuid
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from threading import Lock
from typing import Any, Final, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import cgutils, event
from numba.core.types.misc import unliteral
from numba.extending import intrinsic, is_jitted

from rummy_env.kernel.cache import cache_folder
from rummy_env.kernel.notice import SlowCompileNotice

Function = TypeVar("Function", bound=Callable[..., Any])

IS_COMPILED: Final = not numba.config.DISABLE_JIT
_PROCESS: Final = uuid.uuid4().hex[:12]
"""A name of this process, on whatever machine."""
_WORD: Final = (1 << 64) - 1

OUTLINED: Final = (
    "answer_open",
    "is_table_legal",
    "has_completion",
    "mark_at_home",
    "mark_free",
    "is_completable",
    "is_soon_completable",
    "_mark_slowly",
    "_mark_with_beams",
    "_mark_rank",
    "_mark",
    "step_over",
    "_is_rank_settled",
    "begin_walk",
    "_advance",
    "_insert",
    "_relax",
    "_find",
    "_search_all",
    "walk_for_one_joker",
    "mark_names",
    "mark_lays",
    "mark_names_with_other",
    "_is_helped",
    "can_place_one",
    "can_place_two",
    "begin_plain",
    "advance_plain",
    "is_plainly_completable",
    "is_witnessed",
    "take_witness",
    "mark_witnessed",
    "mark_plain",
    "mark_single",
    "is_single_completable",
    "least_left",
    "lowest_name",
    "lowest_name_of_two",
    "name_without",
)
"""The outlined functions, in the order of their addresses."""
FOR_ALL: Final = OUTLINED[: OUTLINED.index("_mark_slowly")]
"""Those of them that games with one pack and with two packs need."""
FOR_ONE_PACK: Final = ("mark_single", "is_single_completable")
LATE: Final = ("least_left", "lowest_name", "lowest_name_of_two", "name_without")
"""Those that no game needs: they are compiled when first asked for."""
FOR_LAYOUTS: Final = (
    "begin_plain",
    "advance_plain",
    "is_plainly_completable",
    "take_witness",
)
"""Those that layouts need; games with one pack have no others for them."""
ADDRESSES: Final = "addresses"
"""The field of a workspace that holds them, int64 `[len(OUTLINED)]`."""


_CACHE_FOLDER: Final = cache_folder() if IS_COMPILED else None
if IS_COMPILED:
    event.register("numba:compile", SlowCompileNotice())


def _widen_literals(dispatcher: Any) -> None:
    """Makes calls with a constant use the code for any number of its type.

    Numba would compile a function anew for every constant that it is called with.
    """
    original = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        wide = {name: unliteral(kind) for name, kind in kws.items()}
        return original([unliteral(kind) for kind in args], wide)

    dispatcher.get_call_template = get_call_template


def _compile(function: Any, **options: Any) -> Any:
    """Returns a function compiled without the interpreter lock, and cached.

    Without Numba's memory manager, too (`_nrt`): kernels allocate nothing, so nobody
    need count who holds an array, and one that did allocate would not compile.
    """
    _name_apart(function)
    compiled = numba.njit(nogil=True, error_model="numpy", _nrt=False, **options)(
        function
    )
    if not IS_COMPILED:
        return compiled
    _widen_literals(compiled)
    if _CACHE_FOLDER is not None and _may_be_kept(function):
        previous = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(_CACHE_FOLDER)
        try:
            compiled.enable_caching()
        finally:
            numba.config.CACHE_DIR = previous
        _keep_apart(compiled)
    return compiled


_NAMED: Final = Counter[tuple[str, str]]()
"""How many functions of a module and a name have been compiled."""


def _name_apart(function: Any) -> None:
    """Gives a function a name that no other one has, the same in every process."""
    name = function.__module__, function.__qualname__
    _NAMED[name] += 1
    if _NAMED[name] > 1:
        function.__qualname__ += f".{_NAMED[name]}"


def _may_be_kept(function: Any) -> bool:
    """Tells whether compiled code can be found again by another process.

    Not that of a function made around compiled ones: Numba asks for the very objects.
    """
    cells = function.__closure__ or ()
    return not any(is_jitted(cell.cell_contents) for cell in cells)


def _keep_apart(compiled: Any) -> None:
    """Has a function's files named by the process that writes them."""
    file = compiled._cache._cache_file
    file._data_name_pattern = f"{_PROCESS}-{file._data_name_pattern}"


def kernel(function: Function) -> Function:
    """Compiles a function that other compiled functions call.

    It cannot be called from Python: without that way in, it takes much less time to
    compile. Under `NUMBA_DISABLE_JIT=1` it returns the function as it is.
    """
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _compile(function, **options)


def inlined(function: Function) -> Function:
    """Compiles a short function that is a part of whatever calls it; see `kernel`."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return _compile(function, forceinline=True, **options)


def entry(function: Function) -> Function:
    """Compiles a function that Python calls, too; see `kernel`."""
    return _compile(function)


def outlined(function: Function) -> Function:
    """Compiles a function that takes a workspace, then numbers; called by address.

    It must be named in `OUTLINED`, and its annotations be `int`, `bool` or None. The
    workspace must come from `calls.new_workspaces`.
    """
    if not IS_COMPILED:
        return function
    compiled = kernel(function)
    place, result = OUTLINED.index(function.__name__), _result_of(function)
    assert place not in _COMPILED, f"two outlined functions are {function.__name__}"
    _COMPILED[place] = (compiled, result)

    def typed(context: Any, *arguments: Any) -> Any:
        signature = result(*(unliteral(kind) for kind in arguments))
        return signature, partial(_call_at, place)

    given = inspect.signature(function)
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [context, *given.parameters.values()]
    typed.__signature__ = given.replace(parameters=parameters)  # type: ignore
    return intrinsic(typed)


_COMPILED: dict[int, tuple[Any, Any]] = {}
"""The outlined functions that have been imported, with the types of their results."""


def _result_of(function: Callable[..., Any]) -> Any:
    """Returns the compiler's type for what a function is annotated to return."""
    kinds = {"None": types.none, "int": types.int64, "bool": types.boolean}
    return kinds[function.__annotations__["return"]]


def _call_at(
    place: int, context: Any, builder: Any, signature: Any, values: Any
) -> Any:
    """Writes the call of a function whose address a workspace holds."""
    offset = signature.args[0].offset(ADDRESSES) + 8 * place
    kind = context.get_value_type(types.int64)
    at = cgutils.get_record_member(builder, values[0], offset, kind)
    address = builder.load(at)
    convention = context.call_conv
    is_missing = builder.icmp_unsigned("==", address, address.type(0))
    with cgutils.if_unlikely(builder, is_missing):
        message = ("the workspace was not made by new_workspaces, or not for this",)
        convention.return_user_exc(builder, RuntimeError, message)
    called = convention.get_function_type(signature.return_type, signature.args)
    status, result = convention.call_function(
        builder,
        builder.inttoptr(address, called.as_pointer()),
        signature.return_type,
        signature.args,
        values,
    )
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result


def needed(packs: int, with_late: bool, with_layouts: bool = False) -> frozenset[str]:
    """Returns the outlined functions that games with so many packs need."""
    if with_late:
        return frozenset(OUTLINED)
    if packs == 1:
        layouts = FOR_LAYOUTS if with_layouts else ()
        return frozenset(FOR_ALL + FOR_ONE_PACK + layouts)
    return frozenset(OUTLINED) - frozenset(FOR_ONE_PACK + LATE)


def addresses(
    workspace: np.dtype[Any],
    packs: int = 2,
    with_late: bool = False,
    with_layouts: bool = False,
) -> list[int]:
    """Returns where the outlined functions lie, compiling those that are not yet.

    Args:
        workspace: The type of record that they take.
        packs: Those that games with 1 pack or with 2 do not need are left out: 0.
        with_late: Whether all are wanted, the `LATE` ones too.
        with_layouts: Whether those `FOR_LAYOUTS` are wanted with one pack.
    """
    wanted = needed(packs, with_late, with_layouts)
    return list(_addresses(workspace, wanted, len(_COMPILED)))


@cache
def _addresses(
    workspace: np.dtype[Any], wanted: frozenset[str], _: int
) -> tuple[int, ...]:
    """Returns the same, once found; more functions may be imported later on."""
    found = [0] * len(OUTLINED)
    for place, (compiled, result) in _COMPILED.items():
        if OUTLINED[place] not in wanted:
            continue
        parameters = inspect.signature(compiled.py_func).parameters
        numbers = [types.int64] * (len(parameters) - 1)
        arguments = (numba.from_dtype(workspace), *numbers)
        compiled.compile(result(*arguments))
        made = compiled.overloads[arguments]
        name = made.fndesc.llvm_func_name
        found[place] = made.library.get_pointer_to_function(name)
    return tuple(found)


@kernel
def copy(source: Any, target: Any) -> None:
    """Copies a row of numbers; the compiler takes seconds over a slice assigned."""
    for index in range(len(target)):
        target[index] = source[index]


if IS_COMPILED:

    @kernel
    def multiply(left: Any, right: Any) -> Any:
        """Returns the product of two uint64, modulo 2**64."""
        return left * right

    @kernel
    def add(left: Any, right: Any) -> Any:
        """Returns the sum of two uint64, modulo 2**64."""
        return left + right

    @intrinsic  # type: ignore
    def fetch_add(context: Any, counter: Any, number: Any) -> Any:
        """Adds to the one number of an array; returns what it was before.

        As one operation: no two threads are returned the same.
        """

        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, values[0])
            return builder.atomic_rmw("add", array.data, values[1], "monotonic")

        return types.int64(counter, types.int64), write

else:

    def multiply(left: Any, right: Any) -> Any:
        """Returns the product of two uint64, modulo 2**64."""
        return np.uint64((int(left) * int(right)) & _WORD)

    def add(left: Any, right: Any) -> Any:
        """Returns the sum of two uint64, modulo 2**64."""
        return np.uint64((int(left) + int(right)) & _WORD)

    _ONE_AT_A_TIME: Final = Lock()

    def fetch_add(counter: Any, number: int) -> int:
        """Adds to the one number of an array; returns what it was before."""
        with _ONE_AT_A_TIME:
            before = int(counter[0])
            counter[0] = before + number
        return before
