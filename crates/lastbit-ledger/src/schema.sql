CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('ledger', 'dataset', 'limit', 'charge', 'result', 'failure')),
    dataset TEXT,
    analyst TEXT,
    id TEXT,
    spec TEXT,
    neighbours TEXT,
    measure TEXT CHECK (measure IN ('epsilon', 'rho')),
    amount TEXT,
    delta TEXT,
    target_epsilon TEXT,
    target_delta TEXT,
    claim TEXT,
    fingerprint TEXT,
    size INTEGER,
    sha256 TEXT,
    result BLOB,
    hash TEXT NOT NULL UNIQUE
) STRICT;

CREATE UNIQUE INDEX declared_once ON entry (dataset) WHERE kind = 'dataset';

CREATE UNIQUE INDEX charged_once ON entry (id) WHERE kind = 'charge';

CREATE UNIQUE INDEX ended_once ON entry (id) WHERE kind IN ('result', 'failure');

CREATE INDEX limits ON entry (dataset, analyst) WHERE kind IN ('dataset', 'limit');

CREATE INDEX charges ON entry (dataset, analyst, measure, amount, delta) WHERE kind = 'charge';

CREATE TRIGGER no_update BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;

CREATE TRIGGER no_delete BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;

CREATE TRIGGER no_replace BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE seq >= NEW.seq)
    OR EXISTS (SELECT 1 FROM entry WHERE hash = NEW.hash)
    OR EXISTS (SELECT 1 FROM entry WHERE kind = 'dataset' AND NEW.kind = 'dataset' AND dataset = NEW.dataset)
    OR EXISTS (SELECT 1 FROM entry WHERE kind = 'charge' AND NEW.kind = 'charge' AND id = NEW.id)
    OR EXISTS (SELECT 1 FROM entry WHERE kind IN ('result', 'failure') AND NEW.kind IN ('result', 'failure') AND id = NEW.id)
BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
