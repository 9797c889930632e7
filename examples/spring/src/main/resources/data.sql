INSERT INTO product SELECT x, 'product ' || x, MOD(x, 5) FROM SYSTEM_RANGE(1, 10000);
