// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * A member of a sorted set.
 *
 * @param member text or bytes
 * @param score may be infinite, never NaN
 */
public record ScoredMember<T>(T member, double score) {}
