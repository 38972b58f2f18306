# Indexes lines of a file as rows of SQLite FTS5, and runs queries: FOLDER holds pages.txt and queries.json.

import json
import os
import sqlite3
import sys
import time

folder = sys.argv[1]
path = os.path.join(folder, "index.db")
database = sqlite3.connect(path)
database.execute("pragma journal_mode = off")
database.execute("pragma synchronous = off")
database.execute(
    "create virtual table page using fts5(text, content='', tokenize='unicode61 remove_diacritics 2')"
)
began = time.process_time()
with open(os.path.join(folder, "pages.txt"), encoding="utf-8") as pages:
    database.executemany(
        "insert into page(rowid, text) values (?, ?)", ((row + 1, line) for row, line in enumerate(pages))
    )
database.execute("insert into page(page) values ('optimize')")
database.commit()
seconds = time.process_time() - began
times = []
cpu = []
for query in json.load(open(os.path.join(folder, "queries.json"), encoding="utf-8")):
    # Words are quoted, so that none is an operator.
    match = query if query[0] == '"' else " ".join(
        f'"{word[:-1]}"*' if word.endswith("*") else f'"{word}"' for word in query.split()
    )
    started = time.perf_counter()
    spent = time.process_time()
    database.execute("select rowid from page where page match ? limit 10000", (match,)).fetchall()
    times.append((time.perf_counter() - started) * 1000)
    cpu.append((time.process_time() - spent) * 1000)
print(json.dumps({"seconds": seconds, "bytes": os.path.getsize(path), "times": times, "cpu": cpu}))
