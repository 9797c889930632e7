// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.client.FusingClient.FusedCommands;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Groups of commands that one command replaces. */
class CommandGroupsTest {

    private final CommandGroups grouping = new CommandGroups();

    private static List<Operation> pops(String key, int number) {
        return Collections.nCopies(number, new Operation.PopLast(key));
    }

    @Test
    void adjacentCommandsOfOneKindAreAGroupAndPopsOfTwoListsAreTwo() {
        List<Operation> operations = new ArrayList<>(List.of(
                new Operation.Set("a", "1"),
                new Operation.Set("b", "2"),
                new Operation.Get("a"),
                new Operation.Increment("n"),
                new Operation.Increment("n")));
        operations.addAll(pops("one", 65));
        operations.addAll(pops("two", 2));

        assertThat(grouping.of(operations)).extracting(List::size).containsExactly(2, 1, 1, 1, 64, 1, 2);
        assertThat(grouping.counts()).isEqualTo(new FusedCommands(68, 3));
    }

    @Test
    void fieldsOfOneHashAreAGroup() {
        List<Operation> operations = List.of(
                new Operation.SetField("h", "f", "1"),
                new Operation.SetField("h", "g", "2"),
                new Operation.SetField("other", "f", "3"));

        assertThat(grouping.of(operations)).extracting(List::size).containsExactly(2, 1);
        assertThat(CommandGroups.fields(operations.subList(0, 2))).isEqualTo(Map.of("f", "1", "g", "2"));
    }

    @Test
    void eachCommandHasAValue() {
        List<List<Operation>> groups =
                List.of(pops("short", 3), pops("missing", 2), pops("one", 1), List.of(new Operation.Set("a", "1")));

        List<?> values = CommandGroups.values(groups, Arrays.asList(List.of("x", "y"), null, "z", "OK"));

        assertThat(new ArrayList<Object>(values)).isEqualTo(Arrays.asList("x", "y", null, null, null, "z", "OK"));
    }
}
