// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;

/**
 * One command on the wire that stands for several.
 *
 * @param commands how many, 2 to 64
 * @param kind what they are
 * @param split how its reply is divided among them
 */
record Fused(int commands, Fusion kind, Split split) {}
