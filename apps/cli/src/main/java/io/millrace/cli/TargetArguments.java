// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.BucketLayout;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.client.command.SetOptions;
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
    private static final String OWN_KEYS = " needs a key for each row; the rows of this type share keys.";

    /** The registry of target types. A new type needs one more entry here. */
    static final List<TargetType> TYPES = List.of(
            TargetType.of("string", TargetArguments::string)
                    .taking(
                            "--value",
                            "--replace-row",
                            "--bucket",
                            "--pairs",
                            "--bucket-above-limit",
                            "--ttl-field",
                            "--only-missing")
                    .refusing("--field", "--field belongs to --as hash, not to --as string.")
                    .refusing("--fields", STRING_HAS_NO_COLUMNS)
                    .refusing("--exclude", STRING_HAS_NO_COLUMNS),
            TargetType.of("hash", TargetArguments::hash)
                    .taking(
                            "--value",
                            "--field",
                            "--fields",
                            "--exclude",
                            "--replace-row",
                            "--ttl-field",
                            "--only-missing")
                    .refusing("--bucket", PACKS_STRINGS)
                    .refusing("--pairs", PAIRS_NEED_BUCKET)
                    .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET),
            TargetType.of("json", TargetArguments::json)
                    .withMeaning("a JSON document in a string")
                    .taking("--fields", "--exclude", "--replace-row", "--ttl-field", "--only-missing", "--json-set")
                    .refusing(
                            "--value",
                            "--value belongs to --as string; a JSON document is made of columns (--fields, --exclude).")
                    .refusing("--field", "--field belongs to --as hash, not to --as json.")
                    .refusing("--bucket", PACKS_STRINGS)
                    .refusing("--pairs", PAIRS_NEED_BUCKET)
                    .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET),
            sharing(TargetType.of(
                            "list", typed -> new ListTarget(typed.options(), typed.value.value(), typed.columns()))
                    .taking("--value", "--fields", "--exclude")),
            sharing(TargetType.of("set", typed -> new SetTarget(typed.options(), typed.value.value(), typed.columns()))
                    .taking("--value", "--fields", "--exclude")),
            sharing(TargetType.of("zset", TargetArguments::sortedSet)
                    .taking("--value", "--fields", "--exclude", "--score")),
            sharing(TargetType.of("stream", typed -> new StreamTarget(typed.options(), typed.columns()))
                    .taking("--fields", "--exclude")
                    .refusing("--value", "--value is not for --as stream; the columns are the fields of an entry.")),
            sharing(TargetType.of("bitmap", TargetArguments::bitmap)
                    .taking("--offset")
                    .refusing("--value", "--value is not for --as bitmap; --offset names the column of the bit.")));

    final OptionGroup group = new OptionGroup("Mapping of rows:");

    final Option<String> key = group.text(
            "--key", "TEMPLATE", "Key of a row: a template over its columns, such as 'user:{id}'. Required.");

    final Option<TargetType> type =
            group.word("--as", "TYPE", typeNames(), () -> typeHelp() + ". Required.", TargetArguments::type);

    final Option<String> value = group.text(
            "--value",
            "COLUMN|TEMPLATE",
            "Value of a string, or of a hash field with --field. Also the element of a list, or the member of a "
                    + "set or sorted set; default: the row as JSON.");

    final Option<String> score = group.text("--score", "COLUMN", "With --as zset: column with the score of a member.");

    final Option<String> offset =
            group.text("--offset", "COLUMN", "With --as bitmap: column with the offset of the bit that is set.");

    final Option<Boolean> jsonSet = group.flag(
            "--json-set",
            "With --as json: write documents of the server's JSON type with JSON.SET. "
                    + "Refused if the server does not have this command.");

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

    final Option<String> ttlField = group.text(
            "--ttl-field",
            "COLUMN",
            "Column with the expiry of the row's key: whole seconds, or a time such as 15m. "
                    + "If the column is NULL or empty, --ttl applies; without --ttl, the row is rejected.");

    final Option<Double> ttlJitter = group.setting(
            "--ttl-jitter",
            "PERCENT",
            TargetOptions.TTL_JITTER,
            PercentText::parse,
            help -> help + " Written as a percentage: with 10%, keys expire after 90 to 100 percent of their expiry.");

    final Option<Boolean> onlyMissing =
            group.flag("--only-missing", "Leave out a row if its key exists. The report counts such a row as skipped.");

    final Option<String> nullText = group.text(
            "--null",
            "TEXT|json",
            "Text that is written for NULL; json writes the JSON value null. Default: a NULL field is left out.");

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
        refuseIf(ttlField.isTyped(), "--ttl-field with --bucket" + OWN_KEYS);
        refuseIf(onlyMissing.isTyped(), "--only-missing with --bucket" + OWN_KEYS);
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
        refuseIf(ttlField.isTyped(), "--ttl-field with --field" + OWN_KEYS);
        refuseIf(onlyMissing.isTyped(), "--only-missing with --field" + OWN_KEYS);
        refuseIf(
                replaceRow.isTyped(),
                "--replace-row with --field would delete the hash before each field is written. "
                        + "Leave out --replace-row, or delete the key before the load.");
        refuseIf(
                value.isTyped() && !columns.equals(ColumnSelection.ALL),
                "--value and --fields or --exclude both choose the value of a field. Choose one.");
        return new HashFieldTarget(options(), field.value().orElseThrow(), value.value(), columns);
    }

    /** A type whose rows share keys. It refuses the options that need a key for each row. */
    private static TargetType sharing(TargetType type) {
        return type.refusing("--ttl-field", "--ttl-field" + OWN_KEYS)
                .refusing("--only-missing", "--only-missing" + OWN_KEYS)
                .refusing("--replace-row", "--replace-row" + OWN_KEYS)
                .refusing("--bucket", PACKS_STRINGS)
                .refusing("--pairs", PAIRS_NEED_BUCKET)
                .refusing("--bucket-above-limit", LIMIT_NEEDS_BUCKET);
    }

    private Target json() {
        refuseIf(
                jsonSet.isTyped() && onlyMissing.isTyped(),
                "--only-missing cannot be combined with --json-set. Leave out one of these options.");
        return jsonSet.isTyped() ? new JsonSetTarget(options(), columns()) : new JsonTarget(options(), columns());
    }

    private Target sortedSet() {
        String column = score.value()
                .orElseThrow(() -> new UsageException("--as zset needs --score, the column with the score."));
        return new SortedSetTarget(options(), column, value.value(), columns());
    }

    private Target bitmap() {
        String column = offset.value()
                .orElseThrow(() -> new UsageException("--as bitmap needs --offset, the column with the offset."));
        return new BitmapTarget(options(), column);
    }

    private TargetOptions options() {
        refuseIf(
                ttlJitter.isTyped() && !ttl.isTyped() && !ttlField.isTyped(),
                "--ttl-jitter changes an expiry: add --ttl or --ttl-field.");
        refuseIf(
                onlyMissing.isTyped() && replaceRow.isTyped(),
                "--replace-row and --only-missing contradict each other: a missing key has nothing to replace. "
                        + "Leave out one of these options.");
        TargetOptions options = new TargetOptions(
                key.value().orElseThrow(),
                ttl.value(),
                nullText.value(),
                ttlField.value(),
                ttlJitter.value().orElse(TargetOptions.TTL_JITTER.defaultValue()),
                onlyMissing.isTyped(),
                false);
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
