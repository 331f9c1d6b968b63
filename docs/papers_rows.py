"""What docs/papers.md lists: the tables and figures of the five source documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """A table of numbers, which a command prints: a JSON object for each number, with `entry`,
    `quantity`, `model` (ours), `paper` and `deviation`."""

    name: str
    shows: str
    #: A name for `ringjet model table`, or a whole command.
    table: str
    #: Entry and quantity of the number that the page shows.
    example: tuple[str, str]
    why: str = ""
    how: str = "counted"
    #: A regular expression of the entries, with their quantities, that belong to this item.
    part: str = ""


@dataclass(frozen=True)
class Shown:
    """A drawing without numbers, or numbers that have a page elsewhere."""

    name: str
    shows: str
    command: str
    ours: str
    published: str = "a drawing"
    how: str = "tested"
    deviation: str = "-"
    why: str = ""


@dataclass(frozen=True)
class Document:
    title: str
    text: str
    items: tuple[Rows | Shown, ...]


ROUNDED = "The paper rounds."

CASTRO = Document(
    "de Castro et al., \"Does Fully Homomorphic Encryption Need Compute Acceleration?\"",
    "ePrint 2021/1636. [How the numbers are counted](design/cost-model.md), and which ways of counting of the authors are switches.",
    (
        Shown("Figure 1", "a client, a cloud, a square of encrypted data", "make demo",
              "[the first computation](tutorials/first-computation.md) is this flow as a program"),
        Rows("Table I", "the parameters", "I", ("castro-baseline", "MB of a ciphertext"),
                why="The library's digits share the limbs evenly; the paper counts ceil((L + 1) / dnum)."),
        Rows("Table II", "the operations, by their key switches and divisions", "II", ("Mult (Algorithm 2)", "polynomials through ModDown")),
        Rows("Table III", "the parts of a key switch", "III", ("KSKInnerProd", "limbs of keys")),
        Rows("Table IV", "costs of the parts of a key switch", "IV", ("KSKInnerProd", "GB"), why=ROUNDED),
        Rows("Table V", "costs of the operations", "V", ("Mult", "GB"), why=ROUNDED),
        Rows("Figure 2", "iterations of training between bootstraps", "fig2", ("logistic regression", "iterations between bootstraps")),
        Rows("Table VI", "the blocks of applications, by their levels", "VI", ("Bootstrap, Baseline", "levels")),
        Rows("Table VII", "costs of logistic regression and bootstrapping", "VII", ("Full LR Iteration", "GB"), why=ROUNDED),
        Rows("Table VIII", "costs of the parts of a bootstrap", "VIII", ("CoeffToSlot", "GB"), why=ROUNDED),
        Rows("Table IX", "which residues a step reads", "IX", ("NewLimb", "limbs that depend on a residue")),
        Rows("Figure 3", "the bits of two mappings of addresses", "fig3", ("Optimized, slots: column", "bits"),
                why="The column has 10 bits, and 3 of them are within a burst. A limb fills whole rows only with all 10."),
        Rows("Table X", "times of memory with both mappings", "X", ("Baseline, slot-wise", "ms"), how="simulated",
                why="Our simulator of DDR4 has one channel and a window of 32 bursts; the paper's is DRAMSim3. The paper does not state its window, nor how many slots it reads at a time."),
        Rows("Figure 4", "bytes of a bootstrap as the cache grows", "fig4", ("Baseline", "GB"), why="The other bars have no printed heights."),
        Rows("Figure 5", "bytes and operations as algorithms change", "fig5", ("PRNG keys", "GB"), why="The other bars have no printed heights."),
        Rows("Section V-B", "regression with hoisted inner products, \"about 35 %\"", "hoisted-sums", ("Baseline, saved", "% of 10^9 operations"),
                why="Operations and the bytes of the best case agree. The baseline's bytes grow by 2 %. The paper names no unit."),
        Rows("Table XI", "parameters of the baseline and of the best case", "XI", ("Best-case", "throughput"), why=ROUNDED),
        Rows("Table XII", "throughput of bootstraps", "XII", ("Our Best Throughput", "throughput"), why=ROUNDED),
        Rows("Tables XI, XII", "one bootstrap of both sets at full size, N = 2^17", "python3 bench/boot/castro.py --show",
             ("castro-best", "bits of precision"), how="measured",
             why="The paper takes 19 bits for all sets and does not state its scale; ours is 2^40. `python3 bench/boot/castro.py` measures anew."),
        Rows("Table XIII", "costs of regression with all optimisations", "XIII", ("PolyEval", "GB"),
                why="The paper prints 0.9745 GB, which is its number of multiplications."),
    ),
)  # fmt: skip

PLOT = "The figure is a plot. Its text states few of the values."
DIVISION = "The vendor's 64-bit division is counted at 390 cycles; the published times imply 530."

KLINGER = Document(
    "Klinger, \"Accelerating FHE Operations on a Processing-in-Memory System\"",
    "Lübeck 2024. No DPU was available: programs for DPUs run in an [emulator](design/pim.md), and the model's closed forms are compared with it."
    " The clock, 350 MHz, and the occupancy of the transfer engine are fitted to published times.",
    (
        Shown("Figure 2.1", "bytes of a word on the chips of a module", "",
              "the vendor's library, or the [emulator](design/pim.md), moves bytes to a DPU; no program of ours sees this layout", how="-"),
        Rows("Figure 3.1", "cycles of integers of 8 to 64 bits", "klinger-fig3.1", ("own 32-bit product, 64 bits of the result", "cycles"),
                why="Published are four cycles more than the instructions of the compiler's routine."),
        Rows("Figure 3.2", "cycles of 128-bit integers, first program", "klinger-fig3.2", ("128-bit sum", "cycles"),
                why="Cycles saved are 10 of a sum and 9.5 of a difference, which adds the modulus in half of all cases."),
        Rows("Figure 3.3", "times of sums of polynomials, first program", "klinger-fig3.3", ("40960 polynomials", "computation, ms"), how="emulated", why=PLOT),
        Rows("Figure 3.4", "times of products of polynomials, first program", "klinger-fig3.4", ("40960 polynomials", "computation, ms"), how="emulated",
                why="At the vendor's 400 MHz it would be 982 ms."),
        Rows("Figure 3.5", "cycles of 128-bit integers, after each step", "klinger-fig3.5", ("128-bit sum, carries", "change of cycles"),
                why="The text leaves open which of the 256-bit operations get carries."),
        Rows("Figure 3.6", "times of polynomials, after each step", "klinger-fig3.6", ("sums, all steps", "largest change of time"), how="emulated",
                why="Sums with carries: 10 instructions less for a coefficient, which the thesis measures, are more time than it reports."
                    " Products with buffers: a change of a thousandth."),
        Shown("Figure 4.1", "a butterfly of the transform", "cargo test -p ringjet-pim transforms_are_those_of_the_reference",
              "a transform of the emulated program equals the reference"),
        Rows("Figure 4.2", "transforms on a CPU by threads", "klinger-fig4.2", ("NTT, 1 thread", "ms"), how="modelled",
                why="Published is SEAL without AVX-512; ours is this library with IFMA."),
        Rows("Figure 4.3", "the task on 16 threads of a CPU", "klinger-fig4.3", ("BGV products", "ms"), how="modelled",
                why="Published is SEAL; ours is this library with IFMA."),
        Rows("Figure 4.4", "times after each step", "klinger-fig4.4", ("scrambled, NTT", "ms"), how="emulated",
                why=f"{DIVISION} Stages with small groups cost more there, which the text does not explain."),
        Shown("Figure 4.5", "the order of the butterflies", "cargo test -p ringjet-pim transforms_are_those_of_the_reference",
              "a transform of the emulated program equals the reference"),
        Rows("Figure 4.6", "watts of both systems", "klinger-fig4.6", ("PIM system, modules", "W"), how="modelled", why=PLOT),
        Rows("Figure 4.7", "joules of both systems", "klinger-fig4.7", ("NTT, modules", "J"), how="modelled",
                why="The verdict is the published one: DPUs take 1.5 to 4.2 times the energy of SEAL."),
        Rows("The text", "numbers outside of figures", "klinger-text", ("products of 163,840 sub-polynomials of 27 bits", "ms"), how="emulated",
                why=f"{DIVISION} Transforms of the last program are 2 to 8 % faster here."),
    ),
)  # fmt: skip

V100 = "Predicted with the bandwidth of a data sheet, and with arithmetic and memory fully overlapped."
SCALAR = "The source's CPU program is scalar; the model's has AVX-512 IFMA."

TALK = Document(
    "Lee's talk on Jung et al., \"Over 100x Faster Bootstrapping\"",
    "\"Over 100x Faster Bootstrapping in Fully Homomorphic Encryption through Memory-centric Optimization with GPUs\", ePrint 2021/508. The talk has no numbered tables, so a row names what it shows. Times of a V100 are predicted. The same steps are"
    " [measured on a CPU](benchmarks.md#without-each-optimisation).",
    (
        Rows("Ciphertexts and caches", "sizes of ciphertexts and caches, operations against plain numbers", "jung-operations",
             ("v100", "bytes of the last-level cache"), why="The talk gives 6 MB and 256 MB, and ranges: ciphertexts of 10 to some 100 MB.", part=r"MB|residues|slot|cache"),
        Rows("Choice of dnum", "time of a product by number of digits", "jung-dnum", ("dnum = 3", "ms of a product, V100"), how="modelled",
             why="The figure has no printed numbers. `python3 bench/model/digits.py` measures the same on a CPU and draws the [curve](benchmarks.md)."),
        Rows("Roofline of a product", "operations a byte", "jung-operations", ("product, N = 2^17, 30 primes, dnum = 3, V100", "operations a byte"),
             how="modelled", why="The plot has no printed numbers. Below 1.1 operations a byte memory is slower than arithmetic, as the talk says.", part=r"operations a byte"),
        Rows("Fusion within operations", "products and rotations after each fusion", "jung-operations",
             ("N = 2^16, 35 primes, dnum = 35, fusion within operations", "ms of a product"), how="predicted",
             why=f"{V100} The 7.02x are against another implementation; ours are against our own baseline.", part=r"ms of|product, times"),
        Rows("Bootstrapping latency", "a bootstrap after each step, two parameter sets", "jung", ("jung-n16, hoisting", "ms"), how="predicted",
             why=f"{V100} The gains of batching and hoisting agree within 4 %. {SCALAR}", part=r"jung.*(, ms|, s|faster)"),
        Rows("Linear transforms", "their share of a bootstrap", "jung", ("jung-n16, fusion within operations", "share of linear transforms"), how="modelled",
             why="The source does not state the parameters of its share.", part=r"share"),
        Rows("Amortised product", "time of a product, bootstraps included", "jung", ("jung-n16, hoisting", "ms of a product, amortised"), how="predicted",
             why="The figure has no printed numbers.", part=r"amortised"),
        Rows("Logistic regression", "40 times faster than eight threads", "jung", ("logistic regression, eight threads", "times faster"), how="predicted", why=SCALAR, part=r"logistic"),
        Shown("Fused kernels", "ModUp, inner product, ModDown", "cargo test -p ringjet-papers forms_and_fusions_are_left_out_and_bits_stay",
              "each fusion left out: the same bits"),
    ),
)  # fmt: skip

PUBLISHED = "python3 bench/heaan/published.py"
THREADS = "Ours has 2 threads, the paper 24, on other processors."
BOUND = "The prediction is a lower bound: it leaves out latency that nothing hides. Pairs of variants have the paper's order, but for three."

SHORT = Document(
    "Jung et al., \"Accelerating Fully Homomorphic Encryption\"",
    "\"Accelerating Fully Homomorphic Encryption Through Microarchitecture-Aware Analysis and Optimization\", two pages. The variants `Ref`, `AVX`, `AVX-M` and `AVX-MT` are re-implemented from the text by"
    " [bench/heaan](benchmarks.md#heaan-what-each-optimisation-of-two-papers-brings), where ringjet's own product is beside them."
    " `bench/heaan/run.sh` measures them anew in five minutes; the commands below print the stored record.",
    (
        Shown("Figure 1", "the flow of a product", "cargo test -p ringjet-papers random_ciphertexts", "a product of each variant equals big integers"),
        Rows("Table I", "times of a product, and gains", f"{PUBLISHED} heaan-acc-I", ("Total, AVX-MT-24 (ours: 2 threads)", "times faster than Ref-1"),
             how="measured", why=THREADS),
        Rows("Figure 2", "gains of each variant", f"{PUBLISHED} heaan-acc-fig2", ("AVX over Ref, 1 thread", "times faster"), how="measured", why=THREADS),
        Rows("Table II", "operations a second, traffic of DRAM", "heaan-ops", ("CRT", "AVX-512 lane operations"),
             why="Traffic: ours counts all data once. iCRT probably reads its residues more than once, and tables of transforms stay in caches."),
    ),
)  # fmt: skip

LONG = Document(
    "Jung et al., \"HEAAN Demystified\"",
    "\"HEAAN Demystified: Accelerating Fully Homomorphic Encryption Through Architecture-centric Analysis and Optimization\","
    " arXiv 2003.04510. Variants of the CPU as above. Variants of the GPU are in bench/gpu/heaan004.cu; their times are"
    " [predicted](design/heaan004-prediction.md).",
    (
        Rows("Table I", "plain numbers against ciphertexts", f"{PUBLISHED} heaan-I", ("multiplication", "slowdown"), how="measured",
             why="Plain numbers are in vectors here, and so is the product. Measure anew: `python3 bench/heaan/plain.py`."),
        Rows("Table II", "products and bits of security by log Q", "heaan-II", ("log Q 1200, N 2^16", "bits of security"), how="estimated",
             why="Ours: the primal attack on a dense secret modulo Q^2, in the cost model MATZOV. The paper names neither."),
        Shown("Figure 1", "what CRT reads and writes", "cargo test -p ringjet-papers crt_gives_remainders", "CRT of each variant equals big integers"),
        Rows("Table III", "parameters", "heaan-III", ("np", "primes above 2^58")),
        Shown("Figure 2", "the flow of a product", "cargo test -p ringjet-papers random_ciphertexts", "a product of each variant equals big integers"),
        Rows("Figure 3", "shares of a product's time", f"{PUBLISHED} heaan-fig3", ("iCRT", "share of Ref's time, 1 thread"), how="measured",
             why="The paper's forward transform takes 2.7 times as long as its inverse one, so all other shares are smaller there."),
        Rows("Table IV", "operations of each function", "heaan-IV", ("CRT", "multiplications")),
        Rows("Table V", "words of input and of precomputed data", "heaan-V", ("CRT", "words of input")),
        Rows("Table VI", "numbers of primes and words", "heaan-VI", ("primes above 2^57", "primes, region 1")),
        Rows("Table VI, words", "words of 32 and of 64 bits on CPUs", "heaan-words", ("all four", "words of 32 bits over words of 64 bits"),
             why="Fewer arithmetic instructions, but 0.8 times as fast when measured: loads and broadcasts outweigh them. The paper found no gain either."),
        Rows("Table VII", "times of a product, and gains", f"{PUBLISHED} heaan-VII", ("Total, AVX-MT-24 (ours: 2 threads)", "times faster than Ref-1"),
             how="measured", why=THREADS),
        Rows("Figure 4", "gains of each variant", f"{PUBLISHED} heaan-fig4", ("AVX over Ref, 1 thread", "times faster"), how="measured", why=THREADS),
        Rows("Figure 5", "variants of iCRT and transforms on a GPU", f"{PUBLISHED} heaan-fig5", ("iCRT, GPU", "ms, predicted"), how="predicted", why=BOUND),
        Rows("Table VIII", "variants of CRT on a GPU", f"{PUBLISHED} heaan-VIII", ("GPU-Mod1", "times faster than the first, predicted"),
             how="predicted", why=BOUND),
        Rows("Table IX", "transforms on a GPU by radix", f"{PUBLISHED} heaan-IX", ("NTT, radix 4", "times faster than the first, predicted"),
             how="predicted", why=BOUND),
        Rows("Table X", "AVX-512 instructions, emulated and native", "heaan-X", ("NTT, emulated, by formula", "AVX-512 instructions"),
             why="Our kernels are counted as they are. The printed value of iNTT is below NTT's, though it divides by N besides; iCRT's needs"
                 " 22 instructions for a product that takes 18 here."),
        Rows("Figure 6", "operations by log Q", "heaan-fig6", ("log Q 600 to 1200, iCRT", "power of log Q, operations of Table IV"),
             why="The paper's power, 3, is the limit for large log Q."),
        Rows("Figure 7", "operations as log q falls", "heaan-fig7", ("log q 30", "operations of Table IV relative to log q 1200"),
             why="The paper's 24 % are operations of Table IV, which it does not weigh. The deviation of 11 % is of AVX-512 lane operations."),
        Shown("Table XI", "kinds of CKKS, in words", "", "[HEAAN beside CKKS](design/heaan.md)", published="words", how="-"),
    ),
)  # fmt: skip

DOCUMENTS = (CASTRO, TALK, KLINGER, SHORT, LONG)
