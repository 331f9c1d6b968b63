package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/multiparty"
	"github.com/tuneinsight/lattigo/v6/multiparty/mpckks"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

const (
	partyCount = 3
	// Parties that decrypt and refresh with --threshold.
	thresholdCount = 2
	// Statistical security of the masks of a refresh, in bits.
	maskSecurity = 128
	// A result with a larger error is wrong.
	largestError = 1e-3
)

// partyBench is one step of a protocol. A crp step draws the common random polynomials and a share step
// computes a share: both are done by each party. A sum step adds all shares and makes the result.
type partyBench struct {
	name, label string
	body        func()
}

// rounds holds the protocols of all parties. Each method runs its protocol once with all parties,
// then adds its steps to benches. A timed share goes to a place of its own, so the shares that are
// summed stay those of one run.
type rounds struct {
	params ckks.Parameters
	ecd    *ckks.Encoder
	crs    sampling.PRNG
	label  string
	// sks[i] is the key of party i. The secret key is their sum.
	sks []*rlwe.SecretKey
	// active holds the keys of the parties that decrypt and refresh. Their sum is the secret key too.
	active  []*rlwe.SecretKey
	benches []partyBench
}

func (r *rounds) add(name, extra string, body func()) {
	body()
	r.benches = append(r.benches, partyBench{name, strings.TrimSpace(r.label + " " + extra), body})
}

// sum adds all shares into out.
func sum[S any](shares []S, out *S, add func(a, b S, out *S)) {
	add(shares[0], shares[1], out)
	for _, s := range shares[2:] {
		add(*out, s, out)
	}
}

func (r *rounds) publicKey() (pk *rlwe.PublicKey, bytes int) {
	protocol := multiparty.NewPublicKeyGenProtocol(r.params)
	crp := protocol.SampleCRP(r.crs)
	shares := make([]multiparty.PublicKeyGenShare, partyCount)
	for i, sk := range r.sks {
		shares[i] = protocol.AllocateShare()
		protocol.GenShare(sk, crp, &shares[i])
	}
	timed, total := protocol.AllocateShare(), protocol.AllocateShare()
	pk = rlwe.NewPublicKey(r.params)
	r.add("public_key_crp", "", func() { protocol.SampleCRP(r.crs) })
	r.add("public_key_share", "", func() { protocol.GenShare(r.sks[0], crp, &timed) })
	r.add("public_key_sum", "", func() {
		sum(shares, &total, protocol.AggregateShares)
		protocol.GenPublicKey(total, crp, pk)
	})
	return pk, timed.BinarySize()
}

func (r *rounds) relinKey() (key *rlwe.RelinearizationKey, bytes1, bytes2 int) {
	protocol := multiparty.NewRelinearizationKeyGenProtocol(r.params)
	crp := protocol.SampleCRP(r.crs)
	ephemeral := make([]*rlwe.SecretKey, partyCount)
	first := make([]multiparty.RelinearizationKeyGenShare, partyCount)
	second := make([]multiparty.RelinearizationKeyGenShare, partyCount)
	for i, sk := range r.sks {
		ephemeral[i], first[i], second[i] = protocol.AllocateShare()
		protocol.GenShareRoundOne(sk, crp, ephemeral[i], &first[i])
	}
	timedEphemeral, timed1, timed2 := protocol.AllocateShare()
	_, total1, total2 := protocol.AllocateShare()
	sum(first, &total1, protocol.AggregateShares)
	for i, sk := range r.sks {
		protocol.GenShareRoundTwo(ephemeral[i], sk, total1, &second[i])
	}
	key = rlwe.NewRelinearizationKey(r.params)
	r.add("relin_crp", "", func() { protocol.SampleCRP(r.crs) })
	r.add("relin_share1", "", func() { protocol.GenShareRoundOne(r.sks[0], crp, timedEphemeral, &timed1) })
	r.add("relin_share2", "", func() { protocol.GenShareRoundTwo(ephemeral[0], r.sks[0], total1, &timed2) })
	r.add("relin_sum", "", func() {
		sum(first, &total1, protocol.AggregateShares)
		sum(second, &total2, protocol.AggregateShares)
		protocol.GenRelinearizationKey(total1, total2, key)
	})
	return key, timed1.BinarySize(), timed2.BinarySize()
}

