CREATE TABLE people (id BIGINT, name STRING)
USING millrace
OPTIONS (uri 'redis://cache:6379', key 'user:{id}', as 'hash', ttl '7d');

INSERT INTO people
SELECT id, concat('name ', id) AS name FROM range(1000);
