// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.BucketTarget;
import io.millrace.load.target.ColumnSelection;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonSetTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Creates the target of a write. Refuses options that the type of the target would ignore. */
final class TargetChoice {

    private static final String JSON_NULL = "json";

    /** The options of each type, without the options of all types. */
    private static final Map<String, Set<WriteOption>> TYPES = Map.of(
            "string",
            Set.of(
                    WriteOption.VALUE,
                    WriteOption.TTL_FIELD,
                    WriteOption.BUCKET,
                    WriteOption.PAIRS,
                    WriteOption.BUCKET_ABOVE_LIMIT),
            "hash",
            Set.of(
                    WriteOption.VALUE,
                    WriteOption.FIELD,
                    WriteOption.FIELDS,
                    WriteOption.EXCLUDE,
                    WriteOption.REPLACE_ROW,
                    WriteOption.TTL_FIELD),
            "json",
            Set.of(WriteOption.FIELDS, WriteOption.EXCLUDE, WriteOption.TTL_FIELD, WriteOption.JSON_SET),
            "list",
            Set.of(WriteOption.VALUE, WriteOption.FIELDS, WriteOption.EXCLUDE),
            "set",
            Set.of(WriteOption.VALUE, WriteOption.FIELDS, WriteOption.EXCLUDE),
            "zset",
            Set.of(WriteOption.VALUE, WriteOption.FIELDS, WriteOption.EXCLUDE, WriteOption.SCORE),
            "stream",
            Set.of(WriteOption.FIELDS, WriteOption.EXCLUDE),
            "bitmap",
            Set.of(WriteOption.OFFSET));

    private static final List<WriteOption> OF_SOME_TYPES = List.of(
            WriteOption.VALUE,
            WriteOption.SCORE,
            WriteOption.OFFSET,
            WriteOption.JSON_SET,
            WriteOption.FIELD,
            WriteOption.FIELDS,
            WriteOption.EXCLUDE,
            WriteOption.TTL_FIELD,
            WriteOption.REPLACE_ROW,
            WriteOption.BUCKET,
            WriteOption.PAIRS,
            WriteOption.BUCKET_ABOVE_LIMIT);

    private final WriteOptions given;

    private TargetChoice(WriteOptions given) {
        this.given = given;
    }

    /**
     * Returns the target that {@code given} describes.
     *
     * @throws SparkLoadException if an option is missing, invalid, or has no meaning for the type
     * @throws io.millrace.load.target.PlanException if the target refuses an option
     */
    static Target of(WriteOptions given) {
        Target target = new TargetChoice(given).target();
        target.check();
        return target;
    }

    private Target target() {
        TargetOptions options = options();
        String type = given.required(WriteOption.AS, "the type of the keys, such as hash");
        Set<WriteOption> used = TYPES.get(type);
        if (used == null) {
            throw new SparkLoadException("option as: '" + type + "' is an unknown type. Legal: "
                    + String.join(", ", TYPES.keySet().stream().sorted().toList()) + ".");
        }
        for (WriteOption option : OF_SOME_TYPES) {
            if (given.has(option) && !used.contains(option)) {
                throw new SparkLoadException("option " + option.text() + " is not for as=" + type + ". Remove it.");
            }
        }
        ColumnSelection columns = new ColumnSelection(given.list(WriteOption.FIELDS), given.list(WriteOption.EXCLUDE));
        Optional<String> value = given.text(WriteOption.VALUE);
        return switch (type) {
            case "string" -> string(options);
            case "hash" -> hash(options, value, columns);
            case "json" ->
                given.flag(WriteOption.JSON_SET)
                        ? new JsonSetTarget(options, columns)
                        : new JsonTarget(options, columns);
            case "list" -> new ListTarget(options, value, columns);
            case "set" -> new SetTarget(options, value, columns);
            case "zset" -> {
                String score = given.required(WriteOption.SCORE, "the column with the score");
                yield new SortedSetTarget(options, score, value, columns);
            }
            case "stream" -> new StreamTarget(options, columns);
            default -> new BitmapTarget(options, given.required(WriteOption.OFFSET, "the column with the offset"));
        };
    }

    private Target string(TargetOptions options) {
        String value = given.required(WriteOption.VALUE, "a column, or a template such as '{first} {last}'");
        Optional<Integer> bucket = given.value(WriteOption.BUCKET, OptionTexts::integer);
        if (bucket.isEmpty()) {
            refuseWithout(WriteOption.PAIRS, WriteOption.BUCKET);
            refuseWithout(WriteOption.BUCKET_ABOVE_LIMIT, WriteOption.BUCKET);
            return new StringTarget(options, value);
        }
        OptionalLong pairs = given.value(WriteOption.PAIRS, OptionTexts::whole)
                .map(OptionalLong::of)
                .orElse(OptionalLong.empty());
        return new BucketTarget(
                options, value, new BucketOptions(bucket.get(), pairs, given.flag(WriteOption.BUCKET_ABOVE_LIMIT)));
    }

    private Target hash(TargetOptions options, Optional<String> value, ColumnSelection columns) {
        Optional<String> field = given.text(WriteOption.FIELD);
        if (field.isEmpty()) {
            refuseWithout(WriteOption.VALUE, WriteOption.FIELD);
            return new HashTarget(options, columns, given.flag(WriteOption.REPLACE_ROW));
        }
        if (given.has(WriteOption.REPLACE_ROW)) {
            throw new SparkLoadException(
                    "option replaceRow cannot be combined with field: it would delete the hash before each field.");
        }
        return new HashFieldTarget(options, field.get(), value, columns);
    }

    private void refuseWithout(WriteOption option, WriteOption needed) {
        if (given.has(option)) {
            throw new SparkLoadException("option " + option.text() + " needs option " + needed.text() + ".");
        }
    }

    private TargetOptions options() {
        Optional<String> nullText = given.text(WriteOption.NULL);
        TargetOptions options = new TargetOptions(
                given.required(WriteOption.KEY, "the key of a row, such as user:{id}"),
                given.value(WriteOption.TTL, OptionTexts::duration),
                nullText,
                given.text(WriteOption.TTL_FIELD),
                given.setting(WriteOption.TTL_JITTER, TargetOptions.TTL_JITTER, OptionTexts::percent)
                        .orElse(TargetOptions.TTL_JITTER.defaultValue()),
                false,
                false);
        return nullText.equals(Optional.of(JSON_NULL)) ? options.withJsonNull() : options;
    }
}
