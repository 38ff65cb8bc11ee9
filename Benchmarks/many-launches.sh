# Sourced by scripts here, after programs.sh: twelve launches of each program. many_PROGRAM NAME COMMAND... IMAGE runs
# the launch NAME in the current folder, with IMAGE after the words of COMMAND. Orders are made from the launches in
# PROGRAM_trained. The launches in PROGRAM_held_out are not recorded: they show what an order saves for other launches.
# prepare_PROGRAM writes the files that the launches read.
sqlite3_trained=(report people search json import schema dates error)
sqlite3_held_out=(inventory graph dump help)

prepare_sqlite3() { # prepare_sqlite3 IMAGE
  printf 'id,name,size\n1,Ulm,126\n2,Bonn,330\n3,Kiel,247\n' >towns.csv
  "$1" towns.db 'CREATE TABLE town(id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INT); CREATE INDEX big ON town(size);
    INSERT INTO town(name, size) VALUES ("Ulm", 126), ("Bonn", 330), ("Kiel", 247);
    CREATE VIEW small AS SELECT name FROM town WHERE size < 200;'
}

many_sqlite3() {
  local sql
  case $1 in
    report) launch_sqlite3 launch "${@:2}"; return ;;
    people) launch_sqlite3 second "${@:2}"; return ;;
    schema) "${@:2}" -batch -readonly towns.db '.schema' '.tables' '.indexes'; return ;;
    dump) "${@:2}" -batch -readonly towns.db '.dump'; return ;;
    help) "${@:2}" -help; return ;;
    search) sql="CREATE VIRTUAL TABLE note USING fts5(title, body);
      INSERT INTO note VALUES ('red', 'a fox in the wood'), ('blue', 'a whale in the sea'), ('green', 'a tree in the wood');
      SELECT title, bm25(note) FROM note WHERE note MATCH 'wood AND (fox OR tree)' ORDER BY rank;
      SELECT highlight(note, 1, '<', '>'), snippet(note, 1, '', '', '..', 3) FROM note WHERE note MATCH 'body:sea*';" ;;
    json) sql="CREATE TABLE event(data TEXT);
      INSERT INTO event VALUES ('{\"kind\":\"open\",\"at\":[1,2]}'), ('{\"kind\":\"close\",\"at\":[3]}');
      SELECT json_extract(data, '\$.kind'), json_array_length(data, '\$.at') FROM event;
      SELECT key, value, path FROM event, json_tree(data) WHERE atom NOT NULL;
      UPDATE event SET data = json_set(data, '\$.seen', json('true')); SELECT json_group_object(rowid, data) FROM event;" ;;
    import)
      "${@:2}" -batch :memory: '.mode csv' '.import towns.csv town' '.headers on' 'SELECT * FROM town ORDER BY name;' \
        '.mode json' 'SELECT name FROM town WHERE CAST(size AS INT) > 200;'
      return ;;
    dates) sql="SELECT date('2024-02-28', '+2 days'), strftime('%Y-%W', '2024-07-01'), julianday('now') > 0;
      SELECT round(sqrt(2), 3), pow(2, 10), printf('%08.3f|%-5s|%x', 3.14159, 'ab', 255), hex(randomblob(2)) <> '';
      SELECT replace(upper('abc'), 'B', 'x'), trim('  a '), instr('hello', 'l'), substr('hello', -3), quote(x'00ff');" ;;
    error) sql="SELECT nothing; CREATE TABLE t(a UNIQUE, b CHECK(b > 0)); INSERT INTO t VALUES (1, 1);
      INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (2, -1); SELEC 1; SELECT * FROM t WHERE; DROP TABLE missing;" ;;
    inventory) sql="PRAGMA foreign_keys = on; CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, stock INT DEFAULT 0);
      CREATE TABLE move(item REFERENCES item(id) ON DELETE CASCADE, n INT, at TEXT DEFAULT CURRENT_TIMESTAMP);
      CREATE TRIGGER booked AFTER INSERT ON move BEGIN UPDATE item SET stock = stock + new.n WHERE id = new.item; END;
      INSERT INTO item(name) VALUES ('bolt'), ('nut'), ('gear'); BEGIN; INSERT INTO move(item, n) VALUES (1, 5), (2, 7), (1, -2);
      SAVEPOINT s; DELETE FROM item WHERE id = 2; ROLLBACK TO s; COMMIT; INSERT INTO item(id, name) VALUES (1, 'x')
      ON CONFLICT(id) DO UPDATE SET name = 'bolts'; SELECT name, stock, sum(n) OVER (ORDER BY i.id) FROM item i LEFT JOIN move ON item = i.id;
      ALTER TABLE item ADD COLUMN price REAL; ALTER TABLE item RENAME COLUMN stock TO pieces; ANALYZE; VACUUM;" ;;
    graph) sql="CREATE TABLE edge(a INT, b INT, PRIMARY KEY(a, b)) WITHOUT ROWID;
      INSERT INTO edge SELECT i, (i * 7 + 3) % 20 FROM (WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n LIMIT 20) SELECT i FROM n);
      WITH RECURSIVE reach(x) AS (VALUES(0) UNION SELECT b FROM edge, reach WHERE a = x) SELECT count(*), group_concat(x) FROM reach;
      SELECT a FROM edge EXCEPT SELECT b FROM edge; SELECT a FROM edge INTERSECT SELECT b FROM edge ORDER BY 1 DESC LIMIT 3 OFFSET 2;
      SELECT max(a) FILTER (WHERE b < 10), min(b), count(DISTINCT b % 3) FROM edge WHERE a IN (SELECT b FROM edge) OR a BETWEEN 3 AND 5;" ;;
  esac
  "${@:2}" -batch :memory: "$sql"
}

