-- Another launch than launch.sql: what an order made from that one is worth here.
CREATE TABLE town(name TEXT PRIMARY KEY, size INT) WITHOUT ROWID;
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, born DATE, town TEXT REFERENCES town(name));
INSERT INTO town VALUES('Ulm',126),('Bonn',330),('Kiel',247);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<50)
  INSERT INTO people SELECT i, printf('p%03d',i), date('1970-01-01','+'||i*100||' days'),
    CASE i%3 WHEN 0 THEN 'Ulm' WHEN 1 THEN 'Bonn' ELSE 'Kiel' END FROM n;
SELECT town, count(*), min(born), max(born), group_concat(id) FROM people GROUP BY town HAVING count(*)>3 ORDER BY 2 DESC;
SELECT id, name, rank() OVER (PARTITION BY town ORDER BY born DESC) r FROM people WHERE id%7=3 ORDER BY r,id;
SELECT json_group_array(json_object('n',name,'t',town)) FROM people WHERE id<5;
UPDATE people SET town='Ulm' WHERE id IN (SELECT id FROM people WHERE born > '1975-01-01' LIMIT 5);
DELETE FROM people WHERE id BETWEEN 10 AND 20;
CREATE VIEW v AS SELECT p.name, t.size FROM people p LEFT JOIN town t ON p.town=t.name;
SELECT sum(size), avg(size), total(size) FROM v WHERE name LIKE 'p0%';
CREATE TRIGGER tr AFTER INSERT ON people BEGIN UPDATE town SET size=size+1 WHERE name=new.town; END;
INSERT INTO people(name,born,town) VALUES('new','2000-01-01','Kiel');
EXPLAIN QUERY PLAN SELECT * FROM people WHERE town='Ulm';
PRAGMA integrity_check;
SELECT nothing FROM nowhere;
.mode box
SELECT * FROM town;
.schema
.dump town
