// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.VariantVal;
import org.jspecify.annotations.Nullable;

/**
 * Rows for one type of keys, and between them rows of several kinds that this type rejects. The columns are {@code id},
 * {@code key}, {@code value}, {@code number}, {@code score}, {@code life} and {@code doc}.
 *
 * @param options the options of the write, in pairs of name and value, the key first
 * @param kinds the kinds of bad rows
 */
record BadRows(String name, List<String> options, List<Kind> kinds) implements Serializable {

    /** Each fourth row is bad. */
    static final int BAD_EVERY = 4;

    /** A user that may write only some keys; see {@link #prepare}. */
    static final String USER = "loader";

    /** The keys of another type. */
    private static final String OTHER_TYPE = "other-type";

    /** A key that the user may not write. */
    private static final String FORBIDDEN = "forbidden";

    private static final StructType SCHEMA = StructType.fromDDL(
            "id BIGINT, key STRING, value STRING, number STRING, score DOUBLE, life STRING, doc VARIANT");

    /**
     * Rows that are rejected alike.
     *
     * @param column the column with the bad value
     * @param bad the bad value; null for NULL
     * @param reason the reason in the rejects file
     * @param message a part of the message in the rejects file
     */
    record Kind(String column, @Nullable Object bad, String reason, String message) implements Serializable {}

    private static Kind kind(String column, @Nullable Object bad, String reason, String message) {
        return new Kind(column, bad, reason, message);
    }

    /** The rows of the types whose rows can be bad in different ways. */
    static List<BadRows> all() {
        return List.of(hashes(), members(), scores(), bits(), buckets(), fields(), sets(), variants());
    }

    /** Hashes with an expiry. */
    static BadRows hashes() {
        return new BadRows(
                "hash",
                List.of("key", "hash:{key}:{number}", "as", "hash", "fields", "value,score", "ttlField", "life"),
                List.of(
                        kind("key", null, "key-empty", "key"),
                        kind("key", "", "key-empty", "key"),
                        kind("key,number", OTHER_TYPE, "server-error", "WRONGTYPE"),
                        kind("value,score", null, "no-value", "all columns are NULL"),
                        kind("life", null, "expiry-invalid", "life=NULL"),
                        kind("life", "soon", "expiry-invalid", "life='soon'"),
                        kind("life", "0", "expiry-invalid", "life='0'"),
                        kind("life", "-5", "expiry-invalid", "life='-5'"),
                        kind("life", "1.5h", "expiry-invalid", "life='1.5h'"),
                        kind("life", "36501d", "expiry-invalid", "life='36501d'")));
    }

    /** Sorted sets with a score that is text. */
    private static BadRows members() {
        return new BadRows(
                "zset",
                List.of("key", "zset:{key}", "as", "zset", "score", "number", "value", "value"),
                List.of(
                        kind("number", null, "number-invalid", "number=NULL"),
                        kind("number", "many", "number-invalid", "number='many'"),
                        kind("number", "1e400", "number-invalid", "number='1e400'"),
                        kind("number", "1e-400", "number-invalid", "number='1e-400'"),
                        kind("number", "7".repeat(129), "number-invalid", "number='777"),
                        kind("value", null, "no-value", "value"),
                        kind("key", OTHER_TYPE, "server-error", "WRONGTYPE")));
    }

    /** Sorted sets with a score that is a floating-point number. */
    private static BadRows scores() {
        return new BadRows(
                "score",
                List.of("key", "score:{key}", "as", "zset", "score", "score", "value", "value"),
                List.of(
                        kind("score", Double.NaN, "number-invalid", "score='NaN'"),
                        kind("score", Double.POSITIVE_INFINITY, "number-invalid", "score='Infinity'"),
                        kind("score", Double.NEGATIVE_INFINITY, "number-invalid", "score='-Infinity'")));
    }

