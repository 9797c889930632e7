// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The result of a load.
 *
 * @param marks the number of marks in the history
 * @param added the number of marks that did not exist before the load; equal marks in the history count once
 * @param expired the number of marks that were not stored, because their spans have expired. Equal marks that the client
 *     has sent together count once
 */
public record LoadCounts(long marks, long added, long expired) {}
