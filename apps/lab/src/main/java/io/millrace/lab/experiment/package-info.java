// SPDX-License-Identifier: Apache-2.0
/** What an experiment is: scenarios, contenders, their work, and the samples that a run collects. */
@NullMarked
package io.millrace.lab.experiment;

import org.jspecify.annotations.NullMarked;
