// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.client.Target;
import java.nio.file.Path;

/**
 * Where and how a contender works.
 *
 * @param target the server, or the proxy before the server
 * @param direct the server without a proxy, for work that is not measured
 * @param parameters what the user changed
 * @param folder for temporary files of this contender
 */
public record WorkContext(Target target, Target direct, Parameters parameters, Path folder) {}
