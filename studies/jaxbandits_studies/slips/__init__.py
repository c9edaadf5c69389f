"""Forms of policies that exist to show a slip: of a paper, or of published code.

They are built from the library's parts and are in the registry under names of their own
(`jaxbandits_studies.registry`). errata.md has the evidence.
"""
