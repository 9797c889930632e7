// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The connections over which a transaction is sent whose future an executor completes.
 *
 * @param completions completes the future
 * @param connectionOf returns the connection of an executor
 */
public record ExecutorConnections(FutureCompleter completions, Function<Executor, SubmissionTarget> connectionOf) {}
