-- Judgments: verdicts that are kept, how well judges do, and scores.

create table judge(
    id integer primary key, name text not null, version text not null, configuration text not null,
    unique (name, version, configuration)
) strict;

-- number counts the differing verdicts of one key. latency in microseconds. cut: the judge did not see all.
create table judgment(
    id integer primary key, hash blob not null, number integer not null, judge integer not null references judge,
    statement integer not null references text, verdict text not null, score real, reason text, latency integer,
    cut integer not null, who text, seq integer not null, at integer not null, unique (hash, number)
) strict;
create index judgment_statement on judgment(statement);

-- The passages in the order in which they were shown. source: a version's or node's id, or a name from outside.
create table judgment_passage(
    judgment integer not null references judgment, place integer not null, text integer not null references text,
    source text not null, primary key (judgment, place)
) strict, without rowid;
create index judgment_passage_source on judgment_passage(source);
create index judgment_passage_text on judgment_passage(text);

-- Which of a key's differing verdicts holds; the last one counts.
create table judgment_choice(
    hash blob not null, number integer not null, reason text not null, who text, seq integer not null,
    at integer not null, primary key (hash, seq)
) strict, without rowid;

-- kappa in millionths.
create table calibration(
    id integer primary key, judge integer not null references judge, labels text not null, seed integer not null,
    kappa integer, body text not null, seq integer not null, at integer not null
) strict;
create index calibration_judge on calibration(judge);

create table score(
    id integer primary key, node integer not null, body text not null, seq integer not null, at integer not null
) strict;
create index score_node on score(node);
