-- What compound claims were split into, and by whom: splitters are named as judges are.

-- A claim's last splitting counts. parts: a JSON array of texts in order, null where the claim was purged.
create table splitting(
    node integer not null, judge integer not null references judge, parts text, who text, seq integer not null,
    at integer not null, primary key (node, seq)
) strict, without rowid;
