// SPDX-License-Identifier: Apache-2.0

/**
 * Task processing: scenarios of waiting producers and consumers, the ideal of each, and the ways of going through them.
 */
@NullMarked
package io.millrace.lab.tasks;

import org.jspecify.annotations.NullMarked;
