"""RA-UCB on the allocation paper's appendix A.1: the library and its rivals."""
