"""Workloads of every kind, each with what is known of it: what the verdict on it has to be.

    from benchmarks.catalogue.all import CATALOGUE, prepared

    entry = CATALOGUE["http-20ms"]
    with prepared(entry, entry.count) as items:
        print(recommend(entry.fn, items))

`work/` holds the callables, one file per family; a file of the same name beside this one holds their labels;
`all` gathers them. Every callable can be imported by name and does real work: real files, real processes, a
real HTTP server.
"""
