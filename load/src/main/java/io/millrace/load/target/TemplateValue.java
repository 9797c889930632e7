// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Renders a column or a template as the value of a row. A NULL makes the whole value NULL, unless there is a text for
 * NULL.
 */
final class TemplateValue implements RowValue {

    private static final byte[] NOTHING = {};

    private final BoundTemplate template;
    private final ColumnNames names;
    private final byte[] nullText;
    private final boolean nullIsWritten;

    TemplateValue(String text, Optional<String> nullText, ColumnNames names) {
        this.template = Template.parseOrColumn("value", text).bind(names);
        this.names = names;
        this.nullIsWritten = nullText.isPresent();
        this.nullText = nullText.map(t -> t.getBytes(StandardCharsets.UTF_8)).orElse(NOTHING);
    }

    @Override
    public Optional<Rejection> checkValue(Row row) {
        int missing = nullIsWritten ? -1 : template.firstNull(row);
        return missing < 0
                ? Optional.empty()
                : Optional.of(new Rejection(
                        Rejection.Reason.NO_VALUE,
                        "nothing to write: " + template + ", column=" + names.name(missing) + " (NULL)"));
    }

    @Override
    public void render(Row row, Bytes out) {
        template.render(row, nullText, out);
    }
}
