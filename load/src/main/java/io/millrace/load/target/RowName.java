// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/**
 * Renders the name that a row is written to: a key, or a part of a key such as the field of a hash. A row is rejected
 * if a column of the name is NULL or empty, because the name could then equal the name of another row.
 */
final class RowName {

    private static final byte[] NOTHING = {};

    private final BoundTemplate template;
    private final ColumnNames names;
    private final Rejection.Reason reason;

    private RowName(BoundTemplate template, ColumnNames names, Rejection.Reason reason) {
        this.template = template;
        this.names = names;
        this.reason = reason;
    }

    /** The key of a row that shares its key with no other row. */
    static RowName key(Target target, ColumnNames names) {
        RowName key = sharedKey(target, names);
        if (key.template.isConstant()) {
            throw new PlanException("every row would overwrite the previous row: " + key.template
                    + " (names no column), " + names + ". Put a column in braces, such as "
                    + (names.size() == 0 ? "{id}" : "{" + names.name(0) + "}") + ".");
        }
        return key;
    }

    /** A key that rows share. It may be the same for all rows. */
    static RowName sharedKey(Target target, ColumnNames names) {
        String template = target.options().key();
        if (template.isEmpty()) {
            throw new PlanException("key is empty: type=" + target.type() + ". Give a template such as customer:{id}.");
        }
        return new RowName(Template.parse("key", template).bind(names), names, Rejection.Reason.KEY_EMPTY);
    }

    /**
     * The name of a row within a key that rows share, such as the field of a hash.
     *
     * @param part name of the option that has the template, such as {@code field}; used in messages
     */
    static RowName within(String part, String text, ColumnNames names) {
        BoundTemplate template = Template.parse(part, text).bind(names);
        if (template.isConstant()) {
            throw new PlanException("every row would overwrite the same " + part + ": " + template
                    + " (names no column), " + names + ". Put a column in braces.");
        }
        return new RowName(template, names, Rejection.Reason.NAME_EMPTY);
    }

    /** Appends the name of {@code row}. If the row has no name, appends nothing and returns the rejection. */
    Optional<Rejection> append(Row row, Bytes out) {
        int missing = template.firstEmpty(row);
        if (missing >= 0) {
            return Optional.of(new Rejection(
                    reason,
                    "name is incomplete: " + template + ", column=" + names.name(missing) + " ("
                            + (row.isNull(missing) ? "NULL" : "empty") + ")"));
        }
        template.render(row, NOTHING, out);
        return Optional.empty();
    }
}
