// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.BucketTarget;
import io.millrace.load.target.ColumnSelection;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.util.List;
import java.util.OptionalLong;

/**
 * The target types of {@code --as}, and the step from typed options to a target. A target checks itself; the checks
 * here are those whose message is clearer if it names options. Columns are checked later, when the source is open.
 */
final class TargetChoice {

    private static final String PACKS_STRINGS = "--bucket packs strings: it belongs to --as string.";
    private static final String PAIRS_NEED_BUCKET = "--pairs says how many pairs --bucket packs. Add --bucket N.";
    private static final String LIMIT_NEEDS_BUCKET = "--bucket-above-limit belongs to --bucket N.";
    private static final String STRING_HAS_NO_COLUMNS =
            "--fields and --exclude choose columns of a hash or a JSON document; --as string writes --value.";

    /** The registry of target types. A new type is one more entry. */
    static final List<TargetType> TYPES = List.of(
            TargetType.of("string", TargetChoice::string)
                    .taking("--value", "--replace-row", "--bucket", "--pairs", "--bucket-above-limit")
                    .refusing("--field", "--field belongs to --as hash, not to --as string.")
                    .refusing("--fields", STRING_HAS_NO_COLUMNS)
                    .refusing("--exclude", STRING_HAS_NO_COLUMNS),
            TargetType.of("hash", TargetChoice::hash)
                    .taking("--value", "--field", "--fields", "--exclude", "--replace-row")
                    .refusing("--bucket", PACKS_STRINGS)
                    .refusing("--pairs", PAIRS_NEED_BUCKET)
                    .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET),
            TargetType.of("json", typed -> new JsonTarget(options(typed), columns(typed)))
                    .withMeaning("a JSON document in a string")
                    .taking("--fields", "--exclude", "--replace-row")
                    .refusing(
                            "--value",
                            "--value belongs to --as string; a JSON document is made of columns (--fields, --exclude).")
                    .refusing("--field", "--field belongs to --as hash, not to --as json.")
                    .refusing("--bucket", PACKS_STRINGS)
                    .refusing("--pairs", PAIRS_NEED_BUCKET)
                    .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET));

    private TargetChoice() {}

    /**
     * The target that {@code typed} describes.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    static Target of(TargetArguments typed) {
        if (typed.key.isEmpty()) {
            throw new UsageException("--key is missing: the key of a row, such as --key 'user:{id}'.");
        }
        TargetType type = typed.type.orElseThrow(() -> new UsageException("--as is missing: " + names() + "."));
        Target target = type.target(typed);
        target.check();
        return target;
    }

    private static Target string(TargetArguments typed) {
        refuseIf(typed.bucket.isEmpty() && typed.pairs.isPresent(), PAIRS_NEED_BUCKET);
        refuseIf(typed.bucket.isEmpty() && typed.bucketAboveLimit, LIMIT_NEEDS_BUCKET);
        String value = typed.value.orElseThrow(() ->
                new UsageException("--as string needs --value: a column, or a template such as '{first} {last}'."));
        if (typed.bucket.isEmpty()) {
            return new StringTarget(options(typed), value);
        }
        refuseIf(
                typed.ttl.isPresent(),
                "--ttl does not go with --bucket: a field of a hash has no expiry of its own before Redis 7.4, and that "
                        + "of the hash would be one for all its pairs.");
        refuseIf(
                typed.replaceRow,
                "--replace-row with --bucket would delete the hash before each of its pairs. "
                        + "Leave it out: a pair is replaced in any case.");
        OptionalLong pairs = typed.pairs.map(OptionalLong::of).orElse(OptionalLong.empty());
        return new BucketTarget(
                options(typed), value, new BucketOptions(typed.bucket.get(), pairs, typed.bucketAboveLimit));
    }

    /** A row is a whole hash, or with {@code --field} one field of a hash. */
    private static Target hash(TargetArguments typed) {
        ColumnSelection columns = columns(typed);
        if (typed.field.isEmpty()) {
            refuseIf(
                    typed.value.isPresent(),
                    "--value with --as hash needs --field, the name of the field that takes it; "
                            + "without --field the columns are the fields.");
            return new HashTarget(options(typed), columns, typed.replaceRow);
        }
        refuseIf(
                typed.replaceRow,
                "--replace-row with --field would delete the hash before each of its fields. "
                        + "Leave it out, or delete the key before the load.");
        refuseIf(
                typed.value.isPresent() && !columns.equals(ColumnSelection.ALL),
                "--value and --fields or --exclude both say what a field's value is. Choose one.");
        return new HashFieldTarget(options(typed), typed.field.get(), typed.value, columns);
    }

    private static TargetOptions options(TargetArguments typed) {
        return new TargetOptions(typed.key.orElseThrow(), typed.ttl, typed.nullText);
    }

    private static ColumnSelection columns(TargetArguments typed) {
        return new ColumnSelection(typed.fields, typed.exclude);
    }

    /** The names of all types as part of a sentence, such as {@code string, hash or json}. */
    private static String names() {
        List<String> names = TYPES.stream().map(TargetType::name).toList();
        return String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast();
    }

    private static void refuseIf(boolean contradiction, String sentence) {
        if (contradiction) {
            throw new UsageException(sentence);
        }
    }
}
