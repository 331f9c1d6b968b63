"""Trains networks with learned quadratics: on labels, and by distillation of a network with rectifiers."""

import copy
import math

import torch
from quadratic_networks import Hermite, cross_entropy, frozen
from torch import nn
from torch.nn import functional

#: How far crops of augmented images are shifted at most.
SHIFT = 4

#: The weight of the distance of features in the loss of distillation, beside the cross entropy.
FEATURES = 1.0


def rates(optimiser, steps, warm=0.1):
    """A learning rate that rises over a share of the steps, and then falls to 0 as a cosine."""

    def share(step):
        at = (step + 1) / steps
        return at / warm if at < warm else 0.5 + 0.5 * math.cos(math.pi * (at - warm) / (1 - warm))

    return torch.optim.lr_scheduler.LambdaLR(optimiser, share)


def trained(model, x, y, *, epochs=60, batch=64, seed=0):
    """Trains on labels with Adam; each image is shifted by up to a pixel."""
    draws = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
    schedule = rates(optimiser, epochs * (len(x) // batch))
    model.train()
    for _ in range(epochs):
        for part in torch.randperm(len(x), generator=draws)[: len(x) // batch * batch].split(batch):
            loss = functional.cross_entropy(model(shifted(x[part], 1, draws)), y[part], label_smoothing=0.05)
            stepped(optimiser, loss, model)
            schedule.step()
    return model.eval()


def stepped(optimiser, loss, model):
    """A step along the gradient, of bounded length: those of quadratics have long tails."""
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


def shifted(x, most, draws):
    """Each image shifted by up to `most` pixels in both directions, with zeros from outside."""
    wide = functional.pad(x, [most] * 4)
    at = torch.randint(0, 2 * most + 1, (len(x), 2), generator=draws)
    height, width = x.shape[2:]
    return torch.stack([image[:, i : i + height, j : j + width] for image, (i, j) in zip(wide, at.tolist())])


def augmented(x, draws):
    """Images that are shifted, mirrored by chance, and a third of them mixed with another one."""
    x = shifted(x, SHIFT, draws)
    mirrored = torch.rand(len(x), generator=draws) < 0.5
    x = torch.where(mirrored[:, None, None, None], x.flip(3), x)
    share = torch.rand(len(x), generator=draws) * (torch.rand(len(x), generator=draws) < 1 / 3) / 2
    return torch.lerp(x, x[torch.randperm(len(x), generator=draws)], share[:, None, None, None])


# --- distillation ---


def activations(model):
    """The owner and the name of each rectifier, in the order of computation."""
    blocks = [(block, name) for block in model.blocks for name in ("between", "last")]
    return [(model, "activation"), *blocks]


def nearest(values):
    """The expansion of each channel that is nearest to the rectifier on its values, in the mean square."""
    x = values.transpose(0, 1).flatten(1).double()
    bases = torch.stack(
        [(base - base.mean(1, keepdim=True)) / (base.std(1, keepdim=True) + 1e-6) for base in (x, x * x)]
    )
    wanted = x.relu()
    products = torch.einsum("ict,jct->cij", bases, bases) / x.shape[1] + 1e-4 * torch.eye(2)
    factors = torch.linalg.solve(products, torch.einsum("ict,ct->ci", bases, wanted) / x.shape[1])
    return Hermite(len(x), factors.T.float().clone(), wanted.mean(1).float())


def seen(model, owner, name, x):
    """The inputs of an activation."""
    found = []
    with torch.no_grad(), getattr(owner, name).register_forward_pre_hook(lambda _, inputs: found.append(inputs[0])):
        model(x)
    return found[0]


def distance(student, teacher, x):
    """The loss of distillation: of the scores, and of the features relative to the size of the teacher's."""
    with torch.no_grad():
        wanted = teacher.features(x)
        scores = teacher.scores(wanted[-1])
    found = student.features(x)
    apart = [functional.mse_loss(a, b) / b.square().mean() for a, b in zip(found, wanted, strict=True)]
    return cross_entropy(student.scores(found[-1]), scores) + FEATURES * sum(apart)


def distilled(teacher, x, *, steps=1800, batch=50, rate=1e-3, seed=0, report=lambda text: None):
    """A copy of a network with quadratics instead of rectifiers. Each rectifier in turn gives way to the quadratic that
    is nearest to it on what the quadratics before it give. Then all weights learn to give what the teacher gives, after
    each block and as scores, on augmented images."""
    draws = torch.Generator().manual_seed(seed)
    student = copy.deepcopy(teacher).train()
    for owner, name in activations(student):
        setattr(owner, name, nearest(seen(student, owner, name, augmented(x, draws))))
    optimiser = torch.optim.AdamW(student.parameters(), lr=rate, weight_decay=1e-4)
    schedule, recent = rates(optimiser, steps), []
    for step in range(1, steps + 1):
        part = torch.randperm(len(x), generator=draws)[:batch]
        loss = distance(student, teacher, augmented(x[part], draws))
        stepped(optimiser, loss, student)
        schedule.step()
        recent = [*recent[-99:], float(loss.detach())]
        if step % 100 == 0:
            report(f"step {step}: loss {sum(recent) / len(recent):.3f}")
    return frozen(student)
