// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.ArgumentSink;
import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The commands of a mapping as text: the name, and then the arguments. */
final class MappedArguments {

    private MappedArguments() {}

    /** The command of the first row of a connection. */
    static List<String> of(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        List<String> arguments = new ArrayList<>(List.of(mapping.command().name()));
        mapping.write(row, collectingInto(arguments));
        return arguments;
    }

    /** The command of a later row. */
    static List<String> repeated(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        List<String> arguments =
                new ArrayList<>(List.of(mapping.repeatedCommand().name()));
        mapping.writeRepeated(row, collectingInto(arguments));
        return arguments;
    }

    private static ArgumentSink collectingInto(List<String> arguments) {
        return new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                arguments.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                return this;
            }
        };
    }
}