redis_trained=(startup server second lists streams scripts saved configured)
redis_held_out=(sets geography transactions version)

prepare_redis() { printf 'maxmemory 100mb\nappendonly no\nloglevel notice\nhz 20\nsave ""\n' >redis.conf; }

many_redis() {
  case $1 in
    startup | server | second) launch_redis "$@" ;;
    version) "${@:2}" --version ;;
    *) (
      # A client that sends these commands, with the arguments of client.py.
      case $1 in
        lists) commands=('RPUSH l a b c d' 'LPOP l' 'LINSERT l BEFORE c x' 'LRANGE l 0 -1' 'LTRIM l 0 1' 'RPOPLPUSH l m' 'LLEN m') ;;
        streams) commands=('XADD s 1-1 a 1' 'XADD s 2-1 b 2' 'XLEN s' 'XRANGE s - +' 'XGROUP CREATE s g 0' 'XREADGROUP GROUP g me COUNT 1 STREAMS s >' 'XACK s g 1-1' 'XINFO STREAM s') ;;
        scripts) commands=('EVAL return{KEYS[1],redis.call("SET",KEYS[1],ARGV[1])} 1 k v' 'SCRIPT LOAD return(7)' 'GET k' 'EVAL return(cjson.encode({1,2})) 0' 'SCRIPT FLUSH') ;;
        saved) commands=('SET a 1' 'HSET h f v g w' 'ZADD z 1 x' 'SAVE' 'DEBUG RELOAD' 'FLUSHALL' 'LASTSAVE') ;;
        configured) commands=('CONFIG GET maxmemory' 'CLIENT LIST' 'SLOWLOG GET' 'MEMORY USAGE a' 'COMMAND COUNT' 'ACL WHOAMI' 'LATENCY DOCTOR') ;;
        sets) commands=('SADD a 1 2 3' 'SADD b 2 3 x' 'SUNION a b' 'SDIFF a b' 'SMOVE a b 1' 'SSCAN b 0' 'ZADD z 3 c 1 a 2 b' 'ZRANGEBYSCORE z 1 2' 'ZINCRBY z 5 a' 'ZUNIONSTORE y 2 z b') ;;
        geography) commands=('GEOADD p 9.99 48.4 ulm 7.1 50.7 bonn' 'GEODIST p ulm bonn km' 'GEOSEARCH p FROMMEMBER ulm BYRADIUS 500 km ASC' 'PFADD u a b c' 'PFCOUNT u' 'SETBIT f 7 1' 'BITCOUNT f' 'BITPOS f 1') ;;
        transactions) commands=('WATCH a' 'MULTI' 'SET a 5' 'INCRBY a 3' 'EXPIRE a 50' 'EXEC' 'TTL a' 'GETRANGE a 0 0' 'RENAME a b' 'PUBLISH c x') ;;
      esac
      arguments=(--port 0 --unixsocket socket --save "")
      [[ $1 != configured ]] || arguments=(redis.conf --port 0 --unixsocket socket)
      rm -f socket dump.rdb
      "$here/redis/client.py" socket -- "${commands[@]}" &
      client=$!
      status=0
      "${@:2}" "${arguments[@]}" || status=$?
      kill $client 2>/dev/null
      wait $client 2>/dev/null || true
      exit $status
    ) ;;
  esac
}

# shown and shown.oftrace are a copy of the command, and a trace of it.
orderfile_trained=(show trace names compare order help sealed wrong)
orderfile_held_out=(json map refused settings)

prepare_orderfile() { # prepare_orderfile IMAGE COMMAND: COMMAND records
  cp "$1" shown
  "$2" record -q --breakpoints -o shown.oftrace -- ./shown --version >/dev/null
  "$2" gen -q shown.oftrace -o shown.order
}

many_orderfile() {
  case $1 in
    show) "${@:2}" show shown ;;
    trace) "${@:2}" show shown.oftrace ;;
    names) "${@:2}" show shown.order ;;
    compare) "${@:2}" diff shown shown --trace shown.oftrace --order shown.order ;;
    order) "${@:2}" gen shown.oftrace --image shown -o new.order ;;
    help) "${@:2}" help gen ;;
    sealed) "${@:2}" show --json shown.oftrace ;;
    wrong) "${@:2}" gen shown.order -o new.order || true ;;
    json) "${@:2}" diff --json shown shown --trace shown.oftrace --page-size 16k ;;
    map) "${@:2}" gen shown.oftrace --image shown --linker gold --list-missing --json -o new.order ;;
    refused) "${@:2}" show missing.oftrace || true ;;
    settings) "${@:2}" flags xcconfig --help ;;
  esac
}
