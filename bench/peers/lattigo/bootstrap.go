package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// errorSummary summarizes one number for each slot: the real part of the error, or |e| of the
// complex error e. Numbers below 2^-60 count as 2^-60.
type errorSummary struct {
	MeanLog2 float64 `json:"mean_log2_precision"`
	Log2Mean float64 `json:"log2_mean_precision"`
	MinLog2  float64 `json:"min_log2_precision"`
}

func summarize(n int, abs func(int) float64) errorSummary {
	var sumLog, sum, worst float64
	for i := range n {
		a := math.Max(abs(i), math.Exp2(-60))
		sumLog -= math.Log2(a)
		sum += a
		worst = math.Max(worst, a)
	}
	return errorSummary{sumLog / float64(n), -math.Log2(sum / float64(n)), -math.Log2(worst)}
}

type slotPrecision struct {
	Real    errorSummary `json:"real"`
	Complex errorSummary `json:"complex"`
}

func precisionOf(want, have []complex128) slotPrecision {
	return slotPrecision{
		summarize(len(want), func(i int) float64 { return math.Abs(real(have[i] - want[i])) }),
		summarize(len(want), func(i int) float64 {
			d := have[i] - want[i]
			return math.Hypot(real(d), imag(d))
		}),
	}
}

// inputPrecision holds the precision of an input before bootstrapping
// (encrypted, decrypted) and after it.
type inputPrecision struct {
	Before slotPrecision `json:"before"`
	After  slotPrecision `json:"after"`
}

type bootstrapInfo struct {
	Kind            string                    `json:"kind"`
	Bench           string                    `json:"bench"`
	Backend         string                    `json:"backend"`
	Params          string                    `json:"params"`
	Threads         int                       `json:"threads"`
	Set             string                    `json:"set"`
	LibrarySet      string                    `json:"library_set"`
	LogNOverride    int                       `json:"log_n_override"`
	BootLogP        string                    `json:"boot_log_p"`
	LogN            int                       `json:"log_n"`
	LogQ            float64                   `json:"log_q"`
	LogP            float64                   `json:"log_p"`
	LogQP           float64                   `json:"log_qp"`
	QCount          int                       `json:"q_primes"`
	PCount          int                       `json:"p_primes"`
	QBits           []int                     `json:"q_bits"`
	PBits           []int                     `json:"p_bits"`
	SecretWeight    int                       `json:"secret_weight"`
	EphemeralWeight int                       `json:"ephemeral_secret_weight"`
	LevelBefore     int                       `json:"level_before"`
	LevelAfter      int                       `json:"level_after"`
	ScaleLog2       float64                   `json:"output_scale_log2"`
	GaloisKeys      int                       `json:"galois_keys"`
	KeyBytes        int                       `json:"key_bytes"`
	KeygenSeconds   float64                   `json:"keygen_s"`
	SetupSeconds    float64                   `json:"setup_s"`
	PeakKeygen      int                       `json:"peak_rss_keygen_bytes"`
	PeakSetup       int                       `json:"peak_rss_setup_bytes"`
	Peak            int                       `json:"peak_rss_bytes"`
	Precision       map[string]inputPrecision `json:"precision"`
}

// bootstrapParams returns the library's parameter set of this name. It is unchanged without
// --log-n-override, except that --boot-log-p set passes the set's own list of special primes to the
// bootstrapping circuit too.
func bootstrapParams(c config) (string, ckks.Parameters, bootstrapping.Parameters) {
	lit, name := bootstrapping.N16QP1767H32768H32, "N16QP1767H32768H32"
	switch c.set {
	case "dense15":
		lit, name = bootstrapping.N15QP880H16384H32, "N15QP880H16384H32"
	case "sparse16":
		lit, name = bootstrapping.N16QP1546H192H32, "N16QP1546H192H32"
	}
	if l := c.logNOverride; l != 0 {
		if l < 10 || l > lit.SchemeParams.LogN {
			must(fmt.Errorf("--log-n-override is from 10 to %d", lit.SchemeParams.LogN))
		}
		h := lit.SchemeParams.Xs.(ring.Ternary).H
		lit.SchemeParams.Xs = ring.Ternary{H: min(h, 1<<(l-1))}
		lit.SchemeParams.LogN = l
		lit.BootstrappingParams.LogN = &l
	}
	if c.bootLogP == "set" {
		lit.BootstrappingParams.LogP = lit.SchemeParams.LogP
	}
	params, err := ckks.NewParametersFromLiteral(lit.SchemeParams)
	must(err)
	btp, err := bootstrapping.NewParametersFromLiteral(params, lit.BootstrappingParams)
	must(err)
	return name, params, btp
}

