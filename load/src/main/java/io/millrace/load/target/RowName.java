// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.PlanException;
import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/**
 * The name of what a row is written to: a key, or a field of a hash. A row whose name would have a hole, because a column of
 * it is NULL or empty, is rejected: it would overwrite, or be taken for, another.
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

    /** The key of a row that has its key to itself. */
    static RowName key(Target target, ColumnNames names) {
        RowName key = sharedKey(target, names);
        if (key.template.isConstant()) {
            throw new PlanException("every row would overwrite the one before it: " + key.template
                    + " (names no column), " + names + ". Put a column in braces, such as "
                    + (names.size() == 0 ? "{id}" : "{" + names.name(0) + "}") + ".");
        }
        return key;
    }

    /** The key of the hash that a row becomes one field of; it may be the same for all rows. */
    static RowName sharedKey(Target target, ColumnNames names) {
        if (target.key().isEmpty()) {
            throw new PlanException(
                    "key is empty: type=" + target.type().code() + ". Give a template such as customer:{id}.");
        }
        return new RowName(Template.parse("key", target.key()).bind(names), names, Rejection.Reason.KEY_EMPTY);
    }

    /** The name of the field that a row becomes. */
    static RowName field(String text, ColumnNames names) {
        BoundTemplate template = Template.parse("field", text).bind(names);
        if (template.isConstant()) {
            throw new PlanException("every row would overwrite the same field: " + template + " (names no column), "
                    + names + ". Put a column in braces.");
        }
        return new RowName(template, names, Rejection.Reason.FIELD_NAME_EMPTY);
    }

    /** Appends the name of {@code row}, or appends nothing and says why the row has none. */
    Optional<Rejection> append(Row row, Bytes out) {
        int hole = template.firstEmpty(row);
        if (hole >= 0) {
            return Optional.of(new Rejection(
                    reason,
                    "name is incomplete: " + template + ", column=" + names.name(hole) + " ("
                            + (row.isNull(hole) ? "NULL" : "empty") + ")"));
        }
        template.render(row, NOTHING, out);
        return Optional.empty();
    }
}
