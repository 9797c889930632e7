// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.BucketTarget;
import io.millrace.load.target.ColumnSelection;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonSetTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import io.millrace.spring.JobProperties.TargetKind;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates the target of a job from its keys. Refuses a key that has no meaning for the type of the target. */
final class JobTargetFactory {

    private static final Set<TargetKind> WITH_COLUMNS =
            EnumSet.complementOf(EnumSet.of(TargetKind.STRING, TargetKind.BITMAP));
    private static final Set<TargetKind> WITH_VALUE =
            EnumSet.of(TargetKind.STRING, TargetKind.HASH, TargetKind.LIST, TargetKind.SET, TargetKind.ZSET);

    private final JobProperties keys;
    private final String prefix;

    JobTargetFactory(JobProperties keys, String prefix) {
        this.keys = keys;
        this.prefix = prefix;
    }

    /**
     * Returns the target.
     *
     * @throws KeyException if keys are missing or contradict each other
     */
    Target create() {
        TargetKind kind = required(keys.as(), "as", "the type of the keys, such as hash");
        String key = required(keys.key(), "key", "the key of a row, such as customer:{id}");
        refuseUnused(kind);
        Target target = target(kind, options(key));
        try {
            target.check();
        } catch (PlanException contradiction) {
            throw new KeyException(
                    "the keys " + prefix + ".* describe no target: " + contradiction.getMessage(),
                    "Correct the keys that the message names. The names of the keys have hyphens instead of capitals.",
                    contradiction);
        }
        return target;
    }

    private Target target(TargetKind kind, TargetOptions options) {
        ColumnSelection columns = new ColumnSelection(keys.fields(), keys.exclude());
        Optional<String> value = Optional.ofNullable(keys.value());
        return switch (kind) {
            case STRING -> string(options);
            case HASH ->
                keys.field() == null
                        ? new HashTarget(options, columns, keys.replaceRow())
                        : new HashFieldTarget(options, keys.field(), value, columns);
            case JSON -> keys.jsonSet() ? new JsonSetTarget(options, columns) : new JsonTarget(options, columns);
            case LIST -> new ListTarget(options, value, columns);
            case SET -> new SetTarget(options, value, columns);
            case ZSET ->
                new SortedSetTarget(
                        options, required(keys.score(), "score", "the column with the score"), value, columns);
            case STREAM -> new StreamTarget(options, columns);
            case BITMAP -> new BitmapTarget(options, required(keys.offset(), "offset", "the column of the offset"));
        };
    }

    private Target string(TargetOptions options) {
        String value = required(keys.value(), "value", "a column, or a template such as '{first} {last}'");
        Integer size = keys.bucket().size();
        if (size == null) {
            return new StringTarget(options, value);
        }
        Long pairs = keys.bucket().pairs();
        return new BucketTarget(
                options,
                value,
                new BucketOptions(
                        size,
                        pairs == null ? OptionalLong.empty() : OptionalLong.of(pairs),
                        keys.bucket().aboveLimit()));
    }

    private TargetOptions options(String key) {
        TargetOptions options = new TargetOptions(
                key,
                Optional.ofNullable(keys.ttl()),
                Optional.ofNullable(keys.nullText()),
                Optional.ofNullable(keys.ttlField()),
                keys.ttlJitter() == null ? TargetOptions.TTL_JITTER.defaultValue() : keys.ttlJitter(),
                keys.onlyMissing(),
                false);
        refuse(keys.jsonNull() && keys.nullText() != null, "json-null", "null-text is set, too");
        return keys.jsonNull() ? options.withJsonNull() : options;
    }

    /** Refuses keys that the target would ignore. */
    private void refuseUnused(TargetKind kind) {
        boolean hasColumns = !keys.fields().isEmpty() || !keys.exclude().isEmpty();
        boolean wholeHash = kind == TargetKind.HASH && keys.field() == null;
        refuse(hasColumns && !WITH_COLUMNS.contains(kind), columnKey(), "columns belong to hashes and JSON documents");
        refuse(keys.value() != null && !WITH_VALUE.contains(kind), "value", "this type has no value");
        refuse(keys.value() != null && wholeHash, "value", "field, the name of the field for the value, is missing");
        refuse(keys.field() != null && kind != TargetKind.HASH, "field", "it belongs to as=hash");
        refuse(keys.score() != null && kind != TargetKind.ZSET, "score", "it belongs to as=zset");
        refuse(keys.offset() != null && kind != TargetKind.BITMAP, "offset", "it belongs to as=bitmap");
        refuse(keys.jsonSet() && kind != TargetKind.JSON, "json-set", "it belongs to as=json");
        refuse(keys.replaceRow() && !wholeHash, "replace-row", "it belongs to as=hash without field");
        boolean packs = keys.bucket().size() != null;
        refuse(packs && kind != TargetKind.STRING, "bucket.size", "it belongs to as=string");
        refuse(keys.bucket().pairs() != null && !packs, "bucket.pairs", "bucket.size is missing");
        refuse(keys.bucket().aboveLimit() && !packs, "bucket.above-limit", "bucket.size is missing");
    }

    private String columnKey() {
        return keys.fields().isEmpty() ? "exclude" : "fields";
    }

    private void refuse(boolean contradiction, String key, String why) {
        if (contradiction) {
            throw new KeyException(
                    prefix + "." + key + " cannot be used: " + why, "Remove the key, or correct the others.");
        }
    }

    private <T> T required(@Nullable T value, String key, String meaning) {
        if (value == null) {
            throw new KeyException(prefix + "." + key + " is missing", "Set " + meaning + ".");
        }
        return value;
    }
}
