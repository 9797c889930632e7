// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A {@link TestRedis} for a test class. The server is empty before each test, and ends after the last test of the class. */
public final class RedisServerExtension implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

    private @Nullable TestRedis redis;

    /** Not in the constructor, because a test of another class may use a constant of the test class. */
    @Override
    public void beforeAll(ExtensionContext context) {
        redis = TestRedis.start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        call("FLUSHALL");
    }

    @Override
    public void afterAll(ExtensionContext context) {
        redis().close();
    }

    private TestRedis redis() {
        return Objects.requireNonNull(redis, "the server starts before the first test");
    }

    /** {@link TestRedis#server}. */
    public EmbeddedRedis server() {
        return redis().server();
    }

    /** {@link TestRedis#options}. */
    public ClientOptions options() {
        return redis().options();
    }

    /** {@link TestRedis#call(String, String...)}. */
    public Reply call(String name, String... arguments) {
        return redis().call(name, arguments);
    }

    /** {@link TestRedis#call(CommandSpec, Consumer)}. */
    public Reply call(CommandSpec<?> command, Consumer<ArgumentSink> arguments) {
        return redis().call(command, arguments);
    }
}
