module ringjet.example/score

go 1.21
