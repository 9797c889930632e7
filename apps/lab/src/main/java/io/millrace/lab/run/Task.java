// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.library.Endpoint;
import java.util.Map;

/**
 * What a contender is asked to do, in a form that can be handed to another process.
 *
 * @param workload its name
 * @param contender its label
 * @param operations commands or rows in one round
 * @param endpoint where it finds the server; a proxy's door, if a delay is added
 * @param inputs what the workload made ready, by name
 * @param folder for files of the contender's own
 */
public record Task(
        String workload,
        String contender,
        long operations,
        Endpoint endpoint,
        Map<String, String> inputs,
        String folder) {

    public String host() {
        return endpoint.host();
    }

    public int port() {
        return endpoint.port();
    }

    /**
     * The input called {@code name}.
     *
     * @throws IllegalArgumentException if the workload made none
     */
    public String input(String name) {
        var value = inputs.get(name);
        if (value == null) {
            throw new IllegalArgumentException(
                    "no such input: workload=" + workload + ", input=" + name + ", inputs=" + inputs.keySet());
        }
        return value;
    }
}
