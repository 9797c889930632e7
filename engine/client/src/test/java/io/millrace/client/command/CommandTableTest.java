// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.command.PublicCommands.Spec;
import io.millrace.resp.Reply;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the specs of commands with the command descriptions that a real server returns. */
class CommandTableTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    /**
     * Commands that read the state of the server but read no keys. The server does not mark these commands as readonly.
     */
    private static final Set<String> READ_NO_KEYS = Set.of(
            "PING",
            "ECHO",
            "TIME",
            "INFO",
            "CONFIG GET",
            "CLIENT ID",
            "PUBSUB CHANNELS",
            "PUBSUB NUMSUB",
            "PUBSUB NUMPAT",
            "SCRIPT EXISTS");

    /** The description of a command in the reply to {@code COMMAND INFO}. */
    private record Description(Set<String> flags, int firstKey) {

        static Description of(Spec spec) {
            String name = spec.spec().name().toLowerCase(Locale.ROOT).replace(' ', '|');
            List<Reply> descriptions =
                    SERVER.connect(2).run(Command.of("COMMAND INFO", name).as(Replies::items));
            List<Reply> parts = Replies.items(descriptions.getFirst());
            return new Description(
                    Replies.set(Replies::text).apply(parts.get(2)), Math.toIntExact(Replies.integer(parts.get(3))));
        }
    }

    /** Returns the specs of the commands that the server has. {@code CommandCoverageTest} checks the others. */
    static List<Spec> specs() {
        Set<String> known = SERVER.connect(2).run(Command.of("COMMAND LIST").as(Replies.set(Replies::text)));
        return PublicCommands.specs().stream()
                .filter(spec -> known.contains(
                        spec.spec().name().toLowerCase(Locale.ROOT).replace(' ', '|')))
                .toList();
    }

    @Test
    void eachCommandIsDefinedOnceAndHasAFactory() {
        Set<String> made = PublicCommands.factories().stream()
                .map(PublicCommands.CommandFactory::sample)
                .map(command -> command.spec().name())
                .collect(Collectors.toSet());

        Set<String> names = new HashSet<>();
        for (Spec spec : PublicCommands.specs()) {
            assertThat(names.add(spec.spec().name()))
                    .as("%s is new", spec.spec())
                    .isTrue();
        }
        assertThat(names).hasSizeGreaterThan(100).isEqualTo(made);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void constantOfASpecHasTheNameOfItsCommand(Spec spec) {
        assertThat(spec.field().getName()).isEqualTo(spec.spec().name().replace(' ', '_'));
    }

    @ParameterizedTest
    @MethodSource("specs")
    void idempotentCommandsAreTheCommandsThatTheServerDescribesAsReadonly(Spec spec) {
        Set<String> flags = Description.of(spec).flags();

        boolean readsNoKeys = READ_NO_KEYS.contains(spec.spec().name());
        assertThat(spec.spec().idempotent()).isEqualTo(flags.contains("readonly") || readsNoKeys);
        assertThat(spec.spec().idempotent() && flags.contains("write")).isFalse();
        assertThat(readsNoKeys && flags.contains("readonly")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("specs")
    void blockingCommandsAreTheCommandsThatTheServerDescribesAsBlocking(Spec spec) {
        String name = spec.spec().name();
        // Redis 7.0 does not describe WAIT as blocking; later versions do.
        boolean expected = Description.of(spec).flags().contains("blocking") || name.equals("WAIT");

        assertThat(spec.spec().blocking() || CommandRules.blocksByArgument(name))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("specs")
    void keyIndexOfASpecMatchesTheKeyPositionThatTheServerDescribes(Spec spec) {
        Description description = Description.of(spec);

        // The positions of movable keys are known only if all arguments are known. FactoriesTest checks such commands.
        if (!description.flags().contains("movablekeys")) {
            // The server describes the position of a shard channel like a key, with the flag "not_key".
            boolean isShardChannel = spec.spec().name().equals("SPUBLISH");
            int expected = description.firstKey() == 0 || isShardChannel
                    ? -1
                    : description.firstKey() - spec.spec().words();
            assertThat(spec.spec().keyIndex()).isEqualTo(expected);
        }
    }
}
