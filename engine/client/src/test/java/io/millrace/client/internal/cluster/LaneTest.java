// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectionStats;
import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.shared.FutureCompletion;
import io.millrace.client.internal.shared.PendingCall;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Polling;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The calls of a lane whose nodes cannot be reached, so that the calls stay in the queues of their connections. */
@ExtendWith(NoThreadLeft.class)
class LaneTest {

    /** No server listens at this port, so the calls stay in the queue of the connection. */
    private static final RedisUri UNREACHABLE = RedisUri.of("127.0.0.1", 1);

    private static final String KEY = "key";

    private Timekeeper timekeeper;
    private FutureCompleter completer;
    private SharedConnection connection;
    private SharedConnection other;
    private Lane lane;

    /** Why the owner refuses the login; null if it does not. */
    private volatile @Nullable String refusal;

    /** The owner of all slots. */
    private volatile @Nullable SharedConnection owner;

    @BeforeEach
    void open() {
        ClientOptions options =
                ClientOptions.builder(UNREACHABLE).connectLater(true).build();
        timekeeper = new Timekeeper(System::nanoTime);
        ConnectionContext context = new ConnectionContext(
                options,
                new Login(options),
                ClockAndRandom.SYSTEM,
                timekeeper,
                new FusibleKinds.RefusedKinds(),
                push -> {},
                null,
                () -> {});
        completer = new FutureCompleter(timekeeper, 1);
        connection = new SharedConnection(context, "1", ConnectionStats.Kind.SHARED, HandshakeResult.none());
        other = new SharedConnection(context, "2", ConnectionStats.Kind.SHARED, HandshakeResult.none());
        owner = connection;
        lane = new Lane(
                new LaneNodes() {
                    @Override
                    public @Nullable SharedConnection ownerOf(int slot) {
                        return owner;
                    }

                    @Override
                    public @Nullable SharedConnection at(RedisUri.Tcp address) {
                        return null;
                    }

                    @Override
                    public @Nullable String refusal(int slot, RedisUri.@Nullable Tcp address) {
                        return refusal;
                    }

                    @Override
                    public @Nullable Redirect redirect(Reply.ErrorReply error, RedisUri.Tcp asked) {
                        return null;
                    }

                    @Override
                    public void moved(int slot, RedisUri.Tcp address) {}
                },
                timekeeper,
                options);
    }

    @AfterEach
    void close() {
        connection.close();
        other.close();
        timekeeper.close();
    }

    private CompletableFuture<Optional<String>> submit() {
        return submit(connection, Duration.ofHours(1));
    }

    private CompletableFuture<Optional<String>> submit(SharedConnection target, Duration timeout) {
        CompletableFuture<Optional<String>> future = new CompletableFuture<>();
        long now = System.nanoTime();
        PendingCall<Optional<String>> call = new PendingCall<>(
                Strings.get(KEY), now, now + timeout.toNanos(), new FutureCompletion<>(future, completer));
        call.routeBy(lane, call.hashSlot());
        target.submit(call);
        return future;
    }

    private static void assertLost(CompletableFuture<?> future) {
        assertThatThrownBy(() -> future.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(ConnectionLostException.class);
    }

    private void changeOwner() {
        boolean[] changed = new boolean[KeySlot.COUNT];
        changed[KeySlot.of(KEY)] = true;
        lane.beforeChange(changed);
        owner = other;
        lane.afterChange();
    }

    private int inFlightAtOther() {
        return other.stats().inFlight();
    }

    @Test
    void callToANewOwnerWaitsUntilTheCallsToTheFormerOwnerHaveLeft() {
        CompletableFuture<?> former = submit(connection, Duration.ofSeconds(3));
        changeOwner();

        CompletableFuture<?> later = submit(other, Duration.ofHours(1));
        boolean waitedAtFirst = inFlightAtOther() == 0;
        assertThatThrownBy(former::join).hasCauseInstanceOf(TimedOutException.class);

        assertThat(waitedAtFirst).isTrue();
        await(() -> inFlightAtOther() == 1);
        assertThat(later).isNotDone();
    }

    @Test
    void callWithAnOldRouteGoesToTheNewOwner() {
        changeOwner();

        CompletableFuture<?> later = submit(connection, Duration.ofHours(1));

        await(() -> inFlightAtOther() == 1);
        assertThat(later).isNotDone();
    }

    @Test
    void callToANodeThatHasLeftGoesToTheNewOwner() {
        connection.retire("the node has left");
        connection.close();
        changeOwner();

        CompletableFuture<?> later = submit(connection, Duration.ofHours(1));

        await(() -> inFlightAtOther() == 1);
        assertThat(later).isNotDone();
    }

    private static void await(BooleanSupplier reached) {
        assertThat(Polling.until(reached, Duration.ofSeconds(20))).isTrue();
    }

    @Test
    void callThatWaitsForANodeThatRefusesTheLoginIsLostWithTheReason() {
        changeOwner();
        owner = null;
        CompletableFuture<?> waiting = submit(connection, Duration.ofHours(1));
        boolean waitedAtFirst = !waiting.isDone();

        refusal = "WRONGPASS invalid password";

        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("WRONGPASS invalid password");
        assertThat(waitedAtFirst).isTrue();
    }

    @Test
    void callOfANodeThatLeavesAfterTheEndOfTheLaneIsLost() {
        CompletableFuture<?> queued = submit();

        lane.close("closed");
        connection.retire("the node has left");

        assertLost(queued);
    }

    @Test
    void callWhoseNodeIsNotTheOwnerAfterTheEndOfTheLaneIsLost() {
        lane.close("closed");
        owner = null;

        CompletableFuture<?> late = submit();

        assertLost(late);
    }

    @Test
    void callThatComesFromANodeThatHasLeftAtTheEndOfTheLaneIsLost() {
        CompletableFuture<?> queued = submit();
        owner = null;
        connection.retire("the node has left");

        lane.close("closed");

        assertLost(queued);
    }
}
