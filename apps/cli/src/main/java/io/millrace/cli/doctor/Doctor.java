// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.PlanException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Examines a server before a load, and measures how much memory the rows of a source need.
 *
 * <p>The server is only read: {@code INFO}, {@code CONFIG GET}, {@code PING}. If the user may not use one of the first
 * two commands, the facts of this command are unknown, and the result says so. The sample rows are loaded into a private
 * server on this machine.
 */
public final class Doctor {

    private Doctor() {}

    /**
     * Examines the server of {@code redis}. Blocks until the examination has ended.
     *
     * @param plan the load whose memory is measured
     * @throws RedisException if the server cannot be reached
     * @throws SourceException if the source cannot be read
     * @throws PlanException if the plan does not fit its source
     */
    public static Diagnosis examine(ClientOptions redis, Optional<LoadPlan> plan) {
        try (RedisClient client = RedisClient.connect(redis)) {
            ServerState state = ServerState.read(client);
            RoundTrip roundTrip = RoundTrip.measure(client);
            List<Finding> findings = new ArrayList<>(refusals(state));
            findings.addAll(VersionCheck.of(state));
            Optional<Sample> sample = plan.flatMap(each -> sample(each, state, findings));
            findings.addAll(MemoryCheck.of(state, sample));
            findings.addAll(PersistenceCheck.of(state, Instant.now()));
            findings.addAll(ConnectionCheck.of(state, sample, roundTrip));
            return new Diagnosis(state.description(), roundTrip, sample, findings);
        }
    }

    /** Names the commands that the server refuses, and what the result lacks because of that. */
    private static List<Finding> refusals(ServerState state) {
        return state.refusals().entrySet().stream()
                .map(refused -> Finding.unknown(
                        "permissions",
                        "the server refuses " + refused.getKey() + ", so some facts are unknown: error="
                                + refused.getValue(),
                        refused.getKey().equals(ServerState.CONFIG)
                                ? "Give the user the permission +config|get, or ask the operator for save, appendfsync "
                                        + "and client-output-buffer-limit."
                                : "Give the user the permission +info."))
                .toList();
    }

    /** Measures the sample. If the private server is not available, the measurement is left out with a finding. */
    private static Optional<Sample> sample(LoadPlan plan, ServerState state, List<Finding> findings) {
        try {
            return Optional.of(SampleLoad.measure(plan, state.settings()));
        } catch (SourceException | PlanException wrong) {
            if (plan.target().moduleCommand().isEmpty()) {
                throw wrong;
            }
            findings.add(unmeasured(
                    "the private server has no " + plan.target().moduleCommand().get()));
        } catch (RuntimeException noServer) {
            findings.add(unmeasured(String.valueOf(noServer.getMessage())));
        }
        return Optional.empty();
    }

    private static Finding unmeasured(String why) {
        return Finding.unknown(
                "sample",
                "the memory of the rows was not measured: " + why,
                "Load some rows with --limit, and compare used_memory of INFO before and after.");
    }
}
