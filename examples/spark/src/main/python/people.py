# SPDX-License-Identifier: Apache-2.0
"""Writes a DataFrame into Redis. Arguments: the server, and with Spark Connect the address of the Spark server."""
import sys

from pyspark.sql import SparkSession

builder = SparkSession.builder
if len(sys.argv) > 2:
    builder = builder.remote(sys.argv[2])
spark = builder.getOrCreate()

people = spark.range(1000).selectExpr("id", "concat('name ', id) AS name")

(people.write.format("millrace")
    .mode("append")
    .option("uri", sys.argv[1])
    .option("key", "user:{id}")
    .option("as", "hash")
    .option("ttl", "7d")
    .save())

spark.stop()