    /** Bitmaps. The server has a limit for the size of a value. */
    private static BadRows bits() {
        return new BadRows(
                "bitmap",
                List.of("key", "bitmap:{key}", "as", "bitmap", "offset", "number"),
                List.of(
                        kind("number", null, "number-invalid", "number=NULL"),
                        kind("number", "", "number-invalid", "number=''"),
                        kind("number", "-1", "number-invalid", "number='-1'"),
                        kind("number", "1.5", "number-invalid", "number='1.5'"),
                        kind("number", "4294967296", "number-invalid", "number='4294967296'"),
                        kind("number", "4294967295", "server-error", "bit offset is not an integer or out of range"),
                        kind("key", OTHER_TYPE, "server-error", "WRONGTYPE")));
    }

    /** Strings in buckets. */
    private static BadRows buckets() {
        return new BadRows(
                "bucket",
                List.of("key", "bucket:{key}:{number}", "as", "string", "value", "value", "bucket", "100"),
                List.of(
                        kind("number", "many", "key-not-numbered", "does not end in a decimal number"),
                        kind("value", null, "no-value", "value")));
    }

    /** Fields of shared hashes. */
    private static BadRows fields() {
        return new BadRows(
                "field",
                List.of("key", "field:{key}", "as", "hash", "field", "{value}", "value", "number"),
                List.of(
                        kind("value", null, "name-empty", "value"),
                        kind("number", null, "no-value", "number"),
                        kind("key", OTHER_TYPE, "server-error", "WRONGTYPE")));
    }

    /** Sets. The user may write only some keys. */
    private static BadRows sets() {
        return new BadRows(
                "set",
                List.of("key", "set:{key}", "as", "set", "value", "value", "user", USER, "password", "pw"),
                List.of(
                        kind("value", null, "no-value", "value"),
                        kind("key", FORBIDDEN, "server-error", "NOPERM"),
                        kind("key", OTHER_TYPE, "server-error", "WRONGTYPE")));
    }

    /** JSON documents of a column whose value cannot be read. */
    private static BadRows variants() {
        byte[] damaged = {127};
        return new BadRows(
                "variant",
                List.of("key", "variant:{key}:{id}", "as", "hash", "fields", "value,doc"),
                List.of(kind(
                        "doc", new VariantVal(damaged, damaged), "unreadable-value", "column doc cannot be read")));
    }

    /** Gives the server of {@code client} the key of another type, the user and the limit that the kinds need. */
    void prepare(RedisClient client) {
        var unused = client.call(Server.setConfig("proto-max-bulk-len", "1mb"));
        var unusedUser = client.call(Command.of("ACL", "SETUSER", USER, "on", ">pw", "~set:[^f]*", "+@all"));
        String key = options.get(1).replaceAll("\\{(key|number)}", OTHER_TYPE);
        if (kinds.stream().anyMatch(kind -> OTHER_TYPE.equals(kind.bad()))) {
            var unusedLength = client.call(Command.of("RPUSH", key, "element"));
        }
    }

    Map<String, String> optionMap() {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < options.size(); i += 2) {
            map.put(options.get(i), options.get(i + 1));
        }
        return map;
    }

    /** The ids of the bad rows among {@code rows} rows, in ascending order. */
    static List<Long> bad(long rows) {
        return LongStream.range(0, rows).filter(BadRows::isBad).boxed().toList();
    }

    static boolean isBad(long id) {
        return id % BAD_EVERY == BAD_EVERY - 1;
    }

    /** The kind of a bad row. */
    Kind kindOf(long id) {
        return kinds.get((int) (id / BAD_EVERY % kinds.size()));
    }

    /** The rows with these ids. */
    Dataset<Row> rows(Dataset<Long> ids) {
        return ids.map((MapFunction<Long, Row>) this::row, Encoders.row(SCHEMA));
    }

    private Row row(long id) {
        @Nullable Object[] values = {id, "k" + id % 50, "v" + id, String.valueOf(id % 1_000_000), id / 4.0, "7d", null};
        if (isBad(id)) {
            Kind kind = kindOf(id);
            for (String column : kind.column().split(",", -1)) {
                values[SCHEMA.fieldIndex(column)] = kind.bad();
            }
        }
        return RowFactory.create(values);
    }

    /** The name of the type, in the name of the test. */
    @Override
    public String toString() {
        return name;
    }
}
