// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks of costs inside a process: hand-over of tasks, encoder, parser, command listener. */
@NullMarked
package io.millrace.lab.micro;

import org.jspecify.annotations.NullMarked;
