CREATE TABLE product (id INT PRIMARY KEY, name VARCHAR(40), stock INT);
