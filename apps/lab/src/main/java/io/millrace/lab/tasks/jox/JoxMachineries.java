// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jox;

import com.softwaremill.jox.Channel;
import io.millrace.lab.tasks.Machinery;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/** The machineries of jox: a channel between virtual threads. */
public final class JoxMachineries {

    /** Each by its name, in the order of reports. */
    public static Map<String, Machinery> all() {
        SequencedMap<String, Machinery> all = new LinkedHashMap<>();
        all.put("channel-1000", overChannelOf(1_000));
        all.put("channel-16", overChannelOf(Channel.DEFAULT_BUFFER_SIZE));
        return all;
    }

    private static Machinery overChannelOf(int capacity) {
        return (producers, consumers, tasks, work) -> new Crews<>(Channel.<Long>newBufferedChannel(capacity))
                .run(
                        producers,
                        (producer, channel) -> {
                            long end = tasks * (producer + 1) / producers;
                            for (long number = tasks * producer / producers; number < end; number++) {
                                channel.send(number);
                            }
                        },
                        consumers,
                        work::accept);
    }

    private JoxMachineries() {}
}
