-- The lineage graph. Rows are narrow and named by integers inside; ids are what readers see.
-- Application id and schema version are set by the runner.

create table sequence(value integer not null) strict;
insert into sequence values (0);

create table kind(id integer primary key, name text not null unique) strict;
create table namespace(id integer primary key, name text not null unique) strict;

-- Texts once, by content hash. body is null where it was purged.
create table text(id integer primary key, hash blob not null unique, body text) strict;
create index text_purged on text(id) where body is null;

create table document(
    id integer primary key, uri text not null unique, title text, url text, media_type text not null
) strict;

-- current: the version that holds now; its text is null after a withdrawal.
create table edition(
    document integer not null references document, edition integer not null, seq integer not null,
    current integer, primary key (document, edition)
) strict, without rowid;

-- base: the version that this one was aligned with. text null: a withdrawal. purged: its text is not to be read.
create table version(
    id integer primary key, hash blob not null unique, document integer not null references document,
    edition integer not null, number integer not null, text integer references text, base integer references version,
    alignment blob, seq integer not null, at integer not null, purged integer not null default 0,
    unique (document, edition, number)
) strict;
create index version_text on version(text);

-- Dated statements about a version: validity, applicability, labels, pages, sections. The last of each holds.
create table statement(
    id integer primary key, version integer not null references version, seq integer not null, at integer not null,
    body text not null
) strict;
create index statement_version on statement(version);

create table run(
    id integer primary key, hash blob not null unique, namespace integer not null references namespace,
    key text not null, producer text not null, body text not null, derived integer not null,
    begin integer not null, at integer not null, finished integer, complete integer not null default 0
) strict;

-- A logical name. current: the node that it names now. digest stands for the key in the index: keys are long.
create table name(
    id integer primary key, key text not null, kind integer not null references kind,
    namespace integer not null references namespace, current integer, digest integer not null,
    unique (digest, kind, namespace)
) strict;
create index name_kind on name(namespace, kind);

-- named_first, named_last: the first and last run (or asking) that named it, by begin.
-- run, begin, derived, made: its current derivation; made is the sequence number of its making.
-- lineage: 0 complete, 1 partial, 2 unknown.  unsettled: 1 until its inputs' marks were read.
-- purged: all that it was read from was purged, and so is its text.
create table node(
    id integer primary key, hash blob not null unique, kind integer not null, name integer, text integer,
    attributes text, named_first integer, named_last integer, run integer, begin integer, derived integer,
    made integer, lineage integer not null default 0, unsettled integer not null default 0,
    purged integer not null default 0
) strict;
create index node_name on node(name) where name is not null;
create index node_incomplete on node(lineage) where lineage > 0;

-- Beside identity: title, details, aliases, the reason why a lineage is not complete.
create table detail(node integer primary key, title text, reason text, body text) strict;
create table alias(
    alias text not null, namespace integer not null, node integer not null, primary key (alias, namespace, node)
) strict, without rowid;

create table answer(
    node integer primary key, cache_key text, question integer not null, asked integer not null, at integer not null,
    searched text, cited integer not null default 0
) strict;
create index answer_cache on answer(cache_key) where cache_key is not null;
-- When each run asked for an answer: told again by the same run, it was asked once.
create table asking(node integer not null, run integer not null, asked integer not null, primary key (node, run))
    strict, without rowid;
create table claim(node integer primary key, label text, needs_evidence integer not null) strict;

-- The first place of a span, and every place where it stands.
create table span(
    node integer primary key, document integer not null, edition integer not null, version integer not null,
    start integer not null, stop integer not null
) strict;
create table anchor(
    version integer not null, node integer not null, start integer not null, stop integer not null,
    primary key (version, node)
) strict, without rowid;

-- Current edges, dependent → input. version: the version of a span that was read. ext: the begin of
-- the last run that laid it over the making; below zero where the making has it too.
create table edge(
    src integer not null, role integer not null, dst integer not null, origins integer not null, version integer,
    since integer not null, ext integer, primary key (src, role, dst)
) strict, without rowid;
create index edge_in on edge(dst, role, src);

