// SPDX-License-Identifier: Apache-2.0
/** The experiment with a Redis Cluster. */
@NullMarked
package io.millrace.lab.cluster;

import org.jspecify.annotations.NullMarked;
