"""The mathematics: noise models, objective, updates, loop. Knows no estimator, file or plot."""
