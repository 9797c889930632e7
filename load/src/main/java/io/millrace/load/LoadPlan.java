// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.RowSource;
import io.millrace.load.target.Target;

/** A load, described: what is read, what it becomes, and how it is run. */
public record LoadPlan(RowSource source, Target target, LoadOptions options) {}
