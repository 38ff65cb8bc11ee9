-- What one launch of the sqlite3 shell does: a schema, a hundred rows, and the queries of a small report.
PRAGMA journal_mode = memory;
CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE book(
  id INTEGER PRIMARY KEY, author INTEGER REFERENCES author(id), title TEXT, year INTEGER, price REAL);
CREATE INDEX book_year ON book(year);
BEGIN;
INSERT INTO author(name) VALUES ('Ada'), ('Brian'), ('Claude'), ('Donald'), ('Edsger');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
  INSERT INTO book(author, title, year, price)
  SELECT 1 + i % 5, printf('Volume %03d', i), 1950 + i * 7 % 70, round(i * 1.37, 2) FROM n;
COMMIT;
.headers on
.mode column
SELECT name, count(*) AS books, min(year) AS first, round(avg(price), 2) AS price
  FROM author JOIN book ON book.author = author.id
  GROUP BY name HAVING count(*) > 3 ORDER BY price DESC;
SELECT title FROM book WHERE year BETWEEN 1960 AND 1970 AND title LIKE '%1%' ORDER BY year, title LIMIT 5;
UPDATE book SET price = price * 0.9 WHERE year < 1970;
DELETE FROM book WHERE id % 10 = 0;
CREATE VIEW recent AS SELECT * FROM book WHERE year > 2000;
SELECT upper(substr(title, 1, 6)) AS kind, total(price) AS total FROM recent GROUP BY kind;
SELECT json_group_array(name) AS names FROM (SELECT name FROM author ORDER BY name);
SELECT title, rank() OVER (PARTITION BY author ORDER BY price) AS place
  FROM book ORDER BY place, title LIMIT 3;
PRAGMA integrity_check;