func (r *rounds) rotationKey(by int) (key *rlwe.GaloisKey, bytes int) {
	protocol := multiparty.NewGaloisKeyGenProtocol(r.params)
	crp := protocol.SampleCRP(r.crs)
	element := r.params.GaloisElement(by)
	shares := make([]multiparty.GaloisKeyGenShare, partyCount)
	for i, sk := range r.sks {
		shares[i] = protocol.AllocateShare()
		must(protocol.GenShare(sk, element, crp, &shares[i]))
	}
	timed, total := protocol.AllocateShare(), protocol.AllocateShare()
	key = rlwe.NewGaloisKey(r.params)
	r.add("rotation_crp", "", func() { protocol.SampleCRP(r.crs) })
	r.add("rotation_share", "", func() { must(protocol.GenShare(r.sks[0], element, crp, &timed)) })
	r.add("rotation_sum", "", func() {
		sum(shares, &total, func(a, b multiparty.GaloisKeyGenShare, out *multiparty.GaloisKeyGenShare) {
			must(protocol.AggregateShares(a, b, out))
		})
		must(protocol.GenGaloisKey(total, crp, key))
	})
	return key, timed.BinarySize()
}

// shamir shares the keys of all parties so that any two can decrypt, and returns the summands of
// the secret key that the first and the last party compute.
func (r *rounds) shamir() (active []*rlwe.SecretKey) {
	thresholdizer := multiparty.NewThresholdizer(r.params)
	points := []multiparty.ShamirPublicPoint{1, 2, 3}
	deal := func(sk *rlwe.SecretKey, out []multiparty.ShamirSecretShare) {
		polynomial, err := thresholdizer.GenShamirPolynomial(thresholdCount, sk)
		must(err)
		for j, point := range points {
			thresholdizer.GenShamirSecretShare(point, polynomial, &out[j])
		}
	}
	allocate := func() []multiparty.ShamirSecretShare {
		shares := make([]multiparty.ShamirSecretShare, partyCount)
		for j := range shares {
			shares[j] = thresholdizer.AllocateThresholdSecretShare()
		}
		return shares
	}
	// received[j][i] is what party j receives from party i.
	received := make([][]multiparty.ShamirSecretShare, partyCount)
	for _, sk := range r.sks {
		dealt := allocate()
		deal(sk, dealt)
		for j := range points {
			received[j] = append(received[j], dealt[j])
		}
	}
	add := func(a, b multiparty.ShamirSecretShare, out *multiparty.ShamirSecretShare) {
		must(thresholdizer.AggregateShares(a, b, out))
	}
	totals := allocate()
	for j := range points {
		sum(received[j], &totals[j], add)
	}
	timed := allocate()
	r.add("shamir_deal", "", func() { deal(r.sks[0], timed) })
	r.add("shamir_sum", "", func() { sum(received[0], &totals[0], add) })

	answering := []multiparty.ShamirPublicPoint{points[0], points[2]}
	for _, j := range []int{0, 2} {
		combiner := multiparty.NewCombiner(r.params, points[j], points, thresholdCount)
		sk := rlwe.NewSecretKey(r.params)
		summand := func() { must(combiner.GenAdditiveShare(answering, points[j], totals[j], sk)) }
		if j == 0 {
			r.add("shamir_summand", "", summand)
		} else {
			summand()
		}
		active = append(active, sk)
	}
	return active
}

