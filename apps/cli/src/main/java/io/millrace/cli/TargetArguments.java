// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.BucketLayout;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.client.command.SetOptions;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.BucketTarget;
import io.millrace.load.target.ColumnSelection;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The typed options of {@code millrace load} for the target, and the types of {@code --as}. Each target checks its
 * values. This class checks some of the values first, because the messages of this class can name the options.
 */
final class TargetArguments {

    /** The value of {@code --null} that stands for the JSON value null. */
    private static final String JSON_NULL = "json";

    private static final String PACKS_STRINGS = "--bucket packs strings: it belongs to --as string.";
    private static final String PAIRS_NEED_BUCKET =
            "--pairs is the number of pairs that --bucket packs. Add --bucket N.";
    private static final String LIMIT_NEEDS_BUCKET = "--bucket-above-limit belongs to --bucket N.";
    private static final String STRING_HAS_NO_COLUMNS =
            "--fields and --exclude choose columns of a hash or a JSON document; --as string writes --value.";

    /** The registry of target types. A new type needs one more entry here. */
    static final List<TargetType> TYPES = List.of(
            TargetType.of("string", TargetArguments::string)
                    .taking("--value", "--replace-row", "--bucket", "--pairs", "--bucket-above-limit")
                    .refusing("--field", "--field belongs to --as hash, not to --as string.")
                    .refusing("--fields", STRING_HAS_NO_COLUMNS)
                    .refusing("--exclude", STRING_HAS_NO_COLUMNS),
            TargetType.of("hash", TargetArguments::hash)
                    .taking("--value", "--field", "--fields", "--exclude", "--replace-row")
                    .refusing("--bucket", PACKS_STRINGS)
                    .refusing("--pairs", PAIRS_NEED_BUCKET)
                    .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET),
            TargetType.of("json", typed -> new JsonTarget(typed.options(), typed.columns()))
                    .withMeaning("a JSON document in a string")
                    .taking("--fields", "--exclude", "--replace-row")
                    .refusing(
                            "--value",
                            "--value belongs to --as string; a JSON document is made of columns (--fields, --exclude).")
                    .refusing("--field", "--field belongs to --as hash, not to --as json.")
                    .refusing("--bucket", PACKS_STRINGS)
                    .refusing("--pairs", PAIRS_NEED_BUCKET)
                    .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET));

    final OptionGroup group = new OptionGroup("Mapping of rows:");

    final Option<String> key = group.text(
            "--key", "TEMPLATE", "Key of a row: a template over its columns, such as 'user:{id}'. Required.");

    final Option<TargetType> type =
            group.word("--as", "TYPE", typeNames(), () -> typeHelp() + ". Required.", TargetArguments::type);

    final Option<String> value =
            group.text("--value", "COLUMN|TEMPLATE", "Value of a string, or of a hash field with --field.");

    final Option<String> field = group.text(
            "--field",
            "TEMPLATE",
            "Store each row as one field of a hash. This option names the field, and --key names the hash. "
                    + "The value is the row as JSON, or --value.");

    final Option<List<String>> fields =
            group.list("--fields", "A,B,…", "Columns of a hash or a JSON document. Default: all.");

    final Option<List<String>> exclude = group.list("--exclude", "X,Y,…", "Columns to leave out.");

    final Option<Duration> ttl = group.value(
            "--ttl",
            "TIME",
            () -> "Expiry, set together with the write, such as 500ms, 30s, 15m, 1h or 7d: "
                    + Unit.TIME.text(SetOptions.MIN_TTL) + " to " + Unit.TIME.text(SetOptions.MAX_TTL) + ".",
            TtlText::parse);

    final Option<String> nullText = group.text(
            "--null",
            "TEXT|json",
            "Text that is written for NULL; json writes the JSON value null. Default: a NULL field is left " + "out.");

    final Option<Boolean> replaceRow = group.flag(
            "--replace-row",
            "Delete the key before its row is written. Without this option, a hash keeps its other fields.");

    final Option<Integer> bucket = group.value(
            "--bucket",
            "N",
            () -> "Pack strings into hashes of N fields: " + bucketRange()
                    + ". The hashes need a fraction of "
                    + "the memory of the strings. Each key must end in a number, unless --pairs is given. Refused if "
                    + "the server does not keep hashes of N fields in compact form.",
            WholeNumber::parseInt);

    final Option<Long> pairs = group.value(
            "--pairs",
            "COUNT",
            () -> "With --bucket: maximum number of pairs of key and value in the whole load: 1 to "
                    + Unit.COUNT.text(BucketLayout.MAX_PAIRS) + ". With --pairs, keys need not end in a number.",
            WholeNumber::parseLong);

    final Option<Boolean> bucketAboveLimit = group.flag(
            "--bucket-above-limit",
            "With --bucket: allow N even if the server does not keep hashes of N fields in compact form.");

    private static TargetType type(String text) {
        return TYPES.stream()
                .filter(type -> type.name().equals(text))
                .findFirst()
                .orElseThrow(() -> Words.unknown("type", typeNames(), text));
    }

    private static List<String> typeNames() {
        return TYPES.stream().map(TargetType::name).toList();
    }

    private static String typeHelp() {
        return TYPES.stream().map(TargetType::help).collect(Collectors.joining(", "));
    }

    private static String bucketRange() {
        return BucketLayout.MIN_PAIRS_BY_NUMBER + " to " + Unit.COUNT.text(BucketLayout.MAX_PAIRS_PER_BUCKET)
                + ", with --pairs at least " + BucketLayout.MIN_PAIRS_BY_HASH;
    }

    /**
     * Returns the target that these options describe. Columns are checked later, when the source is open.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    Target target() {
        if (!key.isTyped()) {
            throw new UsageException("--key is missing: give the key of a row, such as --key 'user:{id}'.");
        }
        TargetType chosen =
                type.value().orElseThrow(() -> new UsageException("--as is missing: choose " + names() + "."));
        Target target = chosen.target(this);
        target.check();
        return target;
    }

    private Target string() {
        refuseIf(!bucket.isTyped() && pairs.isTyped(), PAIRS_NEED_BUCKET);
        refuseIf(!bucket.isTyped() && bucketAboveLimit.isTyped(), LIMIT_NEEDS_BUCKET);
        String template = value.value()
                .orElseThrow(() -> new UsageException(
                        "--as string needs --value: a column, or a template such as '{first} {last}'."));
        if (!bucket.isTyped()) {
            return new StringTarget(options(), template);
        }
        refuseIf(
                ttl.isTyped(),
                "--ttl cannot be combined with --bucket: "
                        + "a field of a hash cannot have a separate expiry before Redis 7.4, "
                        + "and an expiry of the hash would apply to all its pairs.");
        refuseIf(
                replaceRow.isTyped(),
                "--replace-row with --bucket would delete the hash before each pair is written. "
                        + "Leave out --replace-row: each written pair replaces the old pair anyway.");
        int size = bucket.value().orElseThrow();
        int smallest = pairs.isTyped() ? BucketLayout.MIN_PAIRS_BY_HASH : BucketLayout.MIN_PAIRS_BY_NUMBER;
        checkRange("--bucket", size, smallest, BucketLayout.MAX_PAIRS_PER_BUCKET);
        pairs.value().ifPresent(count -> checkRange("--pairs", count, 1, BucketLayout.MAX_PAIRS));
        OptionalLong count = pairs.value().map(OptionalLong::of).orElse(OptionalLong.empty());
        return new BucketTarget(options(), template, new BucketOptions(size, count, bucketAboveLimit.isTyped()));
    }

    private static void checkRange(String option, long value, long min, long max) {
        try {
            Setting.checkArgument(option, value, min, max);
        } catch (IllegalArgumentException outOfRange) {
            throw new UsageException(String.valueOf(outOfRange.getMessage()), outOfRange);
        }
    }

    /** A row is a whole hash, or with {@code --field} one field of a hash. */
    private Target hash() {
        ColumnSelection columns = columns();
        if (!field.isTyped()) {
            refuseIf(
                    value.isTyped(),
                    "--value with --as hash needs --field, the name of the field for the value; "
                            + "without --field the columns are the fields.");
            return new HashTarget(options(), columns, replaceRow.isTyped());
        }
        refuseIf(
                replaceRow.isTyped(),
                "--replace-row with --field would delete the hash before each field is written. "
                        + "Leave out --replace-row, or delete the key before the load.");
        refuseIf(
                value.isTyped() && !columns.equals(ColumnSelection.ALL),
                "--value and --fields or --exclude both choose the value of a field. Choose one.");
        return new HashFieldTarget(options(), field.value().orElseThrow(), value.value(), columns);
    }

    private TargetOptions options() {
        TargetOptions options = new TargetOptions(key.value().orElseThrow(), ttl.value(), nullText.value());
        return nullText.value().equals(Optional.of(JSON_NULL)) ? options.withJsonNull() : options;
    }

    private ColumnSelection columns() {
        return new ColumnSelection(
                fields.value().orElse(List.of()), exclude.value().orElse(List.of()));
    }

    /** The names of all types as part of a sentence, such as {@code string, hash or json}. */
    private static String names() {
        List<String> names = typeNames();
        return String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast();
    }

    private static void refuseIf(boolean contradiction, String sentence) {
        if (contradiction) {
            throw new UsageException(sentence);
        }
    }
}
