package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

type precisionRecord struct {
	Bench       string  `json:"bench"`
	Backend     string  `json:"backend"`
	Params      string  `json:"params"`
	Threads     int     `json:"threads"`
	Unit        string  `json:"unit"`
	Stage       string  `json:"stage"`
	Values      string  `json:"values"`
	ScaleBits   int     `json:"scale_bits"`
	FirstBits   int     `json:"first_bits"`
	PrimeBits   int     `json:"prime_bits"`
	SpecialBits int     `json:"special_bits"`
	LogQP       float64 `json:"log_qp"`
	MeanLog2    float64 `json:"mean_log2_precision"`
	MinLog2     float64 `json:"min_log2_precision"`
	Std         float64 `json:"error_std"`
	StdLog2     float64 `json:"error_std_log2"`
	N           int     `json:"n"`
}

// stats holds, for one seed, the mean and the least of -log2|error| and the
// standard deviation of the error, over the real and the imaginary parts of
// all slots taken as separate numbers. Errors below 2^-60 count as 2^-60.
type stats struct{ mean, min, std float64 }

func errorStats(want, have []complex128) stats {
	var sumLog, sum, sum2, worst float64
	n := 0.0
	one := func(e float64) {
		a := math.Max(math.Abs(e), math.Exp2(-60))
		sumLog -= math.Log2(a)
		worst = math.Max(worst, a)
		sum += e
		sum2 += e * e
		n++
	}
	for i := range want {
		d := have[i] - want[i]
		one(real(d))
		one(imag(d))
	}
	mean := sum / n
	return stats{sumLog / n, -math.Log2(worst), math.Sqrt(sum2/n - mean*mean)}
}

func runPrecision(c config) {
	r := newRig(c, nil)
	p := r.params
	slots := p.MaxSlots()
	top := p.MaxLevel()
	pt, have := ckks.NewPlaintext(p, top), make([]complex128, slots)
	ct0, ct1 := ckks.NewCiphertext(p, 1, top), ckks.NewCiphertext(p, 1, top)
	ct2, ct3 := ckks.NewCiphertext(p, 1, top), ckks.NewCiphertext(p, 1, top-1)
	all := map[string][]stats{}
	for rep := range c.reps {
		rng := rand.New(rand.NewPCG(c.seed, uint64(rep)))
		v0 := vector(rng, slots, c.values)
		must(r.ecd.Encode(v0, pt))
		must(r.enc.Encrypt(pt, ct0))
		must(r.ecd.Decode(r.dec.DecryptNew(ct0), have))
		all["fresh"] = append(all["fresh"], errorStats(v0, have))

		v1, other := v0, ct0
		if c.op == "mul" {
			v1, other = vector(rng, slots, c.values), ct1
			must(r.ecd.Encode(v1, pt))
			must(r.enc.Encrypt(pt, ct1))
		}
		must(r.eval.MulRelin(ct0, other, ct2))
		must(r.eval.Rescale(ct2, ct3))
		must(r.ecd.Decode(r.dec.DecryptNew(ct3), have))
		want := make([]complex128, slots)
		for i := range want {
			want[i] = v0[i] * v1[i]
		}
		stage := c.op + "_relin_rescale"
		all[stage] = append(all[stage], errorStats(want, have))
	}
	for _, stage := range []string{"fresh", c.op + "_relin_rescale"} {
		var m, lo, v float64
		n := float64(len(all[stage]))
		for _, s := range all[stage] {
			m += s.mean / n
			lo += s.min / n
			v += s.std * s.std / n
		}
		std := math.Sqrt(v)
		if c.json {
			b, err := json.Marshal(precisionRecord{
				"precision", backend, c.params(), c.threads, "bit", stage, c.values,
				c.scaleBits, c.firstBits, c.primeBits, c.specialBits, p.LogQP(),
				m, lo, std, math.Log2(std), len(all[stage]),
			})
			must(err)
			fmt.Println(string(b))
		} else {
			fmt.Printf("%-20s mean %.2f bit   min %.2f bit   error std 2^%.2f   seeds %d\n", stage, m, lo, math.Log2(std), len(all[stage]))
		}
	}
}

// vmHWM returns the peak resident set of this process in bytes (0 where the
// system does not tell).
func vmHWM() int {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kib * 1024
		}
	}
	return 0
}

func runSizes(c config) {
	r := newRig(c, []int{1})
	p := r.params
	setup := vmHWM()
	top := p.MaxLevel()
	rng := rand.New(rand.NewPCG(c.seed, 0))
	pt := ckks.NewPlaintext(p, top)
	must(r.ecd.Encode(vector(rng, p.MaxSlots(), "complex"), pt))
	ct0, out, rs := ckks.NewCiphertext(p, 1, top), ckks.NewCiphertext(p, 1, top), ckks.NewCiphertext(p, 1, top-1)
	must(r.enc.Encrypt(pt, ct0))
	must(r.eval.MulRelin(ct0, ct0, out))
	must(r.eval.Rescale(out, rs))
	must(r.eval.Rotate(ct0, 1, out))
	ops := vmHWM()

	compressed := rlwe.EvaluationKeyParameters{Compressed: true}
	crlk := rlwe.NewRelinearizationKey(p, compressed)
	one := func(name string, n int) { c.emit(name, "B", float64(n), float64(n), 1) }
	one("relin_key_bytes", r.rlk.BinarySize())
	one("relin_key_compressed_bytes", crlk.BinarySize())
	one("rotation_key_bytes", r.gks[0].BinarySize())
	one("secret_key_bytes", r.sk.BinarySize())
	one("public_key_bytes", r.pk.BinarySize())
	one("ciphertext_bytes", ct0.BinarySize())
	b, err := ct0.MarshalBinary()
	must(err)
	one("ciphertext_marshalled_bytes", len(b))
	one("peak_rss_setup_bytes", setup)
	one("peak_rss_ops_bytes", ops)
}