// noiseBits returns log2 of the standard deviation of a decryption share's noise at this level: the
// wanted number of bits, or the most that the library can draw below it.
//
// ring.GaussianSampler bounds noise by 6 standard deviations. For a bound below 2^64 it takes the
// residue of -x modulo a prime q as q - x without reduction, which underflows for x above q.
func noiseBits(params ckks.Parameters, level int, wanted float64) float64 {
	if 6*math.Exp2(wanted) > math.MaxUint64 {
		return wanted
	}
	smallest := float64(slices.Min(params.Q()[:level+1]))
	return min(wanted, math.Floor(math.Log2(smallest/6.001)))
}

// collectiveDecryption is the decryption of one ciphertext by the active parties.
type collectiveDecryption struct {
	r        *rounds
	protocol multiparty.KeySwitchProtocol
	ct, out  *rlwe.Ciphertext
	zero     *rlwe.SecretKey
	shares   []multiparty.KeySwitchShare
	total    multiparty.KeySwitchShare
	have     []complex128
}

func (r *rounds) newDecryption(ct *rlwe.Ciphertext, bits float64) *collectiveDecryption {
	protocol, err := multiparty.NewKeySwitchProtocol(r.params, ring.DiscreteGaussian{Sigma: math.Exp2(bits)})
	must(err)
	d := &collectiveDecryption{
		r: r, protocol: protocol, ct: ct, out: ckks.NewCiphertext(r.params, 1, ct.Level()),
		zero: rlwe.NewSecretKey(r.params), total: protocol.AllocateShare(ct.Level()),
		have: make([]complex128, r.params.MaxSlots()),
	}
	for _, sk := range r.active {
		share := protocol.AllocateShare(ct.Level())
		d.share(sk, &share)
		d.shares = append(d.shares, share)
	}
	return d
}

func (d *collectiveDecryption) share(sk *rlwe.SecretKey, out *multiparty.KeySwitchShare) {
	d.protocol.GenShare(sk, d.zero, d.ct, out)
}

// combine adds the shares to the ciphertext, which gives the plaintext, and decodes it into d.have.
func (d *collectiveDecryption) combine() {
	sum(d.shares, &d.total, func(a, b multiparty.KeySwitchShare, out *multiparty.KeySwitchShare) {
		must(d.protocol.AggregateShares(a, b, out))
	})
	d.protocol.KeySwitch(d.ct, d.total, d.out)
	element := rlwe.Element[ring.Poly]{MetaData: d.out.MetaData, Value: d.out.Value[:1]}
	must(d.r.ecd.Decode(&rlwe.Plaintext{Element: element, Value: d.out.Value[0]}, d.have))
}

// atLimbs returns a copy of ct with this number of primes.
func (r *rounds) atLimbs(ct *rlwe.Ciphertext, limbs int) *rlwe.Ciphertext {
	ct = ct.CopyNew()
	ct.Resize(ct.Degree(), limbs-1)
	return ct
}

func (r *rounds) decryption(ct *rlwe.Ciphertext, limbs int, wanted float64) (d *collectiveDecryption, bits float64) {
	bits = noiseBits(r.params, limbs-1, wanted)
	if bits != wanted {
		fmt.Fprintf(os.Stderr, "%d limbs: noise of 2^%.0f, not 2^%g: the library's sampler is wrong where the noise can exceed a prime\n", limbs, bits, wanted)
	}
	d = r.newDecryption(r.atLimbs(ct, limbs), bits)
	timed := d.protocol.AllocateShare(limbs - 1)
	extra := fmt.Sprintf("sigma%.0f", bits)
	r.add(fmt.Sprintf("decrypt_share_%dlimbs", limbs), extra, func() { d.share(r.active[0], &timed) })
	r.add(fmt.Sprintf("decrypt_sum_%dlimbs", limbs), extra, d.combine)
	return d, bits
}

type refreshResult struct {
	out             *rlwe.Ciphertext
	level, maskBits int
	bytes           int
}

