-- SPDX-License-Identifier: Apache-2.0
-- Benchmark workload: fill a table by a linear congruence, index it, join, group, update, delete. @ROWS@ is replaced.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE item(id INTEGER PRIMARY KEY, grp INTEGER, price INTEGER, name TEXT);
WITH RECURSIVE gen(i, r) AS (SELECT 1, 7 UNION ALL SELECT i + 1, (r * 1103515245 + 12345) & 2147483647 FROM gen WHERE i < @ROWS@)
INSERT INTO item SELECT i, r % 1000, (r >> 8) % 5000, printf('item-%05x', (r >> 4) & 1048575) FROM gen;
CREATE INDEX item_grp ON item(grp, price);
CREATE TABLE kind(id INTEGER PRIMARY KEY, label TEXT);
INSERT INTO kind SELECT grp, 'kind ' || grp FROM (SELECT DISTINCT grp FROM item);
SELECT count(*), sum(price), min(name), max(name) FROM item;
SELECT k.label, count(*), avg(i.price) FROM item i JOIN kind k ON k.id = i.grp WHERE i.price > 2500 GROUP BY k.label ORDER BY 2 DESC, 1 LIMIT 10;
SELECT substr(name, 6, 2) AS p, count(*), total(price) FROM item GROUP BY p ORDER BY 3 DESC LIMIT 10;
SELECT count(*) FROM item WHERE name LIKE '%ab%' AND price BETWEEN 100 AND 4000;
UPDATE item SET price = price + 1 WHERE grp % 3 = 0;
SELECT grp, max(price) FROM item GROUP BY grp HAVING count(*) > 450 ORDER BY 2, 1 LIMIT 10;
SELECT a.grp, count(*) FROM item a JOIN item b ON b.grp = a.grp AND b.price = a.price AND b.id > a.id GROUP BY a.grp ORDER BY 2 DESC, 1 LIMIT 10;
SELECT count(*), sum(length(a.name)) FROM item a WHERE EXISTS (SELECT 1 FROM item b WHERE b.grp = a.price % 1000 AND b.price = a.grp);
DELETE FROM item WHERE price % 5 = 0;
SELECT count(*), sum(id) FROM item;
SELECT id, row_number() OVER (PARTITION BY grp ORDER BY price, id) AS n FROM item ORDER BY n DESC, id LIMIT 10;
