// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A real server for one test class, and a blocking connection to the server. */
public final class TestRedis implements AutoCloseable {

    private final EmbeddedRedis server;
    private final RedisClient client;
    private final BulkWriter connection;
    private @Nullable Outcome outcome;

    private final boolean ownsServer;

    private TestRedis(EmbeddedRedis server, RedisUri uri, boolean ownsServer) {
        this.server = server;
        this.ownsServer = ownsServer;
        this.client = RedisClient.connect(ClientOptions.builder(uri)
                .connectTimeout(Duration.ofSeconds(60))
                .build());
        this.connection = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, ended) -> outcome = ended);
    }

    public static TestRedis start() {
        return start(EmbeddedOptions.defaults());
    }

    public static TestRedis start(EmbeddedOptions options) {
        EmbeddedRedis server = EmbeddedRedis.start(options);
        return new TestRedis(server, RedisUri.of(server.host(), server.port()), true);
    }

    /** Opens another connection to the same server, as the ACL user {@code user}. */
    public TestRedis as(String user, String password) {
        RedisUri uri = RedisUri.of(server.host(), server.port()).withLogin(user, password);
        return new TestRedis(server, uri, false);
    }

    public EmbeddedRedis server() {
        return server;
    }

    /** The address of this server. */
    public ClientOptions options() {
        return ClientOptions.of(RedisUri.of(server.host(), server.port()));
    }

    /** Sends a command and returns its reply. An error reply is returned, too, and not thrown as an exception. */
    public Reply call(CommandSpec<?> command, Consumer<ArgumentSink> arguments) {
        arguments.accept(connection.begin(command));
        connection.end(0);
        connection.finish();
        return switch (outcome) {
            case Outcome.Ok ok -> ok.reply();
            case Outcome.Failed failed -> failed.error();
            case null, default -> throw new IllegalStateException(command + " has no reply: " + outcome);
        };
    }

    /** Sends a command with text arguments. */
    public Reply call(String name, String... arguments) {
        return call(CommandSpec.of(name, Replies::raw), sink -> {
            for (String argument : arguments) {
                sink.arg(argument);
            }
        });
    }

    /**
     * The greatest difference of the {@code MEMORY USAGE} of two keys with the same content, in bytes. With the allocator
     * of glibc, each of the two measured blocks is up to 16 bytes larger than needed, which depends on the blocks before.
     * With jemalloc, the size of a block depends only on its content.
     */
    public long memoryTolerance() {
        boolean isJemalloc = Replies.text(call("INFO", "memory")).contains("mem_allocator:jemalloc");
        return isJemalloc ? 0 : 2 * 16;
    }

    @Override
    public void close() {
        connection.close();
        client.close();
        if (ownsServer) {
            server.close();
        }
    }
}
