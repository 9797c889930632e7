// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

/**
 * A contender that could not take part.
 *
 * @param scenario empty if the contender is missing in the whole experiment
 * @param contender label of the contender
 * @param why such as a program that is not installed
 */
public record Missing(String experiment, String scenario, String contender, String why) {}
