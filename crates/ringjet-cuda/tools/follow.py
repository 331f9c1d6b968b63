"""What recorded launches execute and move, from the machine code of their kernels (machine_code.py).

A thread is followed for each limb, polynomial and thread group of a launch: the first of block 0 in
the first dimension. The threads of a group, and the blocks of that dimension, do the same at other
coefficients. A warp of the first block is followed thread by thread, to see how its accesses to
memory coalesce, and which of them need the same bank of shared memory.
"""

import bisect
import collections
import re

from instructions import DATA, MASK, Unknown
from machine_code import PARAMETERS

Traffic = collections.namedtuple("Traffic", "allocation limb store bytes")


class Followed:
    """What a launch does. instructions: of warps, by kind. shared: wavefronts of accesses to shared memory.
    global_: likewise to global memory. cached: bytes between multiprocessors and the second-level cache.
    traffic: each limb that a block reads or writes, in the order of blocks. tables: bytes of constants."""

    def __init__(self):
        self.instructions = collections.Counter()
        self.shared = self.global_ = self.cached = 0
        self.traffic, self.tables = [], set()


class Program:
    """A recorded program."""

    def __init__(self, recorded, kernels):
        self.recorded, self.kernels = recorded, kernels
        allocated = sorted((at, words) for at, words in recorded["allocated"])
        self.starts, self.sizes = [at for at, _ in allocated], [8 * words for _, words in allocated]
        self.memory, self.constants = {}, set()
        for at, words in recorded["uploaded"]:
            self.constants.add(self.allocation(at))
            self.memory.update(zip(range(at, at + 8 * len(words), 8), words))
        self.known = {}

    def allocation(self, address):
        """The start of the allocation that has this address, or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        return self.starts[i] if i >= 0 and address < self.starts[i] + max(self.sizes[i], 8) else None

    def word(self, address):
        if address is DATA:
            raise Unknown("data decides about an address")
        word = self.memory.get(address & ~7)
        return DATA if word is None else word >> 8 * (address & 4) & MASK

    def normal(self, launch):
        """The launch without its addresses, and its allocations of residues in the order of its arguments. Equal
        launches do the same."""
        found = []

        def plain(x):
            at = self.allocation(x) if x >> 40 else None
            if at is None or at in self.constants:
                return "large" if at is None and x >> 44 else x
            if at not in found:
                found.append(at)
            return found.index(at), x - at

        arguments = [tuple((k, tuple(map(plain, v)) if isinstance(v, list) else plain(v)) for k, v in sorted(a.items()))
                     for a in launch["arguments"]]
        return (launch["kernel"], *launch["blocks"], *launch["threads"], launch["shared"], *arguments), found

    def follow(self, launch):
        """What a launch does, and its allocations."""
        key, allocations = self.normal(launch)
        if key not in self.known:
            try:
                self.known[key] = self.measure(launch, allocations)
            except Unknown as failure:
                raise Unknown(f"{launch['kernel']}: {failure}") from failure
        return self.known[key], allocations

    def bank(self, launch):
        """Constant bank 0: sizes of blocks and grid, then the arguments."""
        words = [0] * (PARAMETERS // 4)
        words[0:6] = [*launch["threads"], 1, *launch["blocks"]]

        def put(x, size):
            if size == 8 and len(words) % 2:
                words.append(0)
            words.append(x & MASK)
            if size == 8:
                words.append(x >> 32)

        for a in launch["arguments"]:
            if "list" in a:
                for x in a["list"] + [0] * (LIST_WORDS - len(a["list"])):
                    put(x, 8)
            elif "words" in a:
                put(a["words"], 8)
                put(a["chosen"], 8)
                for x in (a["stride"], a["polys"], a["n"], 0):
                    put(x, 4)
            elif "constants" in a:
                put(a["constants"], 8)
            else:
                put(a["number"], 4)
        return words

    def measure(self, launch, allocations):
        kernel, bank, done = self.kernels(launch["kernel"]), self.bank(launch), Followed()
        (bx, by, bz), (tx, ty) = launch["blocks"], launch["threads"]

        def thread(x, y, block_y, block_z):
            special = {"SR_TID.X": x, "SR_TID.Y": y, "SR_TID.Z": 0, "SR_CTAID.X": 0, "SR_CTAID.Y": block_y,
                       "SR_CTAID.Z": block_z, "SR_CgaCtaId": 0}
            return kernel.follow(special, bank, self.word)

        ratio = self.coalescing(kernel, [thread(t % tx, t // tx, 0, 0)[1] for t in range(min(32, tx * ty))])
        share = shares(launch)
        for block_z in range(bz):
            for block_y in range(by):
                threads = [thread(0, y, block_y, block_z) for y in sorted({0, ty - 1})]
                alike = all(counts == threads[0][0] for counts, _ in threads)
                threads = threads[:1] if alike else [thread(0, y, block_y, block_z) for y in range(ty)]
                self.add(done, kernel, threads, bx, tx if not alike else tx * ty, ratio, allocations, share)
        return done

    def add(self, done, kernel, threads, blocks, weight, ratio, allocations, share):
        """Adds a block for each of `blocks`; `weight` threads do what each of `threads` does."""
        wavefronts_shared, wavefronts_global, sectors = ratio
        seen = {}
        for counts, trace in threads:
            for kind, number in kernel.instructions(counts).items():
                done.instructions[kind] += number * blocks * max(weight / 32, 1 / 32)
            for number, address in trace:
                space, store, size = kernel.accesses[number]
                if space == "shared":
                    done.shared += blocks * weight / 32 * wavefronts_shared * size / 8
                elif space == "global":
                    at = self.allocation(address)
                    if at is None:
                        raise Unknown(f"an access to address {address}, where nothing was allocated")
                    if at in self.constants:
                        done.global_ += blocks * weight / 32
                        done.tables.add((at, address, size))
                        continue
                    done.global_ += blocks * weight / 32 * wavefronts_global
                    done.cached += blocks * weight * size * sectors[store]
                    seen[at, address, store] = size
        limbs = collections.Counter()
        for (at, address, store), size in seen.items():
            k = allocations.index(at)
            bytes_of_limb, part = share.get(at, share[None])
            limbs[k, (address - at) // bytes_of_limb, store] += size * weight * blocks * part
        done.traffic += [Traffic(*key, size) for key, size in limbs.items()]

    def coalescing(self, kernel, traces):
        """Of a warp: wavefronts of an access of 8 bytes to shared memory, wavefronts of one to global memory,
        and bytes moved for each byte read and written there."""
        traces = [[a for a in trace] for trace in traces]
        if any([n for n, _ in t] != [n for n, _ in traces[0]] for t in traces):
            traces = traces[:1] * len(traces)  # threads differ; such accesses count as if they were neighbours'
            return 2.0, 2.0, {False: 1.0, True: 1.0}
        found = {"shared": [0, 0], "global": [0, 0], False: [0, 0], True: [0, 0]}
        for accesses in zip(*traces):
            space, store, size = kernel.accesses[accesses[0][0]]
            addresses = [a for _, a in accesses]
            if space == "shared":
                found["shared"][0] += banks(addresses, size)
                found["shared"][1] += size / 8
            elif space == "global":
                at = self.allocation(addresses[0])
                if at is None or at in self.constants:
                    continue
                lines = {(a - at) // 128 for a in addresses}
                sectors = {(a - at) // 32 for a in addresses}
                found["global"][0] += max(len(lines), size * len(addresses) // 128)
                found["global"][1] += 1
                found[store][0] += 32 * len(sectors)
                found[store][1] += size * len(addresses)
        part = lambda key, default: found[key][0] / found[key][1] if found[key][1] else default
        return part("shared", 2.0), part("global", 2.0), {s: part(s, 1.0) for s in (False, True)}


def banks(addresses, size):
    """Wavefronts of a warp's access to shared memory: 32 banks of 4 bytes; half a warp at a time reads 8
    bytes each."""
    at_once = 32 if size <= 4 else 16 if size == 8 else 8
    total = 0
    for first in range(0, len(addresses), at_once):
        words = {a // 4 + i for a in addresses[first:first + at_once] for i in range(size // 4)}
        total += max(collections.Counter(w % 32 for w in words).values())
    return total


LIST_WORDS = 440
ROTATION_WORDS, FACTOR_WORDS = 4, 3  # kernels/rotations.cuh


def shares(launch):
    """For each allocation the bytes of a limb, and what part of the threads' accesses are to different words:
    words of compact factors are read several times. None stands for the others."""
    views = [a for a in launch["arguments"] if "words" in a and a["words"]]
    n = max(a["n"] for a in views)
    return {None: (bytes_of_a_residue(launch["kernel"]) * n, 1.0), **compact(launch, n)}


def bytes_of_a_residue(kernel):
    """Bytes in memory, by the name of an entry point: that of an arithmetic (src/arithmetic.rs) or their number
    is its last part."""
    last = kernel.rsplit("_", 1)[1]
    return int(last) if last.isdigit() else 4 if last.startswith("u32") else 6 if last.endswith("48") else 8


def compact(launch, n):
    found, size = {}, bytes_of_a_residue(launch["kernel"])
    if re.match(r"ringjet_rotate_sum", launch["kernel"]):
        terms = next(a["list"] for a in launch["arguments"] if "list" in a)
        count, sums = [a["number"] for a in launch["arguments"] if "number" in a][:2]
        for term in range(count):
            for g in range(sums):
                at = term * (ROTATION_WORDS + FACTOR_WORDS * sums) + ROTATION_WORDS + FACTOR_WORDS * g
                address, _, log_times = (terms + [0] * FACTOR_WORDS)[at:at + 3]
                if address > 1:
                    found[address] = (size * n >> log_times, 1 / (1 << log_times))
    if launch["kernel"].startswith("ringjet_expand"):
        dst, src = [a for a in launch["arguments"] if "words" in a]
        found[src["words"]] = (size * src["n"], src["n"] / dst["n"])
    return found
