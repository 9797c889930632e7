// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

/**
 * A contender that could not run.
 *
 * @param scenario empty if the contender is missing in the whole experiment
 * @param why such as {@code redis-benchmark is not on the PATH}
 */
public record Missing(String experiment, String scenario, String contender, String why) {}