// refresh brings ct to the highest level, from the lowest one that has room for the masks.
func (r *rounds) refresh(ct *rlwe.Ciphertext) refreshResult {
	level, maskBits, ok := mpckks.GetMinimumLevelForRefresh(maskSecurity, ct.Scale, len(r.active), r.params.Q())
	if !ok || level > ct.Level() {
		must(fmt.Errorf("refresh needs level %d of %d", level, ct.Level()))
	}
	ct = r.atLimbs(ct, level+1)
	top := r.params.MaxLevel()
	// The masks hide the message and its error, so the shares have only the noise of encryption.
	protocol, err := mpckks.NewRefreshProtocol(r.params, maskBits, r.params.Xe())
	must(err)
	crp := protocol.SampleCRP(top, r.crs)
	allocate := func() *multiparty.RefreshShare {
		share := protocol.AllocateShare(level, top)
		share.MetaData = *ct.MetaData
		return &share
	}
	shares := make([]*multiparty.RefreshShare, len(r.active))
	for i, sk := range r.active {
		shares[i] = allocate()
		must(protocol.GenShare(sk, maskBits, ct, crp, shares[i]))
	}
	timed, total := allocate(), allocate()
	out := ckks.NewCiphertext(r.params, 1, top)
	extra := fmt.Sprintf("mask%d", maskBits)
	r.add("refresh_crp", extra, func() { protocol.SampleCRP(top, r.crs) })
	r.add("refresh_share", extra, func() { must(protocol.GenShare(r.active[0], maskBits, ct, crp, timed)) })
	r.add("refresh_sum", extra, func() {
		sum(shares, &total, func(a, b *multiparty.RefreshShare, out **multiparty.RefreshShare) {
			must(protocol.AggregateShares(a, b, *out))
		})
		must(protocol.Finalize(ct, crp, *total, out))
	})
	return refreshResult{out, level, int(maskBits), timed.BinarySize()}
}

// productAndRotation encrypts two vectors with the public key of all parties, multiplies, relinearizes,
// rescales and rotates by 1. It returns the ciphertext and the values that it should have.
func (r *rounds) productAndRotation(pk *rlwe.PublicKey, keys rlwe.EvaluationKeySet) (*rlwe.Ciphertext, []complex128) {
	enc, eval := rlwe.NewEncryptor(r.params, pk), ckks.NewEvaluator(r.params, keys)
	rng := rand.New(rand.NewPCG(1, 0))
	slots := r.params.MaxSlots()
	v := [2][]complex128{vector(rng, slots, "complex"), vector(rng, slots, "complex")}
	var ct [2]*rlwe.Ciphertext
	for i := range v {
		pt := ckks.NewPlaintext(r.params, r.params.MaxLevel())
		must(r.ecd.Encode(v[i], pt))
		var err error
		ct[i], err = enc.EncryptNew(pt)
		must(err)
	}
	product, err := eval.MulRelinNew(ct[0], ct[1])
	must(err)
	must(eval.Rescale(product, product))
	out, err := eval.RotateNew(product, 1)
	must(err)
	want := make([]complex128, slots)
	for i := range want {
		j := (i + 1) % slots
		want[i] = v[0][j] * v[1][j]
	}
	return out, want
}

// worstError returns the largest error of a real or imaginary part.
func worstError(want, have []complex128) (worst float64) {
	for i := range want {
		d := have[i] - want[i]
		worst = math.Max(worst, math.Max(math.Abs(real(d)), math.Abs(imag(d))))
	}
	return
}

// checkDecryptions returns the largest error of each decryption. A wrong result ends the program.
func checkDecryptions(want []complex128, decryptions map[string]*collectiveDecryption) map[string]float64 {
	worst := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(decryptions)) {
		worst[name] = worstError(want, decryptions[name].have)
		fmt.Fprintf(os.Stderr, "check %-10s largest error 2^%.1f\n", name, math.Log2(worst[name]))
		if !(worst[name] <= largestError) {
			must(fmt.Errorf("%s: wrong result, largest error %g", name, worst[name]))
		}
	}
	return worst
}

