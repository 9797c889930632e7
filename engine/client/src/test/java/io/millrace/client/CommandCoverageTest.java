// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.PublicCommands;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Compares the command factories with the commands of servers. Each command of a server has a factory, or the file
 * {@code reviewed.tsv} has the reason why there is no factory.
 */
@ExtendWith(NoThreadLeft.class)
class CommandCoverageTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private static final String REPLACED_BY = "replaced-by ";

    /** The reasons of {@code reviewed.tsv}, which explains them. Without the reason {@code replaced-by NAME}. */
    private static final Set<String> REASONS =
            Set.of("client", "container", "administration", "cluster", "special", "newer");

    private static final Map<String, String> LEFT_OUT = ReviewedCommands.leftOut();

    private static final Set<String> OFFERED = PublicCommands.factories().stream()
            .map(factory -> factory.sample().spec().name())
            .collect(Collectors.toCollection(TreeSet::new));

    @Test
    void eachCommandOfTheServerHasAFactoryOrAReason() {
        Set<String> missing =
                new TreeSet<>(ReviewedCommands.of(SERVER.connect(2)).keySet());

        missing.removeAll(OFFERED);
        missing.removeAll(LEFT_OUT.keySet());
        assertThat(missing)
                .as("add a factory for these commands, or a reason to reviewed.tsv")
                .isEmpty();
    }

    @Test
    void eachReviewedCommandHasEitherAFactoryOrAReason() {
        Set<String> both = new TreeSet<>(LEFT_OUT.keySet());
        both.retainAll(OFFERED);
        Set<String> neither = new TreeSet<>(ReviewedCommands.kinds().keySet());
        neither.removeAll(OFFERED);
        neither.removeAll(LEFT_OUT.keySet());

        assertThat(both).as("commands with a factory and a reason").isEmpty();
        assertThat(neither).as("commands without a factory and a reason").isEmpty();
        assertThat(ReviewedCommands.kinds().keySet()).containsAll(OFFERED);
    }

    @Test
    void eachReasonIsExplainedAndEachReplacementHasAFactory() {
        Map<String, String> wrong = new TreeMap<>(LEFT_OUT);
        wrong.values().removeAll(REASONS);
        wrong.values()
                .removeIf(reason ->
                        reason.startsWith(REPLACED_BY) && OFFERED.contains(reason.substring(REPLACED_BY.length())));

        assertThat(wrong).isEmpty();
        assertThat(LEFT_OUT.values()).containsAll(REASONS);
    }

    @Test
    void onlyNamesWithSubcommandsAreContainers() {
        List<String> wrong = new ArrayList<>();
        Set<String> names = ReviewedCommands.kinds().keySet();
        LEFT_OUT.forEach((name, reason) -> {
            boolean hasSubcommands = names.stream().anyMatch(other -> other.startsWith(name + " "));
            if (hasSubcommands != reason.equals("container")) {
                wrong.add(name);
            }
        });

        assertThat(wrong).isEmpty();
    }

    @Test
    void offeredCommandThatTheServerDoesNotHaveIsACommandOfANewerServer() {
        Set<String> newer = new TreeSet<>(OFFERED);

        newer.removeAll(ReviewedCommands.of(SERVER.connect(2)).keySet());
        assertThat(ReviewedCommands.listed("redis-8.2.3").keySet()).containsAll(newer);
    }
}
