// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places of the columns in a record, as a tree of member names and array indexes.
 *
 * <pre>
 *   columns id, address.city, tags.0        root ── id (column 0)
 *                                                ├─ address ── city (column 1)
 *                                                ├─ tags ── 0 (column 2)
 *                                                ├─ address.city (column 1)
 *                                                └─ tags.0 (column 2)
 * </pre>
 *
 * <p>A name with a dot also means a member with exactly this name. A record that has both is rejected, because the
 * column would have two values.
 */
final class JsonPaths {

    /** No column ends at a node. */
    static final int NO_COLUMN = -1;

    private final Map<String, JsonPaths> children = new HashMap<>();
    private int column = NO_COLUMN;
    private boolean strict;

    private JsonPaths() {}

    /**
     * The tree of {@code columns}.
     *
     * @param strict whether a member that belongs to no column is an error
     */
    static JsonPaths of(List<Column> columns, boolean strict) {
        JsonPaths root = new JsonPaths();
        root.strict = strict;
        for (int i = 0; i < columns.size(); i++) {
            root.add(columns.get(i).name(), i);
        }
        return root;
    }

    /**
     * The tree of a rejects file, whose lines contain the columns in their member {@code row}. The whole row and
     * the lists of cut and of incorrect values are three more columns.
     */
    static JsonPaths ofRejects(List<Column> columns) {
        JsonPaths row = new JsonPaths();
        row.strict = true;
        for (int i = 0; i < columns.size(); i++) {
            row.child(columns.get(i).name()).column = i;
        }
        JsonPaths root = new JsonPaths();
        row.column = columns.size();
        root.children.put("row", row);
        root.child("cut").column = columns.size() + 1;
        root.child("incorrect").column = columns.size() + 2;
        return root;
    }

    private void add(String name, int index) {
        child(name).column = index;
        if (name.indexOf('.') < 0) {
            return;
        }
        JsonPaths node = this;
        for (String part : name.split("\\.", -1)) {
            node = node.child(part);
        }
        node.column = index;
    }

    private JsonPaths child(String name) {
        return children.computeIfAbsent(name, ignored -> new JsonPaths());
    }

    /** The node of a member or an array element; null if no column is there or below. */
    @Nullable
    JsonPaths get(String name) {
        return children.get(name);
    }

    /** The column whose value is here, or {@link #NO_COLUMN}. */
    int column() {
        return column;
    }

    boolean hasChildren() {
        return !children.isEmpty();
    }

    /** Whether a member that belongs to no column is an error. */
    boolean isStrict() {
        return strict;
    }
}
