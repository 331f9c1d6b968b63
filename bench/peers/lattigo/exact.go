package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
)

// bitsOf reads a list of sizes such as 41,41,45.
func bitsOf(text string) (bits []int) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		must(err)
		bits = append(bits, n)
	}
	return
}

// runExact times operations of BGV, or of BFV, which the library computes with the scale-invariant
// products of its BGV evaluator.
func runExact(args []string) {
	fs := flag.NewFlagSet("lattigo exact", flag.ExitOnError)
	scheme := fs.String("scheme", "bgv", "bgv or bfv")
	logN := fs.Int("log-n", 13, "log2 of the ring degree")
	t := fs.Uint64("t", 65537, "plaintext modulus")
	qBits := fs.String("q-bits", "41,41,41,41", "bits of the ciphertext primes")
	pBits := fs.String("p-bits", "45", "bits of the special primes")
	reps := fs.Int("reps", 11, "samples of each bench")
	minSample := fs.Duration("min-sample", 5*time.Millisecond, "calls are repeated inside one sample until it lasts this long")
	asJSON := fs.Bool("json", false, "one JSON object a line")
	must(fs.Parse(args))
	runtime.GOMAXPROCS(1)

	params, err := bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
		LogN: *logN, LogQ: bitsOf(*qBits), LogP: bitsOf(*pBits), PlaintextModulus: *t,
		Xs: ring.Ternary{P: 2.0 / 3.0},
	})
	must(err)
	kgen := bgv.NewKeyGenerator(params)
	sk, pk := kgen.GenKeyPairNew()
	galois := kgen.GenGaloisKeyNew(params.GaloisElementForColRotation(1), sk)
	keys := rlwe.NewMemEvaluationKeySet(kgen.GenRelinearizationKeyNew(sk), galois)
	eval := bgv.NewEvaluator(params, keys, *scheme == "bfv")
	enc, dec, ecd := bgv.NewEncryptor(params, pk), bgv.NewDecryptor(params, sk), bgv.NewEncoder(params)

	n, top := params.N(), params.MaxLevel()
	rng := rand.New(rand.NewPCG(1, 0))
	vector := func() []int64 {
		v := make([]int64, n)
		for i := range v {
			v[i] = rng.Int64N(int64(*t)) - int64(*t/2)
		}
		return v
	}
	v0, v1 := vector(), vector()
	pt0, pt1, ptOut := bgv.NewPlaintext(params, top), bgv.NewPlaintext(params, top), bgv.NewPlaintext(params, top)
	must(ecd.Encode(v0, pt0))
	must(ecd.Encode(v1, pt1))
	newCt := func(degree int) *rlwe.Ciphertext { return bgv.NewCiphertext(params, degree, top) }
	ct0, ct1, out, product, encrypted := newCt(1), newCt(1), newCt(1), newCt(2), newCt(1)
	must(enc.Encrypt(pt0, ct0))
	must(enc.Encrypt(pt1, ct1))
	scale := out.Scale

	names := []string{"encrypt", "decrypt", "mul_prepared", "mul_values", "mul", "mul_relin", "rotate"}
	body := map[string]func(){
		"encrypt":   func() { must(enc.Encrypt(pt0, encrypted)) },
		"decrypt":   func() { dec.Decrypt(ct0, ptOut) },
		"mul_prepared": func() { must(eval.Mul(ct0, pt1, out)) },
		"mul_values": func() { must(eval.Mul(ct0, v1, out)) },
		"mul":       func() { must(eval.Mul(ct0, ct1, product)) },
		"mul_relin": func() { must(eval.MulRelin(ct0, ct1, out)) },
		"rotate":    func() { must(eval.RotateColumns(ct0, 1, out)) },
	}

	// The results are checked before they are timed.
	check := func(name string, want func(i int) int64) {
		out.Scale = scale
		body[name]()
		have := make([]int64, n)
		must(ecd.Decode(dec.DecryptNew(out), have))
		for i := range have {
			if (have[i]-want(i))%int64(*t) != 0 {
				must(fmt.Errorf("%s: wrong result in slot %d", name, i))
			}
		}
		fmt.Fprintf(os.Stderr, "check %s: exact\n", name)
	}
	check("mul_values", func(i int) int64 { return v0[i] * v1[i] })
	check("mul_prepared", func(i int) int64 { return v0[i] * v1[i] })
	check("mul_relin", func(i int) int64 { return v0[i] * v1[i] })
	row := n / 2
	check("rotate", func(i int) int64 { return v0[i/row*row+(i+1)%row] })

	if asked := fs.Args(); len(asked) > 0 {
		for _, name := range asked {
			if body[name] == nil {
				must(fmt.Errorf("no bench %q; there are: %s", name, strings.Join(names, " ")))
			}
		}
		names = asked
	}
	calls := map[string]int{}
	for _, name := range names {
		body[name]()
		start := time.Now()
		body[name]()
		calls[name] = int(*minSample/max(time.Since(start), time.Nanosecond)) + 1
	}
	runtime.GC()
	debug.SetGCPercent(100)
	samples := map[string][]float64{}
	for rep := range *reps {
		for i := range names {
			name := names[i]
			if rep%2 == 1 {
				name = names[len(names)-1-i]
			}
			start := time.Now()
			for range calls[name] {
				body[name]()
			}
			samples[name] = append(samples[name], time.Since(start).Seconds()/float64(calls[name]))
		}
	}
	limbs, special := params.QCount(), params.PCount()
	dnum := (limbs + special - 1) / special
	label := fmt.Sprintf("%s n%d l%d k%d dnum%d logQP%.0f t%d", *scheme, *logN, limbs, special, dnum, math.Round(params.LogQP()), *t)
	for _, name := range names {
		s := samples[name]
		emit(*asJSON, record{name, backend, label, 1, "s", slices.Min(s), median(s), len(s)})
	}
}
