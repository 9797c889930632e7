// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The validated options of {@code millrace run}.
 *
 * @param continues whether the next job follows after a failed job
 * @param report file for the JSON lines
 */
record RunChoice(boolean continues, boolean json, Optional<Path> report) {}