var bootstrapParts = []string{"bootstrap_modraise", "bootstrap_c2s", "bootstrap_evalmod", "bootstrap_s2c"}

// inParts does the same as eval.Bootstrap for one ciphertext with all slots in the ring of the
// circuit, and returns the seconds of its four parts.
func inParts(eval *bootstrapping.Evaluator, ct *rlwe.Ciphertext) (*rlwe.Ciphertext, [4]float64) {
	var s [4]float64
	t := time.Now()
	lap := func(i int) {
		now := time.Now()
		s[i] = now.Sub(t).Seconds()
		t = now
	}
	ct, _, err := eval.ScaleDown(ct)
	must(err)
	ct, err = eval.ModUp(ct)
	must(err)
	lap(0)
	re, im, err := eval.CoeffsToSlots(ct)
	must(err)
	lap(1)
	re, err = eval.EvalMod(re)
	must(err)
	im, err = eval.EvalMod(im)
	must(err)
	lap(2)
	ct, err = eval.SlotsToCoeffs(re, im)
	must(err)
	lap(3)
	ct.Scale = eval.ResidualParameters.DefaultScale()
	return ct, s
}

// products multiplies ct by itself at every level, relinearizes and rescales, and returns the
// seconds. The values may overflow.
func products(eval *bootstrapping.Evaluator, ct *rlwe.Ciphertext) float64 {
	t := time.Now()
	for ct.Level() > 0 {
		p, err := eval.Evaluator.MulRelinNew(ct, ct)
		must(err)
		must(eval.Evaluator.Rescale(p, p))
		ct = p
	}
	return time.Since(t).Seconds()
}

func bootstrapInput(kind string, rng *rand.Rand, slots int) []complex128 {
	v := make([]complex128, slots)
	switch kind {
	case "constant":
		for i := range v {
			v[i] = 0.7
		}
	case "period256":
		p := vector(rng, 256, "complex")
		for i := range v {
			v[i] = p[i%len(p)]
		}
	case "onehot":
		v[0] = 1
	default:
		v = vector(rng, slots, "complex")
	}
	return v
}