-- What is history leaves the tables that walks follow.
create table past_derivation(
    node integer not null, run integer not null, begin integer not null, derived integer not null,
    made integer not null, lineage integer not null, until integer, primary key (node, run, made)
) strict, without rowid;
create table past_edge(
    src integer not null, role integer not null, dst integer not null, origins integer not null, version integer,
    since integer not null, until integer not null, ext integer, run integer
) strict;
create index past_edge_src on past_edge(src);
create index past_edge_dst on past_edge(dst);

-- Naming and retiring, ordered by the begin of their runs.
create table retirement(name integer not null, begin integer not null, run integer not null, primary key (name, begin))
    strict, without rowid;
create table sweep(
    namespace integer not null, kind integer not null, begin integer not null, run integer not null,
    primary key (namespace, kind, begin)
) strict, without rowid;

-- Which kinds a run named: those that its complete end sweeps.
create table naming(run integer not null, kind integer not null, primary key (run, kind)) strict, without rowid;

-- Citations as printed, also those that resolve to nothing.
create table citation(
    claim integer not null, run integer not null, number integer not null, marker text, marker_start integer,
    marker_stop integer, target integer, version integer, start integer, stop integer, whole integer not null,
    primary key (claim, run, number)
) strict, without rowid;

create table finding(
    id integer primary key, run integer, kind text not null, place text not null, what text not null,
    unique (run, kind, place, what)
) strict;

-- When numbers of the sequence were given: the last number of each transaction that gave any.
create table moment(seq integer primary key, at integer not null) strict;

-- What marks nodes. type: 0 correction, 1 a run that replaced a key's node, 2 incomplete lineage.
create table cause(
    id integer primary key, name text not null unique, type integer not null, seq integer not null, at integer not null,
    reason text, who text, run integer, edition integer not null default 0
) strict;
create table change(
    cause integer not null, document integer not null, edition integer not null, kind text not null,
    source integer not null, target integer not null, primary key (cause, document, edition)
) strict, without rowid;
create index change_document on change(document);
create index change_target on change(target);

-- Where a cause begins, and for which readers of a span a review of it passes on.
create table seed(
    cause integer not null, node integer not null, severity integer not null, class text,
    start integer, stop integer, primary key (cause, node)
) strict, without rowid;
create index seed_node on seed(node);
create table reader(
    cause integer not null, node integer not null, version integer not null, primary key (cause, node, version)
) strict, without rowid;

-- Marks. seq is also the queue: a mark whose seq is past its cursor is unexpanded. severity 0: closed.
-- fell: its last change lowered it, so that what passes on must be read again.
create table mark(
    seq integer primary key, cause integer not null, node integer not null, severity integer not null,
    via integer, since integer not null, fell integer not null default 0, resolution text, unique (node, cause)
) strict;
create table past_mark(
    cause integer not null, node integer not null, severity integer not null, via integer,
    since integer not null, until integer not null, resolution text
) strict;
create index past_mark_node on past_mark(node);
create table recheck(cause integer not null, node integer not null, primary key (cause, node)) strict, without rowid;
-- invalid, other: the last expanded seq of each queue; page: the next dependent of the mark being expanded.
create table cursor(invalid integer not null, other integer not null, top integer not null) strict;
insert into cursor values (0, 0, 0);

create table decision(
    cause integer not null, node integer not null, made integer not null, kind text not null, severity integer not null,
    inputs text not null, reason text not null, who text, seq integer not null, at integer not null,
    primary key (cause, node, seq)
) strict, without rowid;

insert into cause(id, name, type, seq, at) values (1, 'incomplete', 2, 0, 0);

-- Outbox: each change of an answer's marks.
create table event(
    id integer primary key, seq integer not null, at integer not null, cause integer not null, node integer not null,
    was integer not null, is_now integer not null, resolution text
) strict;

-- Which documents a namespace derives from, and which other namespaces.
create table namespace_document(namespace integer not null, document integer not null, seq integer not null,
    primary key (namespace, document)) strict, without rowid;
create table namespace_input(namespace integer not null, input integer not null, primary key (namespace, input))
    strict, without rowid;
