// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The keys {@code millrace.load.*}.
 *
 * @param lease Time after which another instance of the fleet takes over a job whose loader has died.
 * @param jobs The load jobs, by name.
 */
record LoadProperties(
        @DefaultValue("30s") Duration lease, @DefaultValue Map<String, JobProperties> jobs) {

    /** Prefix of these keys. */
    static final String PREFIX = "millrace.load";

    /**
     * Range: 1 s to 1 h. Default: 30 s. The loader renews its lease after each third, so two renewals may fail. Longer
     * than a usual pause for a garbage collection, and short enough for the start of the other instances.
     */
    static final Setting<Duration> LEASE = new Setting<>(
            "lease",
            Duration.ofSeconds(1),
            Duration.ofHours(1),
            Duration.ofSeconds(30),
            Unit.TIME,
            "Time after which another instance takes over a job whose loader has died.");

    /** Prefix of the keys of one job. */
    static String prefix(String job) {
        return PREFIX + ".jobs." + job;
    }
}
