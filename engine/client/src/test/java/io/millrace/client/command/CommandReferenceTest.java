// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.PublicCommands.CommandFactory;
import io.millrace.client.command.PublicCommands.Spec;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks that docs/commands.md matches the code. To generate the file again:
 *
 * <pre>{@code
 * ./mvnw -pl engine/client -am test -Dtest=CommandReferenceTest \
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.write=true
 * }</pre>
 */
class CommandReferenceTest {

    private static final Path REFERENCE = Path.of("../../docs/commands.md");

    @Test
    void commandReferenceDocumentMatchesTheCode() throws IOException {
        String generated = generate();
        if (Boolean.getBoolean("millrace.write")) {
            Files.createDirectories(REFERENCE.getParent());
            Files.writeString(REFERENCE, generated);
        }

        assertThat(Files.readString(REFERENCE))
                .as("docs/commands.md is stale; the javadoc of this test says how to generate it again")
                .isEqualTo(generated);
    }

    private static String generate() {
        Map<String, List<Spec>> byType = new TreeMap<>();
        for (Spec spec : PublicCommands.specs()) {
            byType.computeIfAbsent(spec.field().getDeclaringClass().getSimpleName(), key -> new ArrayList<>())
                    .add(spec);
        }
        Map<String, List<CommandFactory>> byCommand = PublicCommands.factories().stream()
                .collect(
                        Collectors.groupingBy(factory -> factory.sample().spec().name()));
        StringBuilder text = new StringBuilder("""
                # Commands

                <!-- Generated from the code by CommandReferenceTest. Edit the test, not this file. -->

                For any other command use `Command.of("NAME", arguments…)`. Each factory with `String` keys, values or messages also
                has a variant with `byte[]`, whose results are `byte[]` too. `…` takes one or more arguments.
                `client.call(Scripts.run(script, keys, arguments))` sends `EVALSHA`, and `EVAL` only if the server does not have the script.
                `reviewed.tsv` in the tests of the client has the reason for each command that is not in these tables.
                A *repeatable* command is read-only, so the client sends it again if its connection is lost before its reply.
                A command that *blocks* runs on a connection of the pool. A *dedicated* command changes its connection, or depends on
                the earlier commands of its connection, so it runs only on a connection from `borrow`, or in a bulk writer.

                """);
        byType.forEach((type, specs) -> {
            text.append("## ").append(type).append("\n\n| command | factories | result | |\n|---|---|---|---|\n");
            specs.sort(Comparator.comparing(spec -> spec.spec().name()));
            specs.forEach(spec -> text.append(
                            row(spec, byCommand.getOrDefault(spec.spec().name(), List.of())))
                    .append('\n'));
            text.append('\n');
        });
        return text.toString();
    }

    private static String row(Spec spec, List<CommandFactory> factories) {
        List<CommandFactory> shown = factories.stream()
                .filter(factory -> factory.takesText()
                        || !factory.takesBytes()
                        || factory.method().getName().endsWith("Bytes"))
                .toList();
        return "| `" + spec.spec().name() + "` | " + cell(shown, CommandReferenceTest::call) + " | "
                + cell(shown, CommandReferenceTest::answer) + " | " + marks(spec.spec()) + " |";
    }

    private static String cell(List<CommandFactory> factories, Function<CommandFactory, String> content) {
        return factories.stream()
                .map(factory -> "`" + content.apply(factory) + "`")
                .collect(Collectors.joining("<br>"));
    }

    private static String call(CommandFactory factory) {
        String signature = factory.toString();
        return signature.substring(signature.indexOf('.') + 1).replace("String[]", "String…");
    }

    private static String answer(CommandFactory factory) {
        ParameterizedType command = (ParameterizedType) factory.method().getGenericReturnType();
        return PublicCommands.shortName(command.getActualTypeArguments()[0]);
    }

    private static String marks(CommandSpec<?> spec) {
        List<String> marks = new ArrayList<>();
        if (spec.idempotent()) {
            marks.add("repeatable");
        }
        if (spec.blocking()) {
            marks.add("blocks");
        } else if (CommandRules.blocksByArgument(spec.name())) {
            marks.add("blocks with an option");
        }
        if (spec.dedicated()) {
            marks.add("dedicated");
        }
        return String.join(", ", marks);
    }
}