// measure times all benches in turns, in the reverse order every other time.
func measure(benches []partyBench, reps int, minSample time.Duration) [][]float64 {
	calls, samples := make([]int, len(benches)), make([][]float64, len(benches))
	for i, b := range benches {
		start := time.Now()
		b.body()
		calls[i] = int(minSample/max(time.Since(start), time.Nanosecond)) + 1
	}
	runtime.GC()
	debug.SetGCPercent(100)
	for rep := range reps {
		for i := range benches {
			if rep%2 == 1 {
				i = len(benches) - 1 - i
			}
			start := time.Now()
			for range calls[i] {
				benches[i].body()
			}
			samples[i] = append(samples[i], time.Since(start).Seconds()/float64(calls[i]))
		}
	}
	return samples
}

type partiesInfo struct {
	Kind            string             `json:"kind"`
	Bench           string             `json:"bench"`
	Backend         string             `json:"backend"`
	Params          string             `json:"params"`
	Threads         int                `json:"threads"`
	Parties         int                `json:"parties"`
	Answering       int                `json:"parties_that_decrypt"`
	LogN            int                `json:"log_n"`
	LogQP           float64            `json:"log_qp"`
	QBits           []int              `json:"q_bits"`
	PBits           []int              `json:"p_bits"`
	Digits          int                `json:"digits"`
	ScaleBits       int                `json:"scale_bits"`
	EncoderBits     uint               `json:"encoder_bits"`
	SmudgeBits      float64            `json:"smudge_bits"`
	SmudgeBitsUsed  map[string]float64 `json:"smudge_bits_used"`
	RefreshLevel    int                `json:"refresh_level"`
	RefreshLogQ     float64            `json:"refresh_log_q"`
	RefreshMaskBits int                `json:"refresh_mask_bits"`
	RefreshLevelOut int                `json:"refresh_level_after"`
	ShareBytes      map[string]int     `json:"share_bytes"`
	LargestErrors   map[string]float64 `json:"largest_errors"`
}

func newRounds(logN int, encoderBits uint, threshold bool) *rounds {
	// The shape of the preset n15-share-depth5: two primes of 48 bits at the lowest level, two of 40 bits
	// for each of five more levels, four special primes. A scale of 80 bits lasts for two primes.
	logQ := append([]int{48, 48}, slices.Repeat([]int{40}, 10)...)
	params, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: logN, LogQ: logQ, LogP: []int{50, 50, 50, 50}, LogDefaultScale: 80, Xs: ring.Ternary{P: 2.0 / 3.0},
	})
	must(err)
	crs, err := sampling.NewKeyedPRNG([]byte("common reference string"))
	must(err)
	shape := config{logN: logN, limbs: params.QCount(), special: params.PCount()}.params()
	r := &rounds{params: params, crs: crs, label: fmt.Sprintf("%s parties%d", shape, partyCount)}
	r.ecd = ckks.NewEncoder(params)
	if encoderBits != 0 {
		r.ecd = ckks.NewEncoder(params, encoderBits)
	}
	kgen := rlwe.NewKeyGenerator(params)
	for range partyCount {
		r.sks = append(r.sks, kgen.GenSecretKeyNew())
	}
	r.active = r.sks
	if threshold {
		r.label += fmt.Sprintf(" threshold%d", thresholdCount)
		r.active = r.shamir()
	}
	return r
}

