"""Markdown tables, units, names of processors, and what sections say of their measurement."""


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


def commit(result):
    """The commit that was measured."""
    changed = ", with uncommitted changes" if result["changed_files"] else ""
    return f"commit `{result['commit'][:12]}`{changed}"


def measured(result):
    """The day, the commit and the processor."""
    return f"Measured on {result['date']} at {commit(result)}: {processor(result['machine'])}"


def machine(result):
    """The same, with the rest of the machine."""
    m = result["machine"]
    virtual = " (virtual machine)" if m["virtual"] else ""
    return f"{measured(result)}{virtual}, {m['cores']} cores, {m['memory_gib']} GiB, {m['system']}, {m['rustc']}"


def shell(result):
    """The command that measures, as a block of code."""
    return ["```sh", result["command"].strip(), "```"]


def warning(result, rings="Small insecure rings"):
    """What a section of a result that only tests the script begins with."""
    text = f"**{rings}, to see whether everything runs: these figures mean nothing.**"
    return [text, ""] if result["insecure"] else []
