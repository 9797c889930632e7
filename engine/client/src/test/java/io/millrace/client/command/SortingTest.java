// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class SortingTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    SortingTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void elementsAreSortedAsNumbersOrText() {
        redis.run(Lists.pushRight("l", "10", "9", "1"));

        assertThat(redis.run(Sorting.read("l", SortOptions.DEFAULT))).containsExactly("1", "9", "10");
        assertThat(redis.run(Sorting.read("l", SortOptions.DEFAULT.asText()))).containsExactly("1", "10", "9");
        assertThat(redis.run(Sorting.read("l", SortOptions.DEFAULT.reversed().limit(1, 2))))
                .containsExactly("9", "1");
        assertThat(redis.run(Sorting.read("none", SortOptions.DEFAULT))).isEmpty();
    }

    @Test
    void sortedElementsAreStored() {
        redis.run(Sets.add("s", "2", "1"));

        assertThat(redis.run(Sorting.store("s", SortOptions.DEFAULT, "to"))).isEqualTo(2);
        assertThat(redis.run(Lists.range("to", 0, -1))).containsExactly("1", "2");
    }
}
