"""A small corpus to try the store on, all of it made here.

- ``handbook/``: five pages of the handbook of Harbor Outfitters, a company that does not exist.
- ``graphrag/``: a GraphRAG 3.x-shaped index over the handbook, as CSV tables. Relationship 5
  (CLEARANCE ITEM → REFUND) holds only with its qualifier, "unless the item is faulty".
- ``raptor/tree.pkl``: a RAPTOR-shaped tree over returns.md, receipts.md and clearance.md, put
  end to end. Its summary 10 has drifted: it allows an exchange for 21 days, its leaves for 7.
- ``answers.jsonl``: four answers with eleven claims in recorded form. They cite nodes of both
  indexes and one passage directly; one citation is printed twice, one marker points to nothing,
  and one citation names what was not retrieved.
- ``correction.json``: one sentence of returns.md with another number. Two answers rest on it,
  one had it in its context and cites the sentence beside it, one rests on other sentences.
- ``desk/``: the citation desk, six short sources and six versions of an answer, with the recorded
  judgments that score them. ``examples/`` has the same files.

``python -m lineage.demo.build DIR`` writes everything but the handbook and the correction again,
with the same bytes: no model wrote any of it, native ids are hashes, and nothing depends on time.
``lineage.demo.files`` finds the files in an installation.
"""
