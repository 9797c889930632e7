// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The result of a load.
 *
 * @param marks the number of marks in the history
 * @param added the number of new marks, without duplicates and marks that existed before
 */
public record LoadCounts(long marks, long added) {}
