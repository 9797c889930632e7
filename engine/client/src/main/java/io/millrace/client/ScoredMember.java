// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A member of a sorted set.
 *
 * @param member text or bytes
 * @param score by which it is sorted; may be infinite, never NaN
 */
public record ScoredMember<T>(T member, double score) {}
