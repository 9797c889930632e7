// SPDX-License-Identifier: Apache-2.0
/** Routes commands to the nodes of a cluster by the slots of their keys. */
@NullMarked
package io.millrace.client.internal.cluster;

import org.jspecify.annotations.NullMarked;
