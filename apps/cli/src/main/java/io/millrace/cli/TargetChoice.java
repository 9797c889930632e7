// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.target.Bucket;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetType;
import java.util.OptionalLong;

/**
 * From the target as typed to one that can be carried out. The target knows its own rules; those that are checked here too
 * are the ones a message can tell better in terms of options. Templates meet their columns when the source is open.
 */
final class TargetChoice {

    private TargetChoice() {}

    /**
     * The target that {@code typed} describes.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    static Target of(TargetArguments typed) {
        String key = typed.key.orElseThrow(
                () -> new UsageException("--key is missing: the key of a row, such as --key 'user:{id}'."));
        TargetType type = typed.type.orElseThrow(() -> new UsageException("--as is missing: string, hash or json."));
        checkBucket(typed, type);
        switch (type) {
            case STRING -> checkString(typed);
            case HASH -> checkHash(typed);
            case JSON -> checkJson(typed);
        }
        Target target = new Target(
                type,
                key,
                typed.value,
                typed.field,
                typed.fields,
                typed.exclude,
                typed.ttl,
                typed.nullText,
                typed.replaceRow,
                typed.bucket.map(size -> new Bucket(size, pairs(typed), typed.bucketAboveLimit)));
        target.check();
        return target;
    }

    private static void checkBucket(TargetArguments typed, TargetType type) {
        if (typed.bucket.isEmpty()) {
            refuseIf(typed.pairs.isPresent(), "--pairs says how many pairs --bucket packs. Add --bucket N.");
            refuseIf(typed.bucketAboveLimit, "--bucket-above-limit belongs to --bucket N.");
            return;
        }
        refuseIf(type != TargetType.STRING, "--bucket packs strings: it belongs to --as string.");
        refuseIf(
                typed.ttl.isPresent(),
                "--ttl does not go with --bucket: a field of a hash has no expiry of its own before Redis 7.4, and that "
                        + "of the hash would be one for all its pairs.");
        refuseIf(
                typed.replaceRow,
                "--replace-row with --bucket would delete the hash before each of its pairs. "
                        + "Leave it out: a pair is replaced in any case.");
    }

    private static void checkString(TargetArguments typed) {
        if (typed.value.isEmpty()) {
            throw new UsageException("--as string needs --value: a column, or a template such as '{first} {last}'.");
        }
        refuseIf(typed.field.isPresent(), "--field belongs to --as hash, not to --as string.");
        refuseIf(
                selectsColumns(typed),
                "--fields and --exclude choose columns of a hash or a JSON document; " + "--as string writes --value.");
    }

    private static void checkHash(TargetArguments typed) {
        if (typed.field.isEmpty()) {
            refuseIf(
                    typed.value.isPresent(),
                    "--value with --as hash needs --field, the name of the field that takes it; "
                            + "without --field the columns are the fields.");
            return;
        }
        refuseIf(
                typed.replaceRow,
                "--replace-row with --field would delete the hash before each of its fields. "
                        + "Leave it out, or delete the key before the load.");
        refuseIf(
                typed.value.isPresent() && selectsColumns(typed),
                "--value and --fields or --exclude both say what a " + "field's value is. Choose one.");
    }

    private static void checkJson(TargetArguments typed) {
        refuseIf(
                typed.value.isPresent(),
                "--value belongs to --as string; a JSON document is made of columns " + "(--fields, --exclude).");
        refuseIf(typed.field.isPresent(), "--field belongs to --as hash, not to --as json.");
    }

    private static OptionalLong pairs(TargetArguments typed) {
        return typed.pairs.map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private static boolean selectsColumns(TargetArguments typed) {
        return !typed.fields.isEmpty() || !typed.exclude.isEmpty();
    }

    private static void refuseIf(boolean contradiction, String sentence) {
        if (contradiction) {
            throw new UsageException(sentence);
        }
    }
}
