// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import java.util.Set;

/**
 * What a handshake leaves: a transport that is ready, and what the server at its other end takes.
 *
 * @param fusible of the kinds that were asked for, those whose fused commands the server knows and this user may run
 */
record Link(Transport transport, Set<Fusion> fusible) {}
