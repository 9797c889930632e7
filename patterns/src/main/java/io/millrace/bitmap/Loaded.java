// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * What became of a history.
 *
 * @param marks how many there were
 * @param added how many of them were new: not marked before, nor twice in the history
 */
public record Loaded(long marks, long added) {}
