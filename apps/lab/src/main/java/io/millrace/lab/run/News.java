// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/** What a warm contender tells of a round while it goes on. */
public sealed interface News permits Second, Step {}
