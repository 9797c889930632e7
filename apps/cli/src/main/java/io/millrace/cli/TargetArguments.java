// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code millrace load} for the target, as typed. */
final class TargetArguments {

    static final class TypeText implements ITypeConverter<TargetType> {
        @Override
        public TargetType convert(String text) {
            return TargetChoice.TYPES.stream()
                    .filter(type -> type.name().equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + text + "' is an unknown type. Legal: " + String.join(", ", names()) + "."));
        }

        private static List<String> names() {
            return TargetChoice.TYPES.stream().map(TargetType::name).toList();
        }
    }

    /** The types for the help text. */
    static final class TypeHelp implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return TargetChoice.TYPES.stream().map(TargetType::help).iterator();
        }
    }

    @Option(
            names = "--key",
            paramLabel = "TEMPLATE",
            description = "Key of a row: a template over its columns, such as 'user:{id}'. Required.")
    Optional<String> key = Optional.empty();

    @Option(
            names = "--as",
            paramLabel = "TYPE",
            converter = TypeText.class,
            completionCandidates = TypeHelp.class,
            description = "${COMPLETION-CANDIDATES}. Required.")
    Optional<TargetType> type = Optional.empty();

    @Option(
            names = "--value",
            paramLabel = "COLUMN|TEMPLATE",
            description = "Value of a string, or of a hash field with --field.")
    Optional<String> value = Optional.empty();

    @Option(
            names = "--field",
            paramLabel = "TEMPLATE",
            description =
                    "Name of a hash field: each row is one field of the hash --key; its value is the row as JSON, or --value.")
    Optional<String> field = Optional.empty();

    @Option(
            names = "--fields",
            paramLabel = "A,B,…",
            split = ",",
            hideParamSyntax = true,
            description = "Columns of a hash or a JSON document. Default: all.")
    List<String> fields = List.of();

    @Option(
            names = "--exclude",
            paramLabel = "X,Y,…",
            split = ",",
            hideParamSyntax = true,
            description = "Columns to leave out.")
    List<String> exclude = List.of();

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            converter = TtlConverter.class,
            description = "Expiry, set together with the write: 500ms, 30s, 15m, 1h, 7d.")
    Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--null",
            paramLabel = "TEXT",
            description = "Text that is written for NULL. Default: a NULL field is left out.")
    Optional<String> nullText = Optional.empty();

    @Option(
            names = "--replace-row",
            description = "Delete the key before its row is written; otherwise a hash keeps its other fields.")
    boolean replaceRow;

    @Option(
            names = "--bucket",
            paramLabel = "N",
            description = "Pack strings into hashes of N, which need a fraction of the memory; --key ends in a number. "
                    + "Refused if the server does not keep hashes of N in compact form.")
    Optional<Integer> bucket = Optional.empty();

    @Option(
            names = "--pairs",
            paramLabel = "COUNT",
            description = "With --bucket: maximum number of pairs, for keys that do not end in a number.")
    Optional<Long> pairs = Optional.empty();

    @Option(
            names = "--bucket-above-limit",
            description = "Accept an N above the limit of the server for the compact form.")
    boolean bucketAboveLimit;
}
