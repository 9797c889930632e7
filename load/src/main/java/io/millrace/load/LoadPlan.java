// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.RowSource;
import io.millrace.load.target.Target;

/** The description of a load: the source, the target and the options. */
public record LoadPlan(RowSource source, Target target, LoadOptions options) {}
