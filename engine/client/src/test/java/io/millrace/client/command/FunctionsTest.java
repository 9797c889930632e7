// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class FunctionsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    FunctionsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    private static final String LIBRARY = """
            #!lua name=sums
            redis.register_function('add', function(keys, args)
                return redis.call('INCRBY', keys[1], args[1])
            end)
            redis.register_function{function_name='read', flags={'no-writes'}, callback=function(keys, args)
                return redis.call('GET', keys[1])
            end}
            """;

    @Test
    void functionsOfALibraryAreCalled() {
        assertThat(redis.run(Functions.replace(LIBRARY))).isEqualTo("sums");

        assertThat(redis.run(Functions.call("add", List.of("k"), List.of(5)).as(Replies::integer)))
                .isEqualTo(5);
        assertThat(redis.run(
                        Functions.callReadOnly("read", List.of("k"), List.of()).as(Replies::text)))
                .isEqualTo("5");
        assertThatThrownBy(() -> redis.run(Functions.load(LIBRARY))).hasMessageContaining("already exists");
        assertThatThrownBy(() -> redis.run(Functions.callReadOnly("add", List.of("k"), List.of(1))))
                .hasMessageContaining("write flag");
        assertThat(redis.run(Functions.delete("sums"))).isEqualTo("OK");
    }
}
