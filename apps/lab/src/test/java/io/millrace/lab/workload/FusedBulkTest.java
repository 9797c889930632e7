// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.BulkOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.lab.TestServer;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.RedisServer;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is fused in the bench, and what the checks of it find. */
class FusedBulkTest {

    private static final long OPERATIONS = 1_400;

    @TempDir
    private Path folder;

    static Stream<FusedBulk> workloads() {
        return Stream.of(FusedBulk.ofFields(), FusedBulk.ofBits(), FusedBulk.ofPops());
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void fusedOrNotTheDataIsRight(FusedBulk workload) {
        for (var fusion : Set.of(Fusion.NONE, workload.kinds())) {
            try (var server = TestServer.start(folder)) {
                var fused = round(server, workload.data(), fusion);

                assertThat(workload.data().complaints(server, OPERATIONS, fused))
                        .isEmpty();
                assertThat(fused.commands() > 0).isEqualTo(!fusion.isEmpty());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void callsThatAreMissingAreFound(FusedBulk workload) {
        try (var server = TestServer.start(folder)) {
            var fused = round(server, workload.data(), workload.kinds());
            var oneLess = new FusedCalls(fused.commands() - 1, fused.runs());

            assertThat(workload.data().complaints(server, OPERATIONS, oneLess))
                    .singleElement()
                    .asString()
                    .startsWith("calls of ");
        }
    }

    @Test
    void aWrongValueIsFoundWhateverTheCallsWere() {
        try (var server = TestServer.start(folder)) {
            for (var workload : workloads().toList()) {
                server.reset();
                var fused = round(server, workload.data(), workload.kinds());
                server.control().set("bits", "x");
                server.control().hincrBy("hash:000000139", "other", 1);

                assertThat(workload.data().complaints(server, OPERATIONS, fused))
                        .as(workload.name())
                        .isNotEmpty();
            }
        }
    }

    @Test
    void anElementOfAnotherPlaceEndsTheRound() {
        var data = new ListData();
        try (var server = TestServer.start(folder)) {
            data.fill(server, OPERATIONS);
            server.control().lset("list:000000003", 7, "1");

            assertThatThrownBy(() -> write(server, data, Fusion.ALL_EXACT))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("expected=607");
        }
    }

    private static FusedCalls round(RedisServer server, BulkData data, Set<Fusion> fusion) {
        data.fill(server, OPERATIONS);
        return write(server, data, fusion);
    }

    private static FusedCalls write(RedisServer server, BulkData data, Set<Fusion> fusion) {
        var uri = RedisUri.of(server.endpoint().host(), server.endpoint().port());
        try (var client = RedisClient.connect(ClientOptions.of(uri));
                var writer = client.bulkWriter(
                        BulkOptions.DEFAULT.withFusion(fusion), (tag, command, outcome) -> data.check(tag, outcome))) {
            data.write(writer, OPERATIONS);
            writer.finish();
            return new FusedCalls(writer.fusion().commands(), writer.fusion().fusedBatches());
        }
    }
}
