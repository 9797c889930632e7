// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.PlanException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which parts of a target go together. */
final class TargetRules {

    private static final Duration SHORTEST_TTL = Duration.ofMillis(1);

    /** Redis adds the expiry to the time of day in 64 bits of milliseconds; this stays clear of the overflow. */
    private static final Duration LONGEST_TTL = Duration.ofMillis(Long.MAX_VALUE / 2);

    private TargetRules() {}

    static void check(Target target) {
        checkTtl(target);
        target.bucket().ifPresent(bucket -> checkBucket(target, bucket));
        switch (target.type()) {
            case STRING -> checkString(target);
            case HASH -> checkHash(target);
            case JSON -> checkJson(target);
        }
        checkColumns(target);
    }

    private static void checkTtl(Target target) {
        target.ttl().ifPresent(ttl -> {
            if (ttl.compareTo(SHORTEST_TTL) < 0 || ttl.compareTo(LONGEST_TTL) > 0) {
                throw new PlanException("ttl is out of range: ttl=" + ttl + " (1 ms to " + LONGEST_TTL.toDays()
                        + " days). Choose one in between.");
            }
        });
    }

    private static void checkBucket(Target target, Bucket bucket) {
        refuse(
                target.type() != TargetType.STRING,
                target,
                "bucket",
                "What is packed are strings: use the type string.");
        refuse(
                target.ttl().isPresent(),
                target,
                "ttl with bucket",
                "A field has no expiry of its own before Redis 7.4, and that of the hash would be one for all its pairs.");
        refuse(
                target.replaceRow(),
                target,
                "replaceRow with bucket",
                "A hash is shared by many rows, and each would delete the others; a pair is replaced in any case.");
        // Only to see whether its numbers are in range.
        bucket.packing("");
    }

    private static void checkString(Target target) {
        refuse(target.field().isPresent(), target, "field", "Fields are parts of a hash: use the type hash.");
        refuse(!target.fields().isEmpty(), target, "fields", "A string has one value: name it with value.");
        refuse(!target.exclude().isEmpty(), target, "exclude", "A string has one value: name it with value.");
        if (target.value().isEmpty()) {
            throw new PlanException("no value for a string: type=string, key=" + target.key()
                    + ". Name a column or a template as value.");
        }
    }

    private static void checkHash(Target target) {
        if (target.field().isEmpty()) {
            refuse(
                    target.value().isPresent(),
                    target,
                    "value",
                    "A hash is made of all columns: choose them with fields, or add field to write one field per row.");
            return;
        }
        refuse(
                target.replaceRow(),
                target,
                "replaceRow",
                "With field a key is shared by many rows, and each would delete the others.");
        boolean chosen = !target.fields().isEmpty() || !target.exclude().isEmpty();
        refuse(
                chosen && target.value().isPresent(),
                target,
                "fields or exclude",
                "With value the row is not written column by column: leave one of them out.");
    }

    private static void checkJson(Target target) {
        refuse(target.field().isPresent(), target, "field", "Use the type hash: its fields are JSON documents.");
        refuse(
                target.value().isPresent(),
                target,
                "value",
                "The document is made of the columns: choose them with fields.");
    }

    private static void checkColumns(Target target) {
        List<String> fields = target.fields();
        Set<String> distinct = new HashSet<>(fields);
        if (distinct.size() < fields.size()) {
            throw new PlanException("column named twice: fields=" + fields + ". Name each once.");
        }
        distinct.retainAll(target.exclude());
        if (!distinct.isEmpty()) {
            throw new PlanException("column both wanted and excluded: fields=" + fields + ", exclude="
                    + target.exclude() + ". Take it out of one of them.");
        }
    }

    private static void refuse(boolean contradiction, Target target, String part, String advice) {
        if (contradiction) {
            throw new PlanException(part + " does not go with this target: type="
                    + target.type().code() + ", key=" + target.key()
                    + target.field().map(field -> ", field=" + field).orElse("") + ". " + advice);
        }
    }
}
