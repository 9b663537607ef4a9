"""The fixed part of a reproducing script: what every one of them needs, with NumPy alone."""

from __future__ import annotations

__all__ = ["BODY"]

BODY = r'''

def generated(dtype, shape, distribution, params, seed):
    """Values as xpudbg makes them: PCG64, drawn in float64 in blocks of 1 Mi elements, then cast."""
    out = np.empty(shape, dtype)
    flat = out.reshape(-1)
    rng = np.random.Generator(np.random.PCG64(seed))
    parts = [flat]
    if flat.dtype.kind == "c":
        pairs = flat.view(flat.real.dtype).reshape(-1, 2)
        parts = [pairs[:, 0], pairs[:, 1]]
    for part in parts:
        for at in range(0, part.size, 1 << 20):
            block = part[at : at + (1 << 20)]
            count = block.size
            if distribution == "uniform":
                low, high = params
                values = low + (high - low) * rng.random(count)
            elif distribution == "normal":
                mean, sigma = params
                values = mean + sigma * rng.standard_normal(count)
            elif distribution == "randint":
                values = rng.integers(int(params[0]), int(params[1]), count)
            elif distribution == "arange":
                start, step = (int(p) if all(q == int(q) for q in params) else p for p in params)
                values = start + step * np.arange(at, at + count)
            else:
                value = {"zeros": 0.0, "ones": 1.0}.get(distribution)
                values = np.array([params[0] if value is None else value])
            with np.errstate(over="ignore", invalid="ignore"):
                block[...] = values.astype(block.dtype)
    return out


def embedded(dtype, shape, text):
    return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()


@functools.cache
def _archive():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), ARCHIVE)
    with np.load(path, allow_pickle=False) as members:
        return {name: members[name] for name in members.files}


def stored(name):
    return _archive()[name]


def bits(logical, array):
    """Values of a dtype that NumPy lacks, told by their bits; pairs of float16 for complex32."""
    return Bits(logical, array)


class Bits:
    def __init__(self, logical, array):
        self.logical, self.array = logical, array


def to_framework(value, framework):
    if value is None:
        return None
    if isinstance(value, list):
        return [to_framework(one, framework) for one in value]
    if framework.__name__ == "torch":
        if not isinstance(value, Bits):
            return torch_tensor(framework, value)
        if value.logical == "complex32":
            return framework.view_as_complex(torch_tensor(framework, value.array))
        whole = value.array.view(np.int16) if value.array.dtype.itemsize == 2 else value.array
        return torch_tensor(framework, whole).view(getattr(framework, value.logical))
    if not isinstance(value, Bits):
        return value
    if value.logical == "complex32":
        return value.array[..., 0].astype(np.complex64) + 1j * value.array[..., 1].astype(np.complex64)
    import ml_dtypes

    return value.array.view(getattr(ml_dtypes, value.logical))


def torch_tensor(torch, array):
    return torch.from_numpy(np.array(array, order="C"))


def from_framework(value, logical=None):
    """A result as a NumPy array; what NumPy lacks as float32 or complex64, which hold it exactly."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().resolve_conj().resolve_neg()
        name = str(value.dtype).removeprefix("torch.")
        if name == "complex32":
            value = value.to(getattr(__import__("torch"), "complex64"))
        elif name == "bfloat16" or name.startswith("float8"):
            value = value.float()
        value = value.numpy()
    value = np.asarray(value)
    return value.astype(np.float32) if value.dtype.isbuiltin != 1 else value


def ways_to_call(function):
    named = {**ATTRS, **INPUTS}
    by_position = (list(INPUTS.values()), {k: v for k, v in ATTRS.items() if k not in INPUTS})
    ways = [([], named), by_position]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ways
    fitting = []
    for args, kwargs in ways:
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            continue
        fitting.append((args, kwargs))
    return fitting[:1] or ways


def run():
    module, _, name = API.rpartition(".")
    root = API.partition(".")[0]
    if root not in ("numpy", "torch"):
        print(f"{API or 'this operator'} can't be run here: only functions of numpy and torch are. The inputs:")
        for key, value in INPUTS.items():
            print(f"  {key}: {described(value)}")
        return None
    try:
        framework = importlib.import_module(root)
        owner = framework
        for step in module.split(".")[1:]:
            owner = getattr(owner, step, None) or importlib.import_module(f"{owner.__name__}.{step}")
        function = getattr(owner, name)
    except (ImportError, AttributeError) as error:
        print(f"{API} is not here: {error}")
        return None
    for key in list(INPUTS):
        INPUTS[key] = to_framework(INPUTS[key], framework)
    ways = ways_to_call(function)
    for at, (args, kwargs) in enumerate(ways):
        try:
            return function(*args, **kwargs)
        except (TypeError, RuntimeError) as error:
            other_way = isinstance(error, TypeError) or "match any schema" in str(error)
            if at == len(ways) - 1 or not other_way:
                raise
    raise AssertionError


def described(value):
    if isinstance(value, list):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, Bits):
        return f"{value.logical}{list(value.array.shape)}"
    return "None" if value is None else f"{value.dtype}{list(value.shape)}"


def named_outputs(result):
    slots = list(result) if isinstance(result, (tuple, list)) else [result]
    named = {}
    for at, slot in enumerate(slots):
        if isinstance(slot, (tuple, list)):
            named.update({f"{at}.{inner}": from_framework(one) for inner, one in enumerate(slot)})
        elif slot is not None:
            named[str(at)] = from_framework(slot)
    return named


def wide(value):
    """Expected values, as `from_framework` gives results."""
    if not isinstance(value, Bits):
        return value
    if value.logical == "complex32":
        return value.array[..., 0].astype(np.complex64) + 1j * value.array[..., 1].astype(np.complex64)
    if value.logical == "bfloat16":
        return (value.array.astype(np.uint32) << 16).view(np.float32)
    import ml_dtypes

    return value.array.view(getattr(ml_dtypes, value.logical)).astype(np.float32)


def compared(name, actual, expected):
    """One line on the difference, and whether it is within the tolerance."""
    expected = wide(expected)
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}", False
    if actual.size == 0:
        return "empty, as expected", True
    if expected.dtype.kind not in "fc":
        different = int(np.count_nonzero(actual != expected))
        return f"{different:,} of {actual.size:,} elements differ", different == 0
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(actual.astype(np.result_type(expected, np.float64)) - expected)
        close = np.isclose(actual, expected, rtol=RTOL, atol=ATOL, equal_nan=True)
    bad = int(np.count_nonzero(~close))
    finite = apart[np.isfinite(apart)]
    largest = f"{finite.max():.6g}" if finite.size else "none finite"
    text = f"largest difference {largest}, {bad:,} of {actual.size:,} elements beyond rtol={RTOL:g} atol={ATOL:g}"
    if bad:
        place = np.unravel_index(int(np.flatnonzero(~close)[0]), actual.shape)
        text += f", first at {[int(i) for i in place]}: {actual[place]} instead of {expected[place]}"
    return text, bad == 0


def main():
    print(f"{TITLE} with {', '.join(f'{k}: {described(v)}' for k, v in INPUTS.items()) or 'no inputs'}; {ATTRS}")
    if RECORDED:
        print(f"recorded: {RECORDED}")
    try:
        result = run()
    except Exception as error:
        print(f"here it fails: {type(error).__name__}: {error}")
        return 1
    if result is None:
        return 2
    actual = named_outputs(result)
    right = True
    for name, array in actual.items():
        line = f"output {name}: {array.dtype}{list(array.shape)}"
        if name in EXPECTED:
            text, within = compared(name, array, EXPECTED[name])
            right = right and within
            line += f", {'as expected' if within else 'DIFFERS'}: {text}"
        print(line)
    for name in EXPECTED.keys() - actual.keys():
        print(f"output {name}: missing here")
        right = False
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
'''
