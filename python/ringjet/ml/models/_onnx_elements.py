"""Operators of ONNX files that compute element by element."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ._functions import named
from ._network import Product, Sum
from ._onnx_call import Call, Tensor, Value, text
from ._onnx_windows import larger


def function(name: str) -> Callable[[Call], Value]:
    """What reads an operator that is this activation."""
    return lambda call: call.activation(name, call.tensor())


def _aligned(call: Call) -> tuple[Value, Value, Tensor]:
    """The two inputs of a binary operator; tensors repeated to the common shape, constants without the axis of
    samples. The third result is one of the tensors."""
    values = [np.asarray(v) if not isinstance(v, Tensor) else v for v in call.inputs]
    if len(values) != 2:
        raise call.refusal(f"{len(values)} inputs", "two inputs")
    shapes = [(1, *v.shape) if isinstance(v, Tensor) else v.shape for v in values]
    shape = np.broadcast_shapes(*shapes)
    if any(len(s) != len(shape) for s, v in zip(shapes, values, strict=True) if isinstance(v, Tensor)) or shape[0] != 1:
        raise call.refusal(f"shapes {shapes}", "shapes that broadcast without moving axis 0, the samples")
    made: list[Value] = []
    for value in values:
        if isinstance(value, Tensor):
            made.append(call.expanded(value, shape[1:]))
        else:
            numbers = value.astype(float)
            made.append(numbers[0] if numbers.ndim == len(shape) else numbers)
    return made[0], made[1], next(v for v in made if isinstance(v, Tensor))


def add(call: Call) -> Value:
    """Add."""
    a, b, x = _aligned(call)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return call.add(Sum((1, 1)), a, b, shape=x.shape)
    return call.scaled(x, 1.0, b if isinstance(a, Tensor) else a)  # type: ignore[arg-type]


def subtract(call: Call) -> Value:
    """Sub."""
    a, b, x = _aligned(call)
    if isinstance(a, Tensor):
        return call.add(Sum((1, -1)), a, b, shape=x.shape) if isinstance(b, Tensor) else call.scaled(x, 1.0, -b)
    return call.scaled(x, -1.0, a)


def multiply(call: Call) -> Value:
    """Mul."""
    a, b, x = _aligned(call)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return call.activation("square", a) if a == b else call.add(Product(), a, b, shape=x.shape)
    return call.scaled(x, b if isinstance(a, Tensor) else a, 0.0)  # type: ignore[arg-type]


def divide(call: Call) -> Value:
    """Div."""
    divisor = call.inputs[1]
    if isinstance(divisor, Tensor):
        call.inputs[1] = call.activation("reciprocal", divisor)
    else:
        with np.errstate(divide="ignore"):
            call.inputs[1] = 1 / call.numbers(1, "a divisor")
    return multiply(call)


def total(call: Call) -> Value:
    """Sum."""
    return call.add(
        Sum((1,) * len(call.inputs)), *(call.tensor(i) for i in range(len(call.inputs))), shape=_common(call)
    )


def _common(call: Call) -> tuple[int, ...]:
    shapes = {call.tensor(i).shape for i in range(len(call.inputs))}
    if len(shapes) > 1:
        raise call.refusal(f"shapes {sorted(shapes)}", "inputs of one shape, or Add, which repeats elements")
    return shapes.pop()


def extreme(call: Call) -> Value:
    """Max and Min of two values, or of a value and a number."""
    a, b, x = _aligned(call)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if call.op == "Max":
            return larger(call, a, b)
        return call.scaled(larger(call, call.scaled(a, -1.0, 0.0), call.scaled(b, -1.0, 0.0)), -1.0, 0.0)
    bound = np.unique(b if isinstance(a, Tensor) else a)  # type: ignore[arg-type]
    if len(bound) != 1:
        raise call.refusal("several bounds", "the same bound for all elements")
    return _clipped(call, x, *((bound[0], math.inf) if call.op == "Max" else (-math.inf, bound[0])))


def clip(call: Call) -> Value:
    """Clip."""
    ends = []
    for i, (name, default) in enumerate((("min", -math.inf), ("max", math.inf)), start=1):
        value = call.attribute(name)
        if value is None and i < len(call.inputs):
            found = call.constant(i, "a bound")
            value = None if found is None else found.ravel()[0]
        ends.append(default if value is None else float(value))
    return _clipped(call, call.tensor(), *ends)


def _clipped(call: Call, x: Tensor, low: float, high: float) -> Tensor:
    if not low <= high:
        raise call.refusal(f"bounds {low} and {high}", "min <= max")
    return call.activation("relu" if (low, high) == (0, math.inf) else named("clip", low, high), x)


def leaky(call: Call) -> Value:
    """LeakyRelu, and PRelu with one slope."""
    slope = call.attribute("alpha", 0.01)
    if call.op == "PRelu":
        slopes = np.unique(call.numbers(1, "a slope"))
        if len(slopes) != 1:
            raise call.refusal(f"{len(slopes)} slopes", "PRelu with one slope, or LeakyRelu")
        slope = slopes[0]
    return call.activation(named("leaky relu", slope), call.tensor())


def hard_sigmoid(call: Call) -> Value:
    """HardSigmoid."""
    x, alpha, beta = call.tensor(), call.attribute("alpha", 0.2), call.attribute("beta", 0.5)
    if abs(alpha - 1 / 6) < 1e-7 and beta == 0.5:
        return call.activation("hard sigmoid", x)
    return call.activation(named("clip", 0, 1), call.scaled(x, alpha, beta))


def gelu(call: Call) -> Value:
    """Gelu."""
    exact = text(call.attribute("approximate", "none")) == "none"
    return call.activation("gelu" if exact else "gelu tanh", call.tensor())


def swish(call: Call) -> Value:
    """Swish."""
    x, alpha = call.tensor(), float(call.attribute("alpha", 1.0))
    if alpha == 1:
        return call.activation("silu", x)
    return call.scaled(call.activation("silu", call.scaled(x, alpha, 0.0)), 1 / alpha, 0.0)


def selu(call: Call) -> Value:
    """Selu."""
    alpha, gamma = call.attribute("alpha", 1.6732631921768188), call.attribute("gamma", 1.0507010221481323)
    return call.scaled(call.activation(named("elu", alpha), call.tensor()), gamma, 0.0)


def celu(call: Call) -> Value:
    """Celu."""
    x, alpha = call.tensor(), float(call.attribute("alpha", 1.0))
    return call.scaled(call.activation(named("elu", 1.0), call.scaled(x, 1 / alpha, 0.0)), alpha, 0.0)


def power(call: Call) -> Value:
    """Pow with a constant exponent."""
    x, exponents = call.tensor(), np.unique(call.numbers(1, "an exponent"))
    known = {2.0: "square", 0.5: "square root", -0.5: "inverse square root", -1.0: "reciprocal"}
    exponent = exponents[0] if len(exponents) == 1 else math.nan
    if exponent == 1:
        return x
    if exponent not in known and not (exponent > 2 and exponent == int(exponent)):
        raise call.refusal(f"exponents {exponents}", "one exponent: a whole number from 1, -1, 0.5 or -0.5")
    return call.activation(known.get(exponent, f"power {int(exponent)}" if exponent > 2 else ""), x)


def same(call: Call) -> Value:
    """Identity and Dropout."""
    if call.op == "Dropout" and (len(call.inputs) > 2 and np.any(call.constant(2, "training_mode"))):
        raise call.refusal("training_mode", "a file that was exported in evaluation mode")
    return call.tensor()


def cast(call: Call) -> Value:
    """Cast to real numbers."""
    # 1, 10, 11, 16: float, float16, double, bfloat16
    if call.attribute("to") not in (1, 10, 11, 16):
        raise call.refusal("a result of whole numbers or truths", "real numbers")
    return call.tensor()
