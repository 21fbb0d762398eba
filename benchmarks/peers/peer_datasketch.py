"""The job with datasketch: MinHash in bulk, MinHashLSH with our bands.

Variants: `verified` by exact resemblance; `candidates`, which takes every candidate for a
look-alike, as most scripts do.
"""

import job
from datasketch import MinHash, MinHashLSH


class Datasketch:
    def __init__(self):
        self.index = MinHashLSH(num_perm=job.PERMUTATIONS, params=(job.BANDS, job.ROWS))

    def sign(self, sets):
        # The shingles are hashes already; 32 bits of them are what the default scheme takes.
        values = ((shingles & 0xFFFFFFFF).tolist() for shingles in sets)
        return MinHash.bulk(values, num_perm=job.PERMUTATIONS, hashfunc=int)

    def query(self, signature):
        return self.index.query(signature)

    def insert(self, row, signature):
        self.index.insert(row, signature, check_duplication=False)


if __name__ == "__main__":
    job.run(job.parse_arguments(__doc__.splitlines()[0], ["verified", "candidates"]), Datasketch())
