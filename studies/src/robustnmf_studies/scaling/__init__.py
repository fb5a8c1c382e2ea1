"""How time, memory and what is sent about grow with the data, in each engine; and a cost model."""
