"""The evidence behind robustnmf: one folder a study, on one common part."""