// runParties times what one of three parties computes in each round of the protocols of the library's
// multiparty package, and what the sums of all shares cost.
func runParties(args []string) {
	fs := flag.NewFlagSet("lattigo parties", flag.ExitOnError)
	logN := fs.Int("log-n", 15, "log2 of the ring degree; a smaller one is insecure, for a quick test")
	threshold := fs.Bool("threshold", false, "two of the three parties decrypt and refresh (default: all three)")
	smudge := fs.Float64("smudge-bits", 40, "log2 of the standard deviation of a decryption share's noise")
	encoderBits := fs.Uint("encoder-bits", 53, "precision of encoding and decoding: 53 is float64 (0: the library's default, log2 of the scale)")
	reps := fs.Int("reps", 5, "samples of each bench")
	minSample := fs.Duration("min-sample", 5*time.Millisecond, "calls are repeated inside one sample until it lasts this long")
	asJSON := fs.Bool("json", false, "one JSON object a line")
	must(fs.Parse(args))
	if *reps < 1 || fs.NArg() > 0 {
		must(fmt.Errorf("need --reps >= 1 and no other words"))
	}
	runtime.GOMAXPROCS(1)

	r := newRounds(*logN, *encoderBits, *threshold)
	pk, pkBytes := r.publicKey()
	rlk, relinBytes1, relinBytes2 := r.relinKey()
	rotation, rotationBytes := r.rotationKey(1)
	ct, want := r.productAndRotation(pk, rlwe.NewMemEvaluationKeySet(rlk, rotation))
	two, bits2 := r.decryption(ct, 2, *smudge)
	four, bits4 := r.decryption(ct, 4, *smudge)
	refreshed := r.refresh(ct)

	samples := measure(r.benches, *reps, *minSample)

	// The check is of what the timed calls have written.
	after := r.newDecryption(r.atLimbs(refreshed.out, 2), bits2)
	after.combine()
	worst := checkDecryptions(want, map[string]*collectiveDecryption{"2limbs": two, "4limbs": four, "refreshed": after})

	for i, b := range r.benches {
		emit(*asJSON, record{b.name, backend, b.label, 1, "s", slices.Min(samples[i]), median(samples[i]), *reps})
	}
	info := partiesInfo{
		Kind: "info", Bench: "parties_info", Backend: backend, Params: r.label, Threads: 1,
		Parties: partyCount, Answering: len(r.active), LogN: *logN, LogQP: r.params.LogQP(),
		QBits: r.params.LogQi(), PBits: r.params.LogPi(),
		Digits:    r.params.BaseRNSDecompositionVectorSize(r.params.MaxLevelQ(), r.params.MaxLevelP()),
		ScaleBits: r.params.LogDefaultScale(), EncoderBits: r.ecd.Prec(),
		SmudgeBits: *smudge, SmudgeBitsUsed: map[string]float64{"2limbs": bits2, "4limbs": bits4},
		RefreshLevel: refreshed.level, RefreshLogQ: logModulus(r.params.Q()[:refreshed.level+1]),
		RefreshMaskBits: refreshed.maskBits, RefreshLevelOut: refreshed.out.Level(),
		ShareBytes: map[string]int{
			"public_key": pkBytes, "relin1": relinBytes1, "relin2": relinBytes2, "rotation": rotationBytes,
			"decrypt_2limbs": two.total.BinarySize(), "decrypt_4limbs": four.total.BinarySize(), "refresh": refreshed.bytes,
		},
		LargestErrors: worst,
	}
	info.print(*asJSON)
}

func logModulus(primes []uint64) (bits float64) {
	for _, q := range primes {
		bits += math.Log2(float64(q))
	}
	return
}

func (info partiesInfo) print(asJSON bool) {
	if asJSON {
		b, err := json.Marshal(info)
		must(err)
		fmt.Println(string(b))
		return
	}
	fmt.Printf("%s   log2 QP %.1f   digits %d   scale 2^%d   encoder %d bit\n", info.Params, info.LogQP, info.Digits, info.ScaleBits, info.EncoderBits)
	fmt.Printf("refresh from level %d (%.1f bit) to level %d, masks of %d bit\n", info.RefreshLevel, info.RefreshLogQ, info.RefreshLevelOut, info.RefreshMaskBits)
	fmt.Printf("bytes of shares %v\n", info.ShareBytes)
}
