// Command lattigo times CKKS, BGV and BFV operations of github.com/tuneinsight/lattigo/v6 and prints one JSON
// object a line. See ../README.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

const backend = "lattigo-v6.2.0"

type config struct {
	logN, limbs, special   int
	primeBits, specialBits int
	firstBits, scaleBits   int
	threads, reps          int
	minSample              time.Duration
	gcPercent              int
	json                   bool
	values, op             string
	set, bootLogP          string
	logNOverride           int
	seed                   uint64
	names                  []string
}

func parseArgs() (c config) {
	fs := flag.NewFlagSet("lattigo", flag.ExitOnError)
	fs.IntVar(&c.logN, "log-n", 16, "log2 of the ring degree")
	fs.IntVar(&c.limbs, "limbs", 25, "number of ciphertext primes q")
	fs.IntVar(&c.special, "special", 7, "number of special primes p")
	fs.IntVar(&c.primeBits, "prime-bits", 50, "bits of each q")
	fs.IntVar(&c.firstBits, "first-bits", 0, "bits of q[0] (0: as --prime-bits)")
	fs.IntVar(&c.specialBits, "special-bits", 50, "bits of each p")
	fs.IntVar(&c.scaleBits, "scale-bits", 0, "log2 of the default scale (0: as --prime-bits)")
	fs.IntVar(&c.threads, "threads", 1, "GOMAXPROCS")
	fs.IntVar(&c.reps, "reps", 11, "samples of each bench; seeds in the mode precision")
	fs.DurationVar(&c.minSample, "min-sample", 5*time.Millisecond, "calls are repeated inside one sample until it lasts this long")
	fs.IntVar(&c.gcPercent, "gc-percent", 100, "Go's GOGC (-1: no garbage collection while timing); 10 in the mode bootstrap unless given")
	fs.BoolVar(&c.json, "json", false, "one JSON object a line")
	fs.StringVar(&c.values, "values", "", "mode precision: complex (default) or real, uniform in [-1,1]; mode bootstrap: all (default) or random")
	fs.StringVar(&c.op, "op", "mul", "mode precision: mul (two vectors) or square")
	fs.Uint64Var(&c.seed, "seed", 1, "seed of the test vectors (keys and noise are not seeded)")
	fs.StringVar(&c.set, "set", "dense16", "mode bootstrap: dense16, dense15 or sparse16")
	fs.StringVar(&c.bootLogP, "boot-log-p", "library", "mode bootstrap: special primes of the circuit: library (its default for that many q) or set (those listed in the set)")
	fs.IntVar(&c.logNOverride, "log-n-override", 0, "mode bootstrap: a smaller log2 of the ring degree, insecure, for a quick test (0: the set's)")
	fs.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: lattigo [options] [names...]\nmodes: precision, sizes, bootstrap; exact or parties, the first word, with options of their own\nbenches: %s\n", strings.Join(benchNames, " "))
		fs.PrintDefaults()
	}
	// Options and names may come in any order.
	args := os.Args[1:]
	for {
		_ = fs.Parse(args)
		if fs.NArg() == 0 {
			break
		}
		c.names = append(c.names, fs.Arg(0))
		args = fs.Args()[1:]
	}
	if c.firstBits == 0 {
		c.firstBits = c.primeBits
	}
	if c.scaleBits == 0 {
		c.scaleBits = c.primeBits
	}
	if c.threads < 1 || c.reps < 1 || c.limbs < 2 || c.special < 1 {
		fmt.Fprintln(os.Stderr, "need --threads >= 1, --reps >= 1, --limbs >= 2, --special >= 1")
		os.Exit(2)
	}
	bootstrap := slices.Contains(c.names, "bootstrap")
	values := []string{"complex", "real"}
	if bootstrap {
		values = []string{"all", "random"}
	}
	if c.values == "" {
		c.values = values[0]
	}
	if !slices.Contains(values, c.values) {
		fmt.Fprintln(os.Stderr, "--values is", strings.Join(values, " or "))
		os.Exit(2)
	}
	if !slices.Contains([]string{"dense16", "dense15", "sparse16"}, c.set) {
		fmt.Fprintln(os.Stderr, "--set is dense16, dense15 or sparse16")
		os.Exit(2)
	}
	if c.bootLogP != "library" && c.bootLogP != "set" {
		fmt.Fprintln(os.Stderr, "--boot-log-p is library or set")
		os.Exit(2)
	}
	gcSet := false
	fs.Visit(func(f *flag.Flag) { gcSet = gcSet || f.Name == "gc-percent" })
	if bootstrap && !gcSet {
		c.gcPercent = 10
	}
	if c.op != "mul" && c.op != "square" {
		fmt.Fprintln(os.Stderr, "--op is mul or square")
		os.Exit(2)
	}
	return
}

