// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/**
 * How far a round has come that hands tasks from producers to consumers.
 *
 * @param batches that have been produced since the step before
 * @param tasks that have been consumed since then
 * @param allBatches in the whole round
 * @param allTasks in the whole round
 */
public record Step(int batches, int tasks, int allBatches, int allTasks) implements News {}
