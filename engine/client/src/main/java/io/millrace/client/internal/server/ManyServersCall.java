// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.server;

import io.millrace.client.command.Command;
import io.millrace.client.internal.shared.SubmissionTarget;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.function.Function;

/**
 * A command that runs on several nodes of a cluster, or on a node that its arguments name.
 *
 * @param command the command for each node
 * @param targets the nodes, one or more
 * @param value computes the value of the command from the replies of the nodes, in the order of {@code targets}
 * @param <T> type of the value
 */
public record ManyServersCall<T>(
        Command<Reply> command, List<SubmissionTarget> targets, Function<List<Reply>, T> value) {}
