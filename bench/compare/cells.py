"""Markdown tables, units, and names of processors."""


def seconds(s):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if s * factor >= 1 or unit == "ns":
            value = s * factor
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def rows(header, lines):
    out = ["| " + " | ".join(header) + " |", "|" + "|".join([" --- "] + [" ---: "] * (len(header) - 1)) + "|"]
    return out + ["| " + " | ".join(line) + " |" for line in lines]


def processor(machine):
    """Name, family and model of a processor; different processors may have the same name."""
    family, model, _ = machine["family_model_stepping"]
    return f"{machine['cpu']} (family {family}, model {model})"