func runBootstrap(c config) {
	// The keys are large and contain no pointers, so frequent collections cost little. A heap of twice
	// its live size would waste gigabytes.
	debug.SetGCPercent(c.gcPercent)
	name, params, btp := bootstrapParams(c)
	full := btp.BootstrappingParameters
	c.logN, c.limbs, c.special = full.LogN(), full.QCount(), full.PCount()
	info := bootstrapInfo{
		Kind: "info", Bench: "bootstrap_info", Backend: backend, Params: c.params(), Threads: c.threads,
		Set: c.set, LibrarySet: name, LogNOverride: c.logNOverride, BootLogP: c.bootLogP,
		LogN: full.LogN(), LogQ: full.LogQ(), LogP: full.LogP(), LogQP: full.LogQP(),
		QCount: full.QCount(), PCount: full.PCount(), QBits: full.LogQi(), PBits: full.LogPi(),
		SecretWeight: params.XsHammingWeight(), EphemeralWeight: btp.EphemeralSecretWeight,
		Precision: map[string]inputPrecision{},
	}

	t := time.Now()
	sk := rlwe.NewKeyGenerator(params).GenSecretKeyNew()
	evk, _, err := btp.GenEvaluationKeys(sk)
	must(err)
	info.KeygenSeconds = time.Since(t).Seconds()
	info.KeyBytes, info.GaloisKeys = evk.BinarySize(), len(evk.GetGaloisKeysList())
	info.PeakKeygen = vmHWM()
	debug.FreeOSMemory()

	t = time.Now()
	eval, err := bootstrapping.NewEvaluator(btp, evk)
	must(err)
	info.SetupSeconds = time.Since(t).Seconds()
	info.PeakSetup = vmHWM()
	debug.FreeOSMemory()

	ecd, dec := ckks.NewEncoder(params), rlwe.NewDecryptor(params, sk)
	enc := rlwe.NewEncryptor(params, sk)
	slots := params.MaxSlots()
	decode := func(ct *rlwe.Ciphertext) []complex128 {
		have := make([]complex128, slots)
		must(ecd.Decode(dec.DecryptNew(ct), have))
		return have
	}

	// The results are checked before they are timed. The random input goes through Bootstrap and
	// through its parts, which must return the same ciphertext.
	kinds := []string{"random", "constant", "period256", "onehot"}
	if c.values == "random" {
		kinds = kinds[:1]
	}
	var random *rlwe.Ciphertext
	for i, kind := range kinds {
		want := bootstrapInput(kind, rand.New(rand.NewPCG(c.seed, uint64(i))), slots)
		pt := ckks.NewPlaintext(params, 0)
		must(ecd.Encode(want, pt))
		ct, err := enc.EncryptNew(pt)
		must(err)
		before := precisionOf(want, decode(ct))
		if kind == "random" {
			random = ct.CopyNew()
		}
		info.LevelBefore = ct.Level()
		out, err := eval.Bootstrap(ct)
		must(err)
		after := precisionOf(want, decode(out))
		info.Precision[kind] = inputPrecision{before, after}
		fmt.Fprintf(os.Stderr, "check %-10s real part: mean %.2f bit, least %.2f bit\n", kind, after.Real.MeanLog2, after.Real.MinLog2)
		if !(after.Complex.MinLog2 > 5) {
			must(fmt.Errorf("%s: wrong result", kind))
		}
		if kind == "random" {
			info.LevelAfter, info.ScaleLog2 = out.Level(), out.Scale.Log2()
			parts, _ := inParts(eval, random.CopyNew())
			if !parts.Equal(out) {
				must(fmt.Errorf("the parts give another ciphertext than Bootstrap"))
			}
		}
	}
	debug.FreeOSMemory()

	samples := map[string][]float64{}
	for range c.reps {
		ct := random.CopyNew()
		t := time.Now()
		out, s := inParts(eval, ct)
		samples["bootstrap"] = append(samples["bootstrap"], time.Since(t).Seconds())
		for i, n := range bootstrapParts {
			samples[n] = append(samples[n], s[i])
		}
		samples["bootstrap_products"] = append(samples["bootstrap_products"], products(eval, out))
	}
	runtime.KeepAlive(evk)
	info.Peak = max(vmHWM(), info.PeakSetup) // the system's figure is approximate
	for _, n := range slices.Concat([]string{"bootstrap"}, bootstrapParts, []string{"bootstrap_products"}) {
		s := samples[n]
		c.emit(n, "s", slices.Min(s), median(s), len(s))
	}
	if c.json {
		b, err := json.Marshal(info)
		must(err)
		fmt.Println(string(b))
		return
	}
	fmt.Printf("%s (%s) %s   log2 Q %.1f   log2 P %.1f   log2 QP %.1f   level %d to %d   output scale 2^%.2f\n",
		info.Set, info.LibrarySet, info.Params, info.LogQ, info.LogP, info.LogQP, info.LevelBefore, info.LevelAfter, info.ScaleLog2)
	if info.LogNOverride != 0 {
		fmt.Println("--log-n-override: insecure, and not the set's precision")
	}
	fmt.Printf("keys %d bytes   key generation %.2f s   set-up %.2f s   peak RSS %d bytes\n",
		info.KeyBytes, info.KeygenSeconds, info.SetupSeconds, info.Peak)
	for _, kind := range kinds {
		for _, p := range []struct {
			name string
			errorSummary
		}{{"real", info.Precision[kind].After.Real}, {"complex", info.Precision[kind].After.Complex}} {
			fmt.Printf("%-10s %-8s mean %6.2f bit   of the mean error %6.2f bit   least %6.2f bit\n", kind, p.name, p.MeanLog2, p.Log2Mean, p.MinLog2)
		}
	}
}
