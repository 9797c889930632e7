// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.util.List;
import java.util.Optional;

/**
 * Options for reading a JSON file.
 *
 * @param layout how records follow each other; if empty, the file name decides: {@link Layout#DOCUMENT} for {@code
 *     .json}, otherwise {@link Layout#LINES}
 * @param columns the columns, in order; other values of a record are not read. A column is the name of a member, or a
 *     path of names and array indexes, such as {@code address.city} or {@code tags.0}. If empty, the columns are the
 *     members of the first records (see {@link JsonSource})
 * @param recordLimitBytes {@link #RECORD_LIMIT_BYTES}; a longer record is rejected
 */
public record JsonOptions(Optional<Layout> layout, List<String> columns, int recordLimitBytes) {

    /** Range: 1 byte to 512 MB. Default: 16 MB, which is far above usual records and still fits a heap of 256 MB. */
    public static final Setting<Integer> RECORD_LIMIT_BYTES =
            new Setting<>("recordLimitBytes", 1, 1 << 29, 16 << 20, Unit.BYTES, "Maximum length of a JSON record.");

    /** How records follow each other in a file. */
    public enum Layout {
        /** Each line is a record: JSON lines, also called NDJSON. */
        LINES,
        /**
         * The file is an array of records, or records with white space between them. A record may have several lines.
         */
        DOCUMENT
    }

    private static final JsonOptions DEFAULTS =
            new JsonOptions(Optional.empty(), List.of(), RECORD_LIMIT_BYTES.defaultValue());

    public JsonOptions {
        columns = List.copyOf(columns);
        RECORD_LIMIT_BYTES.check(recordLimitBytes);
    }

    /** The default options. */
    public static JsonOptions defaults() {
        return DEFAULTS;
    }

    /** These options with {@code newLayout}. */
    public JsonOptions withLayout(Layout newLayout) {
        return new JsonOptions(Optional.of(newLayout), columns, recordLimitBytes);
    }

    /** These options with only {@code newColumns}. */
    public JsonOptions withColumns(List<String> newColumns) {
        return new JsonOptions(layout, newColumns, recordLimitBytes);
    }

    /** These options with {@code newLimit}. */
    public JsonOptions withRecordLimitBytes(int newLimit) {
        return new JsonOptions(layout, columns, newLimit);
    }

    /** The layout of a file named {@code name}, which may be compressed. */
    Layout layoutFor(String name) {
        return layout.orElse(SourceInput.plainName(name).endsWith(".json") ? Layout.DOCUMENT : Layout.LINES);
    }
}
