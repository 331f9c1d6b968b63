module ringjet/bench/peers/lattigo

go 1.23

require github.com/tuneinsight/lattigo/v6 v6.2.0