var benchNames = []string{
	"encode", "decode", "decode_2limbs", "encrypt", "encrypt_sk", "decrypt",
	"add", "mul_plain", "mul_relin", "rescale", "mul_relin_rescale",
	"rotate", "rotate_hoisted8",
}

func (c config) params() string {
	dnum := (c.limbs + c.special - 1) / c.special
	return fmt.Sprintf("n%d l%d k%d dnum%d", c.logN, c.limbs, c.special, dnum)
}

type record struct {
	Bench   string  `json:"bench"`
	Backend string  `json:"backend"`
	Params  string  `json:"params"`
	Threads int     `json:"threads"`
	Unit    string  `json:"unit"`
	Min     float64 `json:"min"`
	Median  float64 `json:"median"`
	N       int     `json:"n"`
}

func (c config) emit(bench, unit string, min, median float64, n int) {
	emit(c.json, record{bench, backend, c.params(), c.threads, unit, min, median, n})
}

func emit(asJSON bool, r record) {
	if asJSON {
		b, err := json.Marshal(r)
		must(err)
		fmt.Println(string(b))
		return
	}
	switch r.Unit {
	case "s":
		fmt.Printf("%-20s min %12.3f ms   median %12.3f ms   n %d\n", r.Bench, r.Min*1e3, r.Median*1e3, r.N)
	default:
		fmt.Printf("%-20s %14.0f %s\n", r.Bench, r.Median, r.Unit)
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func (c config) newParams() ckks.Parameters {
	logQ := make([]int, c.limbs)
	for i := range logQ {
		logQ[i] = c.primeBits
	}
	logQ[0] = c.firstBits
	logP := make([]int, c.special)
	for i := range logP {
		logP[i] = c.specialBits
	}
	p, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: c.logN, LogQ: logQ, LogP: logP,
		LogDefaultScale: c.scaleBits,
		Xs:              ring.Ternary{P: 2.0 / 3.0},
	})
	must(err)
	return p
}

type rig struct {
	c      config
	params ckks.Parameters
	sk     *rlwe.SecretKey
	pk     *rlwe.PublicKey
	rlk    *rlwe.RelinearizationKey
	gks    []*rlwe.GaloisKey
	enc    *rlwe.Encryptor
	encSk  *rlwe.Encryptor
	dec    *rlwe.Decryptor
	ecd    *ckks.Encoder
	eval   *ckks.Evaluator
}

func newRig(c config, rotations []int) *rig {
	p := c.newParams()
	kgen := rlwe.NewKeyGenerator(p)
	r := &rig{c: c, params: p}
	r.sk, r.pk = kgen.GenKeyPairNew()
	r.rlk = kgen.GenRelinearizationKeyNew(r.sk)
	for _, k := range rotations {
		r.gks = append(r.gks, kgen.GenGaloisKeyNew(p.GaloisElement(k), r.sk))
	}
	r.enc = rlwe.NewEncryptor(p, r.pk)
	r.encSk = rlwe.NewEncryptor(p, r.sk)
	r.dec = rlwe.NewDecryptor(p, r.sk)
	r.ecd = ckks.NewEncoder(p)
	r.eval = ckks.NewEvaluator(p, rlwe.NewMemEvaluationKeySet(r.rlk, r.gks...))
	return r
}

func vector(rng *rand.Rand, n int, kind string) []complex128 {
	v := make([]complex128, n)
	for i := range v {
		re := 2*rng.Float64() - 1
		im := 0.0
		if kind == "complex" {
			im = 2*rng.Float64() - 1
		}
		v[i] = complex(re, im)
	}
	return v
}

func median(x []float64) float64 {
	s := slices.Clone(x)
	sort.Float64s(s)
	if n := len(s); n%2 == 1 {
		return s[n/2]
	} else {
		return (s[n/2-1] + s[n/2]) / 2
	}
}

func (r *rig) check(what string, ct *rlwe.Ciphertext, want []complex128) {
	have := make([]complex128, len(want))
	must(r.ecd.Decode(r.dec.DecryptNew(ct), have))
	worst := 0.0
	for i := range want {
		d := have[i] - want[i]
		worst = math.Max(worst, math.Max(math.Abs(real(d)), math.Abs(imag(d))))
	}
	fmt.Fprintf(os.Stderr, "check %-18s largest error 2^%.1f\n", what, math.Log2(worst))
	if !(worst < math.Exp2(-float64(r.c.scaleBits)/3)) {
		must(fmt.Errorf("%s: wrong result, largest error %g", what, worst))
	}
}

