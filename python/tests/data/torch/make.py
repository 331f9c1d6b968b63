"""Exports small modules with both exporters of PyTorch, and stores what they compute.

Made with torch 2.15.0, onnx 1.23.2 and onnxscript 0.7.2: `python python/tests/data/torch/make.py`.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

HERE = Path(__file__).parent


class Block(nn.Module):
    """A residual block with a stride."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(4, 4, 3, 1, 1, bias=False), nn.BatchNorm2d(4))
        self.around = nn.Sequential(nn.Conv2d(3, 4, 1, 2, bias=False), nn.BatchNorm2d(4))
        self.last = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.second(self.first(x)) + self.around(x))
        return self.last(x.mean(dim=(2, 3)))


class Mixer(nn.Module):
    """Norms of layers, GELU, and layers along both axes."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.norm, self.across = nn.Linear(6, 8), nn.LayerNorm(8), nn.Linear(5, 5)
        self.inner = nn.Sequential(nn.Linear(8, 12), nn.GELU(), nn.Linear(12, 8))
        self.last = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x)
        x = x + self.inner(self.norm(x))
        x = x + self.across(x.transpose(1, 2)).transpose(1, 2)
        return torch.softmax(self.last(x.mean(1)), dim=1)


CONVOLUTIONS = [
    nn.Conv2d(1, 3, 5, padding=2),
    nn.Tanh(),
    nn.AvgPool2d(2),
    nn.Conv2d(3, 4, 3),
    nn.SiLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(4, 3),
    nn.LogSoftmax(dim=1),
]
FUNCTIONS = [
    nn.ELU(),
    nn.GELU("tanh"),
    nn.Hardtanh(-2, 2),
    nn.Hardswish(),
    nn.ReLU6(),
    nn.Softsign(),
    nn.PReLU(),
    nn.Mish(),
]
MODULES = {
    "block": (Block(), (3, 8, 8)),
    "mixer": (Mixer(), (5, 6)),
    "convolutions": (nn.Sequential(*CONVOLUTIONS), (1, 8, 8)),
    "functions": (nn.Sequential(nn.Linear(6, 6), *FUNCTIONS, nn.Linear(6, 1), nn.Sigmoid()), (6,)),
    "channels": (
        nn.Sequential(nn.Conv1d(2, 4, 3, groups=2), nn.BatchNorm1d(4), nn.MaxPool1d(2), nn.ConvTranspose1d(4, 2, 2, 2)),
        (2, 9),
    ),
}


def exported(module: nn.Module, shape: tuple[int, ...], dynamo: bool) -> onnx.ModelProto:
    """A module as a file, without the places in its source."""
    made, samples = io.BytesIO(), torch.zeros(2, *shape)
    if dynamo:
        batch = ({0: torch.export.Dim("samples", min=1, max=64)},)
        torch.onnx.export(module, (samples,), made, dynamo=True, external_data=False, dynamic_shapes=batch)
    else:
        axes = {"x": {0: "samples"}}
        torch.onnx.export(module, (samples,), made, dynamo=False, input_names=["x"], dynamic_axes=axes)
    model = onnx.load_model_from_string(made.getvalue())
    parts = [model, model.graph, *model.graph.node, *model.functions, *model.graph.initializer, *model.graph.input]
    for part in [*parts, *model.graph.output, *(node for function in model.functions for node in function.node)]:
        part.doc_string = ""
        if hasattr(part, "metadata_props"):
            del part.metadata_props[:]
    del model.graph.value_info[:]
    return model


def main() -> None:
    """Writes the files."""
    torch.manual_seed(0)
    arrays = {}
    for name, (module, shape) in MODULES.items():
        for part in module.modules():
            if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
                part.running_mean.normal_()
                part.running_var.uniform_(0.5, 2)
        module.eval()
        samples = torch.randn(4, *shape)
        arrays[f"{name}.samples"] = samples.numpy()
        arrays[f"{name}.results"] = module(samples).detach().numpy()
        for kind in ("traced", "dynamo"):
            onnx.save(exported(module, shape, kind == "dynamo"), HERE / f"{name}-{kind}.onnx")
    np.savez_compressed(HERE / "results.npz", **arrays)


if __name__ == "__main__":
    main()
