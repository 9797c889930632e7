// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Creates columns from names. Each column must have a unique name, because templates and hash fields use the names. */
final class Columns {

    private Columns() {}

    static List<Column> named(String source, List<String> names) {
        Set<String> seen = new HashSet<>();
        Set<String> twice = new LinkedHashSet<>();
        List<Column> columns = new ArrayList<>(names.size());
        for (String name : names) {
            if (name.isEmpty()) {
                throw unusable(source, "column %s has no name".formatted(columns.size() + 1));
            }
            if (!seen.add(name)) {
                twice.add("'" + name + "'");
            }
            columns.add(new Column(name));
        }
        if (!twice.isEmpty()) {
            throw unusable(source, "several columns have the same name: " + String.join(", ", twice));
        }
        return List.copyOf(columns);
    }

    private static SourceException unusable(String source, String why) {
        return new SourceException(
                Kind.UNUSABLE,
                "cannot use the columns of %s: %s. Give each column a unique name.".formatted(source, why));
    }
}
