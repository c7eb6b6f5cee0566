"""One run made of several (fusion, ensembles)."""