func runBenches(c config) {
	want := c.names
	if len(want) == 0 {
		want = benchNames
	}
	for _, n := range want {
		if !slices.Contains(benchNames, n) {
			must(fmt.Errorf("no bench %q; there are: %s", n, strings.Join(benchNames, " ")))
		}
	}
	has := func(n string) bool { return slices.Contains(want, n) }
	var rots []int
	if has("rotate") || has("rotate_hoisted8") {
		rots = []int{1}
	}
	if has("rotate_hoisted8") {
		rots = []int{1, 2, 3, 4, 5, 6, 7, 8}
	}
	r := newRig(c, rots)
	p, top := r.params, r.params.MaxLevel()
	slots := p.MaxSlots()
	rng := rand.New(rand.NewPCG(c.seed, 0))
	v0, v1 := vector(rng, slots, "complex"), vector(rng, slots, "complex")

	newCt := func(level int) *rlwe.Ciphertext { return ckks.NewCiphertext(p, 1, level) }
	pt0, pt1, ptOut := ckks.NewPlaintext(p, top), ckks.NewPlaintext(p, top), ckks.NewPlaintext(p, top)
	must(r.ecd.Encode(v0, pt0))
	must(r.ecd.Encode(v1, pt1))
	ptLow := ckks.NewPlaintext(p, 1)
	must(r.ecd.Encode(v0, ptLow))
	ct0, ct1 := newCt(top), newCt(top)
	must(r.enc.Encrypt(pt0, ct0))
	must(r.enc.Encrypt(pt1, ct1))
	prod := newCt(top)
	must(r.eval.MulRelin(ct0, ct1, prod))

	out := newCt(top)
	outEnc, outAdd, outMulPt, outMul := newCt(top), newCt(top), newCt(top), newCt(top)
	outRs, outMulRs := newCt(top-1), newCt(top-1)
	values := make([]complex128, slots)
	hoisted := map[int]*rlwe.Ciphertext{}
	if has("rotate_hoisted8") {
		for _, k := range rots {
			hoisted[k] = newCt(top)
		}
	}

	mulRs := func() {
		must(r.eval.MulRelin(ct0, ct1, outMul))
		must(r.eval.Rescale(outMul, outMulRs))
	}
	body := map[string]func(){
		"encode":            func() { must(r.ecd.Encode(v0, ptOut)) },
		"decode":            func() { must(r.ecd.Decode(pt0, values)) },
		"decode_2limbs":     func() { must(r.ecd.Decode(ptLow, values)) },
		"encrypt":           func() { must(r.enc.Encrypt(pt0, outEnc)) },
		"encrypt_sk":        func() { must(r.encSk.Encrypt(pt0, outEnc)) },
		"decrypt":           func() { r.dec.Decrypt(ct0, ptOut) },
		"add":               func() { must(r.eval.Add(ct0, ct1, outAdd)) },
		"mul_plain":         func() { must(r.eval.Mul(ct0, pt1, outMulPt)) },
		"mul_relin":         func() { must(r.eval.MulRelin(ct0, ct1, outMul)) },
		"rescale":           func() { must(r.eval.Rescale(prod, outRs)) },
		"mul_relin_rescale": mulRs,
		"rotate":            func() { must(r.eval.Rotate(ct0, 1, out)) },
		"rotate_hoisted8":   func() { must(r.eval.RotateHoisted(ct0, rots, hoisted)) },
	}

	// The results are checked before they are timed.
	mulRs()
	prodWant := make([]complex128, slots)
	for i := range prodWant {
		prodWant[i] = v0[i] * v1[i]
	}
	r.check("mul_relin_rescale", outMulRs, prodWant)
	rotated := func(k int) []complex128 { return append(slices.Clone(v0[k:]), v0[:k]...) }
	if has("rotate") {
		body["rotate"]()
		r.check("rotate", out, rotated(1))
	}
	if has("rotate_hoisted8") {
		body["rotate_hoisted8"]()
		r.check("rotate_hoisted8", hoisted[8], rotated(8))
	}

	// Calls in a sample, computed from the time of one call after a warm-up.
	inner := map[string]int{}
	for _, n := range want {
		body[n]()
		t := time.Now()
		body[n]()
		d := time.Since(t)
		inner[n] = 1
		if d < c.minSample {
			inner[n] = int(c.minSample/max(d, time.Nanosecond)) + 1
		}
	}
	runtime.GC()
	debug.SetGCPercent(c.gcPercent)

	samples := map[string][]float64{}
	for rep := range c.reps {
		for i := range want {
			n := want[i]
			if rep%2 == 1 {
				n = want[len(want)-1-i]
			}
			f, k := body[n], inner[n]
			t := time.Now()
			for range k {
				f()
			}
			samples[n] = append(samples[n], time.Since(t).Seconds()/float64(k))
		}
	}
	for _, n := range want {
		s := samples[n]
		c.emit(n, "s", slices.Min(s), median(s), len(s))
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "exact" {
		runExact(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "parties" {
		runParties(os.Args[2:])
		return
	}
	c := parseArgs()
	runtime.GOMAXPROCS(c.threads)
	switch {
	case slices.Contains(c.names, "precision"):
		runPrecision(c)
	case slices.Contains(c.names, "sizes"):
		runSizes(c)
	case slices.Contains(c.names, "bootstrap"):
		runBootstrap(c)
	default:
		runBenches(c)
	}
}
